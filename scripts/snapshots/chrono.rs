use krate::{DateTime, Duration, FixedOffset, NaiveDate, Utc};

fn value(random: &mut Random, judge: &mut Judge) {
    let date = NaiveDate::from_ymd_opt(random.below(4000) as i32 - 1000, random.below(14) as u32, random.below(33) as u32);
    judge.equal(&date);
    let moment = DateTime::<Utc>::from_timestamp(random.below(1 << 35) as i64 - (1 << 34), random.below(1 << 30) as u32);
    judge.equal(&moment);
    let offset = FixedOffset::east_opt(random.below(90000) as i32 - 45000);
    judge.equal(&offset);
    judge.equal(&Duration::try_milliseconds(random.below(1 << 60) as i64));
    judge.equal(&moment.zip(offset).map(|(moment, offset)| moment.with_timezone(&offset)));
    judge.equal(&random.text().parse::<DateTime<Utc>>());
    judge.equal(&date.map(|it| it.iter_days().take(2).collect::<Vec<_>>()));
}

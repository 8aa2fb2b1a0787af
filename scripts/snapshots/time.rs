use krate::{Date, Duration, OffsetDateTime, Time, UtcOffset};

fn value(random: &mut Random, judge: &mut Judge) {
    judge.equal(&Date::from_ordinal_date(random.below(9000) as i32 - 4000, random.below(370) as u16));
    judge.equal(&Time::from_hms_nano(random.below(25) as u8, random.below(61) as u8, 3, random.below(1 << 31) as u32));
    judge.equal(&Duration::new(random.below(1 << 50) as i64 - 9, random.below(1 << 31) as i32));
    let moment = OffsetDateTime::from_unix_timestamp(random.below(1 << 38) as i64);
    judge.equal(&moment);
    let offset = UtcOffset::from_hms(random.below(30) as i8 - 15, random.below(60) as i8, 1);
    judge.equal(&offset);
    judge.equal(&moment.ok().zip(offset.ok()).map(|(moment, offset)| moment.to_offset(offset)));
}

use krate::{RoaringBitmap, RoaringTreemap};

fn value(random: &mut Random, judge: &mut Judge) {
    let mut bitmap: RoaringBitmap = random.list(|it| it.below(1 << 18) as u32).into_iter().collect();
    if random.below(9) == 0 {
        let start = random.below(1 << 17) as u32;
        bitmap.insert_range(start..start + random.below(9000) as u32);
        bitmap.optimize();
    }
    judge.equal(&bitmap);
    let treemap: RoaringTreemap = random.list(|it| it.below(1 << 40)).into_iter().collect();
    judge.equal(&treemap);
}

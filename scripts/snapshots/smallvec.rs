use krate::SmallVec;

fn value(random: &mut Random, judge: &mut Judge) {
    let items: SmallVec<[u16; 4]> = random.list(|it| it.below(1 << 16) as u16).into();
    judge.equal(&items);
    let mut iter = items.into_iter();
    iter.next();
    judge.same(&iter);
}

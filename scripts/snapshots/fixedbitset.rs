use krate::FixedBitSet;

fn value(random: &mut Random, judge: &mut Judge) {
    let mut bits = FixedBitSet::with_capacity(random.below(300) as usize);
    for bit in random.list(|it| it.below(300) as usize) {
        bits.grow_and_insert(bit);
    }
    judge.equal(&bits);
    judge.same(&bits.ones());
}

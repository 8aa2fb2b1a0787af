use krate::Slab;

fn value(random: &mut Random, judge: &mut Judge) {
    let mut slab: Slab<Option<String>> = Slab::with_capacity(random.below(4) as usize);
    for _ in 0..random.below(12) {
        let key = random.below(8) as usize;
        match random.below(3) {
            0 => drop(slab.try_remove(key)),
            1 => drop(slab.insert(None)),
            _ => drop(slab.insert(Some(random.text()))),
        }
    }
    judge.same(&slab);
    judge.same(&slab.iter());
}

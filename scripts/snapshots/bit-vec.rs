use krate::BitVec;

fn value(random: &mut Random, judge: &mut Judge) {
    let mut bits = BitVec::from_elem(random.below(70) as usize, random.below(2) == 0);
    for _ in 0..random.below(9) {
        match bits.len() {
            0 => bits.push(true),
            n => bits.set(random.below(n as u64) as usize, random.below(2) == 0),
        }
    }
    bits.extend(random.list(|it| it.below(2) == 0));
    judge.equal(&bits);
    let mut iter = bits.iter();
    random.list(|_| ()).iter().for_each(|()| drop(iter.next()));
    judge.same(&iter);
}

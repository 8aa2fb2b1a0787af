use krate::map::Slice;
use krate::{IndexMap, IndexSet};

fn value(random: &mut Random, judge: &mut Judge) {
    let mut map: IndexMap<String, u8> = random.list(|it| (it.text(), it.below(9) as u8)).into_iter().collect();
    map.swap_remove(&random.text());
    judge.equal(&map);
    judge.same(&map.iter());
    let slice: Box<Slice<String, u8>> = map.into_boxed_slice();
    judge.same(&slice);
    judge.same(&slice.into_values());
    let set: IndexSet<u8> = random.list(|it| it.below(9) as u8).into_iter().collect();
    judge.equal(&set);
}

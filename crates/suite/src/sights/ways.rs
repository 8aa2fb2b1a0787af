//! Reports how well the values of each type were seen, and where what `==` reads disagrees with
//! what it answers.

use std::collections::BTreeMap;

use testsmith_api::{KeyNames, TypeIdx};
use testsmith_protocol::Caps;
use testsmith_record::SeenReport;
use testsmith_sequence::{Sequence, World, text};
use testsmith_states::Seen;

/// Reports by type.
#[derive(Debug, Default)]
pub(super) struct Ways(BTreeMap<TypeIdx, SeenReport>);

impl Ways {
    /// Counts a value that was looked at.
    pub(super) fn look(&mut self, world: &World, ty: TypeIdx, seen: Seen) {
        let report = self.0.entry(ty).or_default();
        report.equality = has_equality(world, ty);
        report.looks += 1;
        report.whole += usize::from(seen.state.is_some());
        report.read += usize::from(seen.read.is_some());
        report.less += usize::from(seen.read.is_some() && seen.read != seen.state);
    }

    /// Counts two values that were compared.
    pub(super) fn pair(
        &mut self,
        world: &World,
        ty: TypeIdx,
        [(one, made_one), (other, made_other)]: [(Seen, &Sequence); 2],
        is_equal: bool,
    ) {
        let (Some(one), Some(other)) = (one.read, other.read) else {
            return;
        };
        let report = self.0.entry(ty).or_default();
        report.pairs += 1;
        let made = || [made_one, made_other].map(|it| one_line(world, it));
        match (one == other, is_equal) {
            (false, true) => {
                report.finer += 1;
                report.finer_example.get_or_insert_with(made);
            }
            (true, false) => {
                report.coarser += 1;
                report.coarser_example.get_or_insert_with(made);
            }
            _ => {}
        }
    }

    /// The reports of the wanted types, by path.
    pub(super) fn reports(
        self,
        world: &World,
        is_wanted: impl Fn(TypeIdx) -> bool,
    ) -> BTreeMap<String, SeenReport> {
        let wanted = self.0.into_iter().filter(|(ty, _)| is_wanted(*ty));
        let path = |ty: TypeIdx| world.catalogue.types.get(ty).ty.render(&KeyNames);
        wanted.map(|(ty, report)| (path(ty), report)).collect()
    }
}

/// Does the type have `==`?
pub(super) fn has_equality(world: &World, ty: TypeIdx) -> bool {
    let caps = world.caps.get(ty.0 as usize);
    caps.is_some_and(|it| it.has(Caps::EQ))
}

fn one_line(world: &World, sequence: &Sequence) -> String {
    let text = text(world, sequence);
    text.lines().collect::<Vec<_>>().join("; ")
}

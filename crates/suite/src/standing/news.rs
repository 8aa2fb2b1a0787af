//! Which of the chosen cases are new to the suite that is there.
//!
//! A run chooses as if there were no suite, so that the same seed chooses the same cases. What stands
//! in the suite already is known by its text. Of the others those are new that enter code or kill
//! mutants which no test of the suite does, and those about callables that no test of it calls.

use std::collections::{BTreeMap, BTreeSet};

use testsmith_api::{CallableId, Origin};
use testsmith_emit::{TestCase, TestKind};
use testsmith_protocol::{MutantId, RegionId};
use testsmith_sequence::{Step, World};

use super::text::{StandingTest, Usual};
use super::{At, Standing, Weighed};

/// What a suite shows so far.
#[derive(Default)]
struct Shown {
    regions: BTreeSet<RegionId>,
    kills: BTreeSet<MutantId>,
    callables: BTreeSet<CallableId>,
}

/// What came of sorting chosen cases.
pub(crate) struct News {
    /// Cases to be added.
    pub(crate) added: Vec<TestCase>,
    /// How many cases stand in the suite already.
    pub(crate) n_there: u64,
    /// How many show nothing that the suite does not show.
    pub(crate) n_nothing_new: u64,
}

/// Sorts cases that were chosen, each with its text, and learns what those are good for that are
/// there already.
pub(crate) fn news(
    world: &World,
    standing: &Standing,
    broken: &BTreeSet<At>,
    weighed: &mut Weighed,
    cases: Vec<(TestCase, String)>,
) -> News {
    let holding = || standing.tests().filter(|(at, _)| !broken.contains(at));
    let known: BTreeMap<String, At> = holding().map(|(at, it)| (canonical(&it.text), at)).collect();
    let (there, others): (Vec<_>, Vec<_>) = cases
        .into_iter()
        .map(|(case, text)| (case, canonical(&text)))
        .partition(|(_, text)| known.contains_key(text));
    for (case, text) in &there {
        weighed.know(known[text], world, case);
    }
    let mut shown = Shown::default();
    for weight in holding().filter_map(|(at, _)| weighed.of(at)) {
        shown.regions.extend(&weight.worth.regions);
        shown.kills.extend(&weight.worth.kills);
        shown.callables.extend(&weight.callables);
    }
    let mut news = News {
        added: Vec::new(),
        n_there: there.len() as u64,
        n_nothing_new: 0,
    };
    let tests: Vec<&StandingTest> = holding().map(|(_, it)| it).collect();
    for (case, _) in others {
        let is_new = match &case.kind {
            TestKind::Regression => shown.is_new(world, &case),
            TestKind::ShouldPanic { .. } => !panics_already(world, &tests, &case),
            TestKind::Failure { reason } => !fails_already(&tests, reason),
        };
        match is_new {
            true => news.added.push(case),
            false => news.n_nothing_new += 1,
        }
    }
    news
}

impl Shown {
    /// Does the case show something new? If so, it is shown from now on.
    fn is_new(&mut self, world: &World, case: &TestCase) -> bool {
        let about = about(world, case);
        let is_new = !case.worth.regions.is_subset(&self.regions)
            || !case.worth.kills.is_subset(&self.kills)
            || about.is_some_and(|it| !self.callables.contains(&it));
        if is_new {
            self.regions.extend(&case.worth.regions);
            self.kills.extend(&case.worth.kills);
            self.callables.extend(about);
        }
        is_new
    }
}

/// The callable that a case is about: that of its last call of the crate.
fn about(world: &World, case: &TestCase) -> Option<CallableId> {
    let mut steps = case.sequence.steps().iter().rev();
    steps.find_map(|step| match step {
        Step::Call { op, .. } => match world.catalogue.operation(*op).origin {
            Origin::Callable(callable) => Some(callable),
            _ => None,
        },
        Step::Drop(_) => None,
    })
}

/// Does a test already expect a panic of this callable?
fn panics_already(world: &World, tests: &[&StandingTest], case: &TestCase) -> bool {
    let Some(callable) = about(world, case) else {
        return false;
    };
    let path = &world.catalogue.api.callables[callable.0 as usize].key;
    let name = path.rsplit("::").next().unwrap_or(path);
    let mut panicking = tests.iter().filter(|it| it.text.contains("#[should_panic"));
    panicking.any(|it| {
        let calls = super::changed::calls(&it.text, None);
        calls.iter().any(|call| call.rsplit("::").next() == Some(name))
    })
}

/// Does a test already show a failure with this reason? Numbers in it may differ.
fn fails_already(tests: &[&StandingTest], reason: &str) -> bool {
    let bare = |text: &str| {
        let words = text.split(|c: char| !c.is_alphabetic());
        words.filter(|word| !word.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    let reason = bare(reason);
    let mut ignored = tests.iter().filter(|it| it.usual == Usual::Ignored);
    ignored.any(|it| {
        let attribute = it.text.split("#[ignore = \"").nth(1);
        let written = attribute.and_then(|it| it.split("\"]").next());
        written.is_some_and(|it| bare(it) == reason)
    })
}

/// The text of a test without what is no matter of its contents: its name, comments above it, white
/// space and commas.
pub(crate) fn canonical(text: &str) -> String {
    let lines = text.lines().skip_while(|line| line.starts_with("//"));
    let mut canonical = String::new();
    for line in lines {
        let line = match line.strip_prefix("fn ") {
            Some(head) => head.split_once('(').map_or(head, |(_, rest)| rest),
            None => line,
        };
        canonical.extend(line.chars().filter(|it| !it.is_whitespace() && *it != ','));
    }
    canonical
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_known_by_its_contents() {
        let one = "// Why.\n#[test]\nfn a() {\n    f(1,\n    2);\n}";
        assert_eq!(canonical(one), canonical("#[test]\nfn b() {\n    f(1, 2);\n}"));
        assert_ne!(canonical(one), canonical("#[test]\nfn a() {\n    f(1, 3);\n}"));
    }
}

//! Which of the chosen cases are new to the suite that is there.
//!
//! A run chooses as if there were no suite, so that the same seed chooses the same cases. What stands
//! in the suite already is known by its text. Of the others those are new that enter code or kill
//! mutants which no test of the suite does, and those about callables that no test of it calls.
//! After a change of the crate, a run like the last adds only what is about that change.

use std::collections::{BTreeMap, BTreeSet};

use testsmith_api::{CallableId, Origin};
use testsmith_emit::{TestCase, TestKind};
use testsmith_protocol::{MutantId, RegionId};
use testsmith_record::Drops;
use testsmith_sequence::{Step, World};

use super::changed::calls;
use super::function::bare;
use super::memory::Code;
use super::refused::{Offer, Refused};
use super::weigh::{Weighed, Weight};
use super::{At, Standing, StandingTest, Usual};

/// A case that was chosen, with the text that its test would have.
pub(crate) struct Chosen {
    pub(crate) case: TestCase,
    pub(crate) text: String,
}

/// Cases that stand in the suite already, each with its test, and the others.
pub(crate) fn sorted(
    standing: &Standing,
    root: &str,
    cases: Vec<Chosen>,
) -> (Vec<(TestCase, At)>, Vec<Chosen>) {
    let tests = standing
        .tests()
        .filter(|(at, _)| standing.file(*at).root == root);
    let known: BTreeMap<String, At> = tests.map(|(at, it)| (canonical(&it.text), at)).collect();
    let (mut there, mut others) = (Vec::new(), Vec::new());
    for chosen in cases {
        match known.get(&canonical(&chosen.text)) {
            Some(at) => there.push((chosen.case, *at)),
            None => others.push(chosen),
        }
    }
    (there, others)
}

/// What decides whether a case is new.
pub(crate) struct Rules<'r> {
    pub(crate) world: &'r World,
    pub(crate) standing: &'r Standing,
    pub(crate) weighed: &'r Weighed,
    pub(crate) refused: &'r Refused,
    /// Did behaviour change that nobody has accepted yet? What the crate does now may be a fault, and
    /// nobody knows how far it reaches, so no new test is to say that it is right.
    pub(crate) is_open: bool,
    /// Calls of tests that were taken out because of a change that was accepted.
    pub(crate) replaced: BTreeSet<String>,
    /// Has a run like this one added tests before? Then only what is about changed code is new: else
    /// chance would add some tests to each run after a change of the crate.
    pub(crate) is_like_the_last: bool,
    pub(crate) code: Option<&'r Code>,
}

/// What is new.
pub(crate) struct News {
    pub(crate) added: Vec<TestCase>,
    /// How many cases would be new if no behaviour were in doubt.
    pub(crate) n_waiting: usize,
    /// What no test calls even so.
    pub(crate) uncalled: BTreeSet<CallableId>,
}

/// The cases that are new. The others are counted.
pub(crate) fn news(rules: &Rules<'_>, cases: Vec<Chosen>, drops: &mut Drops) -> News {
    let mut shown = Shown::of(rules);
    let tests: Vec<&StandingTest> = rules.standing.tests().map(|(_, it)| it).collect();
    let (mut added, mut n_waiting) = (Vec::new(), 0);
    // What is about something that no test calls comes first: what others show besides may be shown
    // by that already.
    let is_about_old = |it: &Chosen| shown.calls_all(rules, &it.case);
    let (old, new): (Vec<Chosen>, Vec<Chosen>) = cases.into_iter().partition(is_about_old);
    for Chosen { case, text } in new.into_iter().chain(old) {
        let names = names(rules.world, &case);
        let is_new = match &case.kind {
            TestKind::Regression => shown.is_new(rules, &case, &names),
            TestKind::ShouldPanic { .. } => {
                !panics_already(&tests, &names) && may_panic_anew(rules, &case, &names)
            }
            TestKind::Failure { reason } => failing_already(rules.standing, reason).is_none(),
        };
        let why = match (is_new, rules.is_open, rules.refused.has(Offer::Test, &text)) {
            (false, _, _) => "the tests that are there show all that it shows",
            (true, _, true) => "refused in a review",
            (true, true, false) => {
                shown.add(&case, rules.world);
                n_waiting += 1;
                "it waits until behaviour that changed is accepted"
            }
            (true, false, false) => {
                shown.add(&case, rules.world);
                added.push(case);
                continue;
            }
        };
        drops.add("new test", why, 1);
    }
    let callables = (0..rules.world.catalogue.api.callables.len() as u32).map(CallableId);
    let uncalled = callables.filter(|it| !shown.calls(rules, *it));
    News {
        uncalled: uncalled.collect(),
        added,
        n_waiting,
    }
}

/// The mutants that cases kill which would be new if the suite showed no more than is known of it. `None`
/// if no case would be.
pub(crate) fn claimed(rules: &Rules<'_>, cases: &[Chosen]) -> Option<BTreeSet<MutantId>> {
    let shown = Shown::of(rules);
    let is_new = |it: &&Chosen| {
        let is_regression = matches!(it.case.kind, TestKind::Regression);
        is_regression && shown.is_new(rules, &it.case, &names(rules.world, &it.case))
    };
    let mut new = cases.iter().filter(is_new).peekable();
    new.peek()?;
    let kills = new.flat_map(|it| it.case.worth.kills.iter().copied());
    Some(kills.filter(|it| !shown.kills.contains(it)).collect())
}

/// What a suite shows so far.
#[derive(Default)]
struct Shown {
    /// Functions that tests call, by the code that they entered.
    called: BTreeSet<String>,
    regions: BTreeSet<RegionId>,
    kills: BTreeSet<MutantId>,
    callables: BTreeSet<CallableId>,
    /// Names and texts of all tests.
    texts: Vec<(String, String)>,
    /// Texts of tests whose calls could not all be read, with those that their syntax shows.
    unread: Vec<(String, Vec<String>)>,
}

impl Shown {
    fn of(rules: &Rules<'_>) -> Shown {
        let mut shown = Shown::default();
        for (at, test) in rules.standing.tests() {
            let weight = rules.weighed.of(at);
            if let Some(weight) = weight {
                shown.regions.extend(&weight.worth.regions);
                shown.kills.extend(&weight.worth.kills);
                shown.callables.extend(&weight.callables);
                shown.called.extend(called(rules, test, weight));
            }
            shown
                .texts
                .push((format!("_{}_", test.name), test.text.clone()));
            if weight.is_none_or(|it| !it.is_whole) {
                shown
                    .unread
                    .push((test.text.clone(), calls(&test.text, None)));
            }
        }
        shown
    }

    /// Is all called that the case is about?
    fn calls_all(&self, rules: &Rules<'_>, case: &TestCase) -> bool {
        about(rules.world, case)
            .iter()
            .all(|it| self.calls(rules, *it))
    }

    /// Does a test call it?
    fn calls(&self, rules: &Rules<'_>, callable: CallableId) -> bool {
        let key = &rules.world.catalogue.api.callable(callable).key;
        self.callables.contains(&callable)
            || self.called.contains(&bare(key))
            || self.is_in_unread(key)
    }

    /// Does the case show something new?
    fn is_new(&self, rules: &Rules<'_>, case: &TestCase, names: &BTreeSet<String>) -> bool {
        let is_anything_new =
            !rules.is_like_the_last || names.iter().any(|it| rules.replaced.contains(it));
        let enters_new = |it: &RegionId| {
            let is_old = rules.code.is_some_and(|code| code.is_old(*it));
            !self.regions.contains(it) && (is_anything_new || !is_old)
        };
        let kills_new = |it: &MutantId| {
            let is_new = rules.code.is_some_and(|code| code.is_new(*it));
            !self.kills.contains(it) && (is_anything_new || is_new)
        };
        case.worth.regions.iter().any(enters_new)
            || case.worth.kills.iter().any(kills_new)
            || self.calls_more(rules, case, is_anything_new)
    }

    /// Does the case call something that no test calls? What the last run left without a test is found by
    /// chance now, which is no news unless anything is.
    fn calls_more(&self, rules: &Rules<'_>, case: &TestCase, is_anything_new: bool) -> bool {
        let was_left = |it: &CallableId| {
            let key = &rules.world.catalogue.api.callable(*it).key;
            !is_anything_new && rules.code.is_some_and(|code| code.left_uncalled(key))
        };
        about(rules.world, case)
            .iter()
            .any(|it| !was_left(it) && !self.calls(rules, *it))
    }

    /// May a test call this, although that could not be read? Operators stand in no text, but in names
    /// of tests.
    fn is_in_unread(&self, key: &str) -> bool {
        let (owner, name) = owner_and_name(key);
        let is_word = |text: &str| words(text).any(|word| word == owner);
        let in_name = format!("_{name}_");
        let is_named = |(title, text): &(String, String)| {
            title.contains(&in_name) && (owner.is_empty() || is_word(text))
        };
        let is_called = |(text, calls): &(String, Vec<String>)| {
            calls.iter().any(|call| match call.split_once("::") {
                Some((of, call)) => call == name && of == owner,
                None => call == name && is_word(text),
            })
        };
        self.unread.iter().any(is_called) || self.texts.iter().any(is_named)
    }

    fn add(&mut self, case: &TestCase, world: &World) {
        self.regions.extend(&case.worth.regions);
        self.kills.extend(&case.worth.kills);
        self.callables
            .extend(&Weight::of_case(world, case).callables);
    }
}

/// Is it news that something panics? In a run like the last it is not, if the code is as it was: then chance has
/// found it.
fn may_panic_anew(rules: &Rules<'_>, case: &TestCase, names: &BTreeSet<String>) -> bool {
    let was_seen = |it: &CallableId| {
        let key = &rules.world.catalogue.api.callable(*it).key;
        rules.code.is_some_and(|code| code.is_as_it_was(key))
    };
    !rules.is_like_the_last
        || names.iter().any(|it| rules.replaced.contains(it))
        || !about(rules.world, case).iter().all(was_seen)
}

/// Functions that a test calls, by the code that it entered when it ran. What its text does not name, it
/// may call through others only, unless it is the method of a trait: operators and loops name nothing.
fn called<'r>(
    rules: &'r Rules<'_>,
    test: &'r StandingTest,
    weight: &'r Weight,
) -> impl Iterator<Item = String> + 'r {
    let regions = weight.worth.regions.iter().filter(|_| weight.is_measured);
    let functions = regions.filter_map(|it| rules.code?.called(*it));
    let is_named = |function: &&str| {
        let name = function.rsplit("::").next().unwrap_or(function);
        function.contains(" as ") || words(&test.text).any(|it| it == name)
    };
    functions.filter(is_named).map(str::to_owned)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
}

/// The callables that a case is about: that of its last call of the crate, or of each of its acts.
fn about(world: &World, case: &TestCase) -> BTreeSet<CallableId> {
    let callable = |op| match world.catalogue.operation(op).origin {
        Origin::Callable(callable) => Some(callable),
        _ => None,
    };
    let acts: BTreeSet<CallableId> = case.acts.iter().filter_map(|it| callable(it.op)).collect();
    if !acts.is_empty() {
        return acts;
    }
    let mut steps = case.sequence.steps().iter().rev();
    let last = steps.find_map(|step| match step {
        Step::Call { op, .. } => callable(*op),
        Step::Drop(_) => None,
    });
    last.into_iter().collect()
}

/// The last segments of the callables that a case is about.
fn names(world: &World, case: &TestCase) -> BTreeSet<String> {
    let keys = about(world, case)
        .into_iter()
        .map(|it| &world.catalogue.api.callable(it).key);
    keys.map(|key| key.rsplit("::").next().unwrap_or(key).to_owned())
        .collect()
}

/// The type or module that a callable is in, and its own name: `Bag` and `add`.
fn owner_and_name(key: &str) -> (&str, &str) {
    let (before, name) = key.rsplit_once("::").unwrap_or(("", key));
    // The method of a trait is called `<krate::Type as Trait>::name`.
    let of_trait = before
        .strip_prefix('<')
        .and_then(|it| it.split(" as ").next());
    let path = of_trait.unwrap_or(before);
    let path = path.split('<').next().unwrap_or(path);
    (path.rsplit("::").next().unwrap_or(path), name)
}

/// Does a test already expect a panic of what the case is about?
fn panics_already(tests: &[&StandingTest], names: &BTreeSet<String>) -> bool {
    let mut panicking = tests.iter().filter(|it| it.text.contains("#[should_panic"));
    panicking.any(|it| {
        let calls = calls(&it.text, None);
        calls
            .iter()
            .any(|call| names.contains(call.rsplit("::").next().unwrap_or(call)))
    })
}

/// The test that shows a failure with this reason already. Numbers in it may differ.
pub(crate) fn failing_already(standing: &Standing, reason: &str) -> Option<At> {
    let bare = |text: &str| {
        let words = text.split(|c: char| !c.is_alphabetic());
        words
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let reason = bare(reason);
    let mut ignored = standing
        .tests()
        .filter(|(_, it)| it.usual == Usual::Ignored);
    let found = ignored.find(|(_, it)| {
        let attribute = it.text.split("#[ignore = \"").nth(1);
        let written = attribute.and_then(|it| it.split("\"]").next());
        written.is_some_and(|it| bare(it) == reason)
    });
    found.map(|(at, _)| at)
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
    fn the_owner_of_a_callable_is_its_type() {
        assert_eq!(owner_and_name("small::Bag::add"), ("Bag", "add"));
        let key = "<small::Bag<T> as core::ops::Deref>::deref";
        assert_eq!(owner_and_name(key), ("Bag", "deref"));
        assert_eq!(owner_and_name("add"), ("", "add"));
    }

    #[test]
    fn a_test_is_known_by_its_contents() {
        let one = "// Why.\n#[test]\nfn a() {\n    f(1,\n    2);\n}";
        assert_eq!(
            canonical(one),
            canonical("#[test]\nfn b() {\n    f(1, 2);\n}")
        );
        assert_ne!(
            canonical(one),
            canonical("#[test]\nfn a() {\n    f(1, 3);\n}")
        );
    }
}

//! Turns values and calls into states and transitions, and these into a graph that can be read.

use std::collections::{BTreeMap, BTreeSet};

use testsmith_picture::{Edge, Graph, Node};
use testsmith_record::{StateReport, TransitionReport};

use super::choose::Feature;
use super::gather::{End, Gathered};
use super::subject::{Meets, Subject};

/// The most names on one edge; the rest is counted.
const MAX_NAMES: usize = 4;
/// The most names on a loop, and among methods that panic in a state.
const MAX_LOOP_NAMES: usize = 3;

/// The state machine of a type.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Machine {
    pub(super) states: Vec<StateReport>,
    pub(super) transitions: Vec<TransitionReport>,
    /// Methods that may change a value and never did. They are not drawn.
    pub(super) idle: Vec<String>,
}

/// Makes the machine whose states are the classes of the chosen features. Other features that hold
/// in a whole state are named in it.
pub(super) fn machine(
    subject: &Subject,
    gathered: &Gathered,
    chosen: &[Feature],
    features: &[Feature],
) -> Machine {
    let vector = |at: usize| -> Vec<u16> { chosen.iter().map(|it| it.classes[at]).collect() };
    let mut vectors: Vec<Vec<u16>> = Vec::new();
    let mut of_value: Vec<usize> = (0..gathered.states.len())
        .map(|at| {
            let vector = vector(at);
            let known = vectors.iter().position(|it| *it == vector);
            known.unwrap_or_else(|| {
                vectors.push(vector);
                vectors.len() - 1
            })
        })
        .collect();
    let order = from_the_start(gathered, &of_value, vectors.len());
    for state in &mut of_value {
        *state = order[*state];
    }
    let mut sorted = vec![Vec::new(); vectors.len()];
    for (vector, at) in vectors.into_iter().zip(&order) {
        sorted[*at] = vector;
    }
    let mut machine = Machine {
        states: states(gathered, &of_value, &sorted, chosen, features),
        transitions: Vec::new(),
        idle: idle(subject, gathered),
    };
    panics(subject, gathered, &of_value, &mut machine);
    machine.transitions = transitions(subject, gathered, &of_value, &machine.idle);
    machine
}

/// Methods that might change a value and never did.
fn idle(subject: &Subject, gathered: &Gathered) -> Vec<String> {
    let mut changes: BTreeMap<&str, bool> = BTreeMap::new();
    for call in &gathered.calls {
        let method = &subject.methods[call.method];
        if method.meets != Meets::Looks && call.to.is_some() {
            *changes.entry(&method.name).or_default() |= call.to != Some(call.from);
        }
    }
    let idle = changes.into_iter().filter(|(_, changes)| !changes);
    idle.map(|(name, _)| name.to_owned()).collect()
}

/// The new number of each state, by its distance from the state that the simplest constructed value
/// is in.
fn from_the_start(gathered: &Gathered, of_value: &[usize], n_states: usize) -> Vec<usize> {
    let mut n_births = vec![BTreeSet::new(); n_states];
    for (maker, value) in &gathered.births {
        n_births[of_value[*value]].insert(maker);
    }
    let mut roots: Vec<usize> = (0..n_states).collect();
    // Most machines begin with the value that is made of nothing, which is the shortest to make.
    let shortest = |state: usize| {
        let values = (0..of_value.len()).filter(|it| of_value[*it] == state);
        let steps = values.map(|it| gathered.states[it].place.sequence.steps().len());
        steps.min().unwrap_or(usize::MAX)
    };
    roots.sort_by_key(|it| (n_births[*it].is_empty(), shortest(*it), *it));
    let mut order = vec![usize::MAX; n_states];
    let mut n = 0;
    for root in roots {
        let mut todo = std::collections::VecDeque::from([root]);
        while let Some(state) = todo.pop_front() {
            if order[state] != usize::MAX {
                continue;
            }
            order[state] = n;
            n += 1;
            let next: BTreeSet<usize> = gathered
                .calls
                .iter()
                .filter(|it| of_value[it.from] == state)
                .filter_map(|it| it.to.map(|to| of_value[to]))
                .collect();
            todo.extend(next);
        }
    }
    order
}

fn states(
    gathered: &Gathered,
    of_value: &[usize],
    vectors: &[Vec<u16>],
    chosen: &[Feature],
    features: &[Feature],
) -> Vec<StateReport> {
    let words = |vector: &[u16]| -> Vec<String> {
        let labels = chosen.iter().zip(vector);
        labels
            .map(|(it, class)| it.labels[usize::from(*class)].clone())
            .collect()
    };
    let all: Vec<Vec<String>> = vectors.iter().map(|it| words(it)).collect();
    let of_state = |state: usize| {
        let values: Vec<usize> = (0..gathered.states.len())
            .filter(|it| of_value[*it] == state)
            .collect();
        let is = short(&all, state);
        let also = features.iter().filter_map(|feature| {
            let class = feature.classes[*values.first()?];
            let is_same = values.iter().all(|it| feature.classes[*it] == class);
            let label = &feature.labels[usize::from(class)];
            (is_same && !is.contains(label)).then(|| label.clone())
        });
        StateReport {
            also: also.collect(),
            is,
            values: values.len(),
            panics: Vec::new(),
            may_panic: Vec::new(),
        }
    };
    (0..vectors.len()).map(of_state).collect()
}

/// The labels of a state without denials that go without saying: a state that is called empty need
/// not be called not full.
fn short(all: &[Vec<String>], state: usize) -> Vec<String> {
    let mut kept = all[state].clone();
    let is_alone = |kept: &[String]| {
        let alike = all
            .iter()
            .filter(|other| kept.iter().all(|it| other.contains(it)));
        alike.count() == 1
    };
    let denied: Vec<String> = kept
        .iter()
        .filter(|it| it.starts_with('!'))
        .cloned()
        .collect();
    for line in denied {
        let less: Vec<String> = kept.iter().filter(|it| **it != line).cloned().collect();
        if !less.is_empty() && is_alone(&less) {
            kept = less;
        }
    }
    kept
}

/// Notes in each state which methods panic there.
fn panics(subject: &Subject, gathered: &Gathered, of_value: &[usize], machine: &mut Machine) {
    // For each method and state, the number of calls that panicked and of all calls.
    let mut counts: BTreeMap<&str, BTreeMap<usize, (usize, usize)>> = BTreeMap::new();
    for call in &gathered.calls {
        let name = subject.methods[call.method].name.as_str();
        let of_state = counts.entry(name).or_default();
        let (n_panics, n_calls) = of_state.entry(of_value[call.from]).or_default();
        *n_panics += usize::from(call.end == End::Panicked);
        *n_calls += 1;
    }
    for (name, of_state) in counts {
        let depends = of_state
            .values()
            .any(|(n_panics, n_calls)| n_panics < n_calls);
        for (state, (n_panics, n_calls)) in of_state {
            if n_panics == n_calls && depends {
                machine.states[state].panics.push(name.to_owned());
            } else if n_panics > 0 {
                machine.states[state].may_panic.push(name.to_owned());
            }
        }
    }
}

/// For each method, how often it led from one state to another, and what it gave then.
type Way<'w> = BTreeMap<&'w str, (usize, BTreeSet<&'w str>)>;

fn transitions(
    subject: &Subject,
    gathered: &Gathered,
    of_value: &[usize],
    idle: &[String],
) -> Vec<TransitionReport> {
    // All that a method ever gave, and what it gave on each way from one state to another.
    let mut given: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut ways: BTreeMap<(usize, usize), Way<'_>> = BTreeMap::new();
    for call in &gathered.calls {
        let method = &subject.methods[call.method];
        let (End::Returned(says), Some(to)) = (&call.end, call.to) else {
            continue;
        };
        let (from, to) = (of_value[call.from], of_value[to]);
        // A call that changes nothing is drawn only if its method changes something elsewhere.
        if from == to && (method.meets == Meets::Looks || idle.contains(&method.name)) {
            continue;
        }
        given.entry(&method.name).or_default().insert(says);
        let way = ways.entry((from, to)).or_default();
        let (n, said) = way.entry(&method.name).or_default();
        *n += 1;
        said.insert(says);
    }
    let mut births: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
    for (maker, value) in &gathered.births {
        births.entry(of_value[*value]).or_default().insert(maker);
    }
    let mut transitions: Vec<TransitionReport> = births
        .into_iter()
        .map(|(to, makers)| TransitionReport {
            from: None,
            to,
            calls: makers.into_iter().map(str::to_owned).collect(),
        })
        .collect();
    // A call that occurs on few loops says more about the states it occurs on, so it is named
    // first.
    let written = |name: &str, said: &BTreeSet<&str>| match given[name] == *said {
        true => name.to_owned(),
        false => {
            let said: Vec<&str> = said.iter().copied().filter(|it| !it.is_empty()).collect();
            format!("{name} → {}", said.join(" | "))
        }
    };
    let mut n_ways: BTreeMap<String, usize> = BTreeMap::new();
    for way in ways.values() {
        for (name, (_, said)) in way {
            *n_ways.entry(written(name, said)).or_default() += 1;
        }
    }
    for ((from, to), way) in &ways {
        let is_common = |name: &str| {
            let mut methods = subject.methods.iter().filter(|it| it.name == name);
            methods.all(|it| it.is_common)
        };
        let mut calls: Vec<(bool, usize, usize, String)> = way
            .iter()
            .map(|(name, (n, said))| {
                let text = written(name, said);
                let n_ways = if from == to { n_ways[&text] } else { 0 };
                (is_common(name), n_ways, usize::MAX - n, text)
            })
            .collect();
        calls.sort();
        transitions.push(TransitionReport {
            from: Some(*from),
            to: *to,
            calls: calls.into_iter().map(|it| it.3).collect(),
        });
    }
    transitions
}

/// The machine as a graph.
pub(super) fn graph(title: &str, machine: &Machine) -> Graph {
    let nodes = machine.states.iter().map(|state| {
        let values = match state.values {
            1 => "1 value seen".to_owned(),
            n => format!("{n} values seen"),
        };
        let mut warning = Vec::new();
        match &state.panics[..] {
            [] => {}
            [one] => warning.push(format!("{one} panics")),
            several => {
                warning.push("panics:".to_owned());
                warning.extend(first(several, MAX_LOOP_NAMES));
            }
        }
        let mut tooltip = state.is.clone();
        tooltip.extend(state.also.iter().map(|it| format!("also: {it}")));
        for (what, names) in [("panics", &state.panics), ("may panic", &state.may_panic)] {
            if !names.is_empty() {
                tooltip.push(format!("{what}: {}", names.join(", ")));
            }
        }
        Node {
            lines: match state.is.is_empty() {
                true => vec!["any".to_owned()],
                false => state.is.clone(),
            },
            small: vec![values],
            warning,
            tooltip: tooltip.join("\n"),
        }
    });
    let edges = machine.transitions.iter().map(|it| Edge {
        from: it.from,
        to: it.to,
        lines: {
            let calls: Vec<String> = it.calls.iter().map(|it| brief(it)).collect();
            match it.from == Some(it.to) {
                true => first(&calls, MAX_LOOP_NAMES),
                false => first(&calls, MAX_NAMES),
            }
        },
        tooltip: it.calls.join("\n"),
    });
    Graph {
        title: title.to_owned(),
        nodes: nodes.collect(),
        edges: edges.collect(),
    }
}

/// A call with several outcomes, without their contents: of several errors it says only that there
/// was one.
fn brief(call: &str) -> String {
    let Some((name, said)) = call.split_once(" → ") else {
        return call.to_owned();
    };
    if !said.contains(" | ") {
        return call.to_owned();
    }
    let mut heads: Vec<&str> = Vec::new();
    for one in said.split(" | ") {
        let head = one.split('(').next().unwrap_or(one);
        if !heads.contains(&head) {
            heads.push(head);
        }
    }
    format!("{name} → {}", heads.join(" | "))
}

/// The first names, and how many more there are. If there is only one more, it is named too.
fn first(names: &[String], n: usize) -> Vec<String> {
    if names.len() <= n + 1 {
        return names.to_vec();
    }
    let mut lines = names[..n].to_vec();
    lines.push(format!("+{} more", names.len() - n));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(", ").map(str::to_owned).collect()
    }

    #[test]
    fn what_goes_without_saying_is_not_said() {
        let all = [
            words("is_empty(), !is_full()"),
            words("!is_empty(), !is_full()"),
            words("!is_empty(), is_full()"),
        ];
        assert_eq!(short(&all, 0), ["is_empty()"]);
        assert_eq!(short(&all, 1), ["!is_empty()", "!is_full()"]);
        assert_eq!(short(&all, 2), ["is_full()"]);
    }

    #[test]
    fn several_errors_are_one_in_the_picture() {
        assert_eq!(brief("get → Err(A) | Err(B) | Ok"), "get → Err | Ok");
        assert_eq!(brief("get → Err(A)"), "get → Err(A)");
        assert_eq!(brief("push"), "push");
    }

    #[test]
    fn names_beyond_a_few_are_counted() {
        assert_eq!(first(&words("a, b, c, d"), 3), ["a", "b", "c", "d"]);
        assert_eq!(
            first(&words("a, b, c, d, e"), 3),
            ["a", "b", "c", "+2 more"]
        );
    }
}

//! Makes features, which could tell states apart, and targets, which may depend on states, of all
//! that was gathered.

use std::collections::BTreeMap;

use testsmith_protocol::Value;

use super::choose::{Feature, Target};
use super::gather::Gathered;
use super::kinds::{predicate, size};
use super::look::Reply;
use super::subject::{Meets, Subject};

/// The weight of a method that only looks, or of an observer. A method that changes something has
/// weight 1.
const LOOKING: f64 = 0.25;
/// Text with more characters than this is cut.
const MAX_TEXT: usize = 40;

/// The features, and the observers that make none, with the reason.
pub(super) fn features(
    subject: &Subject,
    gathered: &Gathered,
    unfit: &BTreeMap<usize, &'static str>,
) -> (Vec<Feature>, Vec<(String, String)>) {
    let mut features = Vec::new();
    let mut left_out = Vec::new();
    if subject.is_enum {
        let own = |at: usize| {
            let own = Reply::Value(gathered.states[at].sight.own.clone());
            predicate("", &own).map(|it| it.trim_start_matches(" is ").to_owned())
        };
        features.extend(feature(gathered, "its variant", vec![], 0, own).ok());
    }
    let mut sizes = Vec::new();
    for (i, (_, name)) in subject.observers.iter().enumerate() {
        if let Some(why) = unfit.get(&i) {
            left_out.push((name.clone(), (*why).to_owned()));
            continue;
        }
        let seen = |at: usize| &gathered.states[at].sight.seen[i];
        let all = || (0..gathered.states.len()).map(seen);
        let of_sizes: Option<Vec<u128>> = all().map(size).collect();
        if let Some(of_sizes) = of_sizes
            && of_sizes.iter().any(|it| *it > 0)
        {
            sizes.push((i, of_sizes));
        }
        let rank = all().map(rank).max().unwrap_or(0);
        match feature(gathered, name, vec![i], rank, |at| {
            predicate(name, seen(at))
        }) {
            Ok(feature) => features.push(feature),
            Err(why) => left_out.push((name.clone(), why)),
        }
    }
    for (i, of_i) in &sizes {
        // A bound that no observer tells is taken to be the greatest value that was seen.
        let (name, most) = (&subject.observers[*i].1, of_i.iter().max().unwrap_or(&0));
        let sign = |at: usize| if of_i[at] == *most { "=" } else { "<" };
        let label = |at: usize| Some(format!("{name} {} {most}", sign(at)));
        let what = format!("{name} and its greatest value");
        if *most > 1 {
            features.extend(feature(gathered, &what, vec![*i, *i], 5, label).ok());
        }
    }
    for (n, (i, of_i)) in sizes.iter().enumerate() {
        for (j, of_j) in &sizes[n + 1..] {
            // If one of the numbers never changes, it is the bound, and the other is compared with
            // it.
            let is_constant = of_i.iter().all(|it| *it == of_i[0]);
            let ((i, of_i), (j, of_j)) = match is_constant {
                true => ((j, of_j), (i, of_i)),
                false => ((i, of_i), (j, of_j)),
            };
            let (one, other) = (&subject.observers[*i].1, &subject.observers[*j].1);
            // Only a number that bounds another says something when they meet.
            let pairs = || of_i.iter().zip(of_j);
            let apart = match (pairs().any(|(i, j)| i < j), pairs().any(|(i, j)| i > j)) {
                (true, false) => "<",
                (false, true) => ">",
                _ => continue,
            };
            let sign = |at: usize| if of_i[at] == of_j[at] { "=" } else { apart };
            let made = feature(
                gathered,
                &format!("{one} and {other}"),
                vec![*i, *j],
                4,
                |at| Some(format!("{one} {} {other}", sign(at))),
            );
            features.extend(made.ok());
        }
    }
    (features, left_out)
}

/// The rank of an answer: booleans read best, then variants, then numbers, then whether something
/// is empty.
fn rank(seen: &Reply) -> u8 {
    match seen {
        Reply::Value(Value::Bool(_)) => 0,
        Reply::Value(Value::Named { .. }) => 1,
        Reply::Value(Value::Str(_) | Value::List(_) | Value::Unordered(_)) => 3,
        _ => 2,
    }
}

fn feature(
    gathered: &Gathered,
    name: &str,
    of: Vec<usize>,
    rank: u8,
    label: impl Fn(usize) -> Option<String>,
) -> Result<Feature, String> {
    let mut labels: Vec<String> = Vec::new();
    let mut classes = Vec::new();
    for at in 0..gathered.states.len() {
        let label = label(at).ok_or("what it answers has no kinds that could be told apart")?;
        let known = labels.iter().position(|it| *it == label);
        let class = known.unwrap_or_else(|| {
            labels.push(label);
            labels.len() - 1
        });
        classes.push(class as u16);
    }
    match &labels[..] {
        [] => Err("it was never asked".to_owned()),
        [one] => Err(format!("always the same: {one}")),
        _ => Ok(Feature {
            name: name.to_owned(),
            of,
            classes,
            labels,
            rank,
            is_telling: rank <= 1,
        }),
    }
}

/// The last resort for a type without a useful observer: its `Debug` text, or else its private
/// state, if there are few of them. The text says which of the two it is.
pub(super) fn last_resort(
    gathered: &Gathered,
    max_states: usize,
) -> Option<(Feature, &'static str)> {
    let few = |feature: &Feature| feature.labels.len() <= max_states;
    let text = |at: usize| match &gathered.states[at].sight.own {
        Value::Debug(text) if text.chars().count() > MAX_TEXT => {
            let head: String = text.chars().take(MAX_TEXT).collect();
            Some(head + "…")
        }
        Value::Debug(text) => Some(text.clone()),
        _ => None,
    };
    let by_text = feature(gathered, "Debug text", vec![], 0, text).ok();
    if let Some(feature) = by_text.filter(few) {
        return Some((
            feature,
            "no observer tells its states apart: they are told by their Debug text",
        ));
    }
    let keys = |at: usize| Some(gathered.states[at].sight.key.to_string());
    let mut feature = feature(gathered, "private state", vec![], 0, keys)
        .ok()
        .filter(few)?;
    for (n, label) in feature.labels.iter_mut().enumerate() {
        *label = format!("state {}", n + 1);
    }
    Some((
        feature,
        "no observer tells its states apart: they are told by private fields, and have numbers",
    ))
}

/// What may depend on the state: the ends of calls, and the answers of observers.
pub(super) fn targets(subject: &Subject, gathered: &Gathered, features: &[Feature]) -> Vec<Target> {
    let mut names: Vec<&str> = Vec::new();
    let mut targets: BTreeMap<(usize, usize), Target> = BTreeMap::new();
    let mut ends = Vec::new();
    for call in &gathered.calls {
        let method = &subject.methods[call.method];
        let is_observer = subject.observers.iter().any(|it| it.0 == method.op);
        let Some(row) = call.row.filter(|_| !is_observer) else {
            continue;
        };
        let known = names.iter().position(|it| *it == method.name);
        let group = known.unwrap_or_else(|| {
            names.push(&method.name);
            names.len() - 1
        });
        let known = ends.iter().position(|it| *it == &call.end);
        let end = known.unwrap_or_else(|| {
            ends.push(&call.end);
            ends.len() - 1
        });
        let target = targets.entry((call.method, row)).or_insert_with(|| Target {
            group,
            observer: None,
            weight: match method.meets {
                Meets::Looks => LOOKING,
                Meets::Changes | Meets::Replaces => 1.0,
            },
            outcomes: vec![None; gathered.states.len()],
        });
        target.outcomes[call.from] = Some(end as u16);
    }
    let mut targets: Vec<Target> = targets.into_values().collect();
    for (n, feature) in features.iter().enumerate() {
        if let [observer] = feature.of[..] {
            targets.push(Target {
                group: names.len() + n,
                observer: Some(observer),
                weight: LOOKING,
                outcomes: feature.classes.iter().map(|it| Some(*it)).collect(),
            });
        }
    }
    targets
}

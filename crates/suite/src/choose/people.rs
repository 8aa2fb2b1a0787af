//! What the crate's people give to its parameters: literals of documented examples and of tests.

use std::collections::{BTreeMap, BTreeSet};

use testsmith_api::{Form, OperationId, Side};
use testsmith_explore::Kept;
use testsmith_protocol::Value;
use testsmith_sequence::{Arg, Sequence, SlotIdx, Step, World};

use super::weak::is_nothing;

/// The most literals of the crate's people that are tried for one parameter.
const MAX_TEXTS: usize = 5;
/// Longer texts are not shown.
const LONG_TEXT: usize = 28;

/// The operation of the last step.
pub(super) fn ends_in(sequence: &Sequence) -> Option<OperationId> {
    match sequence.steps().last() {
        Some(Step::Call { op, .. }) => Some(*op),
        _ => None,
    }
}

/// What the crate's people gave to each parameter, and then texts of theirs that exploration gave to it, the
/// most telling first. Of an operation whose result was unwrapped, only those with which that went well.
pub(super) fn literals_of(
    world: &World,
    people: &[&Sequence],
    kept: &[Kept],
    known: &BTreeSet<String>,
) -> BTreeMap<(OperationId, usize), Vec<Value>> {
    let mut found: BTreeMap<(OperationId, usize), Vec<Value>> = BTreeMap::new();
    let mut given: BTreeMap<(OperationId, usize), BTreeSet<&Value>> = BTreeMap::new();
    let mut good = given.clone();
    let kept = kept.iter().map(|it| &it.sequence);
    for (is_by_people, sequence) in people
        .iter()
        .map(|it| (true, *it))
        .chain(kept.map(|it| (false, it)))
    {
        let mut of_slot: BTreeMap<SlotIdx, (OperationId, usize, &Value)> = BTreeMap::new();
        for step in sequence.steps() {
            let Step::Call { op, args, out } = step else {
                continue;
            };
            for (input, arg) in args.iter().enumerate() {
                let form = &world.catalogue.operation(*op).form;
                match arg {
                    Arg::Literal(value) if is_by_people => {
                        let list = found.entry((*op, input)).or_default();
                        if !list.contains(value) && !is_nothing(value) && list.len() < MAX_TEXTS {
                            list.push((**value).clone());
                        }
                    }
                    Arg::Literal(value) if is_telling(value, known) => {
                        given.entry((*op, input)).or_default().insert(value);
                        of_slot.insert(*out, (*op, input, value));
                    }
                    Arg::Slot(from, _) => {
                        if let (Form::Unwrap(Side::Some | Side::Ok), Some((op, input, text))) =
                            (form, of_slot.get(from))
                        {
                            good.entry((*op, *input)).or_default().insert(text);
                        }
                    }
                    Arg::Literal(_) => {}
                }
            }
        }
    }
    for (place, all) in given {
        let texts = good.remove(&place).unwrap_or(all).into_iter();
        let mut texts: Vec<(&Value, &str)> = texts
            .filter_map(|it| match it {
                Value::Str(text) => Some((it, &**text)),
                _ => None,
            })
            .collect();
        texts.sort_by_key(|(_, it)| (std::cmp::Reverse(variety(it)), it.len()));
        let list = found.entry(place).or_default();
        for (text, _) in texts {
            if list.len() < MAX_TEXTS && !list.contains(text) {
                list.push(text.clone());
            }
        }
    }
    found
}

/// Is it a text that the crate's people wrote, and no long one?
fn is_telling(value: &Value, known: &BTreeSet<String>) -> bool {
    matches!(value, Value::Str(text) if text.len() <= LONG_TEXT
        && known.contains(text)
        && !text.chars().any(char::is_control))
}

/// How many kinds of letters a text has: a text of several parts shows more than one of one part.
fn variety(text: &str) -> usize {
    let kinds = text.chars().map(|it| match it {
        'a'..='z' => 'a',
        'A'..='Z' => 'A',
        '0'..='9' => '0',
        it if it.is_ascii() => it,
        _ => 'é',
    });
    let kinds: BTreeSet<char> = kinds.collect();
    kinds.len().min(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_several_parts_has_more_variety() {
        let mut texts = ["abc", "192.168.0.1", "1K", "Ünï x"];
        texts.sort_by_key(|it| std::cmp::Reverse(variety(it)));
        assert_eq!(texts, ["Ünï x", "192.168.0.1", "1K", "abc"]);
    }
}

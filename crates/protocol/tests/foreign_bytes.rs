//! Whatever a guest or a copy answers, reading it ends, and does not end us.

use testsmith_noise::{plain, throw};
use testsmith_protocol::{
    Batch, Calls, Compared, Death, Execution, Fingerprint, Hello, Noted, Notion, Numbers, Outcome,
    Passage, Reader, RegionId, State, Touch, Trace, Value, Writer, encode_effect,
};

fn values() -> Vec<Value> {
    vec![
        Value::Unit,
        Value::Bool(true),
        Value::Char('ü'),
        Value::Int(-3),
        Value::UInt(u128::MAX),
        Value::F64(1.5_f64.to_bits()),
        Value::Str("seven".into()),
        Value::some(Value::List(vec![Value::UInt(1), Value::none()])),
        Value::Tuple(vec![Value::Debug("A { .. }".into()), Value::Opaque]),
        Value::Unordered(vec![Value::Cut, Value::F32(0)]),
    ]
}

fn encoded(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    value.encode(&mut bytes);
    bytes
}

fn execution(outcome: &Outcome) -> Vec<u8> {
    let mut out = Vec::new();
    outcome.encode(&mut out);
    out.u32(3);
    Touch::encode(None, &mut out);
    Trace {
        hash: 1,
        way: 2,
        work: 3,
        regions: vec![Passage::new(RegionId(7), 1)],
    }
    .encode(&mut out);
    out.u64(12);
    Noted {
        calls: vec![(1, 2)],
        compared: vec![Compared {
            site: 4,
            left: Value::UInt(1),
            right: Value::Str("a".into()),
        }],
    }
    .encode(&mut out);
    let state = State {
        hash: 9,
        whole: true,
        bytes: vec![0, 1, 2],
    };
    for (slot, value) in (0..).zip(values()) {
        let fingerprint = Fingerprint {
            notion: Notion::Structure,
            hash: 5,
        };
        let value = encoded(&value);
        encode_effect(
            &mut out,
            slot,
            slot > 1,
            fingerprint,
            false,
            Some(&value),
            Some(&state),
        );
    }
    out
}

#[test]
fn foreign_bytes_of_executions_are_read_or_refused() {
    let outcomes = [
        Outcome::Returned,
        Outcome::Refused { at: 1 },
        Outcome::Panicked {
            at: 2,
            message: "no".into(),
            file: "src/lib.rs".into(),
            line: 3,
            column: 4,
        },
        Outcome::Died {
            at: 0,
            death: Death::Signal(11),
        },
        Outcome::Malformed("why".into()),
    ];
    let samples: Vec<_> = outcomes.iter().map(execution).collect();
    throw("executions", &samples, |bytes| {
        match Execution::decode(bytes) {
            Ok(execution) => format!("{:?} {}", execution.outcome, execution.effects.len()),
            Err(error) => error.to_string(),
        }
    });
}

#[test]
fn foreign_bytes_of_values_mean_one_value() {
    let samples: Vec<_> = values().iter().map(encoded).collect();
    throw("values", &samples, |bytes| {
        match Value::decode(&mut Reader::new(bytes)) {
            Ok(value) => {
                let again = Value::decode(&mut Reader::new(&encoded(&value)));
                assert_eq!(again.as_ref(), Ok(&value));
                plain(&format!("{value:?}"))
            }
            Err(error) => error.to_string(),
        }
    });
}

#[test]
fn foreign_bytes_of_greetings_and_batches_are_read_or_refused() {
    let hello = Hello {
        version: 7,
        types: Vec::new(),
        n_operations: 3,
        watched: true,
    };
    let batch = Batch::decode(&[]).map_or_else(|_| Vec::new(), |it| it.encode());
    throw("greetings", &[hello.encode(), batch], |bytes| {
        let hello = Hello::decode(bytes).map(|it| it.types.len());
        let batch = Batch::decode(bytes).map(|it| it.programs.len());
        format!("{hello:?} {batch:?}")
    });
}

#[test]
fn foreign_bytes_of_copies_are_read_as_far_as_they_go() {
    let piece = |region: u32, state: u64, text: &[u8]| {
        let mut out = Vec::new();
        out.u32(region);
        out.u64(7);
        out.u8(0);
        out.u64(state);
        out.bytes(text);
        out
    };
    let begin = piece(u32::MAX - 3, 1, b"");
    let calls = [
        begin.clone(),
        piece(3, 99, b"graph"),
        piece(u32::MAX - 2, 0, &[3, 0, 0, 0]),
    ]
    .concat();
    let mut numbers = Vec::new();
    for (region, n) in [(u32::MAX - 3, 1), (2, 10), (9, 1)] {
        numbers.u32(region);
        numbers.u64(n);
    }
    throw("copies", &[calls, numbers, begin], |bytes| {
        let calls = Calls::of(bytes).map(Iterator::count);
        let numbers = Numbers::of(bytes).map(Iterator::count);
        format!("{calls:?} {numbers:?}")
    });
}

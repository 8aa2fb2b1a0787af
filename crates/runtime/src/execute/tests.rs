//! Programs of a made-up harness: steps in, outcome and effects out.

use std::cell::RefCell;
use std::sync::Mutex;

use testsmith_protocol::{Caps, Effect, Execution, Limits, Value};

use super::*;
use crate::glue::{exclusive, put, shared, take};
use crate::table::Probe;

thread_local! {
    static DROPPED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// A value that notes when it is dropped, and shows nothing from outside.
struct Noisy(u8);

impl Drop for Noisy {
    fn drop(&mut self) {
        DROPPED.with(|it| it.borrow_mut().push(self.0));
        assert!(self.0 != 99, "it is 99");
    }
}

const BYTE: u32 = 0;
const TEXT: u32 = 1;
const NOISY: u32 = 2;
const REFERENCE: u32 = 3;

static TYPES: [Type; 4] = [
    Type::of::<u8>(
        // SAFETY: the machine passes a live value of this type.
        |at, it| it.uint(unsafe { at.read() }.into()),
        Probe::<u8>::DECODE,
        Caps::COPY,
    ),
    Type::of::<String>(
        // SAFETY: as above.
        |at, it| it.str(unsafe { &*at.cast::<String>() }),
        Probe::<String>::DECODE,
        Caps(0),
    ),
    Type::of::<Noisy>(|_, it| it.opaque(), None, Caps(0)).with_state(|at, bytes| {
        // SAFETY: as above.
        let n = unsafe { &*at.cast::<Noisy>() }.0;
        bytes.resize(usize::from(n) * 100, n);
        0
    }),
    Type::of::<&'static String>(|_, it| it.opaque(), None, Caps::COPY),
];

/// An operation: its name, what its output is, and what it does with arguments and output. The macro
/// says once for all of them why they are sound.
macro_rules! operations {
    ($($name:ident: $output:ident, $call:expr;)*) => {
        const NAMES: &[&str] = &[$(stringify!($name)),*];
        static OPERATIONS: &[Operation] = &[$(Operation {
            call: |args, out| {
                let call: unsafe fn(Args, *mut u8) -> bool = $call;
                // SAFETY: the machine passes storage for the output, and the programs below give
                // every operation arguments of its types.
                unsafe { call(args, out) }
            },
            output: $output,
        }),*];
    };
}

operations! {
    byte: BYTE, byte;
    text: TEXT, text;
    len: BYTE, len;
    push: BYTE, push;
    noisy: NOISY, noisy;
    forget: BYTE, forget;
    refuse: BYTE, |_, _| false;
    refer: REFERENCE, refer;
}

unsafe fn byte(args: Args, out: *mut u8) -> bool {
    // SAFETY: it takes a `u8` and gives one.
    unsafe { put::<u8>(out, take(args, 0)) };
    true
}

unsafe fn text(args: Args, out: *mut u8) -> bool {
    // SAFETY: it takes a `String` and gives one.
    unsafe { put::<String>(out, take(args, 0)) };
    true
}

unsafe fn len(args: Args, out: *mut u8) -> bool {
    // SAFETY: it takes a `&String` and gives a `u8`.
    unsafe { put(out, shared::<String>(args, 0).len() as u8) };
    true
}

unsafe fn push(args: Args, out: *mut u8) -> bool {
    // SAFETY: it takes a `&mut String` and gives a `u8`.
    unsafe {
        exclusive::<String>(args, 0).push('x');
        put(out, 0u8);
    }
    true
}

unsafe fn noisy(args: Args, out: *mut u8) -> bool {
    // SAFETY: it takes a `u8` and gives a `Noisy`.
    unsafe {
        let n: u8 = take(args, 0);
        assert!(n != 13, "no luck");
        put(out, Noisy(n));
    }
    true
}

unsafe fn forget(args: Args, out: *mut u8) -> bool {
    // SAFETY: it takes a `Noisy` and gives a `u8`.
    unsafe {
        std::mem::forget(take::<Noisy>(args, 0));
        put(out, 0u8);
    }
    true
}

unsafe fn refer(args: Args, out: *mut u8) -> bool {
    // SAFETY: it takes a `&String` and gives one; the slot outlives it.
    unsafe { put::<&'static String>(out, shared(args, 0)) };
    true
}

/// The steps to run, and what is observed.
struct Case<'t> {
    /// A line for each step: `len(&s0)`, `drop(s0)`; an operation without a name is `#9`.
    steps: &'t str,
    watch_from: u16,
    values: bool,
    states: bool,
}

impl Case<'_> {
    fn of(steps: &str) -> Case<'_> {
        Case {
            steps,
            watch_from: 0,
            values: true,
            states: false,
        }
    }

    fn run(&self) -> Execution {
        let mut program = Program {
            watch_from: self.watch_from,
            values: self.values,
            fuel: u64::MAX,
            ..Program::default()
        };
        let steps = self.steps.lines().map(str::trim);
        for line in steps.filter(|it| !it.is_empty()) {
            encode_step(line, &mut program.steps);
            program.n_steps += 1;
        }
        let batch = Batch {
            seed: 0,
            clock: 0,
            mutant: None,
            whole: false,
            states: self.states,
            reads: false,
            stops: false,
            plain: false,
            limits: Limits {
                heap_bytes: u64::MAX,
                time_ms: 1000,
            },
            programs: Vec::new(),
        };
        let mut machine = Machine::new(Table {
            operations: OPERATIONS,
            types: &TYPES,
            probes: Probes::NONE,
        });
        DROPPED.with(|it| it.borrow_mut().clear());
        let page = Page::map().expect("there is memory");
        let mut out = Vec::new();
        machine.run(page, &program, &batch, &mut out);
        Execution::decode(&out).expect("it is an execution")
    }
}

fn encode_step(line: &str, out: &mut Vec<u8>) {
    let (name, arg) = line
        .trim_end_matches(')')
        .split_once('(')
        .expect("a step is a call");
    let slot = |text: &str| text.trim_start_matches('s').parse().expect("a slot");
    if name == "drop" {
        return WireStep::Drop(slot(arg)).encode(out);
    }
    let op = match name.strip_prefix('#') {
        Some(number) => number.parse().expect("a number"),
        None => NAMES.iter().position(|it| *it == name).expect("a name") as u32,
    };
    let mut bytes = Vec::new();
    let args = match literal(arg) {
        _ if arg.is_empty() => Vec::new(),
        Some((ty, value)) => {
            value.encode(&mut bytes);
            vec![WireArg::Literal {
                ty,
                borrowed: arg.starts_with('&'),
                bytes: &bytes,
            }]
        }
        None => {
            let ways = [
                ("&mut ", Use::Mut),
                ("&*", Use::Reborrow),
                ("&", Use::Shared),
                ("move ", Use::Move),
            ];
            let way = ways
                .into_iter()
                .find_map(|(prefix, usage)| Some((arg.strip_prefix(prefix)?, usage)));
            let (name, usage) = way.unwrap_or((arg, Use::Copy));
            vec![WireArg::Slot(slot(name), usage)]
        }
    };
    WireStep::Call { op, args }.encode(out);
}

/// A number or text, borrowed or not, with its type.
fn literal(arg: &str) -> Option<(u32, Value)> {
    let arg = arg.strip_prefix('&').unwrap_or(arg);
    if let Some(text) = arg.strip_prefix('"') {
        return Some((TEXT, Value::Str(text.trim_end_matches('"').into())));
    }
    Some((BYTE, Value::UInt(arg.parse().ok()?)))
}

fn shown(effect: &Effect) -> String {
    match &effect.value {
        Some(value) => format!("s{} = {value:?}", effect.slot),
        None => format!("s{}", effect.slot),
    }
}

/// Compares the outcome, what was observed, and which values were dropped.
fn check(steps: &str, expected: &str) {
    let execution = Case::of(steps).run();
    let mut lines = vec![match execution.outcome {
        Outcome::Malformed(text) => {
            let (step, _) = text.split_once(": ").expect("it says which step");
            format!("Malformed at {step}")
        }
        outcome => format!("{outcome:?}"),
    }];
    lines.extend(execution.effects.iter().map(shown));
    let dropped = DROPPED.with(|it| it.borrow().clone());
    if !dropped.is_empty() {
        lines.push(format!("dropped {dropped:?}"));
    }
    let expected: Vec<&str> = expected.lines().map(str::trim).collect();
    assert_eq!(lines, expected, "{steps}");
}

#[test]
fn nth_call_fills_slot_n() {
    check(
        "text(\"ab\")
         len(&s0)
         byte(s1)",
        "Returned
         s0 = Str(\"ab\")
         s1 = UInt(2)
         s2 = UInt(2)",
    );
}

#[test]
fn moved_slot_is_not_there_any_more() {
    check(
        "text(\"ab\")
         text(move s0)
         len(&s0)",
        "Malformed at step 2
         s0 = Str(\"ab\")
         s1 = Str(\"ab\")",
    );
}

#[test]
fn change_through_a_borrow_is_a_change_of_the_slot() {
    check(
        "text(\"ab\")
         push(&mut s0)
         len(&s0)",
        "Returned
         s0 = Str(\"ab\")
         s1 = UInt(0)
         s2 = UInt(3)",
    );
}

#[test]
fn reborrow_passes_what_the_reference_points_at() {
    check(
        "text(\"ab\")
         refer(&s0)
         len(&*s1)",
        "Returned
         s0 = Str(\"ab\")
         s1 = Opaque
         s2 = UInt(2)",
    );
}

#[test]
fn values_go_in_reverse_order_at_the_end() {
    check(
        "noisy(1)
         noisy(2)
         noisy(3)
         drop(s1)",
        "Returned
         s0 = Opaque
         s1 = Opaque
         s2 = Opaque
         dropped [2, 3, 1]",
    );
}

#[test]
fn moved_value_is_not_dropped_and_a_dropped_one_not_twice() {
    check(
        "noisy(1)
         forget(move s0)
         noisy(2)
         drop(s2)
         drop(s2)",
        "Returned
         s0 = Opaque
         s1 = UInt(0)
         s2 = Opaque
         dropped [2]",
    );
}

#[test]
fn refused_call_ends_the_program_at_its_step() {
    check(
        "noisy(1)
         refuse()
         noisy(2)",
        "Refused { at: 1 }
         s0 = Opaque
         dropped [1]",
    );
}

#[test]
fn literal_that_is_only_borrowed_can_be_used() {
    check("len(&\"abc\")", "Returned\ns0 = UInt(3)");
}

#[test]
fn operation_that_nobody_knows_is_an_error_of_ours() {
    check("#99(1)", "Malformed at step 0");
}

/// Runs something with the guest's way of noting panics, which is one for all threads.
fn with_hook<T>(run: impl FnOnce() -> T) -> T {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock();
    let before = std::panic::take_hook();
    install_hook();
    let result = run();
    std::panic::set_hook(before);
    result
}

#[test]
fn panic_is_an_outcome_and_what_is_live_is_dropped() {
    let execution = with_hook(|| Case::of("noisy(1)\nnoisy(13)\nnoisy(2)").run());
    let Outcome::Panicked {
        at, message, file, ..
    } = execution.outcome
    else {
        panic!("it is {:?}", execution.outcome);
    };
    assert_eq!((at, &*message), (1, "no luck"));
    assert!(file.ends_with("execute/tests.rs"), "{file}");
    assert_eq!(execution.n_calls, 2);
    assert_eq!(DROPPED.with(|it| it.borrow().clone()), [1]);
}

#[test]
fn panic_of_a_drop_at_the_end_names_the_slot_behind_the_steps() {
    let execution = with_hook(|| Case::of("noisy(1)\nnoisy(99)\nnoisy(2)").run());
    let Outcome::Panicked { at, message, .. } = execution.outcome else {
        panic!("it is {:?}", execution.outcome);
    };
    assert_eq!((at, &*message), (3 + 1, "it is 99"));
    assert_eq!(DROPPED.with(|it| it.borrow().clone()), [2, 99, 1]);
}

#[test]
fn only_slots_that_are_asked_for_are_described() {
    let case = Case {
        watch_from: 1,
        values: false,
        ..Case::of("byte(1)\nbyte(2)\nbyte(2)")
    };
    let effects = case.run().effects;
    let shown: Vec<String> = effects.iter().map(shown).collect();
    assert_eq!(shown, ["s1", "s2"]);
    assert_eq!(effects[0].fingerprint, effects[1].fingerprint);
}

#[test]
fn hidden_value_is_known_by_its_private_state() {
    let case = Case {
        states: true,
        ..Case::of("noisy(1)\nnoisy(1)\nnoisy(50)")
    };
    let [one, other, large] = &case.run().effects[..] else {
        panic!("there are three");
    };
    assert_eq!(one.fingerprint.notion, Notion::State);
    assert_eq!(one.fingerprint, other.fingerprint);
    assert_ne!(one.fingerprint, large.fingerprint);
    let n_bytes = |it: &Effect| it.state.as_ref().map(|state| state.bytes.len());
    assert_eq!(n_bytes(one), Some(100));
    // The state is too large to be sent, so only its digest is.
    assert_eq!(n_bytes(large), Some(0));
}

#[test]
fn private_state_is_sent_only_on_demand() {
    let effects = Case::of("noisy(1)").run().effects;
    assert_eq!(effects[0].fingerprint.notion, Notion::State);
    assert_eq!(effects[0].state, None);
}

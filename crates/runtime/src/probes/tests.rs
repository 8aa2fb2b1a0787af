use std::cell::Cell;

use super::*;

thread_local! {
    static FUEL: Cell<u64> = const { Cell::new(0) };
}

/// Switches as a copy has them, each test's its own.
struct Copy {
    switches: Switches,
    comparisons: &'static mut [RawCompared],
}

fn copy() -> Copy {
    let empty = RawCompared {
        site: 0,
        kind: 2,
        sides: [[0; 16]; 2],
    };
    let comparisons: &'static mut [RawCompared] = Vec::leak(vec![empty; 3]);
    Copy {
        switches: Switches {
            active: Box::leak(Box::default()),
            plain: Box::leak(Box::default()),
            exhausted: Box::leak(Box::default()),
            refuel: |fuel| FUEL.set(fuel),
            fuel: || FUEL.get(),
            calls: Vec::leak((0..4).map(|_| AtomicU64::new(0)).collect()),
            comparisons: comparisons.as_ptr(),
            room: 3,
            n_compared: Box::leak(Box::default()),
        },
        comparisons,
    }
}

fn probes(switches: Switches) -> Probes {
    Probes {
        counters: Counters::NONE,
        switches: Some(switches),
    }
}

fn program(watched: bool) -> Program {
    Program {
        watched,
        fuel: 100,
        ..Program::default()
    }
}

#[test]
fn fuel_that_a_program_took_is_told_and_looks_afterwards_are_free() {
    let probes = probes(copy().switches);
    probes.begin(&program(false));
    FUEL.set(FUEL.get() - 30);
    assert_eq!(probes.end(&program(false), None), (30, Noted::default()));
    assert_eq!(FUEL.get(), u64::MAX);
}

#[test]
fn mutant_is_active_but_not_while_its_program_is_watched() {
    let switches = copy().switches;
    let probes = probes(switches);
    let active = || switches.active.load(Ordering::Relaxed);
    probes.activate(Some(MutantId(5)), true);
    assert!(switches.plain.load(Ordering::Relaxed));
    assert_ne!(switches.exhausted.load(Ordering::Relaxed), 0);
    probes.begin(&program(false));
    assert_eq!(active(), 5);
    probes.end(&program(false), Some(MutantId(5)));
    probes.begin(&program(true));
    assert_eq!(active(), WATCHING);
    probes.end(&program(true), Some(MutantId(5)));
    assert_eq!(active(), 5);
}

#[test]
fn notes_are_of_the_watched_program_alone() {
    let switches = copy().switches;
    let probes = probes(switches);
    switches.calls[0].store(7 << 32 | 8, Ordering::Relaxed);
    switches.n_compared.store(1, Ordering::Relaxed);
    probes.begin(&program(true));
    switches.calls[2].store(3 << 32 | 1, Ordering::Relaxed);
    switches.calls[1].store(3 << 32 | 4, Ordering::Relaxed);
    let (_, noted) = probes.end(&program(true), None);
    assert_eq!(noted.calls, [(3, 1), (3, 4)]);
    assert_eq!(noted.compared, []);
}

#[test]
fn comparisons_are_told_once_each_and_no_more_than_there_is_room_for() {
    let Copy {
        switches,
        comparisons,
    } = copy();
    let side = |bytes: &[u8]| {
        let mut side = [0; 16];
        side[..bytes.len()].copy_from_slice(bytes);
        side
    };
    comparisons[0] = RawCompared {
        site: 4,
        kind: 1,
        sides: [(-2i128).to_le_bytes(), 3i128.to_le_bytes()],
    };
    comparisons[1] = comparisons[0];
    comparisons[2] = RawCompared {
        site: 5,
        kind: 4,
        sides: [side(b"ab"), side(b"sixteen bytes...")],
    };
    switches.n_compared.store(9, Ordering::Relaxed);
    let compared = switches.noted().compared;
    let shown = compared.iter().map(|it| (it.site, &it.left, &it.right));
    assert_eq!(
        shown.collect::<Vec<_>>(),
        [
            (4, &Value::Int(-2), &Value::Int(3)),
            (
                5,
                &Value::Str("ab".into()),
                &Value::Str("sixteen bytes...".into())
            ),
        ]
    );
}

#[test]
fn nothing_is_told_without_a_copy() {
    Probes::NONE.begin(&program(true));
    assert_eq!(
        Probes::NONE.end(&program(true), None),
        (0, Noted::default())
    );
}

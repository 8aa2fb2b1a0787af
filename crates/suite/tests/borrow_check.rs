//! rustc judges the borrow check: thousands of random sequences over a fixture full of loans are
//! printed as Rust, and every one must compile.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use testsmith_api::{Form, InstantiateOptions, OperationId, instantiate, rustdoc};
use testsmith_emit::{EmitOptions, TestCase, TestKind, emit};
use testsmith_explore::{Literals, Rng};
use testsmith_harness::{Guest, build};
use testsmith_project::{Features, Run, Sandbox, Scratch, locate};
use testsmith_protocol::Caps;
use testsmith_sequence::{Arg, Builder, Sequence, SlotIdx, Step, Use, World, text};

const N_SEQUENCES: usize = 6000;
const SEED: u64 = 20;

fn fixture(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    root.join(name).join("Cargo.toml")
}

struct Fixture {
    world: World,
    scratch: Scratch,
}

fn prepare(name: &str) -> Fixture {
    let package = locate(Some(&fixture(name)), None).expect("the fixture is a package");
    let scratch = Scratch::create(&package, &Features::default()).expect("target is writable");
    let json = scratch
        .rustdoc_json("guest")
        .expect("the fixture documents");
    let api = rustdoc::read(&json, &Default::default()).expect("rustdoc's format is known");
    let catalogue = instantiate(api, &InstantiateOptions::default());
    let built = build(&scratch, catalogue, None, &mut |_, _| {}).expect("the harness builds");
    assert_eq!(
        built.refused,
        [],
        "rustc accepts every lender that the model names"
    );
    let guest = Guest::start(&built.binary, &scratch.dir.join("guest"), &Sandbox::off())
        .expect("the guest starts");
    Fixture {
        world: World {
            caps: guest.hello.types.clone(),
            catalogue: built.catalogue,
        },
        scratch,
    }
}

/// Operations on few types, so that they meet: everything that touches one or two types of the
/// fixture, and what makes and lends text.
fn theme(world: &World, rng: &mut Rng) -> Vec<OperationId> {
    let adts: Vec<&str> = world
        .catalogue
        .api
        .adts
        .keys()
        .map(|path| &**path)
        .collect();
    let wanted = [
        *rng.pick(&adts).expect("it has types"),
        *rng.pick(&adts).expect("it has types"),
    ];
    let mentions = |op: &OperationId, what: &str| {
        let signature = world.signature(*op);
        let inputs = signature.inputs.iter().map(|input| input.ty.ty);
        let mut types = inputs.chain([signature.output.ty]);
        types.any(|ty| world.catalogue.types.get(ty).text.contains(what))
    };
    let all = (0..world.catalogue.operations.len() as u32).map(OperationId);
    all.filter(|op| {
        let is_foreign = adts
            .iter()
            .any(|path| !wanted.contains(path) && mentions(op, path));
        !is_foreign && (wanted.iter().any(|path| mentions(op, path)) || mentions(op, "String"))
    })
    .collect()
}

/// A random sequence: any operation, any live slot of a fitting type, literals where possible.
fn random(world: &World, literals: &Literals, rng: &mut Rng) -> Sequence {
    let all: Vec<OperationId> = (0..world.catalogue.operations.len() as u32)
        .map(OperationId)
        .collect();
    let operations = match rng.chance(20) {
        true => all,
        false => theme(world, rng),
    };
    let mut builder = Builder::new(world);
    let n_steps = 4 + rng.below(14);
    for _ in 0..n_steps * 12 {
        if builder.steps().len() >= n_steps {
            break;
        }
        let Some(op) = rng.pick(&operations).copied() else {
            break;
        };
        if let Some(args) = arguments(world, &builder, op, literals, rng) {
            // A rejected step changes nothing; that is part of what is tested.
            let before = builder.steps().len();
            if builder.push(op, args).is_err() {
                assert_eq!(builder.steps().len(), before);
            }
        }
    }
    builder.finish()
}

fn arguments(
    world: &World,
    builder: &Builder<'_>,
    op: OperationId,
    literals: &Literals,
    rng: &mut Rng,
) -> Option<Vec<Arg>> {
    let signature = world.signature(op);
    let mut args = Vec::new();
    for (i, input) in signature.inputs.iter().enumerate() {
        let is_literal = world.caps(input.ty.ty).has(Caps::LITERAL);
        let accepted = input.accepts(&world.catalogue.types);
        let fitting: Vec<SlotIdx> = builder
            .live()
            .filter(|slot| accepted.contains(&builder.ty(*slot)))
            .collect();
        if !(fitting.is_empty() || is_literal && rng.chance(40)) {
            let slot = *rng.pick(&fitting)?;
            args.push(Arg::Slot(slot, world.usage(input, builder.ty(slot))?));
        } else if is_literal && builder.literal_fits(op, i).is_ok() {
            let ty = &world.catalogue.types.get(input.ty.ty).ty;
            args.push(Arg::Literal(literals.value(ty, rng)?.into()));
        } else {
            return None;
        }
    }
    Some(args)
}

/// Which of the hard things a sequence shows.
fn kinds(world: &World, sequence: &Sequence) -> Vec<&'static str> {
    let mut kinds = Vec::new();
    for step in sequence.steps() {
        let Step::Call { op, args, .. } = step else {
            kinds.push("dropped by hand to end a loan");
            continue;
        };
        let signature = world.signature(*op);
        if !signature.output.regions.is_empty() {
            kinds.push("a result that borrows");
        }
        if matches!(world.catalogue.operation(*op).form, Form::Unwrap(_)) {
            kinds.push("an unwrap");
        }
        for (arg, input) in args.iter().zip(&signature.inputs) {
            let shares = signature.inputs.len() > 1 && !input.ty.regions.is_empty();
            kinds.push(match arg {
                Arg::Literal(_) => "a literal",
                Arg::Slot(_, Use::Mut) if shares => "a loan into an argument",
                Arg::Slot(_, Use::Move) => "a move",
                Arg::Slot(_, Use::Copy) => "a copy",
                Arg::Slot(_, Use::Shared) => "a shared borrow",
                Arg::Slot(_, Use::Mut) => "a mutable borrow",
                Arg::Slot(_, Use::Reborrow) => "a reborrow",
            });
        }
        let key = &world.catalogue.operation(*op).key;
        for (part, kind) in [
            ("drain", "Drain"),
            ("lock", "a guard"),
            ("entry", "Entry"),
            ("Holder::push", "a holder that is pushed references"),
            ("Board::pin", "references kept behind a shared reference"),
            ("Ledger::write", "references read again in drop"),
            ("register", "a 'static parameter"),
            ("iter", "an iterator"),
            ("View", "a struct with a lifetime"),
            ("Clone", "a clone"),
        ] {
            if key.contains(part) {
                kinds.push(kind);
            }
        }
    }
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

#[test]
fn rustc_accepts_every_random_sequence() {
    let Fixture { world, scratch } = prepare("borrows");
    let mut literals = Literals::default();
    literals.mine(r#"const A: &[&str] = &["a", "bc", ""];"#);
    literals.settle();
    let mut rng = Rng::new(SEED);
    let cases: Vec<TestCase> = (0..N_SEQUENCES)
        .map(|_| TestCase {
            sequence: random(&world, &literals, &mut rng),
            checks: Vec::new(),
            kind: TestKind::Regression,
            deprecated: false,
            acts: Vec::new(),
            worth: Default::default(),
            parts: Vec::new(),
        })
        .collect();

    let mut by_kind: BTreeMap<&str, usize> = BTreeMap::new();
    for case in &cases {
        for kind in kinds(&world, &case.sequence) {
            *by_kind.entry(kind).or_default() += 1;
        }
    }
    println!("{N_SEQUENCES} sequences (seed {SEED}), by what they show: {by_kind:#?}");
    assert!(by_kind.len() >= 18, "too few kinds: {by_kind:#?}");
    for (kind, n) in &by_kind {
        assert!(*n >= 20, "only {n} sequences with {kind}");
    }

    let file = emit(
        &world,
        &cases,
        &EmitOptions {
            edition: 2024,
            ..EmitOptions::default()
        },
    );
    // A sequence of nothing but unused `None`s has no text worth printing.
    let n_printed = file.tests.len();
    assert!(
        n_printed * 100 > N_SEQUENCES * 99,
        "only {n_printed} have a text"
    );
    scratch
        .write("suite/Cargo.toml", &scratch.manifest("suite", "", ""))
        .expect("target is writable");
    scratch
        .write("suite/src/lib.rs", "")
        .expect("target is writable");
    scratch
        .write("suite/tests/random.rs", &file.text)
        .expect("target is writable");
    scratch
        .members(&["docs", "protocol", "runtime", "harness", "suite"])
        .expect("target is writable");
    let mut command = scratch.cargo("check");
    command.args(["--tests", "--package", "testsmith-suite"]);
    let run = Run::of(&mut command).expect("cargo runs");
    for error in run.errors.iter().take(5) {
        let at = error.spans.iter().find(|span| span.primary);
        let test = at.and_then(|span| {
            let mut tests = file.tests.iter();
            tests.find(|t| (t.first_line..=t.last_line).contains(&span.line))
        });
        if let Some(test) = test {
            println!("{}", text(&world, &cases[test.case].sequence));
        }
        println!("{}", error.rendered);
    }
    assert!(
        run.success,
        "rustc refused {} of {N_SEQUENCES} sequences",
        run.errors.len()
    );
}

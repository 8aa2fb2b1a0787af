//! Programs going in, executions coming back.

use crate::copy::MutantId;
use crate::trace::{Noted, Trace};
use crate::value::Value;
use crate::wire::{Reader, WireError, Writer};

/// Capabilities of a type, measured by the guest at concrete types rather than guessed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Caps(pub u32);

#[expect(missing_docs, reason = "each constant is the trait of that name")]
impl Caps {
    pub const COPY: Caps = Caps(1);
    pub const CLONE: Caps = Caps(2);
    pub const DEBUG: Caps = Caps(4);
    pub const EQ: Caps = Caps(8);
    /// It has drop glue: a loan it holds lasts until it is dropped.
    pub const DROP: Caps = Caps(16);
    /// Its observation says more than its `Debug` text: structure is seen.
    pub const STRUCTURAL: Caps = Caps(32);
    /// It can be decoded from a literal.
    pub const LITERAL: Caps = Caps(64);

    /// Are all of these present?
    pub const fn has(self, other: Caps) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both sets together.
    pub const fn with(self, other: Caps) -> Caps {
        Caps(self.0 | other.0)
    }

    /// The other set if the condition holds, else nothing.
    pub const fn when(condition: bool, caps: Caps) -> Caps {
        if condition { caps } else { Caps(0) }
    }
}

/// A guest's first message: the protocol's version, then the capabilities of every type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hello {
    /// [`crate::VERSION`] as the guest was compiled.
    pub version: u32,
    /// In order of the catalogue's types.
    pub types: Vec<Caps>,
    /// How many operations its table has.
    pub n_operations: u32,
    /// Does it notice when a program touches the world outside?
    pub watched: bool,
}

/// How an argument is given to an operation. The host's borrow check decides it; the guest obeys.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Use {
    /// The slot is empty afterwards.
    Move = 0,
    /// The slot keeps its value; its type is `Copy`.
    Copy = 1,
    /// `&slot`
    Shared = 2,
    /// `&mut slot`
    Mut = 3,
    /// `&*slot`, `&mut *slot`: the slot itself holds a reference, which is lent on. On the wire,
    /// only for references to sized types; the bits of a wide one are copied.
    Reborrow = 4,
}

impl Use {
    fn from_byte(byte: u8) -> Result<Use, WireError> {
        Ok(match byte {
            0 => Use::Move,
            1 => Use::Copy,
            2 => Use::Shared,
            3 => Use::Mut,
            4 => Use::Reborrow,
            other => return Err(WireError::Tag(other)),
        })
    }
}

/// One step as the guest sees it. The n-th call fills slot n.
#[derive(Clone, PartialEq, Debug)]
pub enum WireStep<'a> {
    /// Call an operation.
    Call {
        /// Its index in the table.
        op: u32,
        /// Its arguments.
        args: Vec<WireArg<'a>>,
    },
    /// Drop a slot's value now.
    Drop(u16),
}

/// An argument as the guest sees it.
#[derive(Clone, PartialEq, Debug)]
pub enum WireArg<'a> {
    /// A slot and how it is used.
    Slot(u16, Use),
    /// A literal, written in place.
    Literal {
        /// The index of its type.
        ty: u32,
        /// The call only borrows it, so the guest drops it after the call.
        borrowed: bool,
        /// Its byte form.
        bytes: &'a [u8],
    },
}

const CALL: u8 = 0;
const DROP: u8 = 1;
const SLOT: u8 = 0;
const LITERAL: u8 = 1;
const BORROWED: u8 = 2;

impl<'a> WireStep<'a> {
    /// Append the byte form.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            WireStep::Call { op, args } => {
                out.u8(CALL);
                out.u32(*op);
                out.u8(args.len() as u8);
                for arg in args {
                    match arg {
                        WireArg::Slot(slot, usage) => {
                            out.u8(SLOT);
                            out.u16(*slot);
                            out.u8(*usage as u8);
                        }
                        WireArg::Literal {
                            ty,
                            borrowed,
                            bytes,
                        } => {
                            out.u8(if *borrowed { BORROWED } else { LITERAL });
                            out.u32(*ty);
                            out.bytes(bytes);
                        }
                    }
                }
            }
            WireStep::Drop(slot) => {
                out.u8(DROP);
                out.u16(*slot);
            }
        }
    }

    /// Read one step.
    pub fn decode(reader: &mut Reader<'a>) -> Result<Self, WireError> {
        match reader.u8()? {
            CALL => {
                let op = reader.u32()?;
                let n_args = reader.u8()?;
                let mut args = Vec::with_capacity(usize::from(n_args));
                for _ in 0..n_args {
                    args.push(match reader.u8()? {
                        SLOT => WireArg::Slot(reader.u16()?, Use::from_byte(reader.u8()?)?),
                        tag @ (LITERAL | BORROWED) => WireArg::Literal {
                            ty: reader.u32()?,
                            borrowed: tag == BORROWED,
                            bytes: reader.bytes()?,
                        },
                        other => return Err(WireError::Tag(other)),
                    });
                }
                Ok(WireStep::Call { op, args })
            }
            DROP => Ok(WireStep::Drop(reader.u16()?)),
            other => Err(WireError::Tag(other)),
        }
    }
}

/// A sequence to be run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    /// Steps in byte form.
    pub steps: Vec<u8>,
    /// How many steps there are.
    pub n_steps: u16,
    /// Slots that this call or a later one fills are described right after the call.
    pub watch_from: u16,
    /// Slots described after the last step; none of them is mutably borrowed then.
    pub watch_end: Vec<u16>,
    /// Send values and regions, not only fingerprints.
    pub values: bool,
    /// The step whose call is traced: which regions of code it went through.
    pub trace_step: Option<u16>,
    /// Are all steps after it traced with it?
    pub traced_on: bool,
    /// Does the guest note what is compared and which function calls which, if it can? No mutant is
    /// active then.
    pub watched: bool,
    /// How many calls and turns of loops it may make in the crate's code, if the guest counts them.
    pub fuel: u64,
}

/// How much longer than its processor time a program may take: a busy machine lets it wait.
pub const WAIT_FACTOR: u32 = 4;

/// What a batch of programs may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes on the heap above what was there at the program's start.
    pub heap_bytes: u64,
    /// Milliseconds of processor time for one program; [`WAIT_FACTOR`] times as many may pass.
    pub time_ms: u32,
}

/// Programs to be run in one fresh process state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Batch {
    /// What the guest's randomness starts from.
    pub seed: u64,
    /// Seconds after 1970 at which every program begins.
    pub clock: i64,
    /// The mutant that is active.
    pub mutant: Option<MutantId>,
    /// Is the whole of each program traced, and not a step? Then allocating costs fuel, too, as far as
    /// executions say how much was used.
    pub whole: bool,
    /// Are values written out with their private parts, if the guest can?
    pub states: bool,
    /// Are, of private parts, only those written out that `==` reads, if the type has `==`?
    pub reads: bool,
    /// Is the first program that does not end in time, or runs out of fuel, the last one that is run? The
    /// others would most likely not end either.
    pub stops: bool,
    /// Does the processor seem to have no features that code can ask for?
    pub plain: bool,
    /// What each program may use.
    pub limits: Limits,
    /// The programs, in the order in which they run.
    pub programs: Vec<Program>,
}

impl Batch {
    /// The byte form.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.u64(self.seed);
        out.u64(self.clock as u64);
        out.u32(MutantId::number(self.mutant));
        let states = u8::from(self.states) << 1 | u8::from(self.reads) << 2;
        let others = u8::from(self.stops) << 3 | u8::from(self.plain) << 4;
        out.u8(u8::from(self.whole) | states | others);
        out.u64(self.limits.heap_bytes);
        out.u32(self.limits.time_ms);
        out.u32(self.programs.len() as u32);
        for program in &self.programs {
            out.u16(program.n_steps);
            out.u16(program.watch_from);
            let flags = [program.values, program.watched, program.traced_on];
            let flags = flags.into_iter().zip(0..);
            out.u8(flags.fold(0, |all, (flag, bit)| all | u8::from(flag) << bit));
            out.u16(program.trace_step.unwrap_or(u16::MAX));
            out.u64(program.fuel);
            out.u16(program.watch_end.len() as u16);
            program.watch_end.iter().for_each(|slot| out.u16(*slot));
            out.bytes(&program.steps);
        }
        out
    }

    /// Read a batch.
    pub fn decode(bytes: &[u8]) -> Result<Batch, WireError> {
        let mut reader = Reader::new(bytes);
        let seed = reader.u64()?;
        let clock = reader.u64()? as i64;
        let mutant = MutantId::of_number(reader.u32()?);
        let flags = reader.u8()?;
        let limits = Limits {
            heap_bytes: reader.u64()?,
            time_ms: reader.u32()?,
        };
        let n_programs = reader.u32()?;
        let mut programs = Vec::new();
        for _ in 0..n_programs {
            let n_steps = reader.u16()?;
            let watch_from = reader.u16()?;
            let flags = reader.u8()?;
            let trace_step = Some(reader.u16()?).filter(|step| *step != u16::MAX);
            let fuel = reader.u64()?;
            let n_watch = reader.u16()?;
            let watch_end = (0..n_watch)
                .map(|_| reader.u16())
                .collect::<Result<_, _>>()?;
            programs.push(Program {
                n_steps,
                watch_from,
                values: flags & 1 != 0,
                watched: flags & 2 != 0,
                traced_on: flags & 4 != 0,
                trace_step,
                fuel,
                watch_end,
                steps: reader.bytes()?.to_vec(),
            });
        }
        Ok(Batch {
            seed,
            clock,
            mutant,
            whole: flags & 1 != 0,
            states: flags & 2 != 0,
            reads: flags & 4 != 0,
            stops: flags & 8 != 0,
            plain: flags & 16 != 0,
            limits,
            programs,
        })
    }
}

/// Which notion of sameness made a fingerprint.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Notion {
    /// Nothing can be seen: two such values are never taken for the same.
    None = 0,
    /// The structure, all of it.
    Structure = 1,
    /// `Debug` text somewhere in it.
    Debug = 2,
    /// Nothing can be seen from outside, but all of its private state is known.
    State = 3,
}

/// A value's digest under a notion of sameness.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Fingerprint {
    /// The notion.
    pub notion: Notion,
    /// The digest.
    pub hash: u64,
}

/// What was observed of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Effect {
    /// The slot.
    pub slot: u16,
    /// Was it observed after the last step, and not right after its call?
    pub at_end: bool,
    /// Its digest.
    pub fingerprint: Fingerprint,
    /// Null-like (`None`, `Err`, an empty iterator's answer) or a very large number: of use, but
    /// not worth building on.
    pub barren: bool,
    /// Its description, if values were asked for.
    pub value: Option<Value>,
    /// Its private state, or what `==` reads of it, if that was asked for and the guest can see it.
    pub state: Option<State>,
}

/// All there is to a value, private fields included, as the rewritten copy of the crate writes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// A digest of the bytes.
    pub hash: u64,
    /// Is the value seen whole? Parts may be opaque or too many; then equal bytes say nothing.
    pub whole: bool,
    /// The bytes; empty if they are too many to be shown.
    pub bytes: Vec<u8>,
}

/// How a program ended. None of these is an error of ours.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Every step returned.
    Returned,
    /// An unwrap found `None` or `Err`, which is no failure.
    Refused {
        /// The step.
        at: u16,
    },
    /// A step panicked.
    Panicked {
        /// The step; a drop step, or the number of steps plus that of the slot for drops at the end.
        at: u16,
        /// The panic's message.
        message: String,
        /// Where it was raised.
        file: String,
        /// Where it was raised.
        line: u32,
        /// Where it was raised, counted in characters from 1.
        column: u32,
    },
    /// The process ended at this step.
    Died {
        /// The step.
        at: u16,
        /// Why the process ended.
        death: Death,
    },
    /// The guest could not read the program, which is a bug of testsmith and reported as one.
    Malformed(String),
}

/// Why a guest process ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Death {
    /// `abort()`: a double panic, `panic = "abort"`, an explicit call.
    Abort,
    /// Another signal.
    Signal(i32),
    /// `exit(n)`
    Exit(i32),
    /// The stack's guard page was hit.
    StackOverflow,
    /// It took longer than allowed.
    TimedOut,
    /// It asked for more memory than allowed.
    OutOfMemory,
    /// It made more calls and turns of loops than allowed.
    OutOfFuel,
}

/// A part of the world outside the process that a program touched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Realm {
    /// Files and directories, even if only to look.
    Files = 1,
    /// Sockets.
    Network = 2,
    /// Other processes: starting, signalling, tracing them.
    Processes = 3,
    /// What a user types.
    Input = 4,
    /// Anything else that is not known to be harmless.
    System = 5,
    /// Threads that go on after it.
    Threads = 6,
}

impl Realm {
    /// The realm of this number.
    pub fn from_byte(byte: u8) -> Option<Realm> {
        Some(match byte {
            1 => Realm::Files,
            2 => Realm::Network,
            3 => Realm::Processes,
            4 => Realm::Input,
            5 => Realm::System,
            6 => Realm::Threads,
            _ => return None,
        })
    }

    /// Its name in records.
    pub fn name(self) -> &'static str {
        match self {
            Realm::Files => "files",
            Realm::Network => "network",
            Realm::Processes => "processes",
            Realm::Input => "standard input",
            Realm::System => "system",
            Realm::Threads => "threads left behind",
        }
    }
}

/// The first time that a program touched the world outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touch {
    /// The step that touched it.
    pub at: u16,
    /// What it touched.
    pub realm: Realm,
}

/// What happened to one program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Execution {
    /// How it ended.
    pub outcome: Outcome,
    /// Calls made, the failing one included.
    pub n_calls: u32,
    /// Its first touch of the world outside, if there was one: elsewhere it might behave
    /// differently.
    pub touch: Option<Touch>,
    /// Which regions of code the traced call went through, or the whole program.
    pub trace: Trace,
    /// Calls and turns of loops in the crate's code, if the guest counts them.
    pub fuel: u64,
    /// What else was noted, if the guest was watching.
    pub noted: Noted,
    /// What was observed of values.
    pub effects: Vec<Effect>,
}

const RETURNED: u8 = 0;
const REFUSED: u8 = 1;
const PANICKED: u8 = 2;
const DIED: u8 = 3;
const MALFORMED: u8 = 4;

impl Hello {
    /// The byte form.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.u32(self.version);
        out.u32(self.n_operations);
        out.u8(u8::from(self.watched));
        out.u32(self.types.len() as u32);
        self.types.iter().for_each(|caps| out.u32(caps.0));
        out
    }

    /// Read a greeting.
    pub fn decode(bytes: &[u8]) -> Result<Hello, WireError> {
        let mut reader = Reader::new(bytes);
        let version = reader.u32()?;
        let n_operations = reader.u32()?;
        let watched = reader.u8()? != 0;
        let n_types = reader.u32()?;
        let types = (0..n_types)
            .map(|_| Ok(Caps(reader.u32()?)))
            .collect::<Result<_, _>>()?;
        Ok(Hello {
            version,
            n_operations,
            watched,
            types,
        })
    }
}

/// Writes one effect; the guest calls it with an already encoded value.
pub fn encode_effect(
    out: &mut Vec<u8>,
    slot: u16,
    at_end: bool,
    fingerprint: Fingerprint,
    barren: bool,
    value: Option<&[u8]>,
    state: Option<&State>,
) {
    out.u16(slot);
    let seen = u8::from(value.is_some()) << 2 | u8::from(state.is_some()) << 3;
    out.u8(u8::from(at_end) | u8::from(barren) << 1 | seen);
    out.u8(fingerprint.notion as u8);
    out.u64(fingerprint.hash);
    if let Some(value) = value {
        out.raw(value);
    }
    if let Some(state) = state {
        out.u64(state.hash);
        out.u8(u8::from(state.whole));
        out.bytes(&state.bytes);
    }
}

impl Outcome {
    /// Append the byte form.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Outcome::Returned => out.u8(RETURNED),
            Outcome::Refused { at } => {
                out.u8(REFUSED);
                out.u16(*at);
            }
            Outcome::Panicked {
                at,
                message,
                file,
                line,
                column,
            } => {
                out.u8(PANICKED);
                out.u16(*at);
                out.text(message);
                out.text(file);
                out.u32(*line);
                out.u32(*column);
            }
            Outcome::Died { at, death } => {
                out.u8(DIED);
                out.u16(*at);
                let (kind, code) = match death {
                    Death::Abort => (0, 0),
                    Death::Signal(n) => (1, *n),
                    Death::Exit(n) => (2, *n),
                    Death::StackOverflow => (3, 0),
                    Death::TimedOut => (4, 0),
                    Death::OutOfMemory => (5, 0),
                    Death::OutOfFuel => (6, 0),
                };
                out.u8(kind);
                out.u32(code as u32);
            }
            Outcome::Malformed(why) => {
                out.u8(MALFORMED);
                out.text(why);
            }
        }
    }

    /// Read an outcome.
    pub fn decode(reader: &mut Reader<'_>) -> Result<Outcome, WireError> {
        Ok(match reader.u8()? {
            RETURNED => Outcome::Returned,
            REFUSED => Outcome::Refused { at: reader.u16()? },
            PANICKED => Outcome::Panicked {
                at: reader.u16()?,
                message: reader.text()?.to_owned(),
                file: reader.text()?.to_owned(),
                line: reader.u32()?,
                column: reader.u32()?,
            },
            DIED => {
                let at = reader.u16()?;
                let kind = reader.u8()?;
                let code = reader.u32()? as i32;
                let death = match kind {
                    0 => Death::Abort,
                    1 => Death::Signal(code),
                    2 => Death::Exit(code),
                    3 => Death::StackOverflow,
                    4 => Death::TimedOut,
                    5 => Death::OutOfMemory,
                    6 => Death::OutOfFuel,
                    other => return Err(WireError::Tag(other)),
                };
                Outcome::Died { at, death }
            }
            MALFORMED => Outcome::Malformed(reader.text()?.to_owned()),
            other => return Err(WireError::Tag(other)),
        })
    }
}

impl Touch {
    /// Append the byte form.
    pub fn encode(touch: Option<Touch>, out: &mut Vec<u8>) {
        out.u8(touch.map_or(0, |touch| touch.realm as u8));
        out.u16(touch.map_or(0, |touch| touch.at));
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Option<Touch>, WireError> {
        let realm = reader.u8()?;
        let at = reader.u16()?;
        match (realm, Realm::from_byte(realm)) {
            (0, _) => Ok(None),
            (_, Some(realm)) => Ok(Some(Touch { at, realm })),
            (other, None) => Err(WireError::Tag(other)),
        }
    }
}

impl Execution {
    /// Read one execution: outcome, calls, touch, trace, fuel, notes, then effects until the frame
    /// ends.
    pub fn decode(bytes: &[u8]) -> Result<Execution, WireError> {
        let mut reader = Reader::new(bytes);
        let outcome = Outcome::decode(&mut reader)?;
        let n_calls = reader.u32()?;
        let touch = Touch::decode(&mut reader)?;
        let trace = Trace::decode(&mut reader)?;
        let fuel = reader.u64()?;
        let noted = Noted::decode(&mut reader)?;
        let mut effects = Vec::new();
        while !reader.is_empty() {
            let slot = reader.u16()?;
            let flags = reader.u8()?;
            let notion = match reader.u8()? {
                0 => Notion::None,
                1 => Notion::Structure,
                2 => Notion::Debug,
                3 => Notion::State,
                other => return Err(WireError::Tag(other)),
            };
            let hash = reader.u64()?;
            let value = match flags & 4 {
                0 => None,
                _ => Some(Value::decode(&mut reader)?),
            };
            let state = match flags & 8 {
                0 => None,
                _ => Some(State {
                    hash: reader.u64()?,
                    whole: reader.u8()? != 0,
                    bytes: reader.bytes()?.to_vec(),
                }),
            };
            effects.push(Effect {
                slot,
                at_end: flags & 1 != 0,
                fingerprint: Fingerprint { notion, hash },
                barren: flags & 2 != 0,
                value,
                state,
            });
        }
        Ok(Execution {
            outcome,
            n_calls,
            touch,
            trace,
            fuel,
            noted,
            effects,
        })
    }
}

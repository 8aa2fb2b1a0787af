//! What a rewritten copy of a crate and the host say to each other, where a guest is not between them:
//! own tests are run on the copy as they are, so it is told by environment variables what to do, and
//! writes files.
//!
//! The module that the copy has of its own is text (`instrument/support/`), and names these constants,
//! which are written above it: so both sides have one definition.

use crate::wire::Reader;

/// The version of variables and files, which changes with them. Every file begins with it.
pub const COPY_VERSION: u32 = 1;

/// The number of a mutant, from 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct MutantId(pub u32);

impl MutantId {
    /// The number that the copy is given; 0 stands for no mutant.
    pub fn number(mutant: Option<MutantId>) -> u32 {
        mutant.map_or(0, |it| it.0)
    }

    /// The mutant that a number given to the copy stands for.
    pub fn of_number(number: u32) -> Option<MutantId> {
        (number != 0).then_some(MutantId(number))
    }
}

/// The number of a region of code, from 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct RegionId(pub u32);

/// The number of the active mutant.
pub const MUTANT_VARIABLE: &str = "TESTSMITH_MUTANT";
/// How many calls and turns of loops a thread may make.
pub const FUEL_VARIABLE: &str = "TESTSMITH_FUEL";
/// If it is set, a thread whose fuel is used up ends the process with [`EXHAUSTED_CODE`]; else it panics.
pub const EXHAUSTED_VARIABLE: &str = "TESTSMITH_EXHAUSTED_ENDS";
/// A directory: at its end, a process writes there how often it entered which region
/// (`PROCESS.reach`, read by [`Numbers`]).
pub const REACH_VARIABLE: &str = "TESTSMITH_REACH";
/// If this is set as well, the process also writes what functions returned (`PROCESS.returned`).
pub const RETURNS_VARIABLE: &str = "TESTSMITH_RETURNS";
/// A directory: a process writes there every call from outside the crate (`PROCESS.calls`, read by
/// [`Calls`]).
pub const RECORD_VARIABLE: &str = "TESTSMITH_RECORD";
/// If this is set as well, calls with the same state are written only once.
pub const RECORD_ONCE_VARIABLE: &str = "TESTSMITH_RECORD_ONCE";

/// The exit code of a process whose fuel is used up.
pub const EXHAUSTED_CODE: i32 = 86;
/// The file extension for numbers of regions.
pub const REACH_ENDING: &str = "reach";
/// The file extension for digests of what was returned.
pub const RETURNED_ENDING: &str = "returned";

/// A number in place of a mutant's by which the copy changes nothing, but notes what is compared
/// and which function calls which.
pub const WATCHING: u32 = u32::MAX - 1;

/// In place of a region: there was no room for more calls.
pub const NO_ROOM: u32 = u32::MAX;
/// In place of a region: what follows is the name of the thread.
pub const NAME: u32 = u32::MAX - 1;
/// In place of a region: what follows are the regions that the process entered.
pub const ENTERED: u32 = u32::MAX - 2;
/// In place of a region: the digest is [`COPY_VERSION`].
pub const BEGINNING: u32 = u32::MAX - 3;

/// The first byte of a state that is not whole has one of these bits: it is cut, or something in it
/// cannot be seen.
pub const NOT_WHOLE: u8 = 3;

/// A file was not written by a copy of this version.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OtherVersion;

impl core::fmt::Display for OtherVersion {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "it was not written by a copy of version {COPY_VERSION}")
    }
}

/// Numbers of regions, as a process writes them at its end.
#[derive(Clone, Debug)]
pub struct Numbers<'n> {
    reader: Reader<'n>,
}

impl<'n> Numbers<'n> {
    /// Reads a file.
    pub fn of(bytes: &'n [u8]) -> Result<Numbers<'n>, OtherVersion> {
        let mut numbers = Numbers {
            reader: Reader::new(bytes),
        };
        match numbers.next() {
            Some((RegionId(BEGINNING), version)) if version == u64::from(COPY_VERSION) => {
                Ok(numbers)
            }
            _ => Err(OtherVersion),
        }
    }
}

impl Iterator for Numbers<'_> {
    type Item = (RegionId, u64);

    fn next(&mut self) -> Option<(RegionId, u64)> {
        let region = self.reader.u32().ok()?;
        Some((RegionId(region), self.reader.u64().ok()?))
    }
}

/// A piece of a file of calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece<'p> {
    /// A call from outside the crate.
    Call {
        /// The region of the called function.
        region: RegionId,
        /// A number for the thread that made it.
        thread: u64,
        /// Can its arguments be seen whole?
        is_whole: bool,
        /// A digest of the function with its types and arguments.
        state: u64,
        /// The arguments as one graph, with the first call of each kind, unless they are too many.
        arguments: &'p [u8],
    },
    /// The name of a thread.
    Name {
        /// The thread's number.
        thread: u64,
        /// The name, which is not always UTF-8.
        name: &'p [u8],
    },
    /// The regions that the process entered, if it lived long enough to write them.
    Entered(Vec<RegionId>),
    /// There was no room for more calls.
    NoRoom,
}

/// The calls that a process wrote while it ran. A piece that is cut off, because the process died,
/// is left out.
#[derive(Clone, Debug)]
pub struct Calls<'c> {
    reader: Reader<'c>,
}

/// Region, thread, flags, digest, and what follows.
type Raw<'r> = (u32, u64, u8, u64, &'r [u8]);

impl<'c> Calls<'c> {
    /// Reads a file. An empty file is from a process that died before its first call.
    pub fn of(bytes: &'c [u8]) -> Result<Calls<'c>, OtherVersion> {
        let mut calls = Calls {
            reader: Reader::new(bytes),
        };
        match calls.raw() {
            None if bytes.is_empty() => Ok(calls),
            Some((BEGINNING, .., version, _)) if version == u64::from(COPY_VERSION) => Ok(calls),
            _ => Err(OtherVersion),
        }
    }

    fn raw(&mut self) -> Option<Raw<'c>> {
        let region = self.reader.u32().ok()?;
        let thread = self.reader.u64().ok()?;
        let flags = self.reader.u8().ok()?;
        let state = self.reader.u64().ok()?;
        Some((region, thread, flags, state, self.reader.bytes().ok()?))
    }
}

impl<'c> Iterator for Calls<'c> {
    type Item = Piece<'c>;

    fn next(&mut self) -> Option<Piece<'c>> {
        let mut raw = self.raw()?;
        // Processes that got the same process id share a file.
        while raw.0 == BEGINNING {
            raw = self.raw()?;
        }
        let (region, thread, flags, state, bytes) = raw;
        Some(match region {
            NO_ROOM => Piece::NoRoom,
            NAME => Piece::Name {
                thread,
                name: bytes,
            },
            ENTERED => {
                let mut regions = Reader::new(bytes);
                let regions = core::iter::from_fn(|| regions.u32().ok());
                Piece::Entered(regions.map(RegionId).collect())
            }
            region => Piece::Call {
                region: RegionId(region),
                thread,
                is_whole: flags & NOT_WHOLE == 0,
                state,
                arguments: bytes,
            },
        })
    }
}

/// The constants that the copy's own module names, as Rust.
pub fn copy_constants() -> String {
    let texts = [
        ("MUTANT_VARIABLE", MUTANT_VARIABLE),
        ("FUEL_VARIABLE", FUEL_VARIABLE),
        ("EXHAUSTED_VARIABLE", EXHAUSTED_VARIABLE),
        ("REACH_VARIABLE", REACH_VARIABLE),
        ("RETURNS_VARIABLE", RETURNS_VARIABLE),
        ("RECORD_VARIABLE", RECORD_VARIABLE),
        ("RECORD_ONCE_VARIABLE", RECORD_ONCE_VARIABLE),
        ("REACH_ENDING", REACH_ENDING),
        ("RETURNED_ENDING", RETURNED_ENDING),
    ];
    let numbers = [
        ("COPY_VERSION", COPY_VERSION),
        ("WATCHING", WATCHING),
        ("NO_ROOM", NO_ROOM),
        ("NAME", NAME),
        ("ENTERED", ENTERED),
        ("BEGINNING", BEGINNING),
    ];
    let texts = texts.map(|(name, text)| format!("const {name}: &str = {text:?};\n"));
    let numbers = numbers.map(|(name, n)| format!("pub const {name}: u32 = {n};\n"));
    let code = format!("const EXHAUSTED_CODE: i32 = {EXHAUSTED_CODE};\n");
    texts.concat() + &numbers.concat() + &code
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(region: u32, thread: u64, flags: u8, state: u64, text: &[u8]) -> Vec<u8> {
        let mut bytes = region.to_le_bytes().to_vec();
        bytes.extend(thread.to_le_bytes());
        bytes.push(flags);
        bytes.extend(state.to_le_bytes());
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text);
        bytes
    }

    #[test]
    fn calls_are_read_as_far_as_they_were_written() {
        let mut bytes = piece(BEGINNING, 0, 0, u64::from(COPY_VERSION), b"");
        bytes.extend(piece(NAME, 7, 0, 0, b"tests::a"));
        bytes.extend(piece(3, 7, 2, 99, b"graph"));
        bytes.extend(piece(ENTERED, 0, 0, 0, &[3, 0, 0, 0, 5, 0, 0, 0]));
        bytes.extend(&piece(4, 7, 0, 1, b"cut off")[..20]);
        let pieces: Vec<_> = Calls::of(&bytes).expect("it is this version").collect();
        let expected = [
            Piece::Name {
                thread: 7,
                name: b"tests::a",
            },
            Piece::Call {
                region: RegionId(3),
                thread: 7,
                is_whole: false,
                state: 99,
                arguments: b"graph",
            },
            Piece::Entered(vec![RegionId(3), RegionId(5)]),
        ];
        assert_eq!(pieces, expected);
    }

    #[test]
    fn what_another_version_wrote_is_not_read() {
        let other = piece(BEGINNING, 0, 0, u64::from(COPY_VERSION) + 1, b"");
        assert_eq!(Calls::of(&other).map(drop), Err(OtherVersion));
        assert_eq!(Calls::of(&[1, 2, 3]).map(drop), Err(OtherVersion));
        assert_eq!(Calls::of(&[]).expect("nothing was written").count(), 0);
        assert_eq!(Numbers::of(&[0; 12]).map(drop), Err(OtherVersion));
    }

    #[test]
    fn numbers_of_regions_come_after_the_version() {
        let mut bytes = Vec::new();
        for (region, number) in [(BEGINNING, u64::from(COPY_VERSION)), (2, 10), (9, 1)] {
            bytes.extend(region.to_le_bytes());
            bytes.extend(number.to_le_bytes());
        }
        let numbers: Vec<_> = Numbers::of(&bytes).expect("it is this version").collect();
        assert_eq!(numbers, [(RegionId(2), 10), (RegionId(9), 1)]);
    }
}

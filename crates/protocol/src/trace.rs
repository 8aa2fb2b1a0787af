//! What is known of the way that a call took: regions of code, calls between functions, comparisons.

use crate::copy::RegionId;
use crate::value::Value;
use crate::wire::{Reader, WireError, Writer};

/// What a guest notes while it is watching.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Noted {
    /// Which function called which: the regions of two functions of the crate, each plus one; 0 is
    /// a caller outside the crate.
    pub calls: Vec<(u32, u32)>,
    /// What was compared: for each place and order of the sides, the comparison whose sides were nearest, as
    /// far as there is room.
    pub compared: Vec<Compared>,
}

/// Two values that the crate compared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compared {
    /// The first mutant of the comparison's place.
    pub site: u32,
    /// The left side.
    pub left: Value,
    /// The right side.
    pub right: Value,
}

impl Noted {
    /// Append the byte form.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.u32(self.calls.len() as u32);
        for (caller, callee) in &self.calls {
            out.u32(*caller);
            out.u32(*callee);
        }
        out.u32(self.compared.len() as u32);
        for compared in &self.compared {
            out.u32(compared.site);
            compared.left.encode(out);
            compared.right.encode(out);
        }
    }

    pub(crate) fn decode(reader: &mut Reader<'_>) -> Result<Noted, WireError> {
        let n_calls = reader.u32()?;
        let calls = (0..n_calls)
            .map(|_| Ok((reader.u32()?, reader.u32()?)))
            .collect::<Result<_, _>>()?;
        let n_compared = reader.u32()?;
        let compared = (0..n_compared)
            .map(|_| {
                Ok(Compared {
                    site: reader.u32()?,
                    left: Value::decode(reader)?,
                    right: Value::decode(reader)?,
                })
            })
            .collect::<Result<_, _>>()?;
        Ok(Noted { calls, compared })
    }
}

/// A region of code that was entered, and about how often: the region's number times four plus 0 for
/// once, 1 for a few times, 2 for more, 3 for many times.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Passage(pub u32);

impl Passage {
    /// A passage through this region, with a class of how often.
    pub fn new(region: RegionId, often: u32) -> Passage {
        Passage(region.0 * 4 + often)
    }

    /// The region.
    pub fn region(self) -> RegionId {
        RegionId(self.0 / 4)
    }
}

/// Which regions of code a call went through, and about how often.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trace {
    /// A digest of all of them; 0 if nothing was traced.
    pub hash: u64,
    /// A digest of which regions it went through, however often. Not every branch has a counter of
    /// its own (rustc derives some from others), but every branch changes this.
    pub way: u64,
    /// How often regions were entered in all: a measure of work that no other load changes. If
    /// values were asked for, what the calls before the traced one took is in it.
    pub work: u64,
    /// The regions, in order. Empty if a trace with this digest was sent before in this batch,
    /// unless values were asked for.
    pub regions: Vec<Passage>,
}

impl Trace {
    /// Append the byte form.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.u64(self.hash);
        out.u64(self.way);
        out.u64(self.work);
        out.u32(self.regions.len() as u32);
        self.regions.iter().for_each(|it| out.u32(it.0));
    }

    pub(crate) fn decode(reader: &mut Reader<'_>) -> Result<Trace, WireError> {
        let hash = reader.u64()?;
        let way = reader.u64()?;
        let work = reader.u64()?;
        let n = reader.u32()?;
        let regions = (0..n).map(|_| Ok(Passage(reader.u32()?)));
        let regions = regions.collect::<Result<_, _>>()?;
        Ok(Trace {
            hash,
            way,
            work,
            regions,
        })
    }
}

//! The numbers by which the parts of a copy are known.

pub use testsmith_protocol::{MutantId, RegionId};

/// The number of a function that can note what it returns.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FunctionId(pub u32);

/// The number of a type that the crate defines.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct DefinitionId(pub u32);

/// The number of a type with a derived equality.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct DerivedId(pub u32);

/// The number of a function that notes what it reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct MonitorId(pub u32);

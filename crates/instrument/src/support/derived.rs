// What an equality that is written out names, whatever the crate calls so.

pub use self::std::cmp::PartialEq;
pub use self::std::marker::{Copy, StructuralPartialEq};

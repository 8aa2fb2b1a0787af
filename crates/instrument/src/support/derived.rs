// Names that a written-out equality uses: the crate may have given them to something else.

pub use self::std::cmp::PartialEq;
pub use self::std::marker::{Copy, StructuralPartialEq};

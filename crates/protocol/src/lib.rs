//! What host and guest say to each other: values, programs, executions, and their byte form; and what
//! the host and a rewritten copy do where no guest is between them.
//!
//! This crate has no dependencies, because its source is written beside the generated harness and
//! compiled into the guest: anything it needed would enter the user's build.
//!
//! ```
//! use testsmith_protocol::{Reader, Value};
//! let value = Value::List(vec![Value::UInt(7), Value::Str("seven".into())]);
//! let mut bytes = Vec::new();
//! value.encode(&mut bytes);
//! assert_eq!(Value::decode(&mut Reader::new(&bytes)).unwrap(), value);
//! ```

mod copy;
mod message;
mod trace;
mod value;
mod wire;

pub use copy::*;
pub use message::*;
pub use trace::*;
pub use value::*;
pub use wire::*;

/// The version of the byte form, which changes with it. A guest's first message begins with it.
pub const VERSION: u32 = 8;

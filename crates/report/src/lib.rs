//! Records as people and machines want to see them.
//!
//! A record is what a command of testsmith knows when it is over, as JSON (`docs/record.md`). All that
//! is here is made of records and of nothing else: no file is read, nothing is built. Records may be of
//! another version (`testsmith_record` reads them leniently): what they do not say is not shown.
//!
//! - [`html`] is one page with everything, which needs nothing but a browser;
//! - [`sarif`] is what code-scanning services read;
//! - [`elements`] is the report of the mutation-testing-elements project, for its viewers;
//! - [`github`] prints annotations for a workflow's log.
//!
//! ```
//! use testsmith_report::{Records, github};
//!
//! let mut records = Records::default();
//! records.add(r#"{
//!     "schema": 1, "kind": "mutants", "package": "small", "version": "0.1.0",
//!     "mutants": [{"id": 1, "name": "src/lib.rs f: literal `0` -> `1`", "file": "src/lib.rs",
//!         "line": 3, "function": "f", "operator": "literal", "original": "0", "replacement": "1",
//!         "status": "survived"}]
//! }"#)?;
//! assert!(github(&records, "").starts_with("::warning file=src/lib.rs,line=3,"));
//! # Ok::<(), testsmith_report::RecordError>(())
//! ```

mod diff;
mod elements;
mod github;
mod html;
mod page;
mod rank;
mod records;
mod sarif;
#[cfg(test)]
mod tests;

pub use diff::{Diff, diff};
pub use elements::elements;
pub use github::github;
pub use html::html;
pub use records::{Judged, RecordError, Records, Test};
pub use sarif::sarif;

//! From a package to something that runs: [`open`] finds it, [`learn`] reads its API,
//! [`Learnt::equip`] builds guests that call it, and [`explore`] calls it. Every command goes this
//! way as far as it needs to.

mod capped;
mod clock;
mod equipped;
mod error;
mod event;
mod executor;
mod exploring;
mod filter;
mod learn;
mod mine;
mod needed;
mod rewritten;
mod settings;
mod stand_ins;
mod values;

pub use capped::tests_per_subject;
pub use clock::Clock;
pub use equipped::{Equipped, Guests};
pub use error::EquipError;
pub use event::{Event, Outcome, Stage, Watch};
pub use executor::{Executor, Setting};
pub use exploring::explore;
pub use filter::{Filter, matches};
pub use learn::{Learnt, Target, learn, open, read};
pub use mine::{mine, sources};
pub use rewritten::{Rewritten, rewrite, wanted_instrument};
pub use settings::{ApiChoice, Equipping, Exploring, Machinery, PackageChoice};
pub use values::{Limited, ParameterValues};

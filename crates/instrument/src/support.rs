//! What the copy of a crate contains beside its own code.

/// A module at the end of the root file, on a line of its own. It knows which mutant is active:
/// the one whose number somebody stored, or else the environment's.
pub const SUPPORT: &str = r#"
#[doc(hidden)] #[allow(warnings, clippy::all)] pub mod __testsmith { extern crate std; use std::sync::atomic::{AtomicU32, Ordering}; pub static ACTIVE: AtomicU32 = AtomicU32::new(u32::MAX); #[inline(always)] pub fn at(first: u32, n: u32) -> u32 { let active = ACTIVE.load(Ordering::Relaxed); if active == 0 { return 0; } chosen(active, first, n) } #[cold] fn chosen(active: u32, first: u32, n: u32) -> u32 { let active = if active == u32::MAX { let asked = std::env::var("TESTSMITH_MUTANT").ok().and_then(|it| it.parse().ok()).unwrap_or(0); ACTIVE.store(asked, Ordering::Relaxed); asked } else { active }; let position = active.wrapping_sub(first); if active != 0 && position < n { position + 1 } else { 0 } } }
"#;

//! `cargo testsmith clean`: takes away what was built and kept below the target directory.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::exit::{self, Failure};
use crate::flags::Flags;
use crate::packages::Packages;
use crate::terminal::{say, tell};

/// Removes it, once nobody is at work there.
pub(crate) fn clean(flags: &Flags, cancel: &AtomicBool) -> Result<u8, Failure> {
    let packages = Packages::of(flags)?;
    let mut dirs: Vec<_> = packages.list.iter().map(|it| &it.target_dir).collect();
    dirs.sort();
    dirs.dedup();
    for dir in dirs {
        let mut is_told = false;
        let cleaned = testsmith_project::clean(dir, &mut |process| {
            if !std::mem::replace(&mut is_told, true) {
                let process = process.map_or(String::new(), |it| format!(" (process {it})"));
                tell(&format!(
                    "another testsmith{process} works in {}: this one waits until it has ended",
                    dir.display()
                ));
            }
            !cancel.load(Ordering::Relaxed)
        });
        let n_bytes = cleaned.map_err(|error| Failure {
            message: format!("cannot clean {}: {error}", dir.join("testsmith").display()),
            advice: Some("see that what is in it is yours to remove".to_owned()),
            code: exit::WRITE,
        })?;
        match n_bytes {
            Some(n) => say(&format!(
                "Removed {} MB from {}",
                n.div_ceil(1_000_000),
                dir.join("testsmith").display()
            )),
            None => return Ok(exit::INTERRUPTED),
        }
    }
    Ok(0)
}

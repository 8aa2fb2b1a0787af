//! Walls around the processes that run foreign code: Landlock, namespaces, seccomp, limits.
//!
//! Everything is prepared before the fork; between fork and exec only system calls are made. Walls
//! that this kernel does not offer are left out, and the user is told ([`Sandbox::missing`]).
//!
//! **Two walls.** The host confines a process before it begins (Landlock, namespaces, limits, a seccomp
//! filter): that is what keeps the machine safe. The guest's children watch
//! themselves (`trap.rs`): calls not known to be harmless trap, the handler marks the step, then
//! lets pass what the first wall guards anyway and refuses the rest. A program that touched the
//! world ends its child, so that a cached answer never makes the next one look innocent. `clone3`
//! and blocked signals are the gaps one meets first: the one is answered with ENOSYS, the other
//! ends the child with SIGSYS, which counts as a touch.
//!
//! **What is inherited is named.** A process gets the three descriptors that it was given and no other that
//! happened to be open here, a few variables, and no capabilities, even if root runs us
//! (`sandbox/inherited.rs`). What may be called is described once for both kinds of processes
//! (`sandbox/allowed.rs`); a list of what must not be called would not know what the next kernel brings.

#[cfg(target_os = "linux")]
mod allowed;
#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
mod inherited;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(all(test, target_os = "linux", target_arch = "x86_64"))]
mod tests;

use std::path::Path;
use std::process::Command;

/// The kind of process that is confined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inmate {
    /// The guest. It watches its own children call by call, and must be able to fork them.
    Guest,
    /// A test binary. Nothing watches it, so what it must not do is refused outright.
    TestBinary,
    /// A test that is known to fail, perhaps by running out of memory. It gets little of it.
    Suspect,
}

/// Walls that can be put around processes.
pub struct Sandbox {
    is_on: bool,
    #[cfg(target_os = "linux")]
    walls: linux::Walls,
}

impl Sandbox {
    /// All walls that this system has. Files may be changed only below `writable`.
    pub fn new(writable: &Path) -> Sandbox {
        #[cfg(not(target_os = "linux"))]
        let _ = writable;
        Sandbox {
            is_on: true,
            #[cfg(target_os = "linux")]
            walls: linux::Walls::build(writable),
        }
    }

    /// No walls: foreign code may do what the user may.
    pub fn off() -> Sandbox {
        Sandbox {
            is_on: false,
            #[cfg(target_os = "linux")]
            walls: linux::Walls::none(),
        }
    }

    /// Are there any walls?
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// What this system gives, wall by wall.
    pub fn given(&self) -> Vec<Given> {
        if !self.is_on {
            return Vec::new();
        }
        #[cfg(target_os = "linux")]
        return self.walls.given();
        #[cfg(not(target_os = "linux"))]
        vec![Given {
            name: "all",
            is: Err("this system has no sandbox that testsmith knows"),
        }]
    }

    /// The walls that this system does not offer, in words for the user.
    pub fn missing(&self) -> Vec<&'static str> {
        let given = self.given().into_iter();
        given.filter_map(|it| it.is.err()).collect()
    }

    /// What such a process may ask of the kernel here.
    pub fn allowed(&self, inmate: Inmate) -> Vec<Allowed> {
        #[cfg(target_os = "linux")]
        return described(inmate, self.walls.files());
        #[cfg(not(target_os = "linux"))]
        {
            let _ = inmate;
            Vec::new()
        }
    }

    /// Are files outside the writable directory safe from changes?
    pub fn guards_files(&self) -> bool {
        #[cfg(target_os = "linux")]
        return self.walls.guard_files();
        #[cfg(not(target_os = "linux"))]
        false
    }

    /// Puts the walls around a process that is about to be started. It inherits what it was given, and
    /// behind walls only a few variables besides.
    pub fn confine(&self, command: &mut Command, inmate: Inmate) {
        if self.is_on {
            leave_variables(command, inmate);
        }
        #[cfg(target_os = "linux")]
        self.walls.surround(command, inmate);
        #[cfg(not(target_os = "linux"))]
        let _ = (command, inmate);
    }
}

/// What a system gives for a wall.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Given {
    /// What the wall is around.
    pub name: &'static str,
    /// What it is made of, or what is missing and what that gives up.
    pub is: Result<&'static str, &'static str>,
}

/// System calls that are allowed for one reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Allowed {
    /// What they are for, or in which cases they are allowed.
    pub what: &'static str,
    /// Their names.
    pub calls: Vec<&'static str>,
}

/// The description that the filters are made from, in words.
#[cfg(target_os = "linux")]
fn described(inmate: Inmate, files: filter::Files) -> Vec<Allowed> {
    let name = |call: &allowed::Call| call.name.trim_start_matches("SYS_");
    let groups = filter::groups(inmate, files).map(|it| Allowed {
        what: it.what,
        calls: it.calls.iter().map(name).collect(),
    });
    let checked = filter::checked(inmate, files).map(|it| Allowed {
        what: it.says,
        calls: vec![name(&it.call)],
    });
    groups.chain(checked).collect()
}

/// The variables of ours that a test binary has. A guest has none.
const VARIABLES: [&str; 14] = [
    "PATH",
    "HOME",
    "USER",
    "LANG",
    "LC_ALL",
    "TZ",
    "LD_LIBRARY_PATH",
    "CARGO",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "RUST_MIN_STACK",
    "RUST_TEST_THREADS",
    "PROPTEST_CASES",
];

/// Leaves the command the variables that it was given, and of ours those with a name in the list: what
/// else stands there may be secret, and would differ elsewhere.
fn leave_variables(command: &mut Command, inmate: Inmate) {
    let given: Vec<_> = command
        .get_envs()
        .map(|(name, value)| (name.to_owned(), value.map(ToOwned::to_owned)))
        .collect();
    command.env_clear();
    if inmate != Inmate::Guest {
        let ours = VARIABLES
            .iter()
            .filter_map(|it| Some((it, std::env::var_os(it)?)));
        command.envs(ours);
    }
    for (name, value) in given {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
}

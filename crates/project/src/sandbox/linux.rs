//! The walls as Linux has them: Landlock or a view of the files of one's own, namespaces, limits, and the
//! order in which they are put up.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, Scope,
};
use seccompiler::BpfProgram;

use super::filter::{Files, filter, put_up_last};
use super::inherited::{
    can_drop_capabilities, close_others_at_exec, drop_capabilities, is_root, restore_signals,
};
use super::mounts::View;
use super::{Given, Inmate};

#[derive(Default)]
pub(super) struct Walls {
    ruleset: Option<Arc<OwnedFd>>,
    view: Option<View>,
    of_guests: Option<Arc<BpfProgram>>,
    of_tests: Option<Arc<BpfProgram>>,
    namespaces: bool,
    drops_capabilities: bool,
}

/// The newest version of Landlock that this code knows. Older kernels restrict what they can.
const LANDLOCK: ABI = ABI::V6;

impl Walls {
    pub(super) fn none() -> Walls {
        Walls::default()
    }

    /// Is it only in one directory that files can be changed?
    pub(super) fn guard_files(&self) -> bool {
        self.ruleset.is_some() || self.view.is_some()
    }

    pub(super) fn build(writable: &Path) -> Walls {
        let ruleset = ruleset(writable).ok().flatten().map(Arc::new);
        let view = match ruleset.is_none() {
            true => View::new(writable),
            false => None,
        };
        let files = match ruleset.is_some() || view.is_some() {
            true => Files::Walled,
            false => Files::LookedAt,
        };
        Walls {
            ruleset,
            view,
            of_guests: filter(Inmate::Guest, files).map(Arc::new),
            of_tests: filter(Inmate::TestBinary, files).map(Arc::new),
            // SAFETY: a system call on the new process.
            namespaces: can(|| check(unsafe { libc::unshare(NAMESPACES) })),
            drops_capabilities: can_drop_capabilities(writable),
        }
    }

    /// What this kernel gives, wall by wall.
    pub(super) fn given(&self) -> Vec<Given> {
        let wall = |name, is: Result<&'static str, &'static str>| Given { name, is };
        let files = match (&self.ruleset, &self.view) {
            (Some(_), _) => Ok("Landlock"),
            (None, Some(_)) => Err(
                "no Landlock: a view of the files of which all but one directory is read-only stands in, which \
                 does not keep programs from pipes that have a path",
            ),
            (None, None) => Err(
                "no Landlock and no namespace for a view of the files: programs may change no file at all, so \
                 `mutants`, `record` and what else reads files that tests write does not work; and they may \
                 read what other processes of yours show of themselves",
            ),
        };
        let calls = match self.of_tests.is_some() {
            true => Ok("a list of what is allowed (seccomp)"),
            false => Err("no seccomp: programs could start processes and use the network"),
        };
        let rights = match (self.drops_capabilities, is_root()) {
            (true, _) => Ok("none"),
            (false, true) => {
                Err("root keeps its capabilities: without them it may not use the target directory")
            }
            (false, false) => Ok("those of a plain user"),
        };
        let network = match self.namespaces {
            true => Ok("refused, and for guests a namespace with nothing in it"),
            false => Err("no user namespaces: the network is refused by seccomp alone"),
        };
        vec![
            wall("files", files),
            wall("system calls", calls),
            wall("network", network),
            wall("capabilities", rights),
        ]
    }

    /// Which files a process may change.
    pub(super) fn files(&self) -> Files {
        match self.guard_files() {
            true => Files::Walled,
            false => Files::LookedAt,
        }
    }

    pub(super) fn surround(&self, command: &mut Command, inmate: Inmate) {
        let ruleset = self.ruleset.clone();
        let view = self.view.clone();
        // The kernel takes long to remove a network namespace, and tests are checked one by one
        // in thousands. So a filter that refuses every socket must do for them.
        let namespaces = self.namespaces && (inmate == Inmate::Guest || self.of_tests.is_none());
        let (max_bytes, filter) = match inmate {
            // A guest limits its children further, but foreign code may run before its `main`.
            Inmate::Guest => (4 << 30, self.of_guests.clone()),
            Inmate::TestBinary => (4 << 30, self.of_tests.clone()),
            Inmate::Suspect => (1 << 30, self.of_tests.clone()),
        };
        let drops_capabilities = self.drops_capabilities;
        let enter = move || {
            close_others_at_exec();
            restore_signals();
            // SAFETY: system calls on our own process, nothing is allocated.
            unsafe {
                // Some hashers take their seed from addresses, so the guest's addresses must
                // repeat. Tests must pass without that.
                if inmate == Inmate::Guest {
                    libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
                }
                if let Some(view) = &view {
                    view.enter()?;
                }
                if namespaces {
                    libc::unshare(NAMESPACES);
                }
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                limit(libc::RLIMIT_CORE, 0);
                limit(libc::RLIMIT_FSIZE, MAX_FILE_BYTES);
                limit(libc::RLIMIT_AS, max_bytes);
                // What the kernel keeps for a descriptor is nobody's address space.
                limit(libc::RLIMIT_NOFILE, MAX_DESCRIPTORS);
                // A new namespace gives all of them again, so this comes behind it.
                if drops_capabilities {
                    drop_capabilities();
                }
                check(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))?;
                if let Some(ruleset) = &ruleset {
                    let fd = ruleset.as_raw_fd();
                    check(libc::syscall(libc::SYS_landlock_restrict_self, fd, 0) as libc::c_int)?;
                }
            }
            if let Some(filter) = &filter {
                seccompiler::apply_filter(filter)
                    .map_err(|_| io::Error::from(io::ErrorKind::PermissionDenied))?;
                put_up_last(inmate)?;
            }
            Ok(())
        };
        // SAFETY: between fork and exec, `enter` only makes system calls.
        unsafe { command.pre_exec(enter) };
    }
}

const NAMESPACES: libc::c_int = libc::CLONE_NEWUSER | libc::CLONE_NEWNET | libc::CLONE_NEWIPC;
const MAX_DESCRIPTORS: libc::rlim_t = 1024;
const MAX_FILE_BYTES: libc::rlim_t = 256 << 20;

fn check(answer: libc::c_int) -> io::Result<()> {
    match answer {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

unsafe fn limit(resource: libc::__rlimit_resource_t, most: libc::rlim_t) {
    let limit = libc::rlimit {
        rlim_cur: most,
        rlim_max: most,
    };
    // SAFETY: a valid limit; a system that refuses a lower one does not exist.
    unsafe { libc::setrlimit(resource, &raw const limit) };
}

/// Allows reading everywhere, and changes only below the writable directory.
fn ruleset(writable: &Path) -> Result<Option<OwnedFd>, RulesetError> {
    let read = AccessFs::from_read(LANDLOCK);
    let all = AccessFs::from_all(LANDLOCK);
    let mut ruleset = Ruleset::default()
        .handle_access(all)?
        .handle_access(AccessNet::from_all(LANDLOCK))?
        .scope(Scope::from_all(LANDLOCK))?
        .create()?;
    let write: BitFlags<AccessFs> = AccessFs::WriteFile | AccessFs::ReadFile;
    for (path, access) in [
        (Path::new("/"), read),
        (Path::new("/dev/null"), write),
        (writable, all),
    ] {
        if let Ok(fd) = PathFd::new(path) {
            ruleset = ruleset.add_rule(PathBeneath::new(fd, access))?;
        }
    }
    Ok(ruleset.into())
}

/// Does this work in a new process? Some systems forbid what their kernel has, and only trying shows it.
pub(super) fn can(enter: impl Fn() -> io::Result<()> + Send + Sync + 'static) -> bool {
    let mut command = Command::new("true");
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    // SAFETY: the callers only make system calls between fork and exec.
    unsafe { command.pre_exec(enter) };
    command.status().is_ok_and(|status| status.success())
}

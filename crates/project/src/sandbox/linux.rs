//! The walls as Linux has them: Landlock, namespaces, limits, and the order in which they are put up.

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

use super::Inmate;
use super::filter::{filters, signal_only_self};
use super::inherited::{
    can_drop_capabilities, close_others_at_exec, drop_capabilities, is_root, restore_signals,
};

#[derive(Default)]
pub(super) struct Walls {
    ruleset: Option<Arc<OwnedFd>>,
    of_guests: Arc<Vec<BpfProgram>>,
    of_tests: Arc<Vec<BpfProgram>>,
    namespaces: bool,
    drops_capabilities: bool,
}

/// The newest version of Landlock that this code knows. Older kernels restrict what they can.
const LANDLOCK: ABI = ABI::V6;

impl Walls {
    pub(super) fn none() -> Walls {
        Walls::default()
    }

    pub(super) fn guard_files(&self) -> bool {
        self.ruleset.is_some()
    }

    pub(super) fn build(writable: &Path) -> (Walls, Vec<&'static str>) {
        let mut missing = Vec::new();
        let ruleset = ruleset(writable).ok().flatten().map(Arc::new);
        if ruleset.is_none() {
            missing
                .push("no Landlock: files are kept from programs by refusing every access to them");
        }
        let of_guests = filters(Inmate::Guest).unwrap_or_default();
        let of_tests = filters(Inmate::TestBinary).unwrap_or_default();
        if of_tests.is_empty() {
            missing.push("no seccomp: tests that are checked could start processes");
        }
        let drops_capabilities = can_drop_capabilities(writable);
        if !drops_capabilities && is_root() {
            missing.push(
                "root keeps its capabilities: without them it may not use the target directory",
            );
        }
        let namespaces = can_unshare();
        if !namespaces {
            missing.push("no user namespaces: the network is refused by seccomp alone");
        }
        let walls = Walls {
            ruleset,
            of_guests: Arc::new(of_guests),
            of_tests: Arc::new(of_tests),
            namespaces,
            drops_capabilities,
        };
        (walls, missing)
    }

    pub(super) fn surround(&self, command: &mut Command, inmate: Inmate) {
        let ruleset = self.ruleset.clone();
        // The kernel takes long to remove a network namespace, and tests are checked one by one
        // in thousands. So a filter that refuses every socket must do for them.
        let namespaces = self.namespaces && (inmate == Inmate::Guest || self.of_tests.is_empty());
        let (max_bytes, filters) = match inmate {
            // The guest limits its children itself.
            Inmate::Guest => (None, Arc::clone(&self.of_guests)),
            Inmate::TestBinary => (Some(4 << 30), Arc::clone(&self.of_tests)),
            Inmate::Suspect => (Some(1 << 30), Arc::clone(&self.of_tests)),
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
                if namespaces {
                    libc::unshare(NAMESPACES);
                }
                if let Some(max_bytes) = max_bytes {
                    libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                    limit(libc::RLIMIT_CORE, 0);
                    limit(libc::RLIMIT_FSIZE, MAX_FILE_BYTES);
                    limit(libc::RLIMIT_AS, max_bytes);
                }
                // A new namespace gives all of them again, so this comes behind it.
                if drops_capabilities {
                    drop_capabilities();
                }
                check(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0).into())?;
                if let Some(ruleset) = &ruleset {
                    let fd = ruleset.as_raw_fd();
                    check(libc::syscall(libc::SYS_landlock_restrict_self, fd, 0))?;
                }
            }
            if inmate != Inmate::Guest && !filters.is_empty() {
                signal_only_self()?;
            }
            for filter in filters.iter() {
                seccompiler::apply_filter(filter)
                    .map_err(|_| io::Error::from(io::ErrorKind::PermissionDenied))?;
            }
            Ok(())
        };
        // SAFETY: between fork and exec, `enter` only makes system calls.
        unsafe { command.pre_exec(enter) };
    }
}

const NAMESPACES: libc::c_int = libc::CLONE_NEWUSER | libc::CLONE_NEWNET | libc::CLONE_NEWIPC;
const MAX_FILE_BYTES: libc::rlim_t = 256 << 20;

fn check(answer: libc::c_long) -> io::Result<()> {
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

/// Can user namespaces be made? Some systems forbid them, and only trying shows it.
fn can_unshare() -> bool {
    let mut command = Command::new("true");
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    // SAFETY: one system call between fork and exec.
    unsafe { command.pre_exec(|| check(libc::unshare(NAMESPACES).into())) };
    command.status().is_ok_and(|status| status.success())
}

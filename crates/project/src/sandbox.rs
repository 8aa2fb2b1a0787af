//! Walls around the processes that run foreign code: Landlock, namespaces, seccomp, limits.
//!
//! Everything is prepared before the fork; between fork and exec only system calls are made. Walls
//! that this kernel does not offer are left out, and the user is told ([`Sandbox::missing`]).
//!
//! **Two walls.** The host confines a process before it begins (Landlock, namespaces, limits, for
//! test binaries a seccomp filter): that is what keeps the machine safe. The guest's children watch
//! themselves (`trap.rs`): calls not known to be harmless trap, the handler marks the step, then
//! lets pass what the first wall guards anyway and refuses the rest. A program that touched the
//! world ends its child, so that a cached answer never makes the next one look innocent. `clone3`
//! and blocked signals are the gaps one meets first: the one is answered with ENOSYS, the other
//! ends the child with SIGSYS, which counts as a touch.

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
    missing: Vec<&'static str>,
    #[cfg(target_os = "linux")]
    walls: linux::Walls,
}

impl Sandbox {
    /// All walls that this system has. Files may be changed only below `writable`.
    pub fn new(writable: &Path) -> Sandbox {
        #[cfg(target_os = "linux")]
        {
            let (walls, missing) = linux::Walls::build(writable);
            Sandbox {
                is_on: true,
                missing,
                walls,
            }
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = writable;
            Sandbox {
                is_on: true,
                missing: vec!["this system has no sandbox that testsmith knows"],
            }
        }
    }

    /// No walls: foreign code may do what the user may.
    pub fn off() -> Sandbox {
        Sandbox {
            is_on: false,
            missing: Vec::new(),
            #[cfg(target_os = "linux")]
            walls: linux::Walls::none(),
        }
    }

    /// Are there any walls?
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// The walls that this system does not offer, in words for the user.
    pub fn missing(&self) -> &[&'static str] {
        &self.missing
    }

    /// Are files outside the writable directory safe from changes?
    pub fn guards_files(&self) -> bool {
        #[cfg(target_os = "linux")]
        return self.walls.guard_files();
        #[cfg(not(target_os = "linux"))]
        false
    }

    /// Puts the walls around a process that is about to be started.
    pub fn confine(&self, command: &mut Command, inmate: Inmate) {
        #[cfg(target_os = "linux")]
        self.walls.surround(command, inmate);
        #[cfg(not(target_os = "linux"))]
        let _ = (command, inmate);
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeMap;
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
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
        SeccompRule,
    };

    use super::Inmate;

    #[derive(Default)]
    pub(super) struct Walls {
        ruleset: Option<Arc<OwnedFd>>,
        filters: Arc<Vec<BpfProgram>>,
        namespaces: bool,
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
                missing.push(
                    "no Landlock: files are kept from programs by refusing every access to them",
                );
            }
            let filters = filters().unwrap_or_default();
            if filters.is_empty() {
                missing.push("no seccomp: tests that are checked could start processes");
            }
            let namespaces = can_unshare();
            if !namespaces {
                missing.push("no user namespaces: the network is refused by seccomp alone");
            }
            let walls = Walls {
                ruleset,
                filters: Arc::new(filters),
                namespaces,
            };
            (walls, missing)
        }

        pub(super) fn surround(&self, command: &mut Command, inmate: Inmate) {
            let ruleset = self.ruleset.clone();
            // The kernel takes long to remove a network namespace, and tests are checked one by one
            // in thousands. So a filter that refuses every socket must do for them.
            let namespaces =
                self.namespaces && (inmate == Inmate::Guest || self.filters.is_empty());
            let (max_bytes, filters) = match inmate {
                // The guest limits its children itself.
                Inmate::Guest => (None, Arc::default()),
                Inmate::TestBinary => (Some(4 << 30), Arc::clone(&self.filters)),
                Inmate::Suspect => (Some(1 << 30), Arc::clone(&self.filters)),
            };
            let enter = move || {
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
                    check(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0).into())?;
                    if let Some(ruleset) = &ruleset {
                        let fd = ruleset.as_raw_fd();
                        check(libc::syscall(libc::SYS_landlock_restrict_self, fd, 0))?;
                    }
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

    /// Refuses sockets, new processes, and access to other processes.
    fn filters() -> Option<Vec<BpfProgram>> {
        let arch = std::env::consts::ARCH.try_into().ok()?;
        let refused = [
            libc::SYS_socket,
            libc::SYS_socketpair,
            libc::SYS_connect,
            libc::SYS_bind,
            libc::SYS_listen,
            libc::SYS_kill,
            libc::SYS_tkill,
            libc::SYS_ptrace,
            libc::SYS_process_vm_readv,
            libc::SYS_process_vm_writev,
            libc::SYS_pidfd_open,
            libc::SYS_pidfd_send_signal,
            libc::SYS_mount,
            libc::SYS_umount2,
            libc::SYS_unshare,
            libc::SYS_setns,
            libc::SYS_bpf,
            libc::SYS_io_uring_setup,
            libc::SYS_keyctl,
            libc::SYS_add_key,
            libc::SYS_fchmod,
            libc::SYS_fchmodat,
            libc::SYS_fchown,
            libc::SYS_fchownat,
            libc::SYS_utimensat,
            libc::SYS_setxattr,
            libc::SYS_removexattr,
        ];
        let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
            refused.into_iter().map(|call| (call, Vec::new())).collect();
        #[cfg(target_arch = "x86_64")]
        for call in [
            libc::SYS_fork,
            libc::SYS_vfork,
            libc::SYS_chmod,
            libc::SYS_chown,
            libc::SYS_lchown,
            libc::SYS_utime,
            libc::SYS_utimes,
        ] {
            rules.insert(call, Vec::new());
        }
        // A thread is a clone with this flag; anything else is a process.
        let thread = libc::CLONE_THREAD as u64;
        let is_process = SeccompCondition::new(
            0,
            SeccompCmpArgLen::Qword,
            SeccompCmpOp::MaskedEq(thread),
            0,
        );
        let rule = SeccompRule::new(vec![is_process.ok()?]).ok()?;
        rules.insert(libc::SYS_clone, vec![rule]);
        let refusing = filter(rules, libc::EPERM, arch)?;
        // A filter cannot see the flags of `clone3`. The C library falls back to `clone` if it is
        // unknown.
        let clone3 = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
        let unknown = filter(clone3, libc::ENOSYS, arch)?;
        Some(vec![refusing, unknown])
    }

    fn filter(
        rules: BTreeMap<i64, Vec<SeccompRule>>,
        error: libc::c_int,
        arch: seccompiler::TargetArch,
    ) -> Option<BpfProgram> {
        let refuse = SeccompAction::Errno(error as u32);
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch).ok()?;
        filter.try_into().ok()
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
}

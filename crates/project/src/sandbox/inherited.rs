//! What a process would inherit and must not: descriptors that happened to be open, capabilities of root,
//! signals that are ignored.
//!
//! Everything here runs between fork and exec, so it makes system calls and nothing else.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Descriptors before this one were given to the process.
const FIRST_OTHER: libc::c_uint = 3;
/// How many descriptors are marked one by one where the kernel cannot do all at once.
const MOST_ONE_BY_ONE: libc::c_int = 1 << 16;
/// Capabilities have numbers below this one.
const MAX_CAPABILITIES: libc::c_ulong = 64;

/// Has the kernel close all descriptors at exec that the process was not given. They are not closed at once:
/// one of them tells the parent if exec fails.
pub(super) fn close_others_at_exec() {
    // SAFETY: marking descriptors that are not open does nothing.
    unsafe {
        let flag = libc::CLOSE_RANGE_CLOEXEC;
        let last = libc::c_uint::MAX;
        if libc::syscall(libc::SYS_close_range, FIRST_OTHER, last, flag) == 0 {
            return;
        }
        // Kernels before 5.11.
        for fd in FIRST_OTHER as libc::c_int..MOST_ONE_BY_ONE {
            libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC);
        }
    }
}

/// Lets a write beyond the limit of file sizes end the process, as it does everywhere else. We ignore that
/// signal, and what is ignored would be inherited.
pub(super) fn restore_signals() {
    // SAFETY: the default action of a signal of our own process.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_DFL) };
}

#[repr(C)]
struct Header {
    version: u32,
    process: i32,
}

/// Drops all capabilities for good: root has no more rights than a user has.
pub(super) fn drop_capabilities() {
    const VERSION_3: u32 = 0x2008_0522;
    // SAFETY: calls on our own process; numbers of capabilities that do not exist are refused. The header
    // and the two sets of three words are as the kernel reads them.
    unsafe {
        for capability in 0..MAX_CAPABILITIES {
            libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0);
        }
        libc::prctl(
            libc::PR_CAP_AMBIENT,
            libc::PR_CAP_AMBIENT_CLEAR_ALL,
            0,
            0,
            0,
        );
        let header = Header {
            version: VERSION_3,
            process: 0,
        };
        let none = [[0u32; 3]; 2];
        libc::syscall(libc::SYS_capset, &raw const header, none.as_ptr());
    }
}

/// Is it root who runs us?
pub(super) fn is_root() -> bool {
    // SAFETY: it only asks.
    unsafe { libc::geteuid() == 0 }
}

/// Can programs below this directory be run without capabilities? Root may work on files that are another
/// user's alone.
pub(super) fn can_drop_capabilities(dir: &Path) -> bool {
    let mut path = dir.as_os_str().as_bytes().to_vec();
    path.push(0);
    let enter = move || {
        drop_capabilities();
        // SAFETY: the path ends with a zero.
        let may = unsafe {
            let rights = libc::R_OK | libc::W_OK | libc::X_OK;
            libc::access(path.as_ptr().cast(), rights)
        };
        match may {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    };
    super::linux::can(enter)
}

//! The wall around files where the kernel has no Landlock: a view of the file system of one's own, in which
//! everything is read-only but one directory, and no device can be opened but those that give nothing away.
//!
//! It takes a user namespace, or root. It costs more than Landlock for each process, and what is written to a
//! pipe by its path is not kept from its reader, so it stands in only.
//!
//! Everything but [`View::new`] runs between fork and exec, so it makes system calls and nothing else.

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use libc::{c_char, c_int, c_ulong};

/// Devices that everybody may open.
const DEVICES: [&std::ffi::CStr; 5] = [
    c"/dev/null",
    c"/dev/zero",
    c"/dev/full",
    c"/dev/random",
    c"/dev/urandom",
];

/// What is asked of the kernel about a mount.
#[repr(C)]
struct Attributes {
    set: u64,
    clear: u64,
    propagation: u64,
    namespace: u64,
}

const READ_ONLY: u64 = 1;
const NO_SETUID: u64 = 2;
const NO_DEVICES: u64 = 4;

/// A view of the file system with one directory that may be written to.
#[derive(Clone, Debug)]
pub(super) struct View {
    writable: CString,
    /// Does it take a user namespace? Root can do without.
    with_user: bool,
}

impl View {
    /// A view, tried out: `None` if this system does not give it.
    pub(super) fn new(writable: &Path) -> Option<View> {
        let writable = writable.canonicalize().ok()?;
        let writable = CString::new(writable.as_os_str().as_bytes()).ok()?;
        [true, false].into_iter().find_map(|with_user| {
            let view = View {
                writable: writable.clone(),
                with_user,
            };
            let inner = view.clone();
            super::linux::can(move || inner.enter()).then_some(view)
        })
    }

    /// From here on this process sees the files like that.
    pub(super) fn enter(&self) -> io::Result<()> {
        let user = if self.with_user {
            libc::CLONE_NEWUSER
        } else {
            0
        };
        let all = c"/".as_ptr();
        let here = self.writable.as_ptr();
        let mut place = [0 as c_char; libc::PATH_MAX as usize];
        // SAFETY: system calls on our own process with texts that live through them; `place` is as long as it
        // says.
        unsafe {
            // The working directory is left where it was, in a mount that is about to be read-only.
            let has_place = !libc::getcwd(place.as_mut_ptr(), place.len()).is_null();
            check(libc::unshare(libc::CLONE_NEWNS | user))?;
            // Nothing of this reaches anybody else's view.
            mount(std::ptr::null(), all, libc::MS_REC | libc::MS_PRIVATE)?;
            mount(here, here, libc::MS_BIND)?;
            for device in DEVICES {
                // One that is not there cannot be opened either.
                let _ = mount(device.as_ptr(), device.as_ptr(), libc::MS_BIND);
            }
            set(
                all,
                READ_ONLY | NO_SETUID | NO_DEVICES,
                0,
                libc::AT_RECURSIVE,
            )?;
            for device in DEVICES {
                let _ = set(device.as_ptr(), 0, READ_ONLY | NO_DEVICES, 0);
            }
            set(here, 0, READ_ONLY, 0)?;
            if has_place {
                check(libc::chdir(place.as_ptr()))?;
            }
        }
        Ok(())
    }
}

/// # Safety
/// The texts end with a zero.
unsafe fn mount(from: *const c_char, to: *const c_char, flags: c_ulong) -> io::Result<()> {
    let none = std::ptr::null();
    // SAFETY: as the caller promises.
    check(unsafe { libc::mount(from, to, none, flags, none.cast()) })
}

/// # Safety
/// The text ends with a zero.
unsafe fn set(at: *const c_char, set: u64, clear: u64, flags: c_int) -> io::Result<()> {
    let attributes = Attributes {
        set,
        clear,
        propagation: 0,
        namespace: 0,
    };
    // SAFETY: as the caller promises; the kernel reads as many bytes as it is told.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            at,
            flags,
            &raw const attributes,
            size_of::<Attributes>(),
        )
    };
    check(answer as c_int)
}

fn check(answer: c_int) -> io::Result<()> {
    match answer {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

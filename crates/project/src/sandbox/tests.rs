//! The walls, tried from within: this test binary is run again behind them, and says what it could do.

use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::*;

/// Says that the test is run behind walls, and where it may write.
const INSIDE: &str = "TESTSMITH_INSIDE";

/// Runs a test of this file again behind walls, and gives what it printed. Behind them it gets the
/// directory that it may write to, and here nothing.
fn inside(test: &str, inmate: Inmate) -> Result<String, PathBuf> {
    if let Some(dir) = std::env::var_os(INSIDE) {
        return Err(dir.into());
    }
    let dir = std::env::temp_dir().join(format!("testsmith-walls-{test}-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("the temporary directory is writable");
    let sandbox = Sandbox::new(&dir);
    let mut command = Command::new(std::env::current_exe().expect("it has a path"));
    command
        .args(["--exact", "--nocapture", &format!("sandbox::tests::{test}")])
        .env(INSIDE, &dir)
        .current_dir(&dir)
        .stdin(Stdio::null());
    sandbox.confine(&mut command, inmate);
    let output = command.output().expect("it starts");
    std::fs::remove_dir_all(&dir).expect("cleanup");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{errors}");
    Ok(text)
}

/// What a system call answers: 0, or the number of its error.
fn called(number: libc::c_long, [a, b, c, d]: [i64; 4]) -> i32 {
    // SAFETY: the calls of these tests get no memory but texts that live through them.
    match unsafe { libc::syscall(number, a, b, c, d) } {
        -1 => std::io::Error::last_os_error().raw_os_error().unwrap_or(-1),
        _ => 0,
    }
}

#[test]
fn descriptors_and_variables_that_were_not_given_are_not_there() {
    let null = File::open("/dev/null").expect("it is there");
    // Copies that are made like this are inherited.
    let copy = || {
        // SAFETY: the descriptor is open, and its copy is nobody else's.
        unsafe { OwnedFd::from_raw_fd(libc::dup(null.as_raw_fd())) }
    };
    let left_open = std::env::var_os(INSIDE).is_none().then(copy);
    drop(null);
    let inner = inside(
        "descriptors_and_variables_that_were_not_given_are_not_there",
        Inmate::TestBinary,
    );
    drop(left_open);
    if inner.is_err() {
        let open = (3..1024).filter(|fd| called(libc::SYS_fcntl, [*fd, 1, 0, 0]) == 0);
        assert_eq!(open.count(), 0);
        let names: Vec<String> = std::env::vars().map(|(name, _)| name).collect();
        let is_known = |it: &&String| VARIABLES.contains(&&***it) || **it == INSIDE;
        let others: Vec<&String> = names.iter().filter(|it| !is_known(it)).collect();
        assert!(others.is_empty(), "{others:?}");
    }
}

#[test]
fn root_has_no_capabilities_behind_walls() {
    for inmate in [Inmate::Guest, Inmate::TestBinary] {
        if inside("root_has_no_capabilities_behind_walls", inmate).is_err() {
            let status = std::fs::read_to_string("/proc/self/status").expect("it is there");
            let sets = status.lines().filter(|it| it.starts_with("Cap"));
            let is_empty = |line: &str| line.ends_with("\t0000000000000000");
            let full: Vec<&str> = sets.filter(|it| !is_empty(it)).collect();
            // A plain user's bounding set stays as it is, and gives nothing.
            let is_bound = |it: &&&str| !it.starts_with("CapBnd") || inherited::is_root();
            assert!(!full.iter().any(|it| is_bound(&it)), "{full:?}");
            return;
        }
    }
}

#[test]
fn what_reaches_for_others_is_refused() {
    let inner = inside("what_reaches_for_others_is_refused", Inmate::TestBinary);
    let Err(dir) = inner else {
        return;
    };
    let file = std::ffi::CString::new(dir.into_os_string().into_encoded_bytes());
    let file = file.expect("a path has no zero");
    let at = file.as_ptr() as i64;
    let parent = i64::from(std::os::unix::process::parent_id());
    let here = i64::from(libc::AT_FDCWD);
    let refused = [
        ("fchmodat2", 452, [here, at, 0o777, 0]),
        ("setxattr", libc::SYS_setxattr, [at, at, at, 0]),
        ("lsetxattr", libc::SYS_lsetxattr, [at, at, at, 0]),
        ("removexattr", libc::SYS_removexattr, [at, at, 0, 0]),
        ("prlimit", libc::SYS_prlimit64, [parent, 7, 0, 0]),
        ("affinity", libc::SYS_sched_setaffinity, [parent, 0, 0, 0]),
        (
            "scheduler",
            libc::SYS_sched_setscheduler,
            [parent, 0, at, 0],
        ),
        ("priority", libc::SYS_setpriority, [0, parent, 19, 0]),
        ("priority of all", libc::SYS_setpriority, [2, 0, 19, 0]),
        ("ioprio", libc::SYS_ioprio_set, [1, parent, 0, 0]),
        ("shmget", libc::SYS_shmget, [0, 4096, 0o1600, 0]),
        ("semget", libc::SYS_semget, [0, 1, 0o1600, 0]),
        ("pdeathsig", libc::SYS_prctl, [1, 0, 0, 0]),
        ("kill", libc::SYS_kill, [parent, 0, 0, 0]),
        ("tgkill", libc::SYS_tgkill, [parent, parent, 0, 0]),
        ("sigqueue", libc::SYS_rt_sigqueueinfo, [parent, 0, at, 0]),
        ("socket", libc::SYS_socket, [1, 1, 0, 0]),
        ("tiocsti", libc::SYS_ioctl, [0, 0x5412, at, 0]),
        ("io_uring", libc::SYS_io_uring_setup, [1, 0, 0, 0]),
        ("unshare", libc::SYS_unshare, [0, 0, 0, 0]),
        ("x32", 0x4000_0000 | libc::SYS_getpid, [0; 4]),
    ];
    for (name, number, arguments) in refused {
        assert_eq!(called(number, arguments), libc::EPERM, "{name}");
    }
    let own = i64::from(std::process::id());
    let allowed = [
        ("its own limits", libc::SYS_prlimit64, [0, 7, 0, 0]),
        ("its own signals", libc::SYS_tgkill, [own, own, 0, 0]),
        ("its own niceness", libc::SYS_setpriority, [0, 0, 19, 0]),
        ("its name", libc::SYS_prctl, [15, at, 0, 0]),
    ];
    for (name, number, arguments) in allowed {
        assert_eq!(called(number, arguments), 0, "{name}");
    }
}

#[test]
fn a_guest_may_fork_and_still_reaches_for_nobody() {
    let inner = inside(
        "a_guest_may_fork_and_still_reaches_for_nobody",
        Inmate::Guest,
    );
    if inner.is_err() {
        let parent = i64::from(std::os::unix::process::parent_id());
        let refused = [
            ("socket", libc::SYS_socket, [1, 1, 0, 0]),
            ("kill", libc::SYS_kill, [parent, 0, 0, 0]),
            ("prlimit", libc::SYS_prlimit64, [parent, 7, 0, 0]),
            ("fchmodat2", 452, [0; 4]),
            ("shmget", libc::SYS_shmget, [0, 4096, 0o1600, 0]),
        ];
        for (name, number, arguments) in refused {
            assert_eq!(called(number, arguments), libc::EPERM, "{name}");
        }
        let mut child = Command::new("true");
        assert!(child.status().is_ok_and(|it| it.success()));
    }
}

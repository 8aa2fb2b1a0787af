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
    let dir = std::env::temp_dir().join(format!(
        "testsmith-walls-{test}-{inmate:?}-{}",
        std::process::id()
    ));
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
    assert!(
        output.status.success(),
        "{:?} {text}{errors}",
        output.status
    );
    Ok(text)
}

/// Which kind of process this is, behind walls.
fn inmate_inside(dir: &std::path::Path) -> Inmate {
    match dir.to_string_lossy().contains("-Guest-") {
        true => Inmate::Guest,
        false => Inmate::TestBinary,
    }
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

/// Calls that would end or stop this process, or that answer what a wall answers.
const NOT_TRIED: [libc::c_long; 13] = [
    // Whoever waits for the thread would wait for ever.
    libc::SYS_set_tid_address,
    // Probes end whoever calls them from elsewhere, and pass every filter.
    335,
    336,
    libc::SYS_pause,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigsuspend,
    // Unknown operations do not exist for them.
    libc::SYS_futex,
    libc::SYS_clone,
    // A process has to begin somehow.
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_munlockall,
];

#[test]
fn what_is_not_described_is_refused_and_the_rest_is_not() {
    for inmate in [Inmate::Guest, Inmate::TestBinary] {
        let name = "what_is_not_described_is_refused_and_the_rest_is_not";
        let Err(dir) = inside(name, inmate) else {
            continue;
        };
        let files = filter::Files::Walled;
        let inmate = inmate_inside(&dir);
        let groups = filter::groups(inmate, files).flat_map(|it| it.calls);
        let free: Vec<libc::c_long> = groups.map(|it| it.number).collect();
        let checked: Vec<libc::c_long> = filter::checked(inmate, files)
            .map(|it| it.call.number)
            .collect();
        // Arguments that no call takes.
        let odd = [-1; 4];
        for number in 0..=i64::from(allowed::NEWEST) {
            if NOT_TRIED.contains(&number) {
                continue;
            }
            let answer = called(number, odd);
            let is_walled = answer == libc::EPERM;
            match (free.contains(&number), checked.contains(&number)) {
                (true, _) => assert!(!is_walled && answer != libc::ENOSYS, "{number}: {answer}"),
                (_, true) => {}
                _ if number == libc::SYS_clone3 => assert_eq!(answer, libc::ENOSYS),
                _ => assert!(is_walled, "{number}: {answer}"),
            }
        }
        for number in i64::from(allowed::NEWEST) + 1..600 {
            assert_eq!(called(number, odd), libc::ENOSYS, "{number}");
        }
        return;
    }
}

#[test]
fn of_calls_with_cases_only_those_are_allowed() {
    for inmate in [Inmate::Guest, Inmate::TestBinary] {
        let Err(dir) = inside("of_calls_with_cases_only_those_are_allowed", inmate) else {
            continue;
        };
        let inmate = inmate_inside(&dir);
        let file = std::ffi::CString::new(dir.into_os_string().into_encoded_bytes());
        let file = file.expect("a path has no zero");
        let at = file.as_ptr() as i64;
        let parent = i64::from(std::os::unix::process::parent_id());
        let user = i64::from(libc::CLONE_NEWUSER);
        let own = i64::from(std::process::id());
        let mut refused = vec![
            ("limits", libc::SYS_prlimit64, [parent, 7, 0, 0]),
            ("affinity", libc::SYS_sched_setaffinity, [parent, 0, 0, 0]),
            (
                "scheduler",
                libc::SYS_sched_setscheduler,
                [parent, 0, at, 0],
            ),
            ("parameter", libc::SYS_sched_setparam, [parent, at, 0, 0]),
            ("attributes", libc::SYS_sched_setattr, [parent, at, 0, 0]),
            ("priority", libc::SYS_setpriority, [0, parent, 19, 0]),
            ("priority of all", libc::SYS_setpriority, [2, 0, 19, 0]),
            ("who gets signals", libc::SYS_fcntl, [1, 8, parent, 0]),
            ("which signals", libc::SYS_fcntl, [1, 10, 9, 0]),
            ("news of a directory", libc::SYS_fcntl, [1, 1026, 1, 0]),
            ("what is typed", libc::SYS_ioctl, [0, 0x5412, at, 0]),
            ("who gets signals", libc::SYS_ioctl, [0, 0x8901, at, 0]),
            ("flags of a file", libc::SYS_ioctl, [0, 0x4008_6602, at, 0]),
            ("to outlive its parent", libc::SYS_prctl, [1, 0, 0, 0]),
            (
                "to be looked into",
                libc::SYS_prctl,
                [0x5961_6d61, -1, 0, 0],
            ),
            ("another's children", libc::SYS_prctl, [36, 1, 0, 0]),
            ("a namespace", libc::SYS_clone, [user, 0, 0, 0]),
            ("x32", 0x4000_0000 | libc::SYS_getpid, [0; 4]),
        ];
        if inmate == Inmate::TestBinary {
            refused.extend([
                ("a process", libc::SYS_clone, [17, 0, 0, 0]),
                ("signals", libc::SYS_tgkill, [parent, parent, 0, 0]),
            ]);
        }
        for (name, number, arguments) in refused {
            assert_eq!(called(number, arguments), libc::EPERM, "{name}");
        }
        let allowed = [
            ("its own limits", libc::SYS_prlimit64, [0, 7, 0, 0]),
            ("its own signals", libc::SYS_tgkill, [own, own, 0, 0]),
            ("its own niceness", libc::SYS_setpriority, [0, 0, 19, 0]),
            ("its name", libc::SYS_prctl, [15, at, 0, 0]),
            ("flags", libc::SYS_fcntl, [1, 3, 0, 0]),
        ];
        for (name, number, arguments) in allowed {
            assert_eq!(called(number, arguments), 0, "{name}");
        }
        return;
    }
}

#[test]
fn a_guest_may_fork() {
    if inside("a_guest_may_fork", Inmate::Guest).is_err() {
        let mut child = Command::new("true");
        assert!(child.status().is_ok_and(|it| it.success()));
    }
}

#[test]
fn a_test_may_not() {
    if inside("a_test_may_not", Inmate::TestBinary).is_err() {
        assert!(Command::new("true").status().is_err());
        // What is beside the directory is not written, and what is in it is.
        std::fs::write("here", "").expect("it may write here");
        let beside = std::env::temp_dir().join(format!("testsmith-beside-{}", std::process::id()));
        assert!(std::fs::write(&beside, "").is_err());
    }
}

#[test]
fn a_view_of_the_files_stands_in_for_landlock() {
    let dir = std::env::temp_dir().join(format!("testsmith-view-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("the temporary directory is writable");
    // Some systems have neither user namespaces nor root, and then there is no view.
    if let Some(view) = mounts::View::new(&dir) {
        let beside = dir.with_extension("beside");
        std::fs::write(&beside, "mine").expect("writable");
        let mut command = Command::new("sh");
        let script = format!(
            "echo a > here && head -c 3 /dev/zero > /dev/null && ! echo b > {0} && ! rm {0} && ! touch {0}",
            beside.display()
        );
        command.args(["-c", &script]).current_dir(&dir);
        // SAFETY: it only makes system calls.
        unsafe { std::os::unix::process::CommandExt::pre_exec(&mut command, move || view.enter()) };
        let output = command.output().expect("it starts");
        assert!(output.status.success(), "{output:?}");
        assert_eq!(std::fs::read_to_string(&beside).expect("readable"), "mine");
        assert!(dir.join("here").exists());
        std::fs::remove_file(&beside).expect("cleanup");
    }
    std::fs::remove_dir_all(&dir).expect("cleanup");
}

#[test]
fn without_a_wall_around_files_none_is_opened_for_changes() {
    use filter::Files;
    let has = |files: Files, name: &str| {
        let described = described(Inmate::TestBinary, files).into_iter();
        described.flat_map(|it| it.calls).any(|it| it == name)
    };
    for name in ["truncate", "unlinkat", "mkdirat", "openat2", "renameat2"] {
        assert!(
            has(Files::Walled, name) && !has(Files::LookedAt, name),
            "{name}"
        );
    }
    let opening = filter::checked(Inmate::TestBinary, Files::LookedAt);
    let says: Vec<_> = opening
        .filter(|it| it.call.name == "SYS_openat")
        .map(|it| it.says)
        .collect();
    assert_eq!(says, ["for reading"]);
}

#[test]
fn what_is_allowed_is_described_in_words() {
    let sandbox = Sandbox::new(&std::env::temp_dir());
    let tests = sandbox.allowed(Inmate::TestBinary);
    let of = |what: &str| {
        tests
            .iter()
            .find(|it| it.what.contains(what))
            .expect("it is there")
    };
    assert!(of("memory of its own").calls.contains(&"mmap"));
    assert_eq!(of("and not who gets signals").calls, ["fcntl"]);
    assert!(!tests.iter().any(|it| it.calls.contains(&"socket")));
    assert_eq!(sandbox.given().len(), 4);
}

//! What a process behind walls may ask of the kernel: one description, from which the filters are made
//! (`filter.rs`) and which `cargo testsmith sandbox` prints. What does not stand here is refused, whatever it
//! will be called in kernels to come.
//!
//! What is allowed is what programs of the standard library and the usual C libraries need. A call is here if
//! it stays within the process, looks at the machine, or is judged by another wall. Where arguments decide,
//! each call has the cases that are allowed; paths and other memory cannot be judged by a filter.

use libc::{c_int, c_long};

/// Who is allowed something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Who {
    /// Guests and test binaries.
    All,
    /// Guests, which fork their children and watch them.
    Guests,
    /// Test binaries.
    Tests,
}

/// A system call, by the name that people know and the number that this machine has for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) name: &'static str,
    pub(super) number: c_long,
}

/// Calls that are allowed whatever their arguments are.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) what: &'static str,
    pub(super) who: Who,
    pub(super) calls: &'static [Call],
    /// Do they change files? Where no other wall judges that, they are refused.
    pub(super) changes_files: bool,
}

/// What an argument must be.
#[derive(Clone, Copy, Debug)]
pub(super) enum Is {
    /// This number, in its lower half.
    Equal(u64),
    /// Of these bits those.
    Bits(u64, u64),
}

/// A call that is allowed in some cases. In one of them, all arguments must be as it says.
#[derive(Debug)]
pub(super) struct Checked {
    pub(super) call: Call,
    pub(super) says: &'static str,
    pub(super) who: Who,
    pub(super) cases: &'static [&'static [(u8, Is)]],
}

macro_rules! calls {
    ($($name:ident)*) => {
        &[$(Call { name: stringify!($name), number: libc::$name }),*]
    };
}

macro_rules! groups {
    ($($what:literal $who:ident $changes:literal [$($name:ident)*])*) => {
        &[$(Group {
            what: $what,
            who: Who::$who,
            changes_files: $changes,
            calls: calls![$($name)*],
        }),*]
    };
}

macro_rules! checked {
    ($($name:ident $says:literal $who:ident $cases:expr;)*) => {
        &[$(Checked {
            call: Call { name: stringify!($name), number: libc::$name },
            says: $says,
            who: Who::$who,
            cases: $cases,
        }),*]
    };
}

pub(super) const GROUPS: &[Group] = groups! {
    "memory of its own" All false [
        SYS_brk SYS_mmap SYS_munmap SYS_mprotect SYS_mremap SYS_madvise SYS_msync SYS_mincore SYS_membarrier
        SYS_mlock SYS_mlock2 SYS_munlock SYS_mlockall SYS_munlockall
    ]
    "threads of its own" All false [
        SYS_futex SYS_futex_waitv SYS_set_robust_list SYS_get_robust_list SYS_set_tid_address SYS_rseq
        SYS_gettid SYS_sched_yield SYS_sched_getaffinity SYS_sched_getparam SYS_sched_getscheduler
        SYS_sched_getattr SYS_sched_get_priority_max SYS_sched_get_priority_min SYS_getcpu
        SYS_exit SYS_exit_group
    ]
    "how it takes signals" All false [
        SYS_rt_sigaction SYS_rt_sigprocmask SYS_rt_sigreturn SYS_rt_sigpending SYS_rt_sigsuspend
        SYS_rt_sigtimedwait SYS_sigaltstack SYS_signalfd4 SYS_restart_syscall
    ]
    "time, and signals to itself at a time" All false [
        SYS_clock_gettime SYS_clock_getres SYS_clock_nanosleep SYS_nanosleep SYS_gettimeofday SYS_times
        SYS_getitimer SYS_setitimer SYS_timer_create SYS_timer_settime SYS_timer_gettime SYS_timer_getoverrun
        SYS_timer_delete SYS_timerfd_create SYS_timerfd_settime SYS_timerfd_gettime
    ]
    "descriptors that it was given or has opened" All false [
        SYS_read SYS_write SYS_readv SYS_writev SYS_pread64 SYS_pwrite64 SYS_preadv SYS_pwritev SYS_preadv2
        SYS_pwritev2 SYS_lseek SYS_close SYS_close_range SYS_dup SYS_dup3 SYS_flock SYS_fsync SYS_fdatasync
        SYS_ftruncate SYS_fallocate SYS_fadvise64 SYS_readahead SYS_sync_file_range SYS_copy_file_range
        SYS_sendfile SYS_splice SYS_tee SYS_vmsplice
    ]
    "waiting for descriptors, pipes and events of its own" All false [
        SYS_ppoll SYS_pselect6 SYS_epoll_create1 SYS_epoll_ctl SYS_epoll_pwait SYS_epoll_pwait2 SYS_pipe2
        SYS_eventfd2 SYS_inotify_init1 SYS_inotify_add_watch SYS_inotify_rm_watch
    ]
    "looking at files" All false [
        SYS_newfstatat SYS_fstat SYS_statx SYS_statfs SYS_fstatfs SYS_faccessat SYS_faccessat2 SYS_readlinkat
        SYS_getdents64 SYS_getcwd SYS_chdir SYS_fchdir SYS_umask SYS_getxattr SYS_lgetxattr SYS_fgetxattr
        SYS_listxattr SYS_llistxattr SYS_flistxattr
    ]
    "changing files, where the wall around files lets it" All true [
        SYS_openat2 SYS_mkdirat SYS_unlinkat SYS_renameat2 SYS_linkat SYS_symlinkat SYS_mknodat SYS_truncate
    ]
    "questions about itself, the user and the machine" All false [
        SYS_getpid SYS_getppid SYS_getpgid SYS_getsid SYS_getuid SYS_geteuid SYS_getgid SYS_getegid
        SYS_getresuid SYS_getresgid SYS_getgroups SYS_getpriority SYS_ioprio_get SYS_getrusage SYS_getrlimit
        SYS_setrlimit SYS_capget SYS_uname SYS_sysinfo SYS_getrandom
    ]
    "becoming another program, behind the same walls" All false [SYS_execve SYS_execveat]
    "its children" Guests false [SYS_wait4 SYS_waitid]
};

/// Calls that this machine has for the sake of old programs.
#[cfg(target_arch = "x86_64")]
pub(super) const OLD: &[Group] = groups! {
    "looking at files, as old programs do" All false [
        SYS_stat SYS_lstat SYS_access SYS_readlink SYS_getdents
    ]
    "changing files where the wall around files lets it, as old programs do" All true [
        SYS_creat SYS_mkdir SYS_rmdir SYS_unlink SYS_rename SYS_renameat SYS_link SYS_symlink SYS_mknod
    ]
    "the rest, as old programs call it" All false [
        SYS_poll SYS_select SYS_epoll_create SYS_epoll_wait SYS_pipe SYS_eventfd SYS_signalfd SYS_inotify_init
        SYS_dup2 SYS_time SYS_alarm SYS_pause SYS_getpgrp SYS_arch_prctl
    ]
};
#[cfg(not(target_arch = "x86_64"))]
pub(super) const OLD: &[Group] = groups! {
    "changing files where the wall around files lets it, as old programs do" All true [SYS_renameat]
};

const SET_NAME: u64 = libc::PR_SET_NAME as u64;
const NAME_OF_MEMORY: u64 = 0x5356_4d41;
const NO_NEW_PRIVILEGES: u64 = libc::PR_SET_NO_NEW_PRIVS as u64;
const PARENT_DEATH_SIGNAL: u64 = libc::PR_SET_PDEATHSIG as u64;
const THREAD: u64 = libc::CLONE_THREAD as u64;
/// A clone that has one of these begins a namespace.
const NAMESPACES: u64 = (libc::CLONE_NEWUSER
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP
    | NEW_TIME) as u64;
const NEW_TIME: c_int = 0x80;

/// The caller, where the first argument is a process.
const ITSELF: &[&[(u8, Is)]] = &[&[(0, Is::Equal(0))]];

pub(super) const CHECKED: &[Checked] = checked! {
    SYS_clone "threads" Tests &[&[(0, Is::Bits(THREAD | NAMESPACES, THREAD))]];
    SYS_clone "threads and children, in no namespace of their own" Guests &[&[(0, Is::Bits(NAMESPACES, 0))]];
    SYS_prlimit64 "of itself" All ITSELF;
    SYS_sched_setaffinity "of itself" All ITSELF;
    SYS_sched_setscheduler "of itself" All ITSELF;
    SYS_sched_setparam "of itself" All ITSELF;
    SYS_sched_setattr "of itself" All ITSELF;
    SYS_setpriority "of itself" All &[&[(0, Is::Equal(0)), (1, Is::Equal(0))]];
    SYS_fcntl "copies, flags, locks and sizes, and not who gets signals for it" All &[
        &[(1, Is::Equal(0))], &[(1, Is::Equal(1))], &[(1, Is::Equal(2))], &[(1, Is::Equal(3))],
        &[(1, Is::Equal(4))], &[(1, Is::Equal(5))], &[(1, Is::Equal(6))], &[(1, Is::Equal(7))],
        &[(1, Is::Equal(36))], &[(1, Is::Equal(37))], &[(1, Is::Equal(38))], &[(1, Is::Equal(1030))],
        &[(1, Is::Equal(1031))], &[(1, Is::Equal(1032))], &[(1, Is::Equal(1033))], &[(1, Is::Equal(1034))],
    ];
    // TCGETS, TIOCGPGRP, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX, TCGETS2, FICLONE.
    SYS_ioctl "is it a terminal, how much is there to read, flags, a copy of a file" All &[
        &[(1, Is::Equal(0x5401))], &[(1, Is::Equal(0x540F))], &[(1, Is::Equal(0x5413))],
        &[(1, Is::Equal(0x541B))], &[(1, Is::Equal(0x5421))], &[(1, Is::Equal(0x5450))],
        &[(1, Is::Equal(0x5451))], &[(1, Is::Equal(0x802C_542A))], &[(1, Is::Equal(0x4004_9409))],
    ];
    SYS_prctl "names, what can only be given up, and questions" All &[
        &[(0, Is::Equal(SET_NAME))], &[(0, Is::Equal(NAME_OF_MEMORY))],
        &[(0, Is::Equal(NO_NEW_PRIVILEGES))], &[(0, Is::Equal(libc::PR_SET_SECCOMP as u64))],
        &[(0, Is::Equal(libc::PR_GET_PDEATHSIG as u64))], &[(0, Is::Equal(libc::PR_GET_DUMPABLE as u64))],
        &[(0, Is::Equal(libc::PR_GET_NAME as u64))], &[(0, Is::Equal(libc::PR_GET_SECCOMP as u64))],
        &[(0, Is::Equal(libc::PR_CAPBSET_READ as u64))], &[(0, Is::Equal(libc::PR_SET_TIMERSLACK as u64))],
        &[(0, Is::Equal(libc::PR_GET_TIMERSLACK as u64))], &[(0, Is::Equal(libc::PR_GET_NO_NEW_PRIVS as u64))],
        &[(0, Is::Equal(libc::PR_GET_THP_DISABLE as u64))],
    ];
    SYS_prctl "to die with its parent" Guests &[
        &[(0, Is::Equal(PARENT_DEATH_SIGNAL)), (1, Is::Equal(libc::SIGKILL as u64))],
    ];
    // Which process that is, only the process knows: `filter::LAST` says so.
    SYS_tgkill "of a test to itself, of a guest to its children" All &[&[]];
};

/// Flags of what opens a file for changes.
const WRITING: u64 =
    (libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC | TEMPORARY) as u64;
/// `O_TMPFILE` without `O_DIRECTORY`.
const TEMPORARY: c_int = libc::O_TMPFILE & !libc::O_DIRECTORY;

/// How files are opened where a wall around files judges that.
pub(super) const OPENING: &[Checked] = checked! {
    SYS_openat "as the wall around files lets it" All &[&[]];
};
/// How they are opened where there is no such wall.
pub(super) const LOOKING: &[Checked] = checked! {
    SYS_openat "for reading" All &[&[(2, Is::Bits(WRITING, 0))]];
};
#[cfg(target_arch = "x86_64")]
pub(super) const OLD_OPENING: &[Checked] = checked! {
    SYS_open "as the wall around files lets it" All &[&[]];
};
#[cfg(target_arch = "x86_64")]
pub(super) const OLD_LOOKING: &[Checked] = checked! {
    SYS_open "for reading" All &[&[(1, Is::Bits(WRITING, 0))]];
};
#[cfg(not(target_arch = "x86_64"))]
pub(super) const OLD_OPENING: &[Checked] = &[];
#[cfg(not(target_arch = "x86_64"))]
pub(super) const OLD_LOOKING: &[Checked] = &[];

/// The newest call that this description has judged. Later ones do not exist for a program: it then does
/// without them, as on older kernels.
pub(super) const NEWEST: u32 = 470;

//! Which system calls the host refuses: one list for guests and test binaries, and a second for what only
//! test binaries can do without.

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

use super::Inmate;

/// The network, connecting to sockets by path included.
const NETWORK: &[c_long] = &[
    libc::SYS_socket,
    libc::SYS_socketpair,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
];

/// Other processes: signals, memory, descriptors, where their pages are.
const OTHERS: &[c_long] = &[
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_kcmp,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_send_signal,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
];

/// What files are besides their contents. Landlock does not know of it.
const ATTRIBUTES: &[c_long] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    SYS_FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SYS_SETXATTRAT,
    SYS_REMOVEXATTRAT,
    SYS_FILE_SETATTR,
];

/// Calls that are younger than the C library. They have these numbers on every machine.
const SYS_FCHMODAT2: c_long = 452;
const SYS_SETXATTRAT: c_long = 463;
const SYS_REMOVEXATTRAT: c_long = 466;
const SYS_FILE_SETATTR: c_long = 469;

/// The system: mounts, keys, namespaces, what outlives a process, what root alone does.
const SYSTEM: &[c_long] = &[
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_shmget,
    libc::SYS_msgget,
    libc::SYS_semget,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_syslog,
];

/// Calls that this machine has for the sake of old programs.
#[cfg(target_arch = "x86_64")]
const OLD: &[c_long] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const OLD: &[c_long] = &[];

/// New processes, where they have calls of their own. A guest needs them for its children.
#[cfg(target_arch = "x86_64")]
const PROCESSES: &[c_long] = &[libc::SYS_fork, libc::SYS_vfork];
#[cfg(not(target_arch = "x86_64"))]
const PROCESSES: &[c_long] = &[];

/// Calls whose first argument is a process, 0 for the caller: limits and scheduling.
const OF_A_PROCESS: &[c_long] = &[
    libc::SYS_prlimit64,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setattr,
];

/// Requests to a terminal to take text as typed, and to a file system to change a file's flags.
const REQUESTS: [u64; 4] = [0x5412, 0x541c, 0x4008_6602, 0x401c_5820];

/// Numbers from here on are another calling convention, which the other filters do not know.
const FOREIGN: u32 = 0x4000_0000;

/// The filters for this kind of process. `None` if this machine has none.
pub(super) fn filters(inmate: Inmate) -> Option<Vec<BpfProgram>> {
    let arch = std::env::consts::ARCH.try_into().ok()?;
    let lists = [NETWORK, OTHERS, ATTRIBUTES, SYSTEM, OLD];
    let all = lists.into_iter().flatten();
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = all.map(|it| (*it, Vec::new())).collect();
    let mut refuse = |call: c_long, cases: Vec<SeccompCondition>| {
        let of_call = rules.entry(call).or_default();
        for case in cases {
            of_call.push(SeccompRule::new(vec![case]).ok()?);
        }
        Some(())
    };
    for call in OF_A_PROCESS {
        refuse(*call, vec![is_not(0, 0)?])?;
    }
    // The first argument says what the second is: 0 a process here, 1 there.
    refuse(libc::SYS_setpriority, vec![is_not(0, 0)?, is_not(1, 0)?])?;
    refuse(libc::SYS_ioprio_set, vec![is_not(0, 1)?, is_not(1, 0)?])?;
    for request in REQUESTS {
        refuse(libc::SYS_ioctl, vec![is(1, request)?])?;
    }
    if inmate == Inmate::Guest {
        return Some(vec![filter(rules, libc::EPERM, arch)?]);
    }
    // Who dies with the parent must not be able to outlive it.
    refuse(libc::SYS_prctl, vec![is(0, libc::PR_SET_PDEATHSIG as u64)?])?;
    // A thread is a clone with this flag; anything else is a process.
    let thread = SeccompCmpOp::MaskedEq(libc::CLONE_THREAD as u64);
    let is_process = SeccompCondition::new(0, SeccompCmpArgLen::Qword, thread, 0);
    refuse(libc::SYS_clone, vec![is_process.ok()?])?;
    rules.extend(PROCESSES.iter().map(|it| (*it, Vec::new())));
    let refusing = filter(rules, libc::EPERM, arch)?;
    // A filter cannot see the flags of `clone3`. The C library falls back to `clone` if it is
    // unknown.
    let clone3 = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    let unknown = filter(clone3, libc::ENOSYS, arch)?;
    Some(vec![refusing, unknown])
}

fn is(argument: u8, value: u64) -> Option<SeccompCondition> {
    let of = SeccompCmpOp::Eq;
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, of, value).ok()
}

fn is_not(argument: u8, value: u64) -> Option<SeccompCondition> {
    let of = SeccompCmpOp::Ne;
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, of, value).ok()
}

fn filter(
    rules: BTreeMap<i64, Vec<SeccompRule>>,
    error: libc::c_int,
    arch: TargetArch,
) -> Option<BpfProgram> {
    let refuse = SeccompAction::Errno(error as u32);
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch).ok()?;
    filter.try_into().ok()
}

/// Refuses signals to threads of other processes, and calls by another convention. The process is the
/// caller, whose number only it knows; nothing is allocated.
pub(super) fn signal_only_self() -> std::io::Result<()> {
    const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    const EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
    const AT_LEAST: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
    const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
    const NUMBER: u32 = 0;
    const ARGUMENT_0: u32 = 16;
    let put = |code, k, jt, jf| libc::sock_filter { code, jt, jf, k };
    let mut program = [
        put(LOAD, NUMBER, 0, 0),
        put(AT_LEAST, FOREIGN, 3, 0),
        put(EQUAL, libc::SYS_tgkill as u32, 0, 3),
        put(LOAD, ARGUMENT_0, 0, 0),
        put(EQUAL, std::process::id(), 1, 0),
        put(RETURN, libc::SECCOMP_RET_ERRNO | libc::EPERM as u32, 0, 0),
        put(RETURN, libc::SECCOMP_RET_ALLOW, 0, 0),
    ];
    let program = libc::sock_fprog {
        len: program.len() as u16,
        filter: program.as_mut_ptr(),
    };
    let mode = libc::SECCOMP_MODE_FILTER;
    // SAFETY: the program lives through the call, and the kernel copies it.
    match unsafe { libc::prctl(libc::PR_SET_SECCOMP, mode, &raw const program) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

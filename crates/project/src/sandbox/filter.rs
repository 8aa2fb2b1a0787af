//! The filters that hold a process to what it is allowed (`allowed.rs`).
//!
//! There are two. The first refuses what is not allowed. The second comes behind it and knows what one list
//! for all processes cannot say: which process the caller is, and which calls nobody has judged yet. Of two
//! that refuse, the answer of the later one counts.

use std::collections::BTreeMap;
use std::io;

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};

use super::Inmate;
use super::allowed::{
    CHECKED, Call, Checked, GROUPS, Group, Is, LOOKING, NEWEST, OLD, OLD_LOOKING, OLD_OPENING,
    OPENING, Who,
};

/// Is there a wall that judges which files may be changed?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Files {
    /// Calls that change files are allowed, for that wall judges them.
    Walled,
    /// There is none: no file is changed at all.
    LookedAt,
}

/// Numbers from here on are another calling convention, which the first filter does not know.
const FOREIGN: u32 = 0x4000_0000;

impl Who {
    fn has(self, inmate: Inmate) -> bool {
        match self {
            Who::All => true,
            Who::Guests => inmate == Inmate::Guest,
            Who::Tests => inmate != Inmate::Guest,
        }
    }
}

/// The groups of calls that such a process may make as it likes.
pub(super) fn groups(inmate: Inmate, files: Files) -> impl Iterator<Item = &'static Group> {
    let all = GROUPS.iter().chain(OLD);
    all.filter(move |it| it.who.has(inmate) && (files == Files::Walled || !it.changes_files))
}

/// The calls that it may make in some cases.
pub(super) fn checked(inmate: Inmate, files: Files) -> impl Iterator<Item = &'static Checked> {
    let (opening, old) = match files {
        Files::Walled => (OPENING, OLD_OPENING),
        Files::LookedAt => (LOOKING, OLD_LOOKING),
    };
    let all = CHECKED.iter().chain(opening).chain(old);
    all.filter(move |it| it.who.has(inmate))
}

/// The first filter of this kind of process. `None` if this machine has none.
pub(super) fn filter(inmate: Inmate, files: Files) -> Option<BpfProgram> {
    let arch = std::env::consts::ARCH.try_into().ok()?;
    let free = groups(inmate, files).flat_map(|it| it.calls);
    let free = free.map(|Call { number, .. }| (*number, Vec::new()));
    let mut rules: BTreeMap<c_long, Vec<SeccompRule>> = free.collect();
    for Checked { call, cases, .. } in checked(inmate, files) {
        let of_call = rules.entry(call.number).or_default();
        for case in cases.iter().filter(|it| !it.is_empty()) {
            let conditions = case.iter().map(|(argument, is)| condition(*argument, *is));
            let conditions = conditions.collect::<Option<Vec<_>>>()?;
            of_call.push(SeccompRule::new(conditions).ok()?);
        }
    }
    let refuse = SeccompAction::Errno(libc::EPERM as u32);
    let filter = SeccompFilter::new(rules, refuse, SeccompAction::Allow, arch).ok()?;
    filter.try_into().ok()
}

fn condition(argument: u8, is: Is) -> Option<SeccompCondition> {
    let (length, of, value) = match is {
        Is::Equal(value) => (SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value),
        Is::Bits(mask, value) => (SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(mask), value),
    };
    SeccompCondition::new(argument, length, of, value).ok()
}

/// The second filter: signals of a test to other processes and calls by another convention are refused, and
/// calls that nobody knew when this was written do not exist. Nor does `clone3`, whose flags a filter
/// cannot see: the C library falls back to `clone`. Nothing is allocated, for it is put up between fork and
/// exec: only then the process has its number.
pub(super) fn put_up_last(inmate: Inmate) -> io::Result<()> {
    const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    const EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
    const AT_LEAST: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
    const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
    const NUMBER: u32 = 0;
    const ARGUMENT_0: u32 = 16;
    const REFUSE: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
    const UNKNOWN: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;
    let put = |code, k, jt, jf| libc::sock_filter { code, jt, jf, k };
    // A guest's children are watched by a filter of their own, which knows their numbers.
    let signals = match inmate {
        Inmate::Guest => libc::SECCOMP_RET_ALLOW,
        Inmate::TestBinary | Inmate::Suspect => REFUSE,
    };
    let mut program = [
        put(LOAD, NUMBER, 0, 0),
        put(AT_LEAST, FOREIGN, 0, 1),
        put(RETURN, REFUSE, 0, 0),
        put(AT_LEAST, NEWEST + 1, 1, 0),
        put(EQUAL, libc::SYS_clone3 as u32, 0, 1),
        put(RETURN, UNKNOWN, 0, 0),
        put(EQUAL, libc::SYS_tgkill as u32, 0, 3),
        put(LOAD, ARGUMENT_0, 0, 0),
        put(EQUAL, std::process::id(), 1, 0),
        put(RETURN, signals, 0, 0),
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
        _ => Err(io::Error::last_os_error()),
    }
}

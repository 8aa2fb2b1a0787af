//! The filter, run by a small machine of our own.

use super::*;

const OUR_PID: u32 = 4321;
const ELSEWHERE: u64 = 0x1234;

/// What the kernel would do with a call by the filter.
fn judged(number: u32, first_arg: u32, from: u64) -> u32 {
    let (insns, n) = filter(OUR_PID);
    let mut loaded = 0;
    let mut at = 0;
    while at < n {
        let insn = insns[at];
        let holds = match insn.code {
            RETURN => return insn.k,
            LOAD => {
                loaded = match insn.k {
                    NUMBER => number,
                    ARCH => THIS_ARCH,
                    ADDRESS => from as u32,
                    ARG_0 => first_arg,
                    k if k == ADDRESS + 4 => (from >> 32) as u32,
                    k => panic!("nothing stands at {k}"),
                };
                at += 1;
                continue;
            }
            EQUAL => loaded == insn.k,
            AT_LEAST => loaded >= insn.k,
            ANY_BIT => loaded & insn.k != 0,
            code => panic!("no such instruction: {code}"),
        };
        let skip = if holds { insn.if_true } else { insn.if_false };
        at += 1 + usize::from(skip);
    }
    panic!("the filter does not end");
}

#[test]
fn harmless_calls_pass_and_all_others_trap() {
    for number in 0..600 {
        let special = [SYS_READ, SYS_CLONE, SYS_TGKILL, SYS_CLONE3];
        if special.contains(&number) {
            continue;
        }
        let expected = match HARMLESS.contains(&number) {
            true => ALLOW,
            false => TRAP,
        };
        assert_eq!(judged(number, 0, ELSEWHERE), expected, "{number}");
    }
    assert_eq!(judged(X32 + 1, 0, ELSEWHERE), TRAP);
}

#[test]
fn handler_s_own_calls_pass() {
    let here = passed_here();
    assert_eq!(judged(FILES[0], 0, here), ALLOW);
    assert_eq!(judged(FILES[0], 0, here ^ 1 << 40), TRAP);
}

#[test]
fn thread_may_be_made_but_no_process() {
    assert_eq!(judged(SYS_CLONE, CLONE_THREAD | 1, ELSEWHERE), ALLOW);
    assert_eq!(judged(SYS_CLONE, 17, ELSEWHERE), TRAP);
    assert_eq!(judged(SYS_CLONE3, 0, ELSEWHERE), ERRNO | ENOSYS);
}

#[test]
fn standard_input_is_not_read_and_others_are_sent_no_signals() {
    assert_eq!(judged(SYS_READ, 0, ELSEWHERE), TRAP);
    assert_eq!(judged(SYS_READ, 5, ELSEWHERE), ALLOW);
    assert_eq!(judged(SYS_TGKILL, OUR_PID, ELSEWHERE), ALLOW);
    assert_eq!(judged(SYS_TGKILL, 1, ELSEWHERE), TRAP);
}

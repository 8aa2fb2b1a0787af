//! Notices when a program reaches for the world outside its process.
//!
//! Every system call that is not known to be harmless traps. The handler marks the step on the
//! shared page, then lets pass what only looks or what the host's sandbox guards anyway (files),
//! and refuses the rest (network, processes). What passes is made from one address that the filter
//! knows; the hard boundary is the host's, not this one.

#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::{install, plain, works};

/// On other machines nothing is noticed, and the guest says so.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn install() -> bool {
    false
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn works() -> bool {
    false
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use std::ffi::{c_int, c_void};

    use testsmith_protocol::Realm;

    use crate::os;
    use crate::random;

    unsafe extern "C" {
        fn prctl(option: c_int, ...) -> c_int;
        fn getpid() -> c_int;
    }

    /// A function that makes a system call. It has no name that a program could link to: the filter lets
    /// pass what one of the two calls, by the address of its instruction, so it is never inlined.
    macro_rules! call {
        ($name:ident, $instructions:literal) => {
            #[inline(never)]
            unsafe extern "C" fn $name(
                number: i64,
                a: i64,
                b: i64,
                c: i64,
                d: i64,
                e: i64,
                f: i64,
            ) -> i64 {
                let answer;
                // SAFETY: whoever calls this knows what the call does; its registers are named here.
                unsafe {
                    std::arch::asm!(
                        $instructions,
                        inlateout("rax") number => answer,
                        in("rdi") a,
                        in("rsi") b,
                        in("rdx") c,
                        in("r10") d,
                        in("r8") e,
                        in("r9") f,
                        lateout("rcx") _,
                        lateout("r11") _,
                    );
                }
                answer
            }
        };
    }

    // The first is for the handler and passes the filter; the second is anybody's, and differs in what is
    // never reached, so that nobody makes one function of the two.
    call!(passed_syscall, "syscall");
    call!(plain_syscall, "syscall; jmp 2f; ud2; 2:");

    /// Where the kernel sees the handler's calls come from: behind the instruction.
    fn passed_here() -> u64 {
        const SYSCALL: [u8; 2] = [0x0f, 0x05];
        let first = passed_syscall as *const u8;
        let is_it = |n: &usize| {
            // SAFETY: the function's code can be read, and the instruction is in it.
            let bytes = unsafe { first.add(*n).cast::<[u8; 2]>().read_unaligned() };
            bytes == SYSCALL
        };
        let n = (0..).find(is_it).expect("the function has the instruction");
        first as u64 + n as u64 + SYSCALL.len() as u64
    }

    /// A system call as anybody's: the filter judges it. The answer is the kernel's, negative for
    /// an error.
    ///
    /// # Safety
    /// As the call demands.
    pub(crate) unsafe fn plain(number: i64, args: [i64; 6]) -> i64 {
        let [a, b, c, d, e, f] = args;
        // SAFETY: as the caller promises.
        unsafe { plain_syscall(number, a, b, c, d, e, f) }
    }

    /// One instruction of the kernel's filter machine.
    #[derive(Clone, Copy)]
    #[repr(C)]
    struct Insn {
        code: u16,
        if_true: u8,
        if_false: u8,
        k: u32,
    }

    #[repr(C)]
    struct Program {
        length: u16,
        first: *const Insn,
    }

    const LOAD: u16 = 0x20;
    const EQUAL: u16 = 0x15;
    const AT_LEAST: u16 = 0x35;
    const ANY_BIT: u16 = 0x45;
    const RETURN: u16 = 0x06;
    const ALLOW: u32 = 0x7fff_0000;
    const TRAP: u32 = 0x0003_0000;
    const ERRNO: u32 = 0x0005_0000;
    const ENOSYS: u32 = 38;
    const EPERM: i64 = 1;

    // Offsets in the kernel's description of a call.
    const NUMBER: u32 = 0;
    const ARCH: u32 = 4;
    const ADDRESS: u32 = 8;
    const ARG_0: u32 = 16;

    const THIS_ARCH: u32 = 0xC000_003E;
    /// Numbers from here on are another calling convention.
    const X32: u32 = 0x4000_0000;
    const CLONE_THREAD: u32 = 0x0001_0000;

    const SYS_READ: u32 = 0;
    const SYS_CLONE: u32 = 56;
    const SYS_PRCTL: u32 = 157;
    const SYS_TGKILL: u32 = 234;
    const SYS_GETRANDOM: u32 = 318;
    const SYS_CLONE3: u32 = 435;

    /// Calls that stay inside the process, or use descriptors whose opening was seen.
    const HARMLESS: &[u32] = &[
        1,   // write
        3,   // close
        5,   // fstat
        7,   // poll
        8,   // lseek
        9,   // mmap
        10,  // mprotect
        11,  // munmap
        12,  // brk
        13,  // rt_sigaction
        14,  // rt_sigprocmask
        15,  // rt_sigreturn
        17,  // pread64
        20,  // writev
        23,  // select
        24,  // sched_yield
        25,  // mremap
        26,  // msync
        28,  // madvise
        32,  // dup
        33,  // dup2
        35,  // nanosleep
        38,  // setitimer
        39,  // getpid
        60,  // exit
        72,  // fcntl
        131, // sigaltstack
        158, // arch_prctl
        186, // gettid
        202, // futex
        204, // sched_getaffinity
        213, // epoll_create
        218, // set_tid_address
        228, // clock_gettime
        229, // clock_getres
        230, // clock_nanosleep
        231, // exit_group
        232, // epoll_wait
        233, // epoll_ctl
        273, // set_robust_list
        274, // get_robust_list
        281, // epoll_pwait
        290, // eventfd2
        291, // epoll_create1
        292, // dup3
        293, // pipe2
        324, // membarrier
        334, // rseq
    ];

    /// Files: the host's sandbox says what may be written.
    const FILES: &[u32] = &[
        2,   // open
        4,   // stat
        6,   // lstat
        18,  // pwrite64
        21,  // access
        74,  // fsync
        75,  // fdatasync
        76,  // truncate
        77,  // ftruncate
        78,  // getdents
        79,  // getcwd
        82,  // rename
        83,  // mkdir
        84,  // rmdir
        85,  // creat
        86,  // link
        87,  // unlink
        88,  // symlink
        89,  // readlink
        137, // statfs
        138, // fstatfs
        217, // getdents64
        257, // openat
        258, // mkdirat
        262, // newfstatat
        263, // unlinkat
        264, // renameat
        265, // linkat
        266, // symlinkat
        267, // readlinkat
        269, // faccessat
        285, // fallocate
        316, // renameat2
        332, // statx
        437, // openat2
        439, // faccessat2
    ];

    /// Questions about the machine and its user.
    const QUESTIONS: &[u32] = &[
        16,  // ioctl: is it a terminal?
        63,  // uname
        97,  // getrlimit
        98,  // getrusage
        99,  // sysinfo
        100, // times
        102, // getuid
        104, // getgid
        107, // geteuid
        108, // getegid
        110, // getppid
        111, // getpgrp
        115, // getgroups
        121, // getpgid
        124, // getsid
        140, // getpriority
        309, // getcpu
    ];

    /// What `prctl` is asked for to give a thread, or memory, a name.
    const NAMES: [i64; 2] = [15, 0x5356_4d41];

    const SOCKETS: std::ops::RangeInclusive<u32> = 41..=55;
    /// fork, vfork, execve, wait4, kill; clone stands elsewhere.
    const PROCESSES: std::ops::RangeInclusive<u32> = 57..=62;
    const MORE_PROCESSES: &[u32] = &[
        SYS_CLONE, SYS_TGKILL, 101, 129, 200, 247, 297, 310, 311, 322, 424, 434,
    ];

    const MAX_INSNS: usize = 2 * (HARMLESS.len() + FILES.len() + QUESTIONS.len()) + 40;

    fn filter(pid: u32) -> ([Insn; MAX_INSNS], usize) {
        let nothing = Insn {
            code: RETURN,
            if_true: 0,
            if_false: 0,
            k: TRAP,
        };
        let mut insns = [nothing; MAX_INSNS];
        let mut n = 0;
        let mut put = |code: u16, k: u32, if_true: u8, if_false: u8| {
            insns[n] = Insn {
                code,
                if_true,
                if_false,
                k,
            };
            n += 1;
        };
        let here = passed_here();
        put(LOAD, ARCH, 0, 0);
        put(EQUAL, THIS_ARCH, 1, 0);
        put(RETURN, TRAP, 0, 0);
        put(LOAD, NUMBER, 0, 0);
        put(AT_LEAST, X32, 0, 1);
        put(RETURN, TRAP, 0, 0);
        for number in HARMLESS {
            put(EQUAL, *number, 0, 1);
            put(RETURN, ALLOW, 0, 0);
        }
        // The C library falls back to `clone`, whose flags can be seen from here.
        put(EQUAL, SYS_CLONE3, 0, 1);
        put(RETURN, ERRNO | ENOSYS, 0, 0);
        // Standard input comes from outside. Other descriptors were noticed when they were opened.
        put(EQUAL, SYS_READ, 0, 3);
        put(LOAD, ARG_0, 0, 0);
        put(EQUAL, 0, 1, 0);
        put(RETURN, ALLOW, 0, 0);
        put(LOAD, NUMBER, 0, 0);
        put(EQUAL, SYS_CLONE, 0, 3);
        put(LOAD, ARG_0, 0, 0);
        put(ANY_BIT, CLONE_THREAD, 0, 1);
        put(RETURN, ALLOW, 0, 0);
        put(LOAD, NUMBER, 0, 0);
        put(EQUAL, SYS_TGKILL, 0, 3);
        put(LOAD, ARG_0, 0, 0);
        put(EQUAL, pid, 0, 1);
        put(RETURN, ALLOW, 0, 0);
        // What comes from the handler: it passes these and no others, so whoever jumps there gets no further
        // than by calling them.
        put(LOAD, ADDRESS, 0, 0);
        put(EQUAL, here as u32, 1, 0);
        put(RETURN, TRAP, 0, 0);
        put(LOAD, ADDRESS + 4, 0, 0);
        put(EQUAL, (here >> 32) as u32, 1, 0);
        put(RETURN, TRAP, 0, 0);
        put(LOAD, NUMBER, 0, 0);
        for number in FILES.iter().chain(QUESTIONS).chain(&[SYS_READ]) {
            put(EQUAL, *number, 0, 1);
            put(RETURN, ALLOW, 0, 0);
        }
        put(RETURN, TRAP, 0, 0);
        (insns, n)
    }

    /// From here on this process's calls are watched. `false` if the system does not allow it.
    pub(crate) fn install() -> bool {
        const PR_SET_NO_NEW_PRIVS: c_int = 38;
        const PR_SET_SECCOMP: c_int = 22;
        const SECCOMP_MODE_FILTER: usize = 2;
        // SAFETY: plain calls about our own process; the kernel copies the filter.
        unsafe {
            os::on_signal(os::SIGSYS, on_trap as *const () as usize);
            let (insns, n) = filter(getpid() as u32);
            let program = Program {
                length: n as u16,
                first: insns.as_ptr(),
            };
            prctl(PR_SET_NO_NEW_PRIVS, 1usize, 0usize, 0usize, 0usize) == 0
                && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &raw const program) == 0
        }
    }

    /// Tries the filter on this process: can it be installed, and is a touch noticed?
    pub(crate) fn works() -> bool {
        if !install() {
            return false;
        }
        let mut buffer = [0u8; 64];
        let at = buffer.as_mut_ptr() as i64;
        // SAFETY: `getcwd` writes at most as many bytes as there are.
        unsafe { plain(79, [at, buffer.len() as i64, 0, 0, 0, 0]) };
        os::touched() == Some(Realm::Files)
    }

    // Registers in the machine context that a handler gets.
    const CONTEXT: usize = 40;
    const R8: usize = 0;
    const R9: usize = 1;
    const R10: usize = 2;
    const RDI: usize = 8;
    const RSI: usize = 9;
    const RDX: usize = 12;
    const RAX: usize = 13;

    extern "C" fn on_trap(_: c_int, info: *const c_void, context: *mut c_void) {
        // SAFETY: for this signal the kernel passes a siginfo whose call number lies 24 bytes in,
        // and a context with the registers at the call, `rax` being where its answer goes.
        unsafe {
            let number = info.cast::<u8>().add(24).cast::<u32>().read();
            let registers = context.cast::<u8>().add(CONTEXT).cast::<i64>();
            let register = |i: usize| registers.add(i).read();
            let args = [RDI, RSI, RDX, R10, R8, R9].map(register);
            registers.add(RAX).write(answer(number, args));
        }
    }

    unsafe fn answer(number: u32, args: [i64; 6]) -> i64 {
        let (realm, passes) = match number {
            SYS_GETRANDOM => {
                // SAFETY: the caller's buffer, of the length it said.
                unsafe { random::fill(args[0] as *mut u8, args[1] as usize) };
                return args[1];
            }
            // Naming threads and memory touches nothing outside.
            SYS_PRCTL if NAMES.contains(&args[0]) => return 0,
            SYS_READ => (Realm::Input, true),
            _ if FILES.contains(&number) => (Realm::Files, os::guarded()),
            _ if QUESTIONS.contains(&number) => (Realm::System, true),
            _ if SOCKETS.contains(&number) => (Realm::Network, false),
            _ if PROCESSES.contains(&number) || MORE_PROCESSES.contains(&number) => {
                (Realm::Processes, false)
            }
            _ => (Realm::System, false),
        };
        os::touch(realm);
        if !passes {
            return -EPERM;
        }
        let [a, b, c, d, e, f] = args;
        // SAFETY: the call that the program made, unchanged.
        unsafe { passed_syscall(i64::from(number), a, b, c, d, e, f) }
    }

    #[cfg(test)]
    #[path = "tests.rs"]
    mod tests;
}

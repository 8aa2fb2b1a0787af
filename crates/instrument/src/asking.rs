//! Code that asks the processor, or the C library, for what differs elsewhere: by name, for the answers do not say
//! where they come from.
//!
//! Whether there is a feature decides in most crates only how something is computed, so the copy can be told
//! that there is none, and what then differs is known. All other questions are noticed like calls that reach for
//! the world: their answers are good for nothing else.

use syn::{Expr, ExprCall, Macro};

/// The text around code that asks.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Asking {
    pub(crate) before: &'static str,
    pub(crate) after: &'static str,
}

/// A feature that there may be, or not.
static FEATURE: Asking = Asking {
    before: "crate::__testsmith::has(",
    after: ")",
};
/// A question that is noticed.
static NOTICED: Asking = Asking {
    before: "({ crate::__testsmith::ask(); ",
    after: " })",
};

/// Functions whose answers differ from one processor to another, or from one C library to another.
const FUNCTIONS: [&str; 13] = [
    "__cpuid",
    "__cpuid_count",
    "__get_cpuid_max",
    "_rdtsc",
    "__rdtscp",
    "_xgetbv",
    "getauxval",
    "getpagesize",
    "sysconf",
    "confstr",
    "gnu_get_libc_version",
    "gnu_get_libc_release",
    "sched_getcpu",
];
/// Instructions that do the same.
const INSTRUCTIONS: [&str; 8] = [
    "cpuid",
    "rdtsc",
    "xgetbv",
    "rdpid",
    "rdpmc",
    "rdrand",
    "rdseed",
    "cntvct_el0",
];

/// What a call asks for, if it does.
pub(crate) fn by_call(call: &ExprCall) -> Option<&'static Asking> {
    let Expr::Path(function) = &*call.func else {
        return None;
    };
    let name = &function.path.segments.last()?.ident;
    FUNCTIONS.iter().any(|it| name == it).then_some(&NOTICED)
}

/// What a macro asks for, if it does.
pub(crate) fn by_macro(it: &Macro) -> Option<&'static Asking> {
    let name = it.path.segments.last()?.ident.to_string();
    let is_feature = name.starts_with("is_") && name.ends_with("_feature_detected");
    if is_feature {
        return Some(&FEATURE);
    }
    let text = it.tokens.to_string();
    let asks = name == "asm" && INSTRUCTIONS.iter().any(|it| text.contains(it));
    asks.then_some(&NOTICED)
}

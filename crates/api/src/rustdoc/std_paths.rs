//! From where the standard library defines an item to where everybody can name it.
//!
//! rustdoc gives definition paths (`core::str::iter::Chars`). The library's private modules follow
//! a pattern, so a rule covers most items and a table the rest; a path that the rule gets wrong
//! costs the operations that mention it, because rustc then refuses them.

use crate::ty::{GenericArg, Prim, Ty};

/// Is this one of the crates behind `std::`?
pub(super) fn is_std(krate: &str) -> bool {
    matches!(krate, "std" | "core" | "alloc")
}

/// The public path under `std::` of an item defined at `path` (crate first).
pub(super) fn public(path: &[String]) -> String {
    let segments: Vec<&str> = path.iter().map(String::as_str).collect();
    let Some((&name, modules)) = segments.split_last() else {
        return String::new();
    };
    let modules = modules.get(1..).unwrap_or_default();
    let module: Vec<&str> = match modules {
        ["collections", rest @ ..] => collections(rest, name),
        ["hash", "random", ..] => vec!["collections", "hash_map"],
        ["sync", module @ ("atomic" | "mpsc"), ..] => vec!["sync", module],
        ["os" | "arch", ..] => modules.to_vec(),
        ["slice", "index", ..] => vec!["slice"],
        ["io", "error", ..] => vec!["io"],
        ["intrinsics", ..] => vec!["intrinsics"],
        ["string" | "vec" | "boxed" | "rc" | "borrow" | "fmt", ..] => vec![modules[0]],
        ["f32" | "f64", "consts"] => modules.to_vec(),
        ["unicode", ..] => vec!["char"],
        ["bstr", ..] => vec!["bstr"],
        ["ffi", "va_list"] => vec!["ffi"],
        [first, ..] => vec![first],
        [] => vec![],
    };
    std::iter::once("std")
        .chain(module)
        .chain(std::iter::once(name))
        .collect::<Vec<_>>()
        .join("::")
}

fn collections(rest: &[&str], name: &str) -> Vec<&'static str> {
    let module = match rest {
        ["btree", "map", ..] | ["btree_map", ..] => "btree_map",
        ["btree", "set", ..] | ["btree_set", ..] => "btree_set",
        ["hash", "map", ..] | ["hash_map", ..] => "hash_map",
        ["hash", "set", ..] | ["hash_set", ..] => "hash_set",
        ["vec_deque", ..] => "vec_deque",
        ["binary_heap", ..] => "binary_heap",
        ["linked_list", ..] => "linked_list",
        _ => return vec!["collections"],
    };
    let is_collection = matches!(
        name,
        "BTreeMap" | "BTreeSet" | "HashMap" | "HashSet" | "VecDeque" | "BinaryHeap" | "LinkedList"
    );
    if is_collection {
        vec!["collections"]
    } else {
        vec!["collections", module]
    }
}

/// What a type alias of the standard library stands for, by its public path.
pub(super) fn alias(path: &str, args: &[GenericArg]) -> Option<Ty> {
    let arg = |i: usize| match args.get(i) {
        Some(GenericArg::Type(ty)) => Some(ty.clone()),
        _ => None,
    };
    let result = |ok: Ty, err: Ty| Ty::adt("std::result::Result", [ok, err]);
    let prim = |prim| Some(Ty::Prim(prim));
    let (module, name) = path.rsplit_once("::")?;
    match (module, name) {
        ("std::fmt", "Result") => Some(result(Ty::unit(), Ty::adt("std::fmt::Error", []))),
        ("std::io", "Result") => Some(result(arg(0)?, Ty::adt("std::io::Error", []))),
        ("std::sync", "LockResult") => Some(result(
            arg(0)?,
            Ty::adt("std::sync::PoisonError", [arg(0)?]),
        )),
        ("std::sync", "TryLockResult") => Some(result(
            arg(0)?,
            Ty::adt("std::sync::TryLockError", [arg(0)?]),
        )),
        ("std::num", _) => {
            let inner = Prim::from_name(&name.strip_prefix("NonZero")?.to_ascii_lowercase())?;
            Some(Ty::adt("std::num::NonZero", [Ty::Prim(inner)]))
        }
        ("std::ffi" | "std::os::raw", _) => match name {
            "c_char" | "c_schar" => prim(Prim::I8),
            "c_uchar" => prim(Prim::U8),
            "c_short" => prim(Prim::I16),
            "c_ushort" => prim(Prim::U16),
            "c_int" => prim(Prim::I32),
            "c_uint" => prim(Prim::U32),
            "c_longlong" => prim(Prim::I64),
            "c_ulonglong" => prim(Prim::U64),
            "c_float" => prim(Prim::F32),
            "c_double" => prim(Prim::F64),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definition_paths_become_public_ones() {
        for (defined, named) in [
            ("core::ops::range::Range", "std::ops::Range"),
            (
                "alloc::collections::btree::map::BTreeMap",
                "std::collections::BTreeMap",
            ),
            (
                "alloc::collections::btree::map::entry::Entry",
                "std::collections::btree_map::Entry",
            ),
            (
                "std::collections::hash::map::Entry",
                "std::collections::hash_map::Entry",
            ),
            (
                "alloc::collections::vec_deque::VecDeque",
                "std::collections::VecDeque",
            ),
            (
                "alloc::collections::TryReserveError",
                "std::collections::TryReserveError",
            ),
            ("core::str::iter::Chars", "std::str::Chars"),
            ("core::str::traits::FromStr", "std::str::FromStr"),
            ("core::iter::adapters::rev::Rev", "std::iter::Rev"),
            (
                "core::iter::traits::iterator::Iterator",
                "std::iter::Iterator",
            ),
            ("core::num::error::ParseIntError", "std::num::ParseIntError"),
            ("core::net::ip_addr::Ipv4Addr", "std::net::Ipv4Addr"),
            ("alloc::vec::into_iter::IntoIter", "std::vec::IntoIter"),
            (
                "std::hash::random::RandomState",
                "std::collections::hash_map::RandomState",
            ),
            (
                "core::sync::atomic::AtomicU8",
                "std::sync::atomic::AtomicU8",
            ),
            ("std::sync::poison::mutex::Mutex", "std::sync::Mutex"),
            ("core::panic::location::Location", "std::panic::Location"),
            ("std::io::cursor::Cursor", "std::io::Cursor"),
        ] {
            let path: Vec<String> = defined.split("::").map(str::to_owned).collect();
            assert_eq!(public(&path), named);
        }
    }
}

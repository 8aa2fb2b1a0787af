//! Ways to make values of the standard library's types: constructors for what inputs need.

use super::build::{adt_parts, exclusive, option, prim, region, shared, slice, string, vec};
use super::closures::{behaviours, is_closure};
use super::literal::is_literal;
use super::{Draft, DraftInput};
use crate::operation::{Form, Origin};
use crate::ty::{KeyNames, Prim, Region, Ty, is_fn_trait};
use crate::types::Types;

/// A recipe of ours: a template over inputs.
pub(super) fn recipe(template: &str, inputs: Vec<Ty>, output: Ty) -> Draft {
    let form = Form::Recipe {
        template: template.into(),
    };
    drafted(template, form, inputs, output)
}

/// An operation of ours, its regions renumbered densely.
pub(super) fn drafted(text: &str, form: Form, inputs: Vec<Ty>, output: Ty) -> Draft {
    let mut known: Vec<Region> = Vec::new();
    let mut dense = |ty: &Ty| {
        ty.map(&mut |_| None, &mut |r| match r {
            Region::Var(_) => {
                let n = known.iter().position(|k| *k == r).unwrap_or_else(|| {
                    known.push(r);
                    known.len() - 1
                });
                region(n as u32)
            }
            other => other,
        })
    };
    let inputs: Vec<Ty> = inputs.iter().map(&mut dense).collect();
    let output = dense(&output);
    let types: Vec<String> = inputs.iter().map(|ty| ty.render(&KeyNames)).collect();
    let key = format!(
        "{text} ({}) -> {}",
        types.join(", "),
        output.render(&KeyNames)
    );
    Draft {
        key: key.into(),
        origin: Origin::Recipe,
        form,
        n_regions: known.len() as u32,
        inputs: inputs
            .into_iter()
            .enumerate()
            .map(|(i, ty)| DraftInput {
                name: format!("arg{i}").into(),
                ty,
                generic: true,
            })
            .collect(),
        output,
        outlives: Vec::new(),
        is_view: false,
        opaque: false,
        formatter: None,
        reading: None,
    }
}

/// Every region a variable of its own: a recipe works at any lifetime.
pub(super) fn open_regions(ty: &Ty) -> Ty {
    let mut n = 0;
    ty.map(&mut |_| None, &mut |r| match r {
        Region::Bound(_) => r,
        _ => {
            n += 1;
            region(n - 1)
        }
    })
}

/// A literal in a slot of its own, to be borrowed.
pub(super) fn literal(ty: &Ty) -> Draft {
    let ty = open_regions(ty);
    let text = format!("literal <{}>", ty.render(&KeyNames));
    let mut draft = drafted(&text, Form::Literal, vec![ty.clone()], ty);
    draft.key = text.into();
    draft
}

/// The recipes that make a value of this type, if it is the standard library's.
pub(super) fn constructors(types: &Types, ty: &Ty) -> Vec<Draft> {
    let ty = open_regions(ty);
    let make = |template: &str, inputs: &[Ty]| recipe(template, inputs.to_vec(), ty.clone());
    if is_closure(&ty) {
        return behaviours(&ty);
    }
    match &ty {
        Ty::Tuple(parts) if !parts.is_empty() && parts.len() <= 6 => {
            let places: Vec<String> = (0..parts.len()).map(|i| format!("{{{i}}}")).collect();
            let comma = if parts.len() == 1 { "," } else { "" };
            vec![make(&format!("({}{comma})", places.join(", ")), parts)]
        }
        Ty::Array(of, n) => {
            let Ok(n) = n.parse::<usize>() else {
                return Vec::new();
            };
            if matches!(**of, Ty::Prim(_)) {
                return vec![make(&format!("[{{0}}; {n}]"), &[(**of).clone()])];
            }
            if n > 8 {
                return Vec::new();
            }
            let places: Vec<String> = (0..n).map(|i| format!("{{{i}}}")).collect();
            vec![make(
                &format!("[{}]", places.join(", ")),
                &vec![(**of).clone(); n],
            )]
        }
        Ty::Ref {
            region,
            mutable,
            to,
        } => references(types, *region, *mutable, to, &ty),
        Ty::Adt { .. } => adts(types, &ty),
        _ => Vec::new(),
    }
}

pub(super) fn references(
    types: &Types,
    lender: Region,
    mutable: bool,
    to: &Ty,
    ty: &Ty,
) -> Vec<Draft> {
    let borrow = |of: Ty| match mutable {
        true => exclusive(lender, of),
        false => shared(lender, of),
    };
    let make = |template: &str, input: Ty| vec![recipe(template, vec![input], ty.clone())];
    match (to, mutable) {
        (Ty::Slice(of), false) => make("{0}.as_slice()", borrow(vec((**of).clone()))),
        (Ty::Slice(of), true) => make("{0}.as_mut_slice()", borrow(vec((**of).clone()))),
        (Ty::Str, false) => make("{0}.as_str()", borrow(string())),
        (Ty::Str, true) => make("{0}.as_mut_str()", borrow(string())),
        (Ty::Adt { path, .. }, false) if &**path == "std::path::Path" => {
            make("std::path::Path::new({0})", shared(lender, Ty::Str))
        }
        (Ty::Adt { path, .. }, false) if &**path == "std::ffi::OsStr" => {
            make("std::ffi::OsStr::new({0})", shared(lender, Ty::Str))
        }
        (Ty::Dyn { traits, .. }, _) if traits.iter().any(|t| is_fn_trait(&t.path)) => {
            // Behind `&mut` a shorter bound would have to be the borrow's own.
            let closure = Ty::Dyn {
                traits: traits.clone(),
                bound: Region::Static,
            };
            let boxed = Ty::adt("std::boxed::Box", [closure]);
            make(if mutable { "&mut **{0}" } else { "&**{0}" }, borrow(boxed))
        }
        (Ty::Dyn { .. }, _) => Vec::new(),
        // A reference as a value of its own: an element of a `Vec<&T>`.
        _ if !types.is_unsized(to) => make("{0}", borrow(to.clone())),
        // Wrappers of slices: what is borrowed mutably serves as well.
        (_, false) => make("&*{0}", exclusive(lender, to.clone())),
        _ => Vec::new(),
    }
}

fn adts(slots: &Types, ty: &Ty) -> Vec<Draft> {
    let Some((path, types, lender)) = adt_parts(ty) else {
        return Vec::new();
    };
    let lender = lender.unwrap_or(Region::Static);
    let make = |template: &str, inputs: &[Ty]| recipe(template, inputs.to_vec(), ty.clone());
    let many = |templates: &[&str], inputs: &[Ty]| -> Vec<Draft> {
        templates.iter().map(|t| make(t, inputs)).collect()
    };
    let text = || shared(lender, Ty::Str);
    match (path, types.as_slice()) {
        ("std::option::Option", [of]) => {
            vec![make("Some({0})", &[(*of).clone()]), make("None", &[])]
        }
        ("std::result::Result", [ok, err]) => vec![
            make("Ok({0})", &[(*ok).clone()]),
            make("Err({0})", &[(*err).clone()]),
        ],
        ("std::vec::Vec", [of]) => vec![
            make("vec![]", &[]),
            make("vec![{0}]", &[(*of).clone()]),
            make("vec![{0}, {1}]", &[(*of).clone(), (*of).clone()]),
            make("vec![{0}, {1}, {2}]", &vec![(*of).clone(); 3]),
        ],
        ("std::boxed::Box", [Ty::Str]) => many(&["String::into_boxed_str({0})"], &[string()]),
        ("std::boxed::Box", [Ty::Adt { path, .. }]) if &**path == "std::path::Path" => many(
            &["std::path::PathBuf::from({0}).into_boxed_path()"],
            &[string()],
        ),
        ("std::boxed::Box", [Ty::Adt { path, .. }]) if &**path == "std::ffi::OsStr" => many(
            &["std::ffi::OsString::from({0}).into_boxed_os_str()"],
            &[string()],
        ),
        ("std::boxed::Box", [Ty::Adt { path, .. }]) if &**path == "std::ffi::CStr" => many(
            &["std::ffi::CString::new({0}).unwrap_or_default().into_boxed_c_str()"],
            &[string()],
        ),
        ("std::boxed::Box", [Ty::Slice(of)]) => {
            many(&["Vec::into_boxed_slice({0})"], &[vec((**of).clone())])
        }
        ("std::boxed::Box", [of]) if !slots.is_unsized(of) => {
            many(&["Box::new({0})"], &[(*of).clone()])
        }
        ("std::rc::Rc" | "std::sync::Arc", [of]) => match of {
            Ty::Str => many(
                &[&format!("{path}::from({{0}})")],
                &[shared(region(0), Ty::Str)],
            ),
            Ty::Slice(of) => many(&[&format!("{path}::from({{0}})")], &[vec((**of).clone())]),
            of if slots.is_unsized(of) => Vec::new(),
            of => many(&[&format!("{path}::new({{0}})")], &[(*of).clone()]),
        },
        // What closures of ours are called with goes here, and how often.
        ("std::cell::RefCell", [of]) if adt_parts(of).is_some_and(|it| it.0 == "std::vec::Vec") => {
            many(&["std::cell::RefCell::new(vec![])"], &[])
        }
        ("std::cell::Cell", [Ty::Prim(Prim::U32)]) => many(&["std::cell::Cell::new(0)"], &[]),
        (
            "std::cell::Cell"
            | "std::cell::RefCell"
            | "std::sync::Mutex"
            | "std::sync::RwLock"
            | "std::io::Cursor"
            | "std::mem::ManuallyDrop"
            | "std::io::BufReader"
            | "std::io::BufWriter",
            [of],
        ) => many(&[&format!("{path}::new({{0}})")], &[(*of).clone()]),
        ("std::num::Wrapping" | "std::num::Saturating" | "std::cmp::Reverse", [of]) => {
            many(&[&format!("{path}({{0}})")], &[(*of).clone()])
        }
        ("std::num::NonZero", [of]) => vec![recipe(
            "std::num::NonZero::new({0})",
            vec![(*of).clone()],
            option(ty.clone()),
        )],
        ("std::ops::Range", [of]) => many(&["{0}..{1}"], &[(*of).clone(), (*of).clone()]),
        ("std::ops::RangeInclusive", [of]) => many(&["{0}..={1}"], &[(*of).clone(), (*of).clone()]),
        ("std::ops::RangeFrom", [of]) => many(&["{0}.."], &[(*of).clone()]),
        ("std::ops::RangeTo", [of]) => many(&["..{0}"], &[(*of).clone()]),
        ("std::ops::RangeToInclusive", [of]) => many(&["..={0}"], &[(*of).clone()]),
        ("std::ops::RangeFull", []) => many(&[".."], &[]),
        ("std::ops::Bound", [of]) => vec![
            make("std::ops::Bound::Included({0})", &[(*of).clone()]),
            make("std::ops::Bound::Excluded({0})", &[(*of).clone()]),
            make("std::ops::Bound::Unbounded", &[]),
        ],
        ("std::borrow::Cow", [of]) => {
            let owned = match of {
                Ty::Str => string(),
                Ty::Slice(of) => vec((**of).clone()),
                of => (*of).clone(),
            };
            vec![
                make(
                    "std::borrow::Cow::Borrowed({0})",
                    &[shared(lender, (*of).clone())],
                ),
                make("std::borrow::Cow::Owned({0})", &[owned]),
            ]
        }
        ("std::time::Duration", []) => vec![
            make("std::time::Duration::from_millis({0})", &[prim(Prim::U64)]),
            make("std::time::Duration::from_nanos({0})", &[prim(Prim::U64)]),
            make("std::time::Duration::from_secs({0})", &[prim(Prim::U64)]),
        ],
        ("std::time::SystemTime", []) => many(&["std::time::UNIX_EPOCH"], &[]),
        ("std::time::Instant", []) => many(&["std::time::Instant::now()"], &[]),
        ("std::collections::HashMap" | "std::collections::BTreeMap", [k, v]) => vec![
            make(&format!("{path}::new()"), &[]),
            make(
                &format!("{path}::from([({{0}}, {{1}})])"),
                &[(*k).clone(), (*v).clone()],
            ),
        ],
        (
            "std::collections::HashSet"
            | "std::collections::BTreeSet"
            | "std::collections::VecDeque"
            | "std::collections::BinaryHeap"
            | "std::collections::LinkedList",
            [of],
        ) => vec![
            make(&format!("{path}::new()"), &[]),
            make(&format!("{path}::from([{{0}}])"), &[(*of).clone()]),
            make(
                &format!("{path}::from([{{0}}, {{1}}])"),
                &[(*of).clone(), (*of).clone()],
            ),
        ],
        ("std::marker::PhantomData", _) => many(&["std::marker::PhantomData"], &[]),
        ("std::cmp::Ordering", []) => many(
            &[
                "std::cmp::Ordering::Less",
                "std::cmp::Ordering::Equal",
                "std::cmp::Ordering::Greater",
            ],
            &[],
        ),
        ("std::net::Ipv4Addr", []) => many(
            &["std::net::Ipv4Addr::new({0}, {1}, {2}, {3})"],
            &vec![prim(Prim::U8); 4],
        ),
        ("std::net::Ipv6Addr", []) => many(&["std::net::Ipv6Addr::from({0})"], &[prim(Prim::U128)]),
        ("std::net::IpAddr", []) => ["V4", "V6"]
            .map(|v| {
                let of = Ty::adt(&format!("std::net::Ip{}Addr", v.to_lowercase()), []);
                make(&format!("std::net::IpAddr::{v}({{0}})"), &[of])
            })
            .into(),
        ("std::net::SocketAddr", []) => many(
            &["std::net::SocketAddr::new({0}, {1})"],
            &[Ty::adt("std::net::IpAddr", []), prim(Prim::U16)],
        ),
        ("std::net::SocketAddrV4", []) => many(
            &["std::net::SocketAddrV4::new({0}, {1})"],
            &[Ty::adt("std::net::Ipv4Addr", []), prim(Prim::U16)],
        ),
        ("std::net::SocketAddrV6", []) => many(
            &["std::net::SocketAddrV6::new({0}, {1}, {2}, {3})"],
            &[
                Ty::adt("std::net::Ipv6Addr", []),
                prim(Prim::U16),
                prim(Prim::U32),
                prim(Prim::U32),
            ],
        ),
        ("std::ffi::CString", []) => many(
            &["std::ffi::CString::new({0}).unwrap_or_default()"],
            &[string()],
        ),
        ("std::path::PathBuf", []) => many(&["std::path::PathBuf::from({0})"], &[string()]),
        ("std::ffi::OsString", []) => many(&["std::ffi::OsString::from({0})"], &[string()]),
        ("std::vec::IntoIter", [of]) => many(&["{0}.into_iter()"], &[vec((*of).clone())]),
        ("std::slice::Iter", [of]) => {
            let items = shared(lender, slice((*of).clone()));
            let items = match is_literal(&items) {
                true => items,
                false => shared(lender, vec((*of).clone())),
            };
            many(&["{0}.iter()"], &[items])
        }
        ("std::slice::IterMut", [of]) => many(
            &["{0}.iter_mut()"],
            &[exclusive(lender, vec((*of).clone()))],
        ),
        ("std::str::Chars", []) => many(&["{0}.chars()"], &[text()]),
        ("std::str::CharIndices", []) => many(&["{0}.char_indices()"], &[text()]),
        ("std::str::Bytes", []) => many(&["{0}.bytes()"], &[text()]),
        ("std::str::Lines", []) => many(&["{0}.lines()"], &[text()]),
        ("std::str::SplitWhitespace", []) => many(&["{0}.split_whitespace()"], &[text()]),
        (
            "std::collections::hash_map::DefaultHasher" | "std::collections::hash_map::RandomState",
            [],
        ) => many(&[&format!("{path}::new()")], &[]),
        ("std::hash::BuildHasherDefault", [_]) => {
            many(&["std::hash::BuildHasherDefault::default()"], &[])
        }
        (
            "std::pin::Pin",
            [
                Ty::Ref {
                    region: lender,
                    mutable,
                    to,
                },
            ],
        ) => {
            let mut recipes = many(&["std::pin::Pin::new({0})"], &[types[0].clone()]);
            // What must not move stays in a box.
            if *mutable && !slots.is_unsized(to) {
                let boxed = Ty::adt("std::boxed::Box", [(**to).clone()]);
                let pinned = exclusive(*lender, Ty::adt("std::pin::Pin", [boxed]));
                recipes.extend(many(&["{0}.as_mut()"], &[pinned]));
            }
            recipes
        }
        ("std::pin::Pin", [Ty::Adt { path, .. }]) if &**path == "std::boxed::Box" => {
            match types[0].children().as_slice() {
                [of] if !slots.is_unsized(of) => many(&["Box::pin({0})"], &[(*of).clone()]),
                _ => Vec::new(),
            }
        }
        ("std::future::Ready", [of]) => many(&["std::future::ready({0})"], &[(*of).clone()]),
        ("std::task::Context", []) => many(
            &["std::task::Context::from_waker(std::task::Waker::noop())"],
            &[],
        ),
        ("std::task::Waker", []) => many(&["std::task::Waker::noop().clone()"], &[]),
        ("std::task::Poll", [of]) => vec![
            make("std::task::Poll::Ready({0})", &[(*of).clone()]),
            make("std::task::Poll::Pending", &[]),
        ],
        ("rand::rngs::StdRng" | "rand::rngs::SmallRng", []) => many(
            &[&format!(
                "<{path} as rand::SeedableRng>::seed_from_u64({{0}})"
            )],
            &[prim(Prim::U64)],
        ),
        ("std::fmt::Error", []) => many(&["std::fmt::Error"], &[]),
        // With anything in braces it would borrow from itself.
        ("std::fmt::Arguments", []) => many(
            &[
                "format_args!(\"\")",
                "format_args!(\"a b\")",
                "format_args!(\"é\")",
            ],
            &[],
        ),
        ("std::io::ErrorKind", []) => many(
            &["std::io::ErrorKind::NotFound", "std::io::ErrorKind::Other"],
            &[],
        ),
        ("std::io::SeekFrom", []) => vec![
            make("std::io::SeekFrom::Start({0})", &[prim(Prim::U64)]),
            make("std::io::SeekFrom::Current({0})", &[prim(Prim::I64)]),
            make("std::io::SeekFrom::End({0})", &[prim(Prim::I64)]),
        ],
        ("std::io::Error", []) => many(
            &["std::io::Error::from({0})"],
            &[Ty::adt("std::io::ErrorKind", [])],
        ),
        ("std::num::ParseIntError", []) => many(&["\"x\".parse::<i32>().unwrap_err()"], &[]),
        ("std::num::ParseFloatError", []) => many(&["\"x\".parse::<f64>().unwrap_err()"], &[]),
        ("std::num::TryFromIntError", []) => many(&["u8::try_from(300i32).unwrap_err()"], &[]),
        ("std::collections::TryReserveError", []) => many(
            &["Vec::<u8>::new().try_reserve(usize::MAX).unwrap_err()"],
            &[],
        ),
        ("std::string::FromUtf8Error", []) => {
            many(&["String::from_utf8(vec![255]).unwrap_err()"], &[])
        }
        ("std::str::Utf8Error", []) => many(
            &["String::from_utf8(vec![255]).unwrap_err().utf8_error()"],
            &[],
        ),
        _ => Vec::new(),
    }
}

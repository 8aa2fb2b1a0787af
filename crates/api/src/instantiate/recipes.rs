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

/// The type with a variable of its own for every region, because a recipe works at any lifetime.
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
            // Behind `&mut`, a shorter bound would have to be that of the borrow.
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

/// The recipes for a named type. Each type is in one of the groups.
fn adts(slots: &Types, ty: &Ty) -> Vec<Draft> {
    let Some((path, types, lender)) = adt_parts(ty) else {
        return Vec::new();
    };
    let target = Target {
        slots,
        ty,
        path,
        types,
        lender: lender.unwrap_or(Region::Static),
    };
    let groups = [
        holders,
        wrappers,
        collections,
        plain_values,
        iterators,
        futures,
        effects,
        errors,
    ];
    groups.iter().flat_map(|group| group(&target)).collect()
}

/// A named type for which recipes are made.
struct Target<'a> {
    slots: &'a Types,
    ty: &'a Ty,
    path: &'a str,
    /// Its type arguments.
    types: Vec<&'a Ty>,
    /// The region that it borrows for.
    lender: Region,
}

impl Target<'_> {
    fn make(&self, template: &str, inputs: &[Ty]) -> Draft {
        recipe(template, inputs.to_vec(), self.ty.clone())
    }

    /// A recipe for each template, all with the same inputs.
    fn many(&self, templates: &[&str], inputs: &[Ty]) -> Vec<Draft> {
        templates.iter().map(|it| self.make(it, inputs)).collect()
    }

    /// A text that the value borrows.
    fn text(&self) -> Ty {
        shared(self.lender, Ty::Str)
    }
}

/// Types that own a value of another type: options, pointers, lists.
fn holders(target: &Target<'_>) -> Vec<Draft> {
    let path = target.path;
    match (path, target.types.as_slice()) {
        ("std::option::Option", [of]) => {
            vec![
                target.make("Some({0})", &[(*of).clone()]),
                target.make("None", &[]),
            ]
        }
        ("std::result::Result", [ok, err]) => vec![
            target.make("Ok({0})", &[(*ok).clone()]),
            target.make("Err({0})", &[(*err).clone()]),
        ],
        ("std::vec::Vec", [of]) => vec![
            target.make("vec![]", &[]),
            target.make("vec![{0}]", &[(*of).clone()]),
            target.make("vec![{0}, {1}]", &[(*of).clone(), (*of).clone()]),
            target.make("vec![{0}, {1}, {2}]", &vec![(*of).clone(); 3]),
        ],
        ("std::boxed::Box", [Ty::Str]) => {
            target.many(&["String::into_boxed_str({0})"], &[string()])
        }
        ("std::boxed::Box", [Ty::Adt { path, .. }]) if &**path == "std::path::Path" => target.many(
            &["std::path::PathBuf::from({0}).into_boxed_path()"],
            &[shared(region(0), Ty::Str)],
        ),
        ("std::boxed::Box", [Ty::Adt { path, .. }]) if &**path == "std::ffi::OsStr" => target.many(
            &["std::ffi::OsString::from({0}).into_boxed_os_str()"],
            &[shared(region(0), Ty::Str)],
        ),
        ("std::boxed::Box", [Ty::Adt { path, .. }]) if &**path == "std::ffi::CStr" => target.many(
            &["std::ffi::CString::new({0}).unwrap_or_default().into_boxed_c_str()"],
            &[string()],
        ),
        ("std::boxed::Box", [Ty::Slice(of)]) => {
            target.many(&["Vec::into_boxed_slice({0})"], &[vec((**of).clone())])
        }
        ("std::boxed::Box", [of]) if !target.slots.is_unsized(of) => {
            target.many(&["Box::new({0})"], &[(*of).clone()])
        }
        ("std::rc::Rc" | "std::sync::Arc", [of]) => match of {
            Ty::Str => target.many(
                &[&format!("{path}::from({{0}})")],
                &[shared(region(0), Ty::Str)],
            ),
            Ty::Slice(of) => {
                target.many(&[&format!("{path}::from({{0}})")], &[vec((**of).clone())])
            }
            of if target.slots.is_unsized(of) => Vec::new(),
            of => target.many(&[&format!("{path}::new({{0}})")], &[(*of).clone()]),
        },
        ("std::borrow::Cow", [of]) => {
            let owned = match of {
                Ty::Str => string(),
                Ty::Slice(of) => vec((**of).clone()),
                of => (*of).clone(),
            };
            vec![
                target.make(
                    "std::borrow::Cow::Borrowed({0})",
                    &[shared(target.lender, (*of).clone())],
                ),
                target.make("std::borrow::Cow::Owned({0})", &[owned]),
            ]
        }
        _ => Vec::new(),
    }
}

/// Types around a value that do not change what it is: cells, numbers, ranges, markers.
fn wrappers(target: &Target<'_>) -> Vec<Draft> {
    let path = target.path;
    match (path, target.types.as_slice()) {
        // This is where closures log their calls.
        ("std::cell::RefCell", [of]) if adt_parts(of).is_some_and(|it| it.0 == "std::vec::Vec") => {
            target.many(&["std::cell::RefCell::new(vec![])"], &[])
        }
        ("std::cell::Cell", [Ty::Prim(Prim::U32)]) => {
            target.many(&["std::cell::Cell::new(0)"], &[])
        }
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
        ) => target.many(&[&format!("{path}::new({{0}})")], &[(*of).clone()]),
        ("std::num::Wrapping" | "std::num::Saturating" | "std::cmp::Reverse", [of]) => {
            target.many(&[&format!("{path}({{0}})")], &[(*of).clone()])
        }
        ("std::num::NonZero", [of]) => vec![recipe(
            "std::num::NonZero::new({0})",
            vec![(*of).clone()],
            option(target.ty.clone()),
        )],
        ("std::ops::Range", [of]) => target.many(&["{0}..{1}"], &[(*of).clone(), (*of).clone()]),
        ("std::ops::RangeInclusive", [of]) => {
            target.many(&["{0}..={1}"], &[(*of).clone(), (*of).clone()])
        }
        ("std::ops::RangeFrom", [of]) => target.many(&["{0}.."], &[(*of).clone()]),
        ("std::ops::RangeTo", [of]) => target.many(&["..{0}"], &[(*of).clone()]),
        ("std::ops::RangeToInclusive", [of]) => target.many(&["..={0}"], &[(*of).clone()]),
        ("std::ops::RangeFull", []) => target.many(&[".."], &[]),
        ("std::ops::Bound", [of]) => vec![
            target.make("std::ops::Bound::Included({0})", &[(*of).clone()]),
            target.make("std::ops::Bound::Excluded({0})", &[(*of).clone()]),
            target.make("std::ops::Bound::Unbounded", &[]),
        ],
        ("std::marker::PhantomData", _) => target.many(&["std::marker::PhantomData"], &[]),
        ("std::cmp::Ordering", []) => target.many(
            &[
                "std::cmp::Ordering::Less",
                "std::cmp::Ordering::Equal",
                "std::cmp::Ordering::Greater",
            ],
            &[],
        ),
        _ => Vec::new(),
    }
}

/// Collections, and what hashes their keys.
fn collections(target: &Target<'_>) -> Vec<Draft> {
    let path = target.path;
    match (path, target.types.as_slice()) {
        ("std::collections::HashMap" | "std::collections::BTreeMap", [k, v]) => vec![
            target.make(&format!("{path}::new()"), &[]),
            target.make(
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
            target.make(&format!("{path}::new()"), &[]),
            target.make(&format!("{path}::from([{{0}}])"), &[(*of).clone()]),
            target.make(
                &format!("{path}::from([{{0}}, {{1}}])"),
                &[(*of).clone(), (*of).clone()],
            ),
        ],
        (
            "std::collections::hash_map::DefaultHasher" | "std::collections::hash_map::RandomState",
            [],
        ) => target.many(&[&format!("{path}::new()")], &[]),
        ("std::hash::BuildHasherDefault", [_]) => {
            target.many(&["std::hash::BuildHasherDefault::default()"], &[])
        }
        _ => Vec::new(),
    }
}

/// Values of the system: times, addresses, paths.
fn plain_values(target: &Target<'_>) -> Vec<Draft> {
    match (target.path, target.types.as_slice()) {
        ("std::time::Duration", []) => vec![
            target.make("std::time::Duration::from_millis({0})", &[prim(Prim::U64)]),
            target.make("std::time::Duration::from_nanos({0})", &[prim(Prim::U64)]),
            target.make("std::time::Duration::from_secs({0})", &[prim(Prim::U64)]),
        ],
        ("std::time::SystemTime", []) => target.many(&["std::time::UNIX_EPOCH"], &[]),
        ("std::time::Instant", []) => target.many(&["std::time::Instant::now()"], &[]),
        ("std::net::Ipv4Addr", []) => target.many(
            &["std::net::Ipv4Addr::new({0}, {1}, {2}, {3})"],
            &vec![prim(Prim::U8); 4],
        ),
        ("std::net::Ipv6Addr", []) => {
            target.many(&["std::net::Ipv6Addr::from({0})"], &[prim(Prim::U128)])
        }
        ("std::net::IpAddr", []) => ["V4", "V6"]
            .map(|v| {
                let of = Ty::adt(&format!("std::net::Ip{}Addr", v.to_lowercase()), []);
                target.make(&format!("std::net::IpAddr::{v}({{0}})"), &[of])
            })
            .into(),
        ("std::net::SocketAddr", []) => target.many(
            &["std::net::SocketAddr::new({0}, {1})"],
            &[Ty::adt("std::net::IpAddr", []), prim(Prim::U16)],
        ),
        ("std::net::SocketAddrV4", []) => target.many(
            &["std::net::SocketAddrV4::new({0}, {1})"],
            &[Ty::adt("std::net::Ipv4Addr", []), prim(Prim::U16)],
        ),
        ("std::net::SocketAddrV6", []) => target.many(
            &["std::net::SocketAddrV6::new({0}, {1}, {2}, {3})"],
            &[
                Ty::adt("std::net::Ipv6Addr", []),
                prim(Prim::U16),
                prim(Prim::U32),
                prim(Prim::U32),
            ],
        ),
        ("std::ffi::CString", []) => target.many(
            &["std::ffi::CString::new({0}).unwrap_or_default()"],
            &[string()],
        ),
        ("std::path::PathBuf", []) => target.many(
            &["std::path::PathBuf::from({0})"],
            &[shared(region(0), Ty::Str)],
        ),
        ("std::ffi::OsString", []) => target.many(
            &["std::ffi::OsString::from({0})"],
            &[shared(region(0), Ty::Str)],
        ),
        _ => Vec::new(),
    }
}

/// Iterators over lists and texts.
fn iterators(target: &Target<'_>) -> Vec<Draft> {
    match (target.path, target.types.as_slice()) {
        ("std::vec::IntoIter", [of]) => target.many(&["{0}.into_iter()"], &[vec((*of).clone())]),
        ("std::slice::Iter", [of]) => {
            let items = shared(target.lender, slice((*of).clone()));
            let items = match is_literal(&items) {
                true => items,
                false => shared(target.lender, vec((*of).clone())),
            };
            target.many(&["{0}.iter()"], &[items])
        }
        ("std::slice::IterMut", [of]) => target.many(
            &["{0}.iter_mut()"],
            &[exclusive(target.lender, vec((*of).clone()))],
        ),
        ("std::str::Chars", []) => target.many(&["{0}.chars()"], &[target.text()]),
        ("std::str::CharIndices", []) => target.many(&["{0}.char_indices()"], &[target.text()]),
        ("std::str::Bytes", []) => target.many(&["{0}.bytes()"], &[target.text()]),
        ("std::str::Lines", []) => target.many(&["{0}.lines()"], &[target.text()]),
        ("std::str::SplitWhitespace", []) => {
            target.many(&["{0}.split_whitespace()"], &[target.text()])
        }
        _ => Vec::new(),
    }
}

/// Pins, futures, and what polls them.
fn futures(target: &Target<'_>) -> Vec<Draft> {
    match (target.path, target.types.as_slice()) {
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
            let mut recipes = target.many(&["std::pin::Pin::new({0})"], &[target.types[0].clone()]);
            // A value that must not move stays in a box.
            if *mutable && !target.slots.is_unsized(to) {
                let boxed = Ty::adt("std::boxed::Box", [(**to).clone()]);
                let pinned = exclusive(*lender, Ty::adt("std::pin::Pin", [boxed]));
                recipes.extend(target.many(&["{0}.as_mut()"], &[pinned]));
            }
            recipes
        }
        ("std::pin::Pin", [Ty::Adt { path, .. }]) if &**path == "std::boxed::Box" => {
            match target.types[0].children().as_slice() {
                [of] if !target.slots.is_unsized(of) => {
                    target.many(&["Box::pin({0})"], &[(*of).clone()])
                }
                _ => Vec::new(),
            }
        }
        ("std::future::Ready", [of]) => target.many(&["std::future::ready({0})"], &[(*of).clone()]),
        ("std::task::Context", []) => target.many(
            &["std::task::Context::from_waker(std::task::Waker::noop())"],
            &[],
        ),
        ("std::task::Waker", []) => target.many(&["std::task::Waker::noop().clone()"], &[]),
        ("std::task::Poll", [of]) => vec![
            target.make("std::task::Poll::Ready({0})", &[(*of).clone()]),
            target.make("std::task::Poll::Pending", &[]),
        ],
        _ => Vec::new(),
    }
}

/// Input and output, formatting, random numbers.
fn effects(target: &Target<'_>) -> Vec<Draft> {
    let path = target.path;
    match (path, target.types.as_slice()) {
        ("rand::rngs::StdRng" | "rand::rngs::SmallRng", []) => target.many(
            &[&format!(
                "<{path} as rand::SeedableRng>::seed_from_u64({{0}})"
            )],
            &[prim(Prim::U64)],
        ),
        ("std::fmt::Error", []) => target.many(&["std::fmt::Error"], &[]),
        // With arguments in braces, it would borrow from itself.
        ("std::fmt::Arguments", []) => target.many(
            &[
                "format_args!(\"\")",
                "format_args!(\"a b\")",
                "format_args!(\"é\")",
            ],
            &[],
        ),
        ("std::io::ErrorKind", []) => target.many(
            &["std::io::ErrorKind::NotFound", "std::io::ErrorKind::Other"],
            &[],
        ),
        ("std::io::SeekFrom", []) => vec![
            target.make("std::io::SeekFrom::Start({0})", &[prim(Prim::U64)]),
            target.make("std::io::SeekFrom::Current({0})", &[prim(Prim::I64)]),
            target.make("std::io::SeekFrom::End({0})", &[prim(Prim::I64)]),
        ],
        ("std::io::Error", []) => target.many(
            &["std::io::Error::from({0})"],
            &[Ty::adt("std::io::ErrorKind", [])],
        ),
        _ => Vec::new(),
    }
}

/// Errors that the standard library makes itself.
fn errors(target: &Target<'_>) -> Vec<Draft> {
    match (target.path, target.types.as_slice()) {
        ("std::num::ParseIntError", []) => target.many(&["\"x\".parse::<i32>().unwrap_err()"], &[]),
        ("std::num::ParseFloatError", []) => {
            target.many(&["\"x\".parse::<f64>().unwrap_err()"], &[])
        }
        ("std::num::TryFromIntError", []) => {
            target.many(&["u8::try_from(300i32).unwrap_err()"], &[])
        }
        ("std::collections::TryReserveError", []) => target.many(
            &["Vec::<u8>::new().try_reserve(usize::MAX).unwrap_err()"],
            &[],
        ),
        ("std::string::FromUtf8Error", []) => {
            target.many(&["String::from_utf8(vec![255]).unwrap_err()"], &[])
        }
        ("std::str::Utf8Error", []) => target.many(
            &["String::from_utf8(vec![255]).unwrap_err().utf8_error()"],
            &[],
        ),
        _ => Vec::new(),
    }
}

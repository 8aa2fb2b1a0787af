//! Names of functions, which rustdoc and the rewritten copy write differently, made comparable.

/// A function by what both have: its type with references, its trait and its own name, without modules,
/// lifetimes and arguments of generics. `<&'a mut Bag<T> as IntoIterator>::into_iter` is
/// `&mut Bag as IntoIterator::into_iter`.
pub(crate) fn bare(path: &str) -> String {
    let segments = segments(path);
    let name = segments.last().copied().unwrap_or(path);
    let owner = segments.len().checked_sub(2).map(|i| segments[i]);
    match owner.map(owner_of) {
        Some(owner) if !owner.is_empty() => format!("{owner}::{name}"),
        _ => name.to_owned(),
    }
}

/// The name of the type, and of its trait; nothing for a module.
fn owner_of(segment: &str) -> String {
    let qualified = segment
        .strip_prefix('<')
        .and_then(|it| it.strip_suffix('>'));
    let Some(qualified) = qualified else {
        let is_type = segment.starts_with(char::is_uppercase);
        return if is_type {
            without_arguments(segment)
        } else {
            String::new()
        };
    };
    match qualified.split_once(" as ") {
        Some((ty, of)) => format!("{} as {}", of_type(ty), of_type(of)),
        None => of_type(qualified),
    }
}

/// The name of a type with its references.
fn of_type(ty: &str) -> String {
    let Some(rest) = ty.strip_prefix('&') else {
        let last = segments(ty).pop().unwrap_or(ty);
        return without_arguments(last);
    };
    let rest = match rest.strip_prefix('\'') {
        Some(named) => named.split_once(' ').map_or(named, |(_, rest)| rest),
        None => rest,
    };
    match rest.strip_prefix("mut ") {
        Some(rest) => format!("&mut {}", of_type(rest)),
        None => format!("&{}", of_type(rest)),
    }
}

fn without_arguments(segment: &str) -> String {
    segment.split('<').next().unwrap_or(segment).to_owned()
}

/// The segments of a path, as far as they are in no brackets.
fn segments(path: &str) -> Vec<&str> {
    let mut segments = Vec::new();
    let (mut depth, mut begin) = (0_usize, 0);
    let bytes = path.as_bytes();
    for (i, byte) in bytes.iter().enumerate() {
        match byte {
            b'<' | b'(' | b'[' => depth += 1,
            b'>' if i > 0 && bytes[i - 1] == b'-' => {}
            b'>' | b')' | b']' => depth = depth.saturating_sub(1),
            b':' if depth == 0 && bytes.get(i + 1) == Some(&b':') => {
                segments.push(&path[begin..i]);
                begin = i + 2;
            }
            _ => {}
        }
    }
    segments.push(&path[begin..]);
    segments
}

#[cfg(test)]
mod tests {
    use super::bare;

    #[test]
    fn a_function_has_one_name_in_documentation_and_in_the_copy() {
        for (documented, copied, name) in [
            ("slab::Slab<T>::get", "Slab<T>::get", "Slab::get"),
            (
                "slab::Builder<T>::pair",
                "builder::Builder<T>::pair",
                "Builder::pair",
            ),
            ("hex::encode", "encode", "encode"),
            (
                "<&mut slab::Slab<T> as std::iter::IntoIterator>::into_iter",
                "<&'a mut Slab<T> as IntoIterator>::into_iter",
                "&mut Slab as IntoIterator::into_iter",
            ),
            (
                "<slab::Slab<T> as std::ops::Index<usize>>::index",
                "<Slab<T> as Index>::index",
                "Slab as Index::index",
            ),
        ] {
            assert_eq!(bare(documented), name);
            assert_eq!(bare(copied), name);
        }
    }
}

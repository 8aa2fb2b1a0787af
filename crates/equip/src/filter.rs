//! Which callables the user asks for: patterns of `--only` and `--skip`.
//!
//! A pattern is a path or a piece of one: segments that stand together, in which `*` stands for any
//! text within a segment. `Version`, `semver::Version::parse`, `Version::set_*` and `Ord` are patterns.

use testsmith_api::{
    Api, Callable, CallableKind, Catalogue, KeyNames, Operation, Origin, Reason, Ty,
};

/// The patterns that the user gave, matched against one API.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    only: Vec<String>,
    skip: Vec<String>,
    /// For each callable: does a pattern of `--only` match it? Empty if there are no such patterns.
    chosen: Vec<bool>,
    /// Patterns that match no callable, with the flag they came from.
    pub unmatched: Vec<(&'static str, String)>,
}

impl Filter {
    /// Marks in the API the callables that must not be called, and remembers which are to be
    /// tested.
    pub fn apply(api: &mut Api, only: &[String], skip: &[String]) -> Filter {
        let mut filter = Filter {
            only: only.to_vec(),
            skip: skip.to_vec(),
            ..Filter::default()
        };
        let mut note = |flag, patterns: &[String], api: &Api| {
            for pattern in patterns {
                if !api.callables.iter().any(|c| matches(pattern, c)) {
                    filter.unmatched.push((flag, pattern.clone()));
                }
            }
        };
        note("--only", only, api);
        note("--skip", skip, api);
        for callable in &mut api.callables {
            if skip.iter().any(|pattern| matches(pattern, callable)) {
                callable.skip = Some(Reason::Filtered);
            }
        }
        if !only.is_empty() {
            let is_chosen = |c: &Callable| only.iter().any(|pattern| matches(pattern, c));
            filter.chosen = api.callables.iter().map(is_chosen).collect();
        }
        filter
    }

    /// Does the same for callables that were appended to the API later.
    pub fn follow(&mut self, api: &mut Api, n_before: usize) {
        for callable in api.callables.iter_mut().skip(n_before) {
            if self.skip.iter().any(|pattern| matches(pattern, callable)) {
                callable.skip = Some(Reason::Filtered);
            }
            if !self.only.is_empty() {
                let mut only = self.only.iter();
                let is_chosen = only.any(|pattern| matches(pattern, callable));
                self.chosen.push(is_chosen);
            }
        }
    }

    /// Is this callable to be tested?
    pub fn wants(&self, callable_idx: usize) -> bool {
        self.chosen.get(callable_idx).copied().unwrap_or(true)
    }

    /// Is anything to be tested?
    pub fn wants_anything(&self) -> bool {
        self.chosen.is_empty() || self.chosen.contains(&true)
    }

    /// Is everything to be tested?
    pub fn wants_all(&self) -> bool {
        self.only.is_empty()
    }

    /// Is this operation to be tested? A recipe is, if one of its inputs is of a type that the user
    /// named.
    pub fn wants_operation(&self, catalogue: &Catalogue, operation: &Operation) -> bool {
        match operation.origin {
            Origin::Callable(callable) => self.wants(callable.0 as usize),
            _ if self.wants_all() => true,
            Origin::Beside(_) | Origin::Recipe | Origin::Law => {
                operation.signature.inputs.iter().any(|input| {
                    let path = path_of(&catalogue.types.get(input.ty.ty).ty);
                    self.only.iter().any(|pattern| stands_in(pattern, &path))
                })
            }
        }
    }
}

/// Does the pattern match the callable, by its key or by one of its paths?
pub fn matches(pattern: &str, callable: &Callable) -> bool {
    pattern == &*callable.key || paths(callable).iter().any(|path| stands_in(pattern, path))
}

/// The paths under which people look for a callable; a trait's method has two.
fn paths(callable: &Callable) -> Vec<String> {
    let member = |self_ty: &Ty, name: &str| format!("{}::{name}", path_of(self_ty));
    match &callable.kind {
        CallableKind::Function { path } | CallableKind::Const { path } => vec![path.to_string()],
        CallableKind::StructLiteral { self_ty, .. } => vec![path_of(self_ty)],
        CallableKind::Inherent { self_ty, name, .. }
        | CallableKind::Variant { self_ty, name, .. }
        | CallableKind::AssocConst { self_ty, name }
        | CallableKind::Field { self_ty, name } => vec![member(self_ty, name)],
        CallableKind::Trait {
            self_ty,
            trait_,
            name,
            ..
        } => vec![member(self_ty, name), format!("{}::{name}", trait_.path)],
    }
}

fn path_of(ty: &Ty) -> String {
    match ty {
        Ty::Ref { to, .. } => path_of(to),
        Ty::Adt { path, .. } => path.to_string(),
        ty => ty.render(&KeyNames),
    }
}

/// Do the pattern's segments stand next to each other somewhere in the path?
fn stands_in(pattern: &str, path: &str) -> bool {
    let wanted: Vec<&str> = pattern.trim_start_matches("::").split("::").collect();
    let segments: Vec<&str> = path.split("::").collect();
    segments
        .windows(wanted.len())
        .any(|window| wanted.iter().zip(window).all(|(w, s)| is_like(w, s)))
}

/// Does the text match, where `*` stands for any text?
fn is_like(wanted: &str, text: &str) -> bool {
    let Some((head, tail)) = wanted.split_once('*') else {
        return wanted == text;
    };
    let Some(rest) = text.strip_prefix(head) else {
        return false;
    };
    let starts = rest.char_indices().map(|(i, _)| i).chain([rest.len()]);
    starts.into_iter().any(|i| is_like(tail, &rest[i..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_whole_segments_that_stand_together() {
        let path = "semver::Version::parse";
        for pattern in [
            "semver",
            "Version",
            "semver::Version",
            "Version::parse",
            path,
        ] {
            assert!(stands_in(pattern, path), "{pattern}");
        }
        for pattern in ["Vers", "semver::parse", "parse::Version", "Version::", ""] {
            assert!(!stands_in(pattern, path), "{pattern}");
        }
    }

    #[test]
    fn a_star_stays_within_its_segment() {
        let path = "url::Url::set_host";
        for pattern in ["set_*", "Url::*", "*::set_*", "*_h*t", "url::*::*"] {
            assert!(stands_in(pattern, path), "{pattern}");
        }
        for pattern in ["get_*", "url*host", "Url::*::*"] {
            assert!(!stands_in(pattern, path), "{pattern}");
        }
    }
}

//! Decides what conditional compilation leaves in, because code that is not compiled gets no
//! mutants.

use std::collections::BTreeSet;

use syn::punctuated::Punctuated;
use syn::{Attribute, Meta, Token};

/// The names and `name="value"` pairs that are set, as `rustc --print cfg` writes them.
#[derive(Clone, Debug, Default)]
pub struct Cfg {
    set: BTreeSet<String>,
}

impl Cfg {
    /// Reads lines like `unix` and `feature="std"`.
    pub fn new<'l>(lines: impl IntoIterator<Item = &'l str>) -> Cfg {
        let set = lines.into_iter().map(|line| line.trim().to_owned());
        Cfg { set: set.collect() }
    }

    /// Is an item with these attributes compiled, as far as the attributes show it?
    pub(crate) fn allows(&self, attributes: &[Attribute]) -> bool {
        let conditions = attributes.iter().filter(|it| it.path().is_ident("cfg"));
        conditions
            .filter_map(|it| it.parse_args::<Meta>().ok())
            .all(|it| self.holds(&it))
    }

    fn holds(&self, condition: &Meta) -> bool {
        match condition {
            Meta::Path(path) => match path.get_ident() {
                Some(name) if name == "true" => true,
                Some(name) => self.set.contains(&name.to_string()),
                None => false,
            },
            Meta::NameValue(pair) => {
                let (Some(name), syn::Expr::Lit(value)) = (pair.path.get_ident(), &pair.value)
                else {
                    return false;
                };
                match &value.lit {
                    syn::Lit::Str(text) => self.set.contains(&format!("{name}={:?}", text.value())),
                    _ => false,
                }
            }
            Meta::List(list) => {
                let parts = Punctuated::<Meta, Token![,]>::parse_terminated;
                let Ok(parts) = list.parse_args_with(parts) else {
                    return false;
                };
                let mut parts = parts.iter();
                match list.path.get_ident().map(ToString::to_string).as_deref() {
                    Some("all") => parts.all(|it| self.holds(it)),
                    Some("any") => parts.any(|it| self.holds(it)),
                    Some("not") => parts.next().is_some_and(|it| !self.holds(it)),
                    _ => false,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_judged_by_what_is_set() {
        let cfg = Cfg::new(["unix", "feature=\"std\"", "target_pointer_width=\"64\""]);
        let holds = |text: &str| cfg.holds(&syn::parse_str(text).expect("a condition"));
        for text in [
            "unix",
            "feature = \"std\"",
            "not(test)",
            "all(unix, not(windows))",
            "any(windows, target_pointer_width = \"64\")",
        ] {
            assert!(holds(text), "{text}");
        }
        for text in [
            "test",
            "feature = \"serde\"",
            "not(unix)",
            "any()",
            "all(unix, test)",
        ] {
            assert!(!holds(text), "{text}");
        }
    }
}

//! Which features of the package are on, in the terms of cargo and of code.

use crate::package::Package;

/// Which features of the package are on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Features {
    /// Are the default features on?
    pub default: bool,
    /// Are all features on?
    pub all: bool,
    /// Further features that are on.
    pub named: Vec<String>,
}

impl Default for Features {
    fn default() -> Self {
        Features {
            default: true,
            all: false,
            named: Vec::new(),
        }
    }
}

impl Features {
    /// The features that are on besides the default ones.
    pub(crate) fn chosen<'f>(&'f self, package: &'f Package) -> &'f [String] {
        match self.all {
            true => &package.features,
            false => &self.named,
        }
    }

    /// The flags that ask cargo for these features.
    pub fn flags(&self) -> Vec<String> {
        let mut flags = Vec::new();
        if self.all {
            flags.push("--all-features".to_owned());
            return flags;
        }
        if !self.default {
            flags.push("--no-default-features".to_owned());
        }
        if !self.named.is_empty() {
            flags.extend(["--features".to_owned(), self.named.join(",")]);
        }
        flags
    }

    /// The `cfg` predicate that holds where these features are on; `None` if they are those of a
    /// plain `cargo test`. Code that was made for some features may not compile without them.
    pub(crate) fn condition(&self, package: &Package) -> Option<String> {
        let chosen = self.chosen(package);
        let names = chosen.iter().filter(|name| *name != "default");
        let mut parts: Vec<String> = names.map(|name| format!("feature = {name:?}")).collect();
        let has_defaults = self.default || self.all || chosen.iter().any(|it| it == "default");
        if package.has_default && !has_defaults {
            parts.push("not(feature = \"default\")".to_owned());
        }
        match parts.as_slice() {
            [] => None,
            [part] => Some(part.clone()),
            parts => Some(format!("all({})", parts.join(", "))),
        }
    }
}

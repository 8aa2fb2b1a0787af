//! What of the user's profiles decides what a test sees: whether sums are checked, debug assertions speak, and
//! code is optimised. Builds in the scratch workspace have that, too.
//!
//! The rest (link-time optimisation, debug information, how a panic ends a program) changes no test, for cargo
//! unwinds in tests whatever a profile says, and would only take time.

use toml::{Table, Value};

/// The profiles that tests are built in, or that those inherit from.
const PROFILES: [&str; 3] = ["dev", "test", "release"];
/// What a test can tell apart.
const SEEN: [&str; 3] = ["opt-level", "debug-assertions", "overflow-checks"];

/// The tables of profiles in a manifest of the user's, with what tests can tell apart. `None` if there is
/// nothing of that kind.
pub(crate) fn profiles(manifest: &Table) -> Option<Table> {
    let all = manifest.get("profile")?.as_table()?;
    let seen = all.iter().filter_map(|(name, profile)| {
        let seen = seen(profile.as_table()?);
        (PROFILES.contains(&name.as_str()) && !seen.is_empty())
            .then(|| (name.clone(), Value::Table(seen)))
    });
    let seen: Table = seen.collect();
    (!seen.is_empty()).then_some(seen)
}

/// What a test can tell apart, of a profile and of its overrides for packages.
fn seen(profile: &Table) -> Table {
    let own = profile
        .iter()
        .filter(|(key, _)| SEEN.contains(&key.as_str()));
    let mut seen: Table = own.map(|(key, it)| (key.clone(), it.clone())).collect();
    let packages = profile.get("package").and_then(Value::as_table);
    let packages = packages.into_iter().flatten().filter_map(|(spec, it)| {
        let seen = self::seen(it.as_table()?);
        (!seen.is_empty()).then(|| (spec.clone(), Value::Table(seen)))
    });
    let packages: Table = packages.collect();
    if !packages.is_empty() {
        seen.insert("package".to_owned(), Value::Table(packages));
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(manifest: &str) -> String {
        let manifest: Table = manifest.parse().expect("it is TOML");
        profiles(&manifest).map_or(String::new(), |it| it.to_string())
    }

    #[test]
    fn what_tests_can_tell_apart_is_kept() {
        let profiles = of(
            "[profile.dev]\noverflow-checks = false\ndebug = 1\npanic = 'abort'\n\
             [profile.dev.package.'*']\nopt-level = 3\nstrip = true\n\
             [profile.release]\nlto = true\n[profile.mine]\ninherits = 'dev'\nopt-level = 2\n",
        );
        assert_eq!(
            profiles,
            "[dev]\noverflow-checks = false\n\n[dev.package.\"*\"]\nopt-level = 3\n"
        );
    }

    #[test]
    fn a_manifest_without_profiles_has_none() {
        assert_eq!(of("[package]\nname = 'a'\n"), "");
    }
}

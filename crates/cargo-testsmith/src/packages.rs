//! Which packages a command is about, one or several, and what each is asked to do.

use std::path::{Path, PathBuf};

use testsmith_commands::Config;
use testsmith_project::{Package, Selection, locate, select};

use crate::exit::{self, Failure};
use crate::flags::{Failures, Flags, Hunt, Keep};
use crate::settings::Settings;

/// The packages of one command.
pub(crate) struct Packages {
    pub(crate) list: Vec<Package>,
    /// Members of the workspace that have no library, as messages.
    pub(crate) without_library: Vec<String>,
    /// Were several asked for? Then what would collide carries the package's name.
    pub(crate) several: bool,
}

impl Packages {
    /// Those that the arguments name, or the one that is here.
    pub(crate) fn of(flags: &Flags) -> Result<Packages, Failure> {
        let manifest_path = flags.manifest_path.as_deref();
        let several = flags.workspace || flags.package.len() > 1;
        if !several {
            let name = flags.package.first().map(String::as_str);
            return Ok(Packages {
                list: vec![locate(manifest_path, name)?],
                without_library: Vec::new(),
                several,
            });
        }
        let Selection {
            packages,
            without_library,
        } = select(manifest_path, &flags.package)?;
        if packages.is_empty() {
            return Err(Failure {
                message: "no package of the workspace has a library".to_owned(),
                advice: Some("move what should be tested to a `src/lib.rs`".to_owned()),
                code: exit::NO_LIBRARY,
            });
        }
        let packages = Packages {
            list: packages,
            without_library: without_library.iter().map(ToString::to_string).collect(),
            several,
        };
        packages.check_features(flags)?;
        Ok(packages)
    }

    /// As cargo has it: among several packages, one that has the feature is enough.
    fn check_features(&self, flags: &Flags) -> Result<(), Failure> {
        let named = flags.settings().features.unwrap_or_default();
        let is_known = |name: &&String| self.list.iter().any(|package| package.has_feature(name));
        match named.iter().find(|name| !is_known(name)) {
            None => Ok(()),
            Some(name) => Err(Failure {
                message: format!("none of the packages has a feature `{name}`"),
                advice: Some("`cargo metadata --no-deps` lists the features there are".to_owned()),
                code: exit::USAGE,
            }),
        }
    }

    /// What the command line and the package's files ask of it.
    pub(crate) fn config(&self, flags: &Flags, package: &Package) -> Result<Config, Failure> {
        let mut settings = flags.settings();
        if self.several {
            settings.out = settings.out.map(|out| out.join(&package.name));
            settings.export = settings.export.map(|dir| dir.join(&package.name));
            if let Some(features) = &mut settings.features {
                features.retain(|name| package.has_feature(name));
            }
        }
        let settings = settings.or(Settings::of_package(package)?);
        let mut config = settings.config(flags.manifest_path.clone(), package, flags.dry_run);
        config.writing.all_failures = flags.exploring.failures == Some(Failures::All);
        config.writing.hunts = flags.exploring.hunt != Some(Hunt::Off);
        config.writing.keeps_all = flags.exploring.keep == Some(Keep::All);
        config.writing.course = flags.course();
        Ok(config)
    }

    /// Where the record goes: `record.json`, or `record-NAME.json` if there are several.
    pub(crate) fn json(&self, flags: &Flags, package: &Package) -> Option<PathBuf> {
        let path = flags.json.as_deref()?;
        Some(self.of_one(path, package))
    }

    /// A file for one of them, named as the user does: with the package's name if there are several.
    pub(crate) fn of_one(&self, path: &Path, package: &Package) -> PathBuf {
        match self.several {
            true => with_name(path, &package.name),
            false => path.to_path_buf(),
        }
    }
}

fn with_name(path: &Path, name: &str) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut file = format!("{stem}-{name}");
    if let Some(extension) = path.extension() {
        file = format!("{file}.{}", extension.to_string_lossy());
    }
    path.with_file_name(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_of_one_of_several_carries_its_name() {
        let named = |path: &str| with_name(Path::new(path), "alpha");
        assert_eq!(named("out/record.json"), Path::new("out/record-alpha.json"));
        assert_eq!(named("record"), Path::new("record-alpha"));
    }
}

//! What a run is asked to do, from the command line and from files: `testsmith.toml` beside the
//! package's manifest, `[package.metadata.testsmith]`, `[workspace.metadata.testsmith]`.
//!
//! The keys are the long flags. The first that has a key decides it, in the order command line,
//! `testsmith.toml`, package, workspace. **No file opens the walls**: files come with the package, and
//! the package is what the walls are for.

#![expect(clippy::disallowed_methods, reason = "settings stand in files")]

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer};
use testsmith_commands::Config;
use testsmith_equip::{ApiChoice, Equipping, Exploring, Machinery, PackageChoice, ParameterValues};
use testsmith_explore::StrategyName;
use testsmith_project::{Features, Package, check_within};
use testsmith_states::StateBy;
use testsmith_suite::{Aim, Course, Rules, Verdict, Writing};

/// How long to explore if nobody says.
const TIME: Duration = Duration::from_secs(60);

/// One layer of settings; what is not said is `None`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Settings {
    #[serde(deserialize_with = "deserialize_time")]
    pub(crate) time: Option<Duration>,
    pub(crate) calls: Option<NonZeroU64>,
    pub(crate) seed: Option<u64>,
    #[serde(deserialize_with = "deserialize_name")]
    pub(crate) strategy: Option<StrategyName>,
    #[serde(deserialize_with = "deserialize_name")]
    pub(crate) state_by: Option<StateBy>,
    pub(crate) rounds: Option<NonZeroU32>,
    #[serde(deserialize_with = "deserialize_jobs")]
    pub(crate) jobs: Option<NonZeroUsize>,
    pub(crate) only: Option<Vec<String>>,
    pub(crate) skip: Option<Vec<String>>,
    pub(crate) features: Option<Vec<String>>,
    pub(crate) no_default_features: Option<bool>,
    pub(crate) all_features: Option<bool>,
    pub(crate) max_tests: Option<NonZeroUsize>,
    pub(crate) out: Option<PathBuf>,
    pub(crate) makers: Option<PathBuf>,
    pub(crate) values: BTreeMap<String, ParameterValues>,
    pub(crate) verdicts: BTreeMap<String, Verdict>,
    pub(crate) accept: Vec<String>,
    pub(crate) contracts: Vec<String>,
    pub(crate) skip_mutants: Vec<String>,
    #[serde(skip)]
    pub(crate) export: Option<PathBuf>,
    pub(crate) r#unsafe: Option<bool>,
    pub(crate) register: Option<bool>,
    pub(crate) no_instrument: Option<bool>,
    pub(crate) no_laws: Option<bool>,
    /// Only the command line says it: what comes with a package must not open the walls around it.
    #[serde(deserialize_with = "refuse_to_open")]
    pub(crate) no_sandbox: Option<bool>,
}

/// Why a file's settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SettingsError {
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot use the settings in {}: {source}", path.display())]
    Parse {
        path: PathBuf,
        source: Box<toml::de::Error>,
    },
    #[error("the settings in {} have both `time` and `calls`", path.display())]
    TimeAndCalls { path: PathBuf },
    #[error(
        "the settings in {} say `out = {out:?}`, which is not within the package: write a path from the \
         package's directory, without `..`, or give --out on the command line",
        path.display()
    )]
    Out { path: PathBuf, out: PathBuf },
    #[error(
        "the settings in {} say `makers = {makers:?}`, which is no file within the package{}: write a path from \
         the package's directory, without `..`, or give --makers on the command line",
        path.display(),
        why.as_ref().map_or(String::new(), |why| format!(" ({why})"))
    )]
    Makers {
        path: PathBuf,
        makers: PathBuf,
        why: Option<io::Error>,
    },
}

/// The parts of a manifest that are ours. The rest is cargo's to judge.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Manifest {
    package: Table,
    workspace: Table,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Table {
    metadata: Metadata,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Metadata {
    testsmith: Option<Settings>,
}

/// A length of time as people write it, `90s` or `5m`.
pub(crate) fn parse_time(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(Duration::ZERO) => Err("no time is too short".to_owned()),
        Ok(time) => Ok(time),
        Err(error) => Err(format!("{error}; write it like `90s` or `5m`")),
    }
}

/// The most processes at once. More than a machine has processors only wait for each other, and each needs
/// memory and descriptors.
const MAX_JOBS: usize = 256;

/// Fails if the file is not in the package, wherever links lead, or is none: rustdoc would wait for what a
/// pipe says. One that is missing is told of when it is needed.
fn check_makers(makers: &Path, package: &Package) -> Result<(), Option<io::Error>> {
    check_within(makers, &package.dir).map_err(Some)?;
    match fs::metadata(makers) {
        Ok(it) if !it.is_file() => Err(None),
        _ => Ok(()),
    }
}

/// A number of processes that work at once.
pub(crate) fn parse_jobs(text: &str) -> Result<NonZeroUsize, String> {
    let jobs: NonZeroUsize = text.parse().map_err(|error| format!("{error}"))?;
    match jobs.get() {
        0..=MAX_JOBS => Ok(jobs),
        _ => Err(format!("at most {MAX_JOBS} work at once")),
    }
}

fn deserialize_jobs<'de, D: Deserializer<'de>>(from: D) -> Result<Option<NonZeroUsize>, D::Error> {
    let jobs = NonZeroUsize::deserialize(from)?;
    parse_jobs(&jobs.to_string())
        .map(Some)
        .map_err(serde::de::Error::custom)
}

fn deserialize_time<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(from)?;
    parse_time(&text)
        .map(Some)
        .map_err(serde::de::Error::custom)
}

fn refuse_to_open<'de, D: Deserializer<'de>>(_: D) -> Result<Option<bool>, D::Error> {
    Err(serde::de::Error::custom(
        "only the command line opens the walls around a package, never a file that comes with it: take \
         the line out, and give --no-sandbox if you mean it",
    ))
}

fn deserialize_name<'de, T: FromStr<Err = String>, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    let text = String::deserialize(from)?;
    text.parse().map(Some).map_err(serde::de::Error::custom)
}

impl Settings {
    /// What the package's files say.
    pub(crate) fn of_package(package: &Package) -> Result<Settings, SettingsError> {
        let path = package.dir.join("testsmith.toml");
        let own: Settings = match fs::read_to_string(&path) {
            Ok(text) => parse(&path, &text)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Settings::default(),
            Err(source) => return Err(SettingsError::Read { path, source }),
        };
        own.check(&path)?;
        let manifest = of_manifest(&package.manifest_path)?;
        let workspace = of_manifest(&package.workspace_root.join("Cargo.toml"))?;
        let mut settings = own
            .or(manifest.package.metadata.testsmith.unwrap_or_default())
            .or(workspace.workspace.metadata.testsmith.unwrap_or_default());
        // A path in a file means the same wherever the command is run.
        settings.out = settings.out.map(|out| package.dir.join(out));
        settings.makers = settings.makers.map(|file| package.dir.join(file));
        if let Some(makers) = &settings.makers {
            check_makers(makers, package).map_err(|why| SettingsError::Makers {
                path,
                makers: makers.clone(),
                why,
            })?;
        }
        Ok(settings)
    }

    /// Fails if what a file of the package says of itself makes no sense.
    fn check(&self, path: &Path) -> Result<(), SettingsError> {
        let is_within = |out: &&PathBuf| {
            let mut parts = out.components();
            parts.all(|it| matches!(it, Component::Normal(_) | Component::CurDir))
        };
        if let Some(out) = self.out.as_ref().filter(|it| !is_within(it)) {
            return Err(SettingsError::Out {
                path: path.to_path_buf(),
                out: out.clone(),
            });
        }
        match (self.time, self.calls) {
            (Some(_), Some(_)) => Err(SettingsError::TimeAndCalls {
                path: path.to_path_buf(),
            }),
            _ => Ok(()),
        }
    }

    /// These settings, and `lower` where they say nothing.
    pub(crate) fn or(self, lower: Settings) -> Settings {
        // Time and calls are one choice: whoever makes it first makes it whole.
        let (time, calls) = match (self.time, self.calls) {
            (None, None) => (lower.time, lower.calls),
            chosen => chosen,
        };
        Settings {
            time,
            calls,
            seed: self.seed.or(lower.seed),
            strategy: self.strategy.or(lower.strategy),
            state_by: self.state_by.or(lower.state_by),
            rounds: self.rounds.or(lower.rounds),
            jobs: self.jobs.or(lower.jobs),
            only: self.only.or(lower.only),
            skip: self.skip.or(lower.skip),
            features: self.features.or(lower.features),
            no_default_features: self.no_default_features.or(lower.no_default_features),
            all_features: self.all_features.or(lower.all_features),
            max_tests: self.max_tests.or(lower.max_tests),
            out: self.out.or(lower.out),
            makers: self.makers.or(lower.makers),
            values: lower.values.into_iter().chain(self.values).collect(),
            verdicts: lower.verdicts.into_iter().chain(self.verdicts).collect(),
            accept: lower.accept.into_iter().chain(self.accept).collect(),
            export: self.export.or(lower.export),
            contracts: lower.contracts.into_iter().chain(self.contracts).collect(),
            skip_mutants: lower
                .skip_mutants
                .into_iter()
                .chain(self.skip_mutants)
                .collect(),
            r#unsafe: self.r#unsafe.or(lower.r#unsafe),
            register: self.register.or(lower.register),
            no_instrument: self.no_instrument.or(lower.no_instrument),
            no_laws: self.no_laws.or(lower.no_laws),
            no_sandbox: self.no_sandbox.or(lower.no_sandbox),
        }
    }

    /// What the run is known by in the files that it writes: the seed, how long it explores, and what.
    fn run(&self) -> String {
        let seed = self.seed.unwrap_or(0);
        let long = match (self.calls, self.time) {
            (Some(calls), _) => format!("{calls} calls"),
            (None, time) => {
                let time = time.unwrap_or(TIME);
                humantime::format_duration(time).to_string()
            }
        };
        let strategy = self.strategy.filter(|it| *it != StrategyName::default());
        let strategy = strategy.map(|it| format!(", {it}"));
        let list = |flag: &str, names: &Option<Vec<String>>| {
            let names = names.as_ref().filter(|it| !it.is_empty());
            names.map(|names| format!(", {flag} {}", names.join(" ")))
        };
        let lists = [list("only", &self.only), list("skip", &self.skip)];
        let rest: String = strategy
            .into_iter()
            .chain(lists.into_iter().flatten())
            .collect();
        format!("seed {seed}, {long}{rest}")
    }

    /// What the commands are told, with a default for everything that nobody said.
    pub(crate) fn config(
        self,
        manifest_path: Option<PathBuf>,
        package: &Package,
        dry_run: bool,
    ) -> Config {
        let n_processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let is_set = |flag: Option<bool>| flag.unwrap_or(false);
        let run = self.run();
        Config {
            equipping: Equipping {
                package: PackageChoice {
                    manifest_path,
                    name: Some(package.name.clone()),
                    target_dir: None,
                    features: Features {
                        default: !is_set(self.no_default_features),
                        all: is_set(self.all_features),
                        named: self.features.unwrap_or_default(),
                    },
                    cap_lints: false,
                },
                api: ApiChoice {
                    only: self.only.unwrap_or_default(),
                    skip: self.skip.unwrap_or_default(),
                    makers: self.makers,
                    values: self.values.into_iter().collect(),
                    contracts: self.contracts,
                    allow_unsafe: is_set(self.r#unsafe),
                },
                machinery: Machinery {
                    jobs: self.jobs.map_or(n_processors, NonZeroUsize::get),
                    sandbox: !is_set(self.no_sandbox),
                    rustc_wrapper: std::env::current_exe()
                        .ok()
                        .filter(|_| !is_set(self.no_instrument)),
                },
            },
            exploring: Exploring {
                time: self.time.unwrap_or(TIME),
                calls: self.calls.map(NonZeroU64::get),
                seed: self.seed.unwrap_or(0),
                strategy: self.strategy.unwrap_or_default(),
                state_by: self.state_by,
                rounds: self.rounds.map(NonZeroU32::get),
                laws: !is_set(self.no_laws),
            },
            writing: Writing {
                course: Course::Usual,
                run,
                max_tests_per_type: self.max_tests.map_or(25, NonZeroUsize::get),
                max_grows: self.max_tests.is_none(),
                apart: false,
                aim: Aim::Suite,
                hunts: true,
                keeps_all: false,
                only_failures: false,
                all_failures: false,
                out: self.out,
                export: self.export,
                dry_run,
                register: is_set(self.register),
            },
            rules: Rules {
                verdicts: self.verdicts.into_iter().collect(),
                accepted: self.accept,
            },
            skip_mutants: self.skip_mutants,
        }
    }
}

fn of_manifest(path: &Path) -> Result<Manifest, SettingsError> {
    let text = fs::read_to_string(path).map_err(|source| SettingsError::Read {
        path: path.to_path_buf(),
        source,
    })?;
    let manifest: Manifest = parse(path, &text)?;
    for table in [&manifest.package, &manifest.workspace] {
        if let Some(settings) = &table.metadata.testsmith {
            settings.check(path)?;
        }
    }
    Ok(manifest)
}

fn parse<T: for<'de> Deserialize<'de>>(path: &Path, text: &str) -> Result<T, SettingsError> {
    toml::from_str(text).map_err(|error| SettingsError::Parse {
        path: path.to_path_buf(),
        source: Box::new(error),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Settings {
        toml::from_str(text).expect("the settings are valid")
    }

    #[test]
    fn the_upper_layer_decides_each_key_it_has() {
        let upper = settings("seed = 1\nonly = ['a']");
        let lower = settings("seed = 2\nonly = ['b']\nskip = ['c']\ntime = '5m'");
        let both = upper.or(lower);
        assert_eq!(both.seed, Some(1));
        assert_eq!(both.only, Some(vec!["a".to_owned()]));
        assert_eq!(both.skip, Some(vec!["c".to_owned()]));
        assert_eq!(both.time, Some(Duration::from_secs(300)));
    }

    #[test]
    fn foreign_bytes_of_settings_are_read_or_refused() {
        let page = include_str!("../../../docs/settings.md");
        let blocks = page.split("```").skip(1).step_by(2);
        let blocks = blocks.filter_map(|it| it.strip_prefix("toml\n"));
        let more = "[package]\nname = 'a'\n[package.metadata.testsmith]\ntime = '5s'\n[values]\n\
                    'a.b' = { range = '0..=3' }\n'c.d' = { one-of = ['1', '2'] }\n";
        let samples: Vec<_> = blocks
            .chain([more])
            .map(|it| it.as_bytes().to_vec())
            .collect();
        testsmith_noise::throw("settings", &samples, |bytes| {
            let text = String::from_utf8_lossy(bytes);
            let path = Path::new("testsmith.toml");
            let said = |error: SettingsError| testsmith_noise::plain(&error.to_string());
            let own = parse::<Settings>(path, &text).and_then(|it| it.check(path).map(|()| it));
            let own = own.map_or_else(said, |it| it.or(Settings::default()).run());
            let manifest = parse::<Manifest>(path, &text).map(|it| it.package.metadata.testsmith);
            let manifest = manifest.map_or_else(said, |it| it.is_some().to_string());
            format!("{own} {manifest}")
        });
    }

    #[test]
    fn a_run_is_known_by_its_seed_and_how_long_it_explores() {
        assert_eq!(settings("").run(), "seed 0, 1m");
        let longer = settings("seed = 3\ncalls = 2000\nonly = ['a', 'b']");
        assert_eq!(longer.run(), "seed 3, 2000 calls, only a b");
    }

    #[test]
    fn time_above_hides_calls_below() {
        let both = settings("time = '5s'").or(settings("calls = 100"));
        assert_eq!(both.calls, None);
    }

    #[test]
    fn a_key_nobody_knows_is_named_with_those_we_know() {
        let error = toml::from_str::<Settings>("tiem = '5s'").expect_err("no such key");
        let text = error.to_string();
        assert!(text.contains("`tiem`"), "{text}");
        assert!(text.contains("`no-default-features`"), "{text}");
    }

    #[test]
    fn no_file_opens_the_walls_or_sends_tests_out_of_the_package() {
        for text in ["no-sandbox = true", "no-sandbox = false"] {
            let error = toml::from_str::<Settings>(text).expect_err("a file says it");
            let text = error.to_string();
            assert!(text.contains("give --no-sandbox"), "{text}");
        }
        let check = |out: &str| settings(&format!("out = {out:?}")).check(Path::new("a.toml"));
        check("tests/generated").expect("it is within the package");
        check("./tests").expect("it is within the package");
        for out in ["/tmp/x", "../x", "tests/../../x", "tests/.."] {
            let error = check(out).expect_err(out).to_string();
            assert!(error.contains("give --out on the command line"), "{error}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "time = '5 parsecs'",
            "time = 5",
            "jobs = 0",
            "jobs = 2000",
            "max-tests = 0",
            "only = 'a'",
            "state-by = 'looks'",
            "rounds = 0",
        ] {
            assert!(toml::from_str::<Settings>(text).is_err(), "{text}");
        }
    }
}

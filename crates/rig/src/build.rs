//! Builds own tests on the copy, with no more dependencies than they need, and lists them.

use std::collections::BTreeSet;

use testsmith_harness::Copied;
use testsmith_project::Run;

use crate::error::RigError;
use crate::nextest;
use crate::own::{Own, OwnTest, Selection, Wanted};
use crate::rig::{Rig, built, run};
use crate::sources::{Sources, named};
use crate::targets::Target;

/// How often tests are built with only some of their dependencies before all of them are kept.
const MAX_TRIALS: usize = 4;

impl Rig {
    /// Builds the tests on a copy that is already written. Examples of the documentation are built
    /// elsewhere, and targets that `selection` calls idle are not built. `needed` are the
    /// dependencies with which an earlier run could build them.
    pub fn build(
        &self,
        copied: &Copied,
        wanted: &Wanted,
        needed: Option<&BTreeSet<String>>,
        selection: &Selection,
    ) -> Result<Own, RigError> {
        let mut own = Own::default();
        if wanted.nextest {
            nextest::list(self, &copied.texts.helpers, &mut own)?;
            return Ok(own);
        }
        let here = self.build_here(needed, selection, &mut own)?;
        for target in self.targets(&here, &self.twin.package) {
            own.targets.insert(target.name.clone(), target.root.clone());
            let helpers = copied.texts.helpers.as_str();
            let helpers = target.is_library().then_some(helpers);
            self.add(&target, "", helpers, &mut own)?;
        }
        for dependant in &wanted.dependants {
            let mut command = self.cargo_of("test", &dependant.name);
            command.args(["--no-run", "--tests"]);
            let run = built(run(&mut command)?)?;
            let prefix = format!("{} ", dependant.name);
            for target in self.targets(&run, &self.twin.dir_of(dependant)) {
                self.add(&target, &prefix, None, &mut own)?;
            }
        }
        for (target, (root, names)) in &selection.idle {
            let dir = &self.twin.package;
            let sources = Sources::of(dir, root, None);
            own.targets.insert(target.clone(), root.clone());
            for name in names {
                let test = OwnTest::listed(target, None, dir, name, &sources);
                own.tests.push(test);
            }
        }
        Ok(own)
    }

    /// Builds the tests of idle targets, if they turn out to be needed.
    pub fn build_idle(&self, own: &mut Own) -> Result<(), RigError> {
        let mut command = self.cargo("test");
        command.args(["--no-run", "--tests"]);
        let run = built(run(&mut command)?)?;
        let idle = own.tests.iter_mut().filter(|it| it.is_idle());
        for test in idle {
            test.binary = run.tests.get(&test.target).cloned();
        }
        Ok(())
    }

    /// Leaves the package only these dependencies for tests, or all of them.
    pub fn keep_dependencies(&self, needed: Option<&BTreeSet<String>>) -> Result<(), RigError> {
        let kept = match needed {
            Some(needed) => needed,
            None => &self.twin.dev_dependencies()?,
        };
        Ok(self.twin.keep_dev_dependencies(kept)?)
    }

    /// Builds the package's own tests with no more dependencies than they need: a dependency that
    /// only benchmarks need often takes longest to build.
    fn build_here(
        &self,
        needed: Option<&BTreeSet<String>>,
        selection: &Selection,
        own: &mut Own,
    ) -> Result<Run, RigError> {
        let all = self.twin.dev_dependencies()?;
        let mut kept = match needed {
            Some(needed) => needed.clone(),
            None => named(&self.twin.package, &all),
        };
        for _ in 0..MAX_TRIALS {
            if kept.len() == all.len() {
                break;
            }
            self.twin.keep_dev_dependencies(&kept)?;
            let mut command = self.cargo("test");
            command.arg("--no-run").args(selection.flags());
            let trial = run(&mut command)?;
            if trial.success {
                let why = "a dependency that no test needs, and so was not built".to_owned();
                own.left_out.insert(why, all.len() - kept.len());
                own.needed = Some(kept);
                return Ok(trial);
            }
            let is_missed = |name: &&String| {
                let quoted = format!("`{}", name.replace('-', "_"));
                trial.errors.iter().any(|it| it.rendered.contains(&quoted))
            };
            let missed: Vec<String> = all.difference(&kept).filter(is_missed).cloned().collect();
            if missed.is_empty() && needed.is_some() {
                // These dependencies were enough in an earlier run, so the build fails for another
                // reason.
                return built(trial);
            }
            if missed.is_empty() {
                break;
            }
            kept.extend(missed);
        }
        self.twin.keep_dev_dependencies(&all)?;
        own.needed = Some(all);
        let mut command = self.cargo("test");
        command.arg("--no-run").args(selection.flags());
        built(run(&mut command)?)
    }

    /// Adds the tests of a binary. A binary that does not list its tests counts as one test.
    fn add(
        &self,
        target: &Target,
        prefix: &str,
        helpers: Option<&str>,
        own: &mut Own,
    ) -> Result<(), RigError> {
        let Target { dir, binary, .. } = target;
        let sources = Sources::of(dir, &target.root, helpers);
        let name = format!("{prefix}{}", target.name);
        let Some(listed) = self.list(target)? else {
            own.tests.push(OwnTest {
                name: name.clone(),
                key: name.clone(),
                exact: None,
                ..OwnTest::listed(&name, Some(binary), dir, "", &sources)
            });
            return Ok(());
        };
        own.tests.extend(listed.into_iter().map(|it| OwnTest {
            is_ignored: it.is_ignored,
            ..OwnTest::listed(&name, Some(binary), dir, &it.name, &sources)
        }));
        Ok(())
    }
}

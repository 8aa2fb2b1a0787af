//! Decides where the root of a suite and the files of its modules go in the user's tree, which
//! files of earlier runs stay, and which are removed.
//!
//! The files of `NAME.rs` are in the directory `NAME`. One that was edited stays, and the root goes
//! on declaring it, so its tests still run; ours gets the next free name, as a root does. A root that
//! was edited keeps its whole directory: ours has another name, and a directory of that.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use testsmith_emit::ModuleFile;
use testsmith_record::FileStatus;

use super::{MARK, Spot, is_untouched};

/// What is to happen to a root and the files of its modules. Nothing has been changed yet.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// Where the root goes.
    pub root: Spot,
    /// Where the files of the modules go, in order of the modules.
    pub modules: Vec<Spot>,
    /// Files of earlier runs that stay.
    pub staying: Vec<Staying>,
    /// Files of earlier runs that nobody edited, and that this run has no tests for. They are
    /// removed.
    pub stale: Vec<PathBuf>,
}

/// A file of an earlier run that stays, and that the root of this run declares.
#[derive(Clone, Debug)]
pub(crate) struct Staying {
    pub path: PathBuf,
    pub file: ModuleFile,
    /// Did the user edit it?
    pub edited: bool,
}

impl Layout {
    /// Compares the modules with the files that exist. A partial run lets files stay that it has no
    /// tests for.
    pub(crate) fn new(
        dir: &Path,
        name: &str,
        modules: &[ModuleFile],
        is_partial: bool,
    ) -> io::Result<Layout> {
        let root = Spot::find(dir, name, |_| false)?;
        let below = dir.join(&root.stem);
        let is_module = |stem: &str| modules.iter().any(|it| it.name == stem);
        let spots = modules.iter();
        let spots = spots.map(|it| Spot::find(&below, &it.name, is_module));
        let mut layout = Layout {
            modules: spots.collect::<io::Result<_>>()?,
            root,
            staying: Vec::new(),
            stale: Vec::new(),
        };
        for (path, stem) in sources(&below)? {
            if layout.modules.iter().any(|spot| spot.path == path) {
                continue;
            }
            let text = fs::read_to_string(&path)?;
            // The user may have removed the mark, so a file without it counts if the old root
            // declares it.
            if !text.contains(MARK) && !layout.declared(&stem) {
                continue;
            }
            let edited = !is_untouched(&text);
            match edited || is_partial {
                true => layout.staying.push(Staying {
                    path,
                    file: ModuleFile { name: stem, text },
                    edited,
                }),
                false => layout.stale.push(path),
            }
        }
        Ok(layout)
    }

    /// The modules that the root must declare: the given ones, under the names of their files, and
    /// those that stay.
    pub(crate) fn declarations(&self, modules: &[ModuleFile]) -> Vec<ModuleFile> {
        let own = modules.iter().zip(&self.modules);
        let own = own.map(|(module, spot)| ModuleFile {
            name: spot.stem.clone(),
            text: module.text.clone(),
        });
        let staying = self.staying.iter().map(|it| it.file.clone());
        own.chain(staying).collect()
    }

    /// Writes the files, removes the stale ones, and says what happened to the root and to each
    /// module. In this order no root ever declares a file that is missing.
    pub(crate) fn carry_out(
        &self,
        root: &str,
        modules: &[ModuleFile],
    ) -> io::Result<(FileStatus, Vec<FileStatus>)> {
        let texts = modules.iter().map(|module| &module.text);
        let written = self.modules.iter().zip(texts);
        let written = written.map(|(spot, text)| spot.fill(text));
        let written: Vec<FileStatus> = written.collect::<io::Result<_>>()?;
        let status = self.root.fill(root)?;
        self.remove_stale()?;
        Ok((status, written))
    }

    /// Removes the root if testsmith wrote it, and the stale files.
    pub(crate) fn remove(&self) -> io::Result<()> {
        if self.has_root() {
            fs::remove_file(&self.root.path)?;
        }
        self.remove_stale()
    }

    /// Is there a root that testsmith wrote and nobody edited?
    pub(crate) fn has_root(&self) -> bool {
        self.root.old.is_some()
    }

    fn remove_stale(&self) -> io::Result<()> {
        for path in &self.stale {
            fs::remove_file(path)?;
        }
        // The directory is removed only if it is empty: files of the user stay.
        if let Some(dir) = self.stale.first().and_then(|path| path.parent()) {
            let _ = fs::remove_dir(dir);
        }
        Ok(())
    }

    /// Does the root of an earlier run declare this module?
    fn declared(&self, stem: &str) -> bool {
        let line = format!("#[path = \"{}/{stem}.rs\"]", self.root.stem);
        let root = self.root.old.as_deref().unwrap_or_default();
        root.lines().any(|it| it == line)
    }
}

/// The Rust files in a directory in order of their paths, each with its name.
fn sources(dir: &Path) -> io::Result<Vec<(PathBuf, String)>> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut sources = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        if let Some(stem) = stem.map(str::to_owned)
            && path.extension().is_some_and(|it| it == "rs")
            && path.is_file()
        {
            sources.push((path, stem));
        }
    }
    sources.sort();
    Ok(sources)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::tests::scratch;

    /// Writes modules of these names and texts, and a root that names what it declares.
    fn run(dir: &Path, modules: &[(&str, &str)], is_partial: bool) -> Layout {
        let file = |(name, text): &(&str, &str)| ModuleFile {
            name: (*name).to_owned(),
            text: (*text).to_owned(),
        };
        let modules: Vec<ModuleFile> = modules.iter().map(file).collect();
        let layout = Layout::new(dir, "t", &modules, is_partial).expect("readable");
        let declared = layout.declarations(&modules);
        let stem = &layout.root.stem;
        let lines = declared.iter().map(|it| &it.name);
        let lines = lines.map(|name| format!("#[path = \"{stem}/{name}.rs\"]\nmod {name};\n"));
        let root: String = lines.collect();
        layout.carry_out(&root, &modules).expect("writable");
        layout
    }

    /// The modules that a root declares.
    fn declared(dir: &Path, root: &str) -> Vec<String> {
        let text = fs::read_to_string(dir.join(root)).expect("it was written");
        let names = text.lines().filter_map(|line| line.strip_prefix("mod "));
        names
            .map(|name| name.trim_end_matches(';').to_owned())
            .collect()
    }

    fn edit(path: &Path, with: impl Fn(&str) -> String) -> String {
        let edited = with(&fs::read_to_string(path).expect("it was written"));
        fs::write(path, &edited).expect("writable");
        edited
    }

    #[test]
    fn an_edited_module_stays_declared_and_ours_stands_beside_it() {
        let dir = scratch("module");
        run(&dir, &[("a", "fn a() {}"), ("b", "fn b() {}")], false);
        let path = dir.join("t/a.rs");
        // Without the mark, too.
        let edited = edit(&path, |_| "fn mine() {}\n".to_owned());
        for _ in 0..2 {
            let layout = run(&dir, &[("a", "fn c() {}"), ("b", "fn b() {}")], false);
            assert_eq!(layout.modules[0].kept, Some(path.clone()));
            assert_eq!(layout.modules[0].path, dir.join("t/a_2.rs"));
            assert_eq!(declared(&dir, "t.rs"), ["a_2", "b", "a"]);
            assert_eq!(fs::read_to_string(&path).expect("still there"), edited);
        }
        // The edited file stays when nothing is written for its module any more; the written one
        // does not.
        let layout = run(&dir, &[("b", "fn b() {}")], false);
        assert_eq!(layout.stale, [dir.join("t/a_2.rs")]);
        assert_eq!(declared(&dir, "t.rs"), ["b", "a"]);
        assert!(!dir.join("t/a_2.rs").exists());
        fs::remove_dir_all(&dir).expect("cleanup");
    }

    #[test]
    fn the_next_name_is_not_that_of_another_module() {
        let dir = scratch("next");
        run(&dir, &[("a", "fn a() {}")], false);
        edit(&dir.join("t/a.rs"), |text| format!("// mine\n{text}"));
        let layout = run(&dir, &[("a", "fn a() {}"), ("a_2", "fn b() {}")], false);
        assert_eq!(layout.modules[0].stem, "a_3");
        assert_eq!(layout.modules[1].stem, "a_2");
        fs::remove_dir_all(&dir).expect("cleanup");
    }

    #[test]
    fn what_a_run_has_nothing_for_goes_unless_the_run_is_partial() {
        let dir = scratch("stale");
        run(&dir, &[("a", "fn a() {}"), ("b", "fn b() {}")], false);
        fs::write(dir.join("t/notes.rs"), "fn notes() {}").expect("writable");
        let layout = run(&dir, &[("b", "fn c() {}")], true);
        assert!(layout.stale.is_empty());
        assert_eq!(declared(&dir, "t.rs"), ["b", "a"]);
        run(&dir, &[("b", "fn c() {}")], false);
        assert_eq!(declared(&dir, "t.rs"), ["b"]);
        assert!(!dir.join("t/a.rs").exists());
        // The suite is one file again.
        run(&dir, &[], false);
        assert!(!dir.join("t/b.rs").exists());
        assert!(dir.join("t/notes.rs").exists(), "it is none of ours");
        fs::remove_dir_all(&dir).expect("cleanup");
    }

    #[test]
    fn an_edited_root_keeps_its_modules() {
        let dir = scratch("root");
        run(&dir, &[("a", "fn a() {}"), ("b", "fn b() {}")], false);
        let edited = edit(&dir.join("t.rs"), |text| format!("// mine\n{text}"));
        let layout = run(&dir, &[("b", "fn c() {}")], false);
        assert_eq!(layout.root.kept, Some(dir.join("t.rs")));
        assert_eq!(declared(&dir, "t_2.rs"), ["b"]);
        assert!(dir.join("t_2/b.rs").exists());
        let old = fs::read_to_string(dir.join("t.rs")).expect("still there");
        assert_eq!(old, edited);
        let old = fs::read_to_string(dir.join("t/b.rs")).expect("still there");
        assert!(old.starts_with("fn b"));
        fs::remove_dir_all(&dir).expect("cleanup");
    }

    #[test]
    fn a_directory_goes_with_its_last_file() {
        let dir = scratch("last");
        run(&dir, &[("a", "fn a() {}")], false);
        let layout = Layout::new(&dir, "t", &[], false).expect("readable");
        assert!(layout.has_root());
        layout.remove().expect("writable");
        assert!(!dir.join("t.rs").exists());
        assert!(!dir.join("t").exists());
        fs::remove_dir_all(&dir).expect("cleanup");
    }
}

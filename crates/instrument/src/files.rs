//! Finds the files that a crate consists of: the root, and those that its modules name.

use std::io;
use std::path::{Path, PathBuf};

use syn::{Attribute, Item, Meta};

use crate::Cfg;

/// A file of the crate.
#[derive(Clone)]
pub struct SourceFile {
    /// Its path, relative to the package.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// The path of its module in the crate, empty for the root.
    pub module: String,
    /// The text as a syntax tree whose spans are offsets in it. All code shares this tree, because
    /// parsing takes longer than reading it.
    pub(crate) syntax: syn::File,
}

impl SourceFile {
    /// A file with this text.
    pub fn new(path: PathBuf, text: String, module: String) -> Result<SourceFile, ReadError> {
        match parse(&text) {
            Ok(syntax) => Ok(SourceFile {
                path,
                text,
                module,
                syntax,
            }),
            Err(error) => Err(ReadError::Syntax(path, error.to_string())),
        }
    }
}

impl std::fmt::Debug for SourceFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut fields = f.debug_struct("SourceFile");
        fields.field("path", &self.path);
        fields.field("module", &self.module).finish_non_exhaustive()
    }
}

/// Why the files of a crate cannot be read.
#[derive(Debug)]
pub enum ReadError {
    /// A file that must be there cannot be read.
    Io(PathBuf, io::Error),
    /// The text of a file cannot be parsed as Rust.
    Syntax(PathBuf, String),
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ReadError::Io(path, error) => write!(f, "cannot read {}: {error}", path.display()),
            ReadError::Syntax(path, error) => write!(f, "cannot parse {}: {error}", path.display()),
        }
    }
}

impl std::error::Error for ReadError {}

/// Reads the root file of a crate, and the files of its modules that are compiled. `read` takes
/// paths relative to the package, like `root`.
pub fn files(
    root: &Path,
    cfg: &Cfg,
    read: &mut dyn FnMut(&Path) -> io::Result<String>,
) -> Result<Vec<SourceFile>, ReadError> {
    let text = read(root).map_err(|error| ReadError::Io(root.to_owned(), error))?;
    let mut found = Vec::new();
    let mut pending = vec![(root.to_owned(), text, String::new())];
    while let Some((path, text, module)) = pending.pop() {
        let file = SourceFile::new(path, text, module)?;
        let directory = directory(&file.path, file.path == *root);
        let beside = file.path.parent().unwrap_or(Path::new("")).to_owned();
        let mut below = Vec::new();
        modules(
            &file.syntax.items,
            cfg,
            &directory,
            &beside,
            &file.module,
            &mut below,
        );
        for (candidates, module) in below {
            // If a module's file is missing, rustc reports it.
            let there = candidates
                .iter()
                .find_map(|path| Some((path, read(path).ok()?)));
            if let Some((path, text)) = there {
                pending.push((path.clone(), text, module));
            }
        }
        found.push(file);
    }
    Ok(found)
}

fn parse(text: &str) -> syn::Result<syn::File> {
    let shebang = text.starts_with("#!") && !text[2..].trim_start().starts_with('[');
    if shebang || text.starts_with('\u{feff}') {
        let message = "it begins with a shebang or a byte order mark";
        return Err(syn::Error::new(proc_macro2::Span::call_site(), message));
    }
    syn::parse_file(text)
}

/// The directory with the files of a file's modules.
fn directory(path: &Path, is_root: bool) -> PathBuf {
    let parent = path.parent().unwrap_or(Path::new(""));
    match path.file_stem().and_then(|stem| stem.to_str()) {
        Some(stem) if !is_root && stem != "mod" => parent.join(stem),
        _ => parent.to_owned(),
    }
}

/// For each module with a file of its own, the paths that the file may have, and the module's path.
fn modules(
    items: &[Item],
    cfg: &Cfg,
    directory: &Path,
    beside: &Path,
    within: &str,
    found: &mut Vec<(Vec<PathBuf>, String)>,
) {
    for item in items {
        let Item::Mod(module) = item else { continue };
        if !cfg.allows(&module.attrs) {
            continue;
        }
        let name = module.ident.to_string();
        let name = name.strip_prefix("r#").unwrap_or(&name).to_owned();
        let path = match within {
            "" => name.clone(),
            within => format!("{within}::{name}"),
        };
        match &module.content {
            Some((_, items)) => {
                let below = directory.join(&name);
                modules(items, cfg, &below, &below, &path, found);
            }
            None => {
                let candidates = match path_attribute(&module.attrs) {
                    Some(file) => vec![beside.join(file)],
                    None => vec![
                        directory.join(format!("{name}.rs")),
                        directory.join(&name).join("mod.rs"),
                    ],
                };
                found.push((candidates, path));
            }
        }
    }
}

/// The path in `#[path = "file.rs"]`.
fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    attributes
        .iter()
        .find_map(|attribute| match &attribute.meta {
            Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
                syn::Expr::Lit(value) => match &value.lit {
                    syn::Lit::Str(text) => Some(text.value()),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn modules_are_followed_to_their_files() {
        let tree = BTreeMap::from([
            (
                "src/lib.rs",
                "mod a; mod b { mod inner; } #[cfg(test)] mod tests; #[path = \"x.rs\"] mod c;",
            ),
            ("src/a.rs", "mod deep;"),
            ("src/a/deep.rs", ""),
            ("src/b/inner/mod.rs", "mod more;"),
            ("src/b/inner/more.rs", ""),
            ("src/x.rs", ""),
        ]);
        let mut read = |path: &Path| {
            let text = tree.get(path.to_str().expect("text"));
            text.map(|it| it.to_string())
                .ok_or(io::ErrorKind::NotFound.into())
        };
        let found = files(Path::new("src/lib.rs"), &Cfg::default(), &mut read).expect("all there");
        let mut found: Vec<(String, String)> = found
            .into_iter()
            .map(|file| (file.path.display().to_string(), file.module))
            .collect();
        found[1..].sort();
        let expected = [
            ("src/lib.rs", ""),
            ("src/a.rs", "a"),
            ("src/a/deep.rs", "a::deep"),
            ("src/b/inner/mod.rs", "b::inner"),
            ("src/b/inner/more.rs", "b::inner::more"),
            ("src/x.rs", "c"),
        ];
        assert_eq!(found, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    }
}

//! The source with marks at functions, and with mutants really edited in.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use testsmith_instrument::{Function, Mutant, MutantId, functions};

/// How the symbols begin that functions are given.
const SYMBOL: &str = "testsmith_equivalent_";
/// How the names of witnesses begin: constants that are put into functions.
pub(super) const WITNESS: &str = "TESTSMITH_EQUIVALENT_";

/// The number of a function that has mutants.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct FunctionId(pub(super) usize);

impl FunctionId {
    /// The symbol of the function's machine code.
    pub(super) fn symbol(self) -> String {
        format!("{SYMBOL}{}", self.0)
    }

    /// The name of the constant in the function that shows that it is compiled.
    pub(super) fn witness(self) -> String {
        format!("{WITNESS}{}", self.0)
    }
}

/// A function with mutants.
#[derive(Debug)]
pub(super) struct Marked {
    pub(super) file: PathBuf,
    pub(super) function: Function,
    pub(super) mutants: Vec<MutantId>,
}

/// The files that have mutants, and the functions in them.
#[derive(Debug, Default)]
pub(super) struct Source {
    pub(super) files: BTreeMap<PathBuf, String>,
    pub(super) functions: Vec<Marked>,
    /// Mutants that cannot be compared, with the reason.
    pub(super) refused: BTreeMap<MutantId, String>,
}

impl Source {
    /// Reads the files that these mutants are in.
    pub(super) fn read<'m>(
        package: &Path,
        mutants: impl Iterator<Item = (MutantId, &'m Mutant)>,
    ) -> io::Result<Source> {
        let mut source = Source::default();
        let mut parsed: BTreeMap<PathBuf, Vec<Function>> = BTreeMap::new();
        for (id, mutant) in mutants {
            if !source.files.contains_key(&mutant.file) {
                let text = fs::read_to_string(package.join(&mutant.file))?;
                let found = functions(&text).unwrap_or_default();
                parsed.insert(mutant.file.clone(), found);
                source.files.insert(mutant.file.clone(), text);
            }
            if let Err(why) = source.add(id, mutant, &parsed[&mutant.file]) {
                source.refused.insert(id, why.to_owned());
            }
        }
        Ok(source)
    }

    fn add(
        &mut self,
        id: MutantId,
        mutant: &Mutant,
        functions: &[Function],
    ) -> Result<(), &'static str> {
        let is_around =
            |it: &&Function| it.body.start < mutant.range.start && mutant.range.end < it.body.end;
        let function = functions.iter().rfind(is_around);
        let function = function.ok_or("it is in no function that we find")?;
        if !function.is_plain {
            return Err("an attribute may rewrite its function");
        }
        let text = &self.files[&mutant.file];
        let body = &text[function.body.clone()];
        if body.contains("cfg") && body.contains("test") {
            return Err("its function may be another one in tests");
        }
        let lines = |text: &str| text.matches('\n').count();
        if lines(&mutant.edit) > lines(&text[mutant.range.clone()]) {
            return Err("it has more lines than the original");
        }
        let known = |it: &&mut Marked| it.file == mutant.file && it.function == *function;
        match self.functions.iter_mut().find(known) {
            Some(marked) => marked.mutants.push(id),
            None => self.functions.push(Marked {
                file: mutant.file.clone(),
                function: function.clone(),
                mutants: vec![id],
            }),
        }
        Ok(())
    }

    /// The text of every file with these mutants edited in. With `names`, functions get symbols of
    /// their own.
    pub(super) fn edited(&self, mutants: &[&Mutant], names: bool) -> BTreeMap<&Path, String> {
        let edit = |(path, text): (&'_ PathBuf, &String)| {
            let mut edits: Vec<(Range<usize>, String)> = Vec::new();
            for mutant in mutants.iter().filter(|it| it.file == *path) {
                let lines = |text: &str| text.matches('\n').count();
                let n = lines(&text[mutant.range.clone()]) - lines(&mutant.edit);
                let replacement = format!("{}{}", mutant.edit, "\n".repeat(n));
                edits.push((mutant.range.clone(), replacement));
            }
            let n_mutants = edits.len();
            for (i, marked) in self.functions.iter().enumerate() {
                if marked.file != *path {
                    continue;
                }
                for (at, mark) in marks(FunctionId(i), &marked.function, names) {
                    // The edit may replace a function within, with its mark.
                    let is_gone =
                        |(range, _): &(Range<usize>, _)| range.start < at && at < range.end;
                    if !edits[..n_mutants].iter().any(is_gone) {
                        edits.push((at..at, mark));
                    }
                }
            }
            edits.sort_by_key(|(range, _)| (range.start, range.end));
            let mut text = text.clone();
            for (range, replacement) in edits.into_iter().rev() {
                text.replace_range(range, &replacement);
            }
            text
        };
        let files = self.files.iter();
        files.map(|it| (it.0.as_path(), edit(it))).collect()
    }
}

/// The marks of a function, and their places. A function that has mutants is not inlined, because
/// its mutants would change the code of its callers, which have mutants of their own. One that is
/// compiled once gets a public symbol, because LLVM does not change a public function for its
/// callers.
fn marks(id: FunctionId, function: &Function, names: bool) -> [(usize, String); 2] {
    let name = match names && function.is_compiled_once {
        true => format!("#[unsafe(export_name = {:?})] ", id.symbol()),
        false => String::new(),
    };
    [
        (function.attribute_at, format!("{name}#[inline(never)] ")),
        (
            function.item_at,
            format!(" const {}: () = (); ", id.witness()),
        ),
    ]
}

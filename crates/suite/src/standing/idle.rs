//! Takes out what stands in for an implementor where no test uses it any more.

use std::ops::Range;

use syn::spanned::Spanned;
use syn::{Item, Type};

use super::text::parse;
use super::{Edit, Standing, edited};

/// How the names of stand-ins begin.
const STAND_IN: &str = "Sample";

impl Standing {
    /// The suite without stand-ins that nothing in their file names.
    pub(crate) fn without_idle_stand_ins(&self) -> Standing {
        let texts = self.files.iter().map(|file| without_idle(&file.text));
        self.with_texts(texts.collect())
    }
}

fn without_idle(text: &str) -> String {
    let Ok(file) = parse(text) else {
        return text.to_owned();
    };
    let names = file.items.iter().filter_map(|item| match item {
        Item::Struct(it) => Some(it.ident.to_string()),
        _ => None,
    });
    let idle = names.filter(|name| name.starts_with(STAND_IN));
    let idle = idle.filter_map(|name| {
        let own: Vec<Range<usize>> = file
            .items
            .iter()
            .filter(|it| is_of(it, &name))
            .map(lines)
            .collect();
        let rest = text.lines().enumerate();
        let mut rest = rest.filter(|(at, _)| !own.iter().any(|it| it.contains(at)));
        (!rest.any(|(_, line)| has_word(line, &name))).then_some(own)
    });
    let n_lines = text.lines().count();
    let edits = idle.flatten().map(|lines| Edit {
        // The empty line after it goes, too.
        lines: lines.start..(lines.end + 1).min(n_lines),
        with: Vec::new(),
    });
    edited(text, edits.collect())
}

/// Is it the type of this name, or does it implement something for it?
fn is_of(item: &Item, name: &str) -> bool {
    match item {
        Item::Struct(it) => it.ident == name,
        Item::Impl(it) => matches!(&*it.self_ty, Type::Path(path) if path.path.is_ident(name)),
        _ => false,
    }
}

fn lines(item: &Item) -> Range<usize> {
    let span = item.span();
    span.start().line - 1..span.end().line
}

fn has_word(line: &str, word: &str) -> bool {
    let mut words = line.split(|c: char| c != '_' && !c.is_alphanumeric());
    words.any(|it| it == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_test_names_goes_with_its_impls() {
        let stand_in = "/// Implements `Plan`.\nstruct SamplePlan {\n    n: u8,\n}\n\n\
                        impl Plan for SamplePlan {\n    fn n(&self) -> u8 {\n        self.n\n    }\n}\n\n";
        let idle = format!("use small::Plan;\n\n{stand_in}#[test]\nfn mine() {{}}\n");
        assert_eq!(
            without_idle(&idle),
            "use small::Plan;\n\n#[test]\nfn mine() {}\n"
        );
        let used = format!("{stand_in}#[test]\nfn mine() {{ SamplePlan {{ n: 1 }}; }}\n");
        assert_eq!(without_idle(&used), used);
    }
}

//! Reads what `--emit=llvm-ir` writes: the code of a function, without what is only a name, a
//! number or the place of a panic.
//!
//! A function's code includes the functions that exist because of it: instances of generic functions for
//! its closures, and functions local to the module, which LLVM may have changed for this caller.

use std::collections::HashMap;
use std::fmt::Write as _;

/// A module as text.
#[derive(Debug, Default)]
pub(super) struct Module<'m> {
    /// Functions with a body, from `define` to the closing brace.
    functions: HashMap<&'m str, &'m str>,
    /// The text after the `=` of statics, constants and aliases.
    globals: HashMap<&'m str, &'m str>,
    attributes: HashMap<&'m str, &'m str>,
    metadata: HashMap<&'m str, &'m str>,
    /// Types by their names, which look like local names.
    types: HashMap<&'m str, &'m str>,
}

impl<'m> Module<'m> {
    pub(super) fn parse(text: &'m str) -> Module<'m> {
        let mut module = Module::default();
        let mut at = 0;
        let mut open = None;
        for line in text.split_inclusive('\n') {
            let begin = at;
            at += line.len();
            let trimmed = line.trim_end();
            if let Some((name, start)) = open {
                if trimmed == "}" {
                    module.functions.insert(name, &text[start..at]);
                    open = None;
                }
                continue;
            }
            if trimmed.starts_with("define ") {
                open = trimmed.find('@').map(|i| (symbol(&trimmed[i..]).0, begin));
                continue;
            }
            let Some((left, right)) = trimmed.split_once(" = ") else {
                continue;
            };
            if let Some(number) = left.strip_prefix("attributes ") {
                module.attributes.insert(number, right);
            } else if left.starts_with('!') {
                module.metadata.insert(left, right);
            } else if left.starts_with('@') {
                module.globals.insert(symbol(left).0, right);
            } else if left.starts_with('%') {
                module.types.insert(symbol(left).0, right);
            }
        }
        module
    }

    /// The code of the function with this symbol; `name` is its name in the source. `None` if there
    /// is no such function.
    pub(super) fn code_of(&self, symbol: &str, name: &str) -> Option<String> {
        if !name.is_ascii() {
            return None;
        }
        let (symbol, _) = self
            .functions
            .get_key_value(symbol)
            .or_else(|| self.globals.get_key_value(symbol))?;
        let mut code = Code {
            module: self,
            within: [
                format!("{}{name}", name.len()),
                format!("{}_{name}", name.len()),
            ],
            out: String::new(),
            known: Vec::new(),
            known_types: Vec::new(),
            constants: HashMap::new(),
            metadata: HashMap::new(),
            waiting: vec![Waiting::Symbol(symbol)],
        };
        code.write_all();
        Some(code.out)
    }

    /// Is it a constant without an identity?
    fn is_plain_constant(&self, name: &str) -> bool {
        let begins = [
            "private unnamed_addr constant ",
            "internal unnamed_addr constant ",
        ];
        let global = self.globals.get(name);
        global.is_some_and(|it| begins.iter().any(|begin| it.starts_with(begin)))
    }

    /// Is the function local to the module? Then LLVM may have changed it for its callers.
    fn is_local(function: &str) -> bool {
        ["define internal ", "define private "]
            .iter()
            .any(|it| function.starts_with(it))
    }

    /// The file, if the global is the place of a panic. Lines and columns are left out, because an
    /// edit moves them.
    fn location(&self, name: &str) -> Option<&'m str> {
        let text = self.globals.get(name)?;
        let text =
            text.strip_prefix("private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @")?;
        let (file, rest) = text.split_once(", [16 x i8] c\"")?;
        let (bytes, _) = rest.split_once("\" }>")?;
        let file = self.globals.get(file.trim_matches('"'))?;
        let file = file.strip_prefix("private unnamed_addr constant [")?;
        let (n, file) = file.split_once(" x i8] c\"")?;
        let (file, _) = file.split_once('"')?;
        // Only the compiler ends texts with a zero byte, for the sake of C.
        let is_path = file.ends_with(".rs\\00");
        let length = bytes_of(bytes).get(..8)?.try_into().ok()?;
        let is_length = u64::from_le_bytes(length).checked_add(1) == n.parse().ok();
        (is_path && is_length).then_some(file)
    }
}

/// The bytes that LLVM's notation stands for.
fn bytes_of(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let hex = || u8::from_str_radix(std::str::from_utf8(after.get(..2)?).ok()?, 16).ok();
        match (first, hex()) {
            (b'\\', Some(byte)) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    bytes
}

/// The name after a sigil, and its length together with the sigil and quotes.
fn symbol(text: &str) -> (&str, usize) {
    let rest = &text[1..];
    if let Some(quoted) = rest.strip_prefix('"') {
        let n = quoted.find('"').unwrap_or(quoted.len());
        return (&quoted[..n], n + 3);
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || "$._-".contains(c);
    let n = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    (&rest[..n], n + 1)
}

#[derive(Clone, Copy)]
enum Waiting<'m> {
    /// A function or a global that keeps its name.
    Symbol(&'m str),
    /// A type.
    Type(&'m str),
    /// A constant, by its number.
    Constant(&'m str, usize),
    /// Metadata, by its number.
    Metadata(&'m str, usize),
}

struct Code<'c, 'm> {
    module: &'c Module<'m>,
    /// The names of the function as they stand in the symbols of what is in it or made for it.
    within: [String; 2],
    out: String,
    /// Symbols that were met already.
    known: Vec<&'m str>,
    known_types: Vec<&'m str>,
    constants: HashMap<&'m str, usize>,
    metadata: HashMap<&'m str, usize>,
    waiting: Vec<Waiting<'m>>,
}

impl<'m> Code<'_, 'm> {
    fn write_all(&mut self) {
        let mut next = 0;
        while let Some(it) = self.waiting.get(next).copied() {
            next += 1;
            let module = self.module;
            match it {
                Waiting::Symbol(name) => {
                    self.out.push('\n');
                    if let Some(text) = module.functions.get(name) {
                        self.write(text);
                    } else if let Some(text) = module.globals.get(name) {
                        let _ = write!(self.out, "@{name} = ");
                        self.write(text);
                        self.write_target(text);
                    }
                }
                Waiting::Type(name) => {
                    let _ = write!(self.out, "\n%{name} = ");
                    self.write(module.types.get(name).copied().unwrap_or_default());
                }
                Waiting::Constant(name, n) => {
                    let _ = write!(self.out, "\n@#{n} = ");
                    self.write(module.globals.get(name).copied().unwrap_or_default());
                }
                Waiting::Metadata(name, n) => {
                    let _ = write!(self.out, "\n!#{n} = ");
                    self.write(module.metadata.get(name).copied().unwrap_or_default());
                }
            }
        }
    }

    /// Writes the target of an alias, whether that is local to the module or not.
    fn write_target(&mut self, alias: &'m str) {
        if !alias.contains(" alias ") && !alias.starts_with("alias ") {
            return;
        }
        let at = alias.rfind('@');
        let target = at.map(|at| symbol(&alias[at..]).0);
        if let Some(target) = target.filter(|it| !self.known.contains(it)) {
            self.known.push(target);
            self.waiting.push(Waiting::Symbol(target));
        }
    }

    /// Writes a function, or the value of a global. Local names become numbers.
    fn write(&mut self, text: &'m str) {
        let mut locals: HashMap<&str, usize> = HashMap::new();
        for line in text.lines() {
            let mut rest = line;
            if let Some(label) = label(line) {
                let n = locals.len();
                let n = *locals.entry(label).or_insert(n);
                let _ = write!(self.out, "%{n}:");
                rest = "";
            }
            while let Some(c) = rest.chars().next() {
                let n = match c {
                    ';' => break,
                    '"' => rest[1..].find('"').map_or(rest.len(), |n| n + 2),
                    '%' => {
                        let (name, length) = symbol(rest);
                        rest = &rest[length..];
                        if self.module.types.contains_key(name) {
                            self.mention_type(name);
                            continue;
                        }
                        let n = locals.len();
                        let n = *locals.entry(name).or_insert(n);
                        let _ = write!(self.out, "%{n}");
                        continue;
                    }
                    '@' => {
                        let (name, length) = symbol(rest);
                        self.mention(name);
                        rest = &rest[length..];
                        continue;
                    }
                    '#' | '!' => {
                        let n = 1 + digits(&rest[1..]);
                        self.number(&rest[..n]);
                        rest = &rest[n..];
                        continue;
                    }
                    _ => c.len_utf8(),
                };
                self.out.push_str(&rest[..n]);
                rest = &rest[n..];
            }
            // A comment may have stood after them.
            while self.out.ends_with(' ') {
                self.out.pop();
            }
            self.out.push('\n');
        }
    }

    /// Writes the name of a function or a global, and remembers it.
    fn mention(&mut self, name: &'m str) {
        let module = self.module;
        if let Some(file) = module.location(name) {
            let _ = write!(self.out, "@(place in {file})");
            return;
        }
        if module.is_plain_constant(name) {
            let next = self.constants.len();
            let n = *self.constants.entry(name).or_insert(next);
            if n == next {
                self.waiting.push(Waiting::Constant(name, n));
            }
            let _ = write!(self.out, "@#{n}");
            return;
        }
        let _ = write!(self.out, "@{name}");
        let is_for_it = self.within.iter().any(|it| name.contains(it));
        let function = module.functions.get(name);
        let is_ours = function.is_some_and(|it| is_for_it || Module::is_local(it))
            || module.globals.contains_key(name);
        if is_ours && !self.known.contains(&name) {
            self.known.push(name);
            self.waiting.push(Waiting::Symbol(name));
        }
    }

    /// Writes the name of a type, and remembers it.
    fn mention_type(&mut self, name: &'m str) {
        let _ = write!(self.out, "%{name}");
        if !self.known_types.contains(&name) {
            self.known_types.push(name);
            self.waiting.push(Waiting::Type(name));
        }
    }

    /// Writes attributes or metadata, which have only a number, by what they are.
    fn number(&mut self, name: &'m str) {
        if let Some(attributes) = self.module.attributes.get(name) {
            self.out.push_str(attributes);
        } else if self.module.metadata.contains_key(name) {
            let next = self.metadata.len();
            let n = *self.metadata.entry(name).or_insert(next);
            if n == next {
                self.waiting.push(Waiting::Metadata(name, n));
            }
            let _ = write!(self.out, "!#{n}");
        } else {
            self.out.push_str(name);
        }
    }
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// The label of a block, if the line is one.
fn label(line: &str) -> Option<&str> {
    if line.starts_with([' ', '\t', '}']) || line.starts_with("define ") {
        return None;
    }
    if let Some(quoted) = line.strip_prefix('"') {
        let (name, rest) = quoted.split_once('"')?;
        return rest.starts_with(':').then_some(name);
    }
    let (name, _) = line.split_once(':')?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || "$._-".contains(c);
    (!name.is_empty() && name.chars().all(is_part)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> String {
        let module = Module::parse(text);
        module.code_of("f", "f").expect("it is there")
    }

    const MODULE: &str = r#"
@alloc_1 = private unnamed_addr constant [5 x i8] c"u.rs\00", align 1
@alloc_2 = private unnamed_addr constant <{ ptr, [16 x i8] }> <{ ptr @alloc_1, [16 x i8] c"\04\00\00\00\00\00\00\00\09\00\00\00}\00\00\00" }>, align 8
@alloc_3 = private unnamed_addr constant [3 x i8] c"abc", align 1
@COUNT = internal global i32 7, align 4

; t::f
; Function Attrs: nounwind
define noundef i32 @f(i32 noundef %x) unnamed_addr #0 {
start:
  %_2 = icmp sgt i32 %x, 0, !noalias !4
  br i1 %_2, label %bb1, label %panic

bb1:                                              ; preds = %start
  %0 = call i32 @helper(i32 %x, ptr @alloc_3), !noalias !4
  store i32 %0, ptr @COUNT, align 4
  ret i32 %0

panic:                                            ; preds = %start
  call void @panic_bounds_check(i64 1, ptr @alloc_2) #1
  unreachable
}

define internal fastcc i32 @helper(i32 %y, ptr %z) {
start:
  ret i32 5
}

attributes #0 = { nounwind }
attributes #1 = { noreturn }

!4 = !{!5}
!5 = distinct !{!5, !"g: %_0"}
"#;

    #[track_caller]
    fn check(is_same: bool, changes: &[(&str, &str)]) {
        let mut changed = MODULE.to_owned();
        for (from, to) in changes {
            assert!(changed.contains(from), "{from}");
            changed = changed.replace(from, to);
        }
        assert_eq!(code(&changed) == code(MODULE), is_same, "{changes:?}");
    }

    #[test]
    fn names_and_numbers_say_nothing() {
        check(true, &[("%_2", "%cond.i"), ("bb1", "\"<a as b>::c.exit\"")]);
        check(true, &[("!4", "!40"), ("!5", "!41")]);
        check(true, &[("#0", "#7"), ("#1", "#0")]);
        check(
            true,
            &[("alloc_3", "alloc_9"), ("; preds = %start", "; preds = %x")],
        );
    }

    #[test]
    fn places_of_panics_say_nothing() {
        check(true, &[("\\09\\00\\00\\00}", "\\0B\\00\\00\\00a")]);
    }

    #[test]
    fn what_only_looks_like_a_place_counts() {
        let not_a_path = [("[5 x i8] c\"u.rs\\00\"", "[4 x i8] c\"u.rs\"")];
        let mut changed = not_a_path.to_vec();
        changed.push(("\\09\\00\\00\\00}", "\\0B\\00\\00\\00}"));
        let replaced = |changes: &[(&str, &str)]| {
            let replace = |text: String, (from, to): &(&str, &str)| text.replace(from, to);
            changes.iter().fold(MODULE.to_owned(), replace)
        };
        assert_ne!(code(&replaced(&not_a_path)), code(&replaced(&changed)));
    }

    #[test]
    fn instructions_constants_and_attributes_count() {
        check(false, &[("sgt", "sge")]);
        check(false, &[("i32 %x, 0", "i32 %x, 1")]);
        check(false, &[("c\"abc\"", "c\"abd\"")]);
        check(false, &[("{ noreturn }", "{ cold }")]);
        check(false, &[("!{!5}", "!{}")]);
        check(false, &[("ret i32 %0", "ret i32 %x")]);
        check(
            false,
            &[("label %bb1, label %panic", "label %panic, label %bb1")],
        );
    }

    #[test]
    fn what_nobody_else_sees_counts() {
        check(false, &[("ret i32 5", "ret i32 6")]);
        check(false, &[("global i32 7", "global i32 8")]);
        let public = MODULE.replace("define internal fastcc", "define");
        let changed = public.replace("ret i32 5", "ret i32 6");
        assert_eq!(code(&public), code(&changed));
    }

    #[test]
    fn what_is_made_for_a_closure_of_it_counts() {
        let generic = "_RINvCs_1t4foldNCNvCs_1t1f0E";
        let public = MODULE.replace("define internal fastcc", "define");
        let public = public.replace("@helper", &format!("@{generic}"));
        let changed = public.replace("ret i32 5", "ret i32 6");
        assert_ne!(code(&public), code(&changed));
    }

    #[test]
    fn types_are_no_local_names() {
        let typed = format!("%Pair = type {{ i32, i32 }}\n{MODULE}");
        let typed = typed.replace("store i32 %0,", "store %Pair zeroinitializer,");
        assert_eq!(code(&typed), code(&typed));
        assert_ne!(
            code(&typed),
            code(&typed.replace("{ i32, i32 }", "{ i32, i64 }"))
        );
        assert_ne!(code(&typed), code(&typed.replace("%Pair", "%Other")));
    }

    #[test]
    fn statics_are_not_told_by_their_values_alone() {
        check(false, &[("@COUNT", "@TOTAL")]);
    }

    #[test]
    fn an_alias_is_what_it_stands_for() {
        let aliased = format!("@g = unnamed_addr alias i32 (i32), ptr @f\n{MODULE}");
        let changed = aliased.replace("sgt", "sge");
        let code = |text: &str| Module::parse(text).code_of("g", "g").expect("it is there");
        assert_eq!(code(&aliased), code(&aliased));
        assert_ne!(code(&aliased), code(&changed));
    }
}

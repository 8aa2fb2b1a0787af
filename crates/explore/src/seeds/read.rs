//! Finds the bodies of examples and tests in source text.

use syn::{Block, Item, ItemFn, Pat, Stmt};

use super::names::{Names, bound_name};
use super::script::{Expr, Path, Script, Statement, Target, Why};
use super::syntax::{arguments, expr};

/// How many turns of a loop over literals are written out.
const MAX_TURNS: usize = 8;
/// How deep functions within functions are written out.
const MAX_DEPTH: usize = 3;
/// The name of a value that is destructured, because the program gives it none.
const WHOLE: &str = "(whole)";

/// The scripts in an example of the documentation. `None` if it is not Rust.
pub(crate) fn example(source: &str, names: &Names) -> Option<Vec<Script>> {
    let lines = source
        .lines()
        .filter(|line| !line.trim_start().starts_with("#!["));
    let text = format!("{{\n{}\n}}", lines.collect::<Vec<_>>().join("\n"));
    let block: Block = syn::parse_str(&text).ok()?;
    let names = names.within(&block);
    let mains = block.stmts.iter().filter_map(|stmt| match stmt {
        Stmt::Item(Item::Fn(func)) if func.sig.inputs.is_empty() => {
            Some(script(&func.block, &names))
        }
        _ => None,
    });
    let own = script(&block, &names);
    Some(
        [own]
            .into_iter()
            .chain(mains)
            .filter(|it| !it.statements.is_empty())
            .collect(),
    )
}

/// The scripts of the test functions in a source file. `None` if it is not Rust.
pub(crate) fn tests(source: &str, names: &Names) -> Option<Vec<Script>> {
    let tests = named_tests(source, names)?;
    Some(tests.into_iter().map(|(_, script)| script).collect())
}

/// The scripts of the test functions in a source file, each with the function's name. `None` if it
/// is not Rust.
pub(crate) fn named_tests(source: &str, names: &Names) -> Option<Vec<(String, Script)>> {
    let file = syn::parse_file(source).ok()?;
    let mut names = names.clone();
    names.learn_items(file.items.iter());
    let mut scripts = Vec::new();
    tests_in(&file.items, &names, &mut scripts);
    Some(scripts)
}

fn tests_in(items: &[Item], names: &Names, scripts: &mut Vec<(String, Script)>) {
    for item in items {
        match item {
            Item::Fn(func) if is_test(func) => {
                scripts.push((func.sig.ident.to_string(), script(&func.block, names)));
            }
            Item::Mod(module) => {
                if let Some((_, items)) = &module.content {
                    tests_in(items, names, scripts);
                }
            }
            _ => {}
        }
    }
}

fn is_test(func: &ItemFn) -> bool {
    let is_it = |attr: &syn::Attribute| {
        let last = attr.path().segments.last();
        last.is_some_and(|it| it.ident == "test")
    };
    func.attrs.iter().any(is_it)
}

fn script(block: &Block, names: &Names) -> Script {
    let mut reader = Reader::default();
    reader.block(block, names);
    Script {
        statements: reader.statements,
    }
}

/// The statements read so far.
#[derive(Default)]
struct Reader {
    statements: Vec<Statement>,
    /// How many functions are being written out at the moment.
    depth: usize,
}

impl Reader {
    fn block(&mut self, block: &Block, names: &Names) {
        let names = &names.within(block);
        for stmt in &block.stmts {
            match stmt {
                Stmt::Item(_) => {}
                Stmt::Local(local) => self.local(local, names),
                Stmt::Expr(value, _) => self.value(value, names),
                Stmt::Macro(it) => self.macro_(&it.mac, names),
            }
        }
    }

    fn scoped(&mut self, block: &Block, names: &Names) {
        self.statements.push(Statement::Enter);
        self.block(block, names);
        self.statements.push(Statement::Leave);
    }

    fn add(&mut self, target: Target, ty: Option<String>, expr: Expr) {
        self.statements.push(Statement::Do { target, ty, expr });
    }

    fn local(&mut self, local: &syn::Local, names: &Names) {
        let (pat, ty) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, names.head(&typed.ty)),
            pat => (pat, None),
        };
        let value = match &local.init {
            Some(init) if init.diverge.is_none() => expr(&init.expr, names),
            _ => Expr::Beyond(Why::ControlFlow),
        };
        match ty {
            Some(ty) => self.add(target(pat), Some(ty), value),
            None => self.bind(pat, value),
        }
    }

    fn bind(&mut self, pat: &Pat, value: Expr) {
        match (pat, value) {
            (Pat::Reference(pat), value) => self.bind(&pat.pat, value),
            (Pat::Tuple(pat), Expr::Place(of)) => self.bind(&Pat::Tuple(pat.clone()), *of),
            (Pat::Tuple(pat), Expr::Tuple(values)) if pat.elems.len() == values.len() => {
                for (pat, value) in pat.elems.iter().zip(values) {
                    self.bind(pat, value);
                }
            }
            (Pat::Tuple(pat), value) => {
                self.add(Target::Let(WHOLE.to_owned()), None, value);
                for (i, pat) in pat.elems.iter().enumerate() {
                    let part = Expr::Field(Box::new(Expr::name(WHOLE)), i.to_string());
                    self.add(target(pat), None, part);
                }
            }
            (pat, value) => self.add(target(pat), None, value),
        }
    }

    fn value(&mut self, value: &syn::Expr, names: &Names) {
        match value {
            syn::Expr::Block(it) if it.label.is_none() => self.scoped(&it.block, names),
            syn::Expr::Unsafe(it) => self.scoped(&it.block, names),
            syn::Expr::Macro(it) => self.macro_(&it.mac, names),
            syn::Expr::ForLoop(it) => self.for_loop(it, names),
            syn::Expr::Return(it) => {
                if let Some(value) = &it.expr {
                    self.value(value, names);
                }
            }
            syn::Expr::Assign(it) => {
                let value = expr(&it.right, names);
                match expr(&it.left, names) {
                    Expr::Path(Path {
                        qualifier: None,
                        name,
                    }) if name != "_" => {
                        self.add(Target::Assigned(name), None, value);
                    }
                    Expr::Path(_) => self.add(Target::Unused, None, value),
                    _ => self.add(Target::Unused, None, Expr::Beyond(Why::Syntax)),
                }
            }
            value => match expr(value, names) {
                // It is the last expression of a function, and the call in it counts.
                Expr::Call(path, args) if path.name == "Ok" && path.qualifier.is_none() => {
                    for arg in args.into_iter().filter(Expr::has_call) {
                        self.add(Target::Unused, None, arg);
                    }
                }
                Expr::Call(path, args) if path.name == "drop" && args.len() == 1 => {
                    let lost = match &args[0] {
                        Expr::Path(Path {
                            qualifier: None,
                            name,
                        }) => vec![name.clone()],
                        _ => Vec::new(),
                    };
                    self.add(Target::Lost(lost), None, args[0].clone());
                }
                Expr::Call(path, args) => self.call(path, args, names),
                Expr::Tuple(parts) if parts.is_empty() => {}
                value => self.add(Target::Unused, None, value),
            },
        }
    }

    /// Adds a call, or the statements of the test's own function that is called.
    fn call(&mut self, path: Path, args: Vec<Expr>, names: &Names) {
        let check = names.check(&path, args.len());
        let Some((params, block)) = check.filter(|_| self.depth < MAX_DEPTH) else {
            return self.add(Target::Unused, None, Expr::Call(path, args));
        };
        self.depth += 1;
        self.statements.push(Statement::Enter);
        for (param, arg) in params.iter().zip(args) {
            self.add(Target::Let(param.clone()), None, arg);
        }
        self.block(block, names);
        self.statements.push(Statement::Leave);
        self.depth -= 1;
    }

    /// Writes the turns of a loop over literals one after another.
    fn for_loop(&mut self, source: &syn::ExprForLoop, names: &Names) {
        let Some(values) = literals(&expr(&source.expr, names)) else {
            return self.add(Target::Unused, None, Expr::Beyond(Why::ControlFlow));
        };
        for value in values.into_iter().take(MAX_TURNS) {
            self.statements.push(Statement::Enter);
            self.bind(&source.pat, value);
            self.block(&source.body, names);
            self.statements.push(Statement::Leave);
        }
    }

    /// Adds the calls in assertions, and in text that is printed.
    fn macro_(&mut self, mac: &syn::Macro, names: &Names) {
        let name = names.path(&mac.path).name;
        let args = arguments(mac);
        match (&*name, args.as_deref()) {
            ("assert" | "debug_assert", Some([of, ..])) => self.asserted(expr(of, names)),
            ("assert_eq" | "debug_assert_eq", Some([a, b, ..])) => {
                let parts = vec![expr(a, names), expr(b, names)];
                self.asserted(Expr::Operator(&["eq"], parts));
            }
            ("assert_ne" | "debug_assert_ne", Some([a, b, ..])) => {
                let parts = vec![expr(a, names), expr(b, names)];
                self.asserted(Expr::Operator(&["ne", "eq"], parts));
            }
            ("println" | "print" | "eprintln" | "eprint" | "dbg", Some(args)) => {
                for arg in args
                    .iter()
                    .map(|arg| expr(arg, names))
                    .filter(Expr::has_call)
                {
                    self.add(Target::Unused, None, arg);
                }
            }
            ("panic" | "unreachable" | "todo" | "println", _) => {}
            _ => self.add(Target::Unused, None, Expr::Beyond(Why::Macro)),
        }
    }

    fn asserted(&mut self, of: Expr) {
        match of {
            Expr::Operator(["not"], mut parts) if parts.len() == 1 => {
                self.asserted(parts.remove(0))
            }
            of => self.add(Target::Asserted, None, of),
        }
    }
}

/// The elements of a list or a range, borrowed or not.
fn literals(expr: &Expr) -> Option<Vec<Expr>> {
    match expr {
        Expr::List(parts) => Some(parts.clone()),
        Expr::Place(of) => literals(of),
        Expr::Method { receiver, name, .. }
            if matches!(&**name, "iter" | "into_iter" | "copied" | "cloned") =>
        {
            literals(receiver)
        }
        Expr::Range {
            start: Some(start),
            end: Some(end),
            is_inclusive,
        } => match (&**start, &**end) {
            (Expr::Int(start), Expr::Int(end)) => {
                let end = end + i128::from(*is_inclusive);
                Some((*start..end).take(MAX_TURNS).map(Expr::Int).collect())
            }
            _ => None,
        },
        _ => None,
    }
}

fn target(pat: &Pat) -> Target {
    if matches!(pat, Pat::Wild(_)) {
        return Target::Unused;
    }
    match bound_name(pat) {
        Some(name) => Target::Let(name),
        None => {
            let mut names = Vec::new();
            bound_names(pat, &mut names);
            Target::Lost(names)
        }
    }
}

fn bound_names(pat: &Pat, out: &mut Vec<String>) {
    match pat {
        Pat::Ident(it) => out.push(it.ident.to_string()),
        Pat::Type(it) => bound_names(&it.pat, out),
        Pat::Reference(it) => bound_names(&it.pat, out),
        Pat::Tuple(it) => it.elems.iter().for_each(|pat| bound_names(pat, out)),
        Pat::TupleStruct(it) => it.elems.iter().for_each(|pat| bound_names(pat, out)),
        Pat::Slice(it) => it.elems.iter().for_each(|pat| bound_names(pat, out)),
        Pat::Struct(it) => it
            .fields
            .iter()
            .for_each(|field| bound_names(&field.pat, out)),
        _ => {}
    }
}

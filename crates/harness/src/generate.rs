//! The harness's source: one line an item, so that an error's line names its item.
//!
//! **Capabilities are measured.** Whether a type is `Copy`, `Debug`, has drop glue, can be decoded
//! from a literal: the harness asks the compiler at the concrete type (an inherent constant wins
//! over a trait's where its bounds hold) and tells the host in its greeting.

use std::fmt::Write as _;

use testsmith_api::{
    Catalogue, Clause, Fields, Form, FullNames, GenericArg, LAW_BROKEN, Law, Names, Operation,
    Origin, Pass, Region, Side, Ty, TypeIdx,
};

use crate::identifier::raw;
use crate::observers::Observers;

/// An item that rustc can refuse by itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Item {
    Operation(usize),
    Type(TypeIdx),
    /// An observer, by the text of its type.
    Observer(String),
}

/// The generated files, and the item on each line.
pub(crate) struct Source {
    /// Their names under `src`, with their texts.
    pub(crate) files: Vec<(String, String)>,
    /// For each file in the same order, its items by line: `items[file][line - 1]`.
    items: Vec<Vec<Option<Item>>>,
}

impl Source {
    /// The item on a line of a file, as rustc names the file.
    pub(crate) fn item(&self, file: &str, line: u32) -> Option<&Item> {
        let idx = self
            .files
            .iter()
            .position(|(name, _)| file.ends_with(&format!("harness/src/{name}")))?;
        self.items[idx].get(line.checked_sub(1)? as usize)?.as_ref()
    }
}

struct File {
    text: String,
    items: Vec<Option<Item>>,
}

impl File {
    fn new() -> File {
        let mut file = File {
            text: String::new(),
            items: Vec::new(),
        };
        file.line("use testsmith_runtime::*;", None);
        file
    }

    fn line(&mut self, text: &str, item: Option<Item>) {
        debug_assert!(!text.contains('\n'), "an item takes one line: {text}");
        self.text.push_str(text);
        self.text.push('\n');
        self.items.push(item);
    }
}

const OPERATIONS_PER_FILE: usize = 128;

/// How the guest knows which code ran.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Probed {
    Nothing,
    /// rustc's coverage instrumentation.
    Coverage,
    /// The rewritten copy of the crate.
    Copy,
}

/// Writes the source for the operations that `keep` selects, and for all types that they mention.
pub(crate) fn generate(
    catalogue: &Catalogue,
    keep: &[bool],
    refused: &[String],
    blind: &[String],
    dead: &[TypeIdx],
    probed: Probed,
) -> Source {
    let mut source = Source {
        files: Vec::new(),
        items: Vec::new(),
    };
    let mut modules = Vec::new();
    let mut add = |name: String, file: File| {
        modules.push(name.clone());
        source.files.push((format!("{name}.rs"), file.text));
        source.items.push(file.items);
    };

    let kept: Vec<usize> = (0..catalogue.operations.len())
        .filter(|i| keep[*i])
        .collect();
    for (n, chunk) in kept.chunks(OPERATIONS_PER_FILE).enumerate() {
        let mut file = File::new();
        for &i in chunk {
            let (function, glue) = operation(catalogue, i);
            file.line(&function, Some(Item::Operation(i)));
            file.line(&glue, Some(Item::Operation(i)));
        }
        add(format!("operations_{n}"), file);
    }

    let mut file = File::new();
    let mut observers = Observers::new(&catalogue.api, refused);
    let mut table = String::new();
    for ty in catalogue.types.indices() {
        let info = catalogue.types.get(ty);
        // No slot holds a value of such a type. Its place in the table stays, so that the other
        // types keep their numbers.
        if catalogue.types.is_unsized(&info.ty) || dead.contains(&ty) {
            table.push_str("testsmith_runtime::Type::NONE, ");
            continue;
        }
        let observer = observers.function(&info.ty);
        type_entry(catalogue, ty, &observer, probed, &mut file);
        let _ = write!(table, "types::E{}, ", ty.0);
    }
    observer_functions(&observers, blind, &mut file);
    add("types".to_owned(), file);

    let main = main_file(catalogue, &modules, &kept, &table, probed);
    source.files.push(("main.rs".to_owned(), main));
    source.items.push(Vec::new());
    source
}

/// What stands before the dereference of a pointer to a slot's value, in every function of a type's
/// entry. A comment in the line, because an item takes one line.
const LIVE_VALUE: &str =
    "/* SAFETY: the runtime passes a live value of this type that nobody has borrowed mutably */";

/// Writes the name of a type, and its entry in the guest's table with the functions for it.
fn type_entry(catalogue: &Catalogue, ty: TypeIdx, observer: &str, probed: Probed, file: &mut File) {
    let i = ty.0;
    let mut line = |text: String| file.line(&text, Some(Item::Type(ty)));
    line(format!("pub type T{i} = {};", catalogue.types.get(ty).text));
    line(format!(
        "unsafe fn e{i}(p: *const u8, o: &mut Observer) {{ {observer}({LIVE_VALUE} unsafe {{ &*p.cast::<T{i}>() }}, o) }}"
    ));
    let state = match probed {
        Probed::Copy => {
            let krate = raw(&catalogue.api.krate);
            line(format!(
                "unsafe fn s{i}(p: *const u8, bytes: &mut Vec<u8>) -> u8 {{ ::{krate}::__testsmith_state!({LIVE_VALUE} unsafe {{ &*p.cast::<T{i}>() }}, bytes) }}"
            ));
            line(format!(
                "unsafe fn r{i}(p: *const u8, bytes: &mut Vec<u8>) -> u8 {{ ::{krate}::__testsmith_read!({LIVE_VALUE} unsafe {{ &*p.cast::<T{i}>() }}, || if let Some(same) = Probe::<T{i}>::SAME {{ {LIVE_VALUE} unsafe {{ same(p) }} }}, bytes) }}"
            ));
            format!(".with_state(s{i}).with_read(Probe::<T{i}>::SAME, r{i})")
        }
        Probed::Coverage | Probed::Nothing => String::new(),
    };
    line(format!(
        "pub const E{i}: Type = Type::of::<T{i}>(e{i}, Probe::<T{i}>::DECODE, Probe::<T{i}>::COPY.with(Probe::<T{i}>::CLONE).with(Probe::<T{i}>::DEBUG).with(Probe::<T{i}>::EQ)){state};"
    ));
}

/// Writes the functions that describe values. Those that rustc refused before describe nothing.
fn observer_functions(observers: &Observers<'_>, blind: &[String], file: &mut File) {
    for (i, (text, body)) in observers.functions.iter().enumerate() {
        let item = Some(Item::Observer(text.clone()));
        if blind.contains(text) {
            let function = format!("fn v{i}<T: ?Sized>(_: &T, o: &mut Observer) {{ o.opaque() }}");
            file.line(&function, item);
            continue;
        }
        let is_unsized = text == "str" || text.starts_with('[') && !text.contains(';');
        let text_in = if is_unsized || text.starts_with("dyn ") {
            format!("({text})")
        } else {
            text.clone()
        };
        let function = format!("fn v{i}(v: &{text_in}, o: &mut Observer) {{ {body} }}");
        file.line(&function, item);
    }
}

/// Writes the tables of operations and of types, and the guest's `main`.
fn main_file(
    catalogue: &Catalogue,
    modules: &[String],
    kept: &[usize],
    types: &str,
    probed: Probed,
) -> String {
    let mut main = String::from(
        "#![allow(warnings)]\n#[global_allocator] static ALLOCATOR: testsmith_runtime::Counting = testsmith_runtime::Counting;\n",
    );
    for module in modules {
        let _ = writeln!(main, "mod {module};");
    }
    main.push_str("static OPERATIONS: &[testsmith_runtime::Operation] = &[\n");
    for (n, chunk) in kept.chunks(OPERATIONS_PER_FILE).enumerate() {
        for &i in chunk {
            let output = catalogue.operations[i].signature.output.ty.0;
            let _ = writeln!(
                main,
                "testsmith_runtime::Operation {{ call: operations_{n}::g{i}, output: {output} }},"
            );
        }
    }
    main.push_str("];\n");
    let probes = match probed {
        Probed::Copy => format!(
            "{{ use ::{}::__testsmith as copy; testsmith_runtime::Probes {{ counters: /* SAFETY: both ends are of one static array of counters */ unsafe {{ testsmith_runtime::Counters::between(copy::REGIONS.as_ptr().cast_mut().cast(), copy::REGIONS[..copy::N_OWN_REGIONS].as_ptr_range().end.cast_mut().cast()) }}, switches: Some(testsmith_runtime::Switches {{ active: &copy::ACTIVE, plain: &copy::PLAIN, exhausted: &copy::EXHAUSTED, refuel: copy::refuel, fuel: copy::fuel, calls: &copy::CALLS, comparisons: (&raw const copy::COMPARISONS).cast(), room: copy::N_COMPARISONS, n_compared: &copy::N_COMPARED }}) }} }}",
            raw(&catalogue.api.krate)
        ),
        Probed::Coverage => {
            // The linker marks where the counters of the coverage instrumentation begin and end.
            main.push_str(
                "/* SAFETY: the linker defines both */ unsafe extern \"C\" { static mut __start___llvm_prf_cnts: u64; static mut __stop___llvm_prf_cnts: u64; }\n",
            );
            // A program that defines this symbol is linked without the runtime that writes a profile
            // at exit. Nobody reads that profile, and a program that exits would seem to reach for
            // files.
            main.push_str(
                "#[unsafe(no_mangle)] #[expect(non_upper_case_globals, reason = \"the name is LLVM's\")] pub static __llvm_profile_runtime: i32 = 0;\n",
            );
            "testsmith_runtime::Probes { counters: /* SAFETY: the linker puts both ends around one section of counters */ unsafe { testsmith_runtime::Counters::between(&raw mut __start___llvm_prf_cnts, &raw mut __stop___llvm_prf_cnts) }, switches: None }".to_owned()
        }
        Probed::Nothing => "testsmith_runtime::Probes::NONE".to_owned(),
    };
    let _ = write!(
        main,
        "static TYPES: &[testsmith_runtime::Type] = &[{types}];\nfn main() {{ testsmith_runtime::run(OPERATIONS, TYPES, {probes}) }}\n"
    );
    main
}

/// Writes paths in full, and leaves regions of the surrounding function to inference.
struct BodyNames;

impl Names for BodyNames {
    fn path(&self, path: &str) -> String {
        FullNames.path(path)
    }
    fn region(&self, region: Region) -> Option<String> {
        Some(match region {
            Region::Var(_) => "'_".to_owned(),
            other => FullNames.region(other)?,
        })
    }
}

/// A type in the body of a function. There `dyn Fn(&'_ T)` would hold for any lifetime instead of
/// an inferred one, so such a type is left to inference as a whole.
fn in_body(ty: &Ty) -> String {
    let mut inferred = |node: &Ty| {
        let is_callable = matches!(node, Ty::Dyn { .. } | Ty::FnPtr { .. });
        (is_callable && has_var(node)).then(|| Ty::Param("_".into()))
    };
    let ty = ty.map(&mut inferred, &mut |region| region);
    ty.render(&BodyNames)
}

/// Does the type mention a region of the function, other than as the bound of a trait object?
fn has_var(ty: &Ty) -> bool {
    let mut found = false;
    let mut note = |region| {
        found |= matches!(region, Region::Var(_));
        region
    };
    match ty {
        Ty::Dyn { traits, .. } => traits.iter().for_each(|trait_| {
            trait_.map(&mut |_| None, &mut note);
        }),
        ty => {
            ty.map(&mut |_| None, &mut note);
        }
    }
    found
}

/// Writes the lifetime-polymorphic function, and the glue that erases it. rustc judges our loans in
/// the first: a wrong or missing lender is an error there.
fn operation(catalogue: &Catalogue, i: usize) -> (String, String) {
    let operation = &catalogue.operations[i];
    let signature = &operation.signature;
    let mut generics: Vec<String> = (0..signature.n_regions).map(|r| format!("'r{r}")).collect();
    let mut bounds = Vec::new();
    for (long, short) in &signature.outlives {
        if let (Some(long), Some(short)) = (FullNames.region(*long), FullNames.region(*short)) {
            bounds.push(format!("{long}: {short}"));
        }
    }
    let generics = match generics.is_empty() {
        true => String::new(),
        false => {
            generics.dedup();
            format!("<{}>", generics.join(", "))
        }
    };
    let mut inputs = Vec::new();
    let mut arguments = Vec::new();
    for (n, input) in signature.inputs.iter().enumerate() {
        let ty = catalogue.types.restore(&input.ty).render(&FullNames);
        let region = |region| FullNames.region(region).unwrap_or_default();
        let (ty, how) = match input.pass {
            Pass::Value => (ty, "take"),
            Pass::Shared(r) => (format!("&{} {ty}", region(r)), "shared"),
            Pass::Mut(r) => (format!("&{} mut {ty}", region(r)), "exclusive"),
        };
        inputs.push(format!("x{n}: {ty}"));
        arguments.push(format!("{how}(a, {n})"));
    }
    let output = catalogue
        .types
        .restore(&signature.output)
        .render(&FullNames);
    let where_clause = match bounds.is_empty() {
        true => String::new(),
        false => format!(" where {}", bounds.join(", ")),
    };
    let refuses = matches!(operation.form, Form::Unwrap(_));
    let output = if refuses {
        format!("Option<{output}>")
    } else {
        output
    };
    let mut body = body(operation);
    if operation.formatter.is_some() {
        body = format!("::std::string::ToString::to_string(&::std::fmt::from_fn(|f| {body}))");
    }
    if let Some(reading) = operation.reading {
        body = filled(reading.template(), &[body]);
    }
    if is_unsafe(catalogue, operation) {
        // Unsafe functions become operations only with `--unsafe`, by which the user answers for them.
        body = format!(
            "/* SAFETY: the user has allowed to call it with any arguments */ unsafe {{ {body} }}"
        );
    }
    if operation.opaque {
        let output = &catalogue.types.get(signature.output.ty).ty;
        let is_pinned = matches!(output, Ty::Adt { path, .. } if &**path == "std::pin::Pin");
        let make = if is_pinned { "pin" } else { "new" };
        body = format!("::std::boxed::Box::{make}({body})");
    }
    let function = format!(
        "fn o{i}{generics}({}) -> {output}{where_clause} {{ {body} }}",
        inputs.join(", "),
    );
    let call = format!("o{i}({})", arguments.join(", "));
    let finish = if refuses {
        format!("match {call} {{ Some(v) => {{ put(out, v); true }} None => false }}")
    } else {
        format!("put(out, {call}); true")
    };
    let glue = format!(
        "pub unsafe fn g{i}(a: Args, out: *mut u8) -> bool {{ /* SAFETY: the runtime passes what the signature says; the host's borrow check saw to its loans */ unsafe {{ {finish} }} }}"
    );
    (function, glue)
}

fn body(operation: &Operation) -> String {
    let n = operation.signature.inputs.len();
    let arguments: Vec<String> = (0..n).map(|i| format!("x{i}")).collect();
    let arguments = operation.with_formatter(arguments, "f".to_owned());
    let list = arguments.join(", ");
    let full = |path: &str| FullNames.path(path);
    match &operation.form {
        Form::Function { path, turbofish } => {
            format!("{}{}({list})", full(path), turbofish_text(turbofish))
        }
        Form::Inherent {
            self_ty,
            name,
            turbofish,
            ..
        } => format!(
            "<{}>::{}{}({list})",
            in_body(self_ty),
            raw(name),
            turbofish_text(turbofish)
        ),
        Form::Trait {
            self_ty,
            trait_,
            name,
            turbofish,
            ..
        } => format!(
            "<{} as {}>::{}{}({list})",
            in_body(self_ty),
            trait_.render(&BodyNames),
            raw(name),
            turbofish_text(turbofish)
        ),
        Form::StructLiteral { self_ty, fields } => {
            literal(&full(adt_path(self_ty)), fields, &arguments)
        }
        Form::Variant {
            self_ty,
            name,
            fields,
        } => literal(
            &format!("{}::{}", full(adt_path(self_ty)), raw(name)),
            fields,
            &arguments,
        ),
        Form::Const { path } => full(path),
        Form::AssocConst { self_ty, name } => {
            format!("<{}>::{}", in_body(self_ty), raw(name))
        }
        Form::Field { name } => format!("&x0.{}", raw(name)),
        Form::Unwrap(Side::Some) => "x0".to_owned(),
        Form::Unwrap(Side::Ok) => "x0.ok()".to_owned(),
        Form::Unwrap(Side::Err) => "x0.err()".to_owned(),
        Form::Literal => "x0".to_owned(),
        Form::Recipe { template } => filled(template, &arguments),
        Form::Law(law) => law_body(law, &arguments),
        Form::Closure { template, boxed } => {
            let text = filled(template, &arguments);
            // A variable that a test's closure would borrow is a reference here, and is moved into
            // the closure.
            let moves = if text.starts_with('|') { "move " } else { "" };
            match boxed {
                true => format!("::std::boxed::Box::new({moves}{text})"),
                false => text,
            }
        }
    }
}

fn is_unsafe(catalogue: &Catalogue, operation: &Operation) -> bool {
    match operation.origin {
        Origin::Callable(id) | Origin::Beside(id) => catalogue.api.callable(id).is_unsafe,
        Origin::Recipe | Origin::Law => false,
    }
}

/// The body that asks for a law. It just returns if the law says nothing of its arguments.
fn law_body(law: &Law, arguments: &[String]) -> String {
    let mut body = String::new();
    for clause in &law.clauses {
        let _ = match clause {
            Clause::Let(name, text) => write!(body, "let {name} = {}; ", filled(text, arguments)),
            Clause::Do(text) => write!(body, "{}; ", filled(text, arguments)),
            // An assertion of the crate may be blamed on its caller, which is this code. The
            // message tells the law's own apart.
            Clause::Then(text) => {
                let text = filled(text, arguments);
                let open = text.strip_suffix(')').unwrap_or(&text);
                write!(body, "{open}, \"{LAW_BROKEN}\"); ")
            }
            Clause::Given(text) => {
                write!(body, "if !({}) {{ return; }} ", filled(text, arguments))
            }
        };
    }
    body
}

/// The template with its arguments.
fn filled(template: &str, arguments: &[String]) -> String {
    let mut text = template.to_owned();
    for (i, argument) in arguments.iter().enumerate() {
        text = text.replace(&format!("{{{i}}}"), argument);
    }
    text
}

fn adt_path(ty: &Ty) -> &str {
    match ty {
        Ty::Adt { path, .. } => path,
        _ => "unnamed",
    }
}

fn turbofish_text(args: &[GenericArg]) -> String {
    let parts: Vec<String> = args
        .iter()
        .filter_map(|arg| match arg {
            GenericArg::Type(ty) => Some(in_body(ty)),
            GenericArg::Const(n) => Some(n.to_string()),
            // Late-bound lifetimes cannot be given.
            GenericArg::Region(_) => None,
        })
        .collect();
    match parts.is_empty() {
        true => String::new(),
        false => format!("::<{}>", parts.join(", ")),
    }
}

fn literal(path: &str, fields: &Fields, arguments: &[String]) -> String {
    match fields {
        Fields::Unit => path.to_owned(),
        Fields::Tuple(_) => format!("{path}({})", arguments.join(", ")),
        Fields::Named(list) => {
            let parts: Vec<String> = list
                .iter()
                .zip(arguments)
                .map(|(field, argument)| format!("{}: {argument}", raw(&field.name)))
                .collect();
            format!("{path} {{ {} }}", parts.join(", "))
        }
    }
}

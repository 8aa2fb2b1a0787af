//! Lets equalities that are written by hand note what they read of a value: each gets code that
//! does the same and takes notes.
//!
//! That code is at the beginning of `eq`, and runs instead of the rest when notes are asked for.
//! Methods of the same type that `eq` calls get twins that take notes. Any use of the value that is
//! neither a field nor such a method counts as reading the whole value; so does an equality whose
//! code rustc refuses. Derived equalities need no notes: they read all fields.
//!
//! **What `==` reads is noted by a second body.** A hand-written `eq` of the copy begins with its
//! own text once more, in which every place below `self` or the other side says that it is read
//! (`instrument/monitor.rs`); while nobody asks for it, that costs a look at a static. The guest
//! compares a value with itself, and then writes out what was read and nothing else
//! (`support/reads.rs`): a node is known by its address and type. Everything starts as read. A
//! value whose own `eq` was entered is told by what that noted; so derived equalities, foreign
//! types and an `eq` that rustc refuses in this form need no code, and are whole. What is read in a
//! way that we do not follow (a macro, another function, a nested pattern) counts as the whole
//! value; if something was read that the snapshot did not come by, all of it is written. The one
//! thing that is believed: what a container does with its items beside comparing them does not
//! matter. Where it does, the report of `redundancy` shows pairs on which monitor-eq is coarser
//! than `==`.

mod reads;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use syn::visit::{self, Visit};
use syn::{FnArg, GenericArgument, ImplItem, ImplItemFn, ItemImpl, Pat, PathArguments};
use syn::{ReceiverKind, Type};

use self::reads::{PREFIX, Reads};
use crate::cfg::Cfg;
use crate::files::SourceFile;
use crate::site::Splice;
use crate::syntax::{on_one_line, range};

/// The names of a type and of one of its methods.
pub(crate) type Method = (String, String);

/// A function that notes what it reads.
#[derive(Clone, Debug)]
pub(crate) struct Monitored {
    /// Its path in the crate.
    pub(crate) name: String,
    /// Is it an equality, and not a method that an equality calls?
    pub(crate) is_equality: bool,
    pub(crate) method: Method,
    /// Methods of the same type that it calls in their monitored form.
    pub(crate) calls: BTreeSet<Method>,
    /// Where the code is inserted.
    at: usize,
    code: String,
}

impl Monitored {
    pub(crate) fn splice(&self) -> Splice<'_> {
        Splice {
            range: self.at..self.at,
            text: self.code.as_str().into(),
        }
    }
}

/// The functions of one file that note what they read, and how many others do not, by reason.
#[derive(Default)]
pub(crate) struct Found {
    /// The functions in the order of the file.
    pub(crate) functions: Vec<Monitored>,
    pub(crate) left_out: BTreeMap<&'static str, usize>,
}

/// Finds the equalities of a crate, and the methods that they call.
pub(crate) fn functions(sources: &[SourceFile], cfg: &Cfg) -> Vec<Found> {
    let each = |meet: &mut dyn FnMut(usize, &[String], &ItemImpl)| {
        for (i, source) in sources.iter().enumerate() {
            let modules = match source.module.as_str() {
                "" => Vec::new(),
                module => vec![module.to_owned()],
            };
            let meet = &mut |modules: &[String], item: &ItemImpl| meet(i, modules, item);
            Impls { cfg, modules, meet }.visit_file(&source.syntax);
        }
    };
    let (mut compared, mut methods) = (BTreeSet::new(), BTreeSet::new());
    each(&mut |_, _, item| {
        let Some(ty) = name_of(&item.self_ty) else {
            return;
        };
        if is_equality(item) {
            compared.insert(ty);
        } else if item.trait_.is_none() {
            let functions = functions_of(item, cfg).filter(|it| is_reader(it));
            methods.extend(functions.map(|it| (ty.clone(), it.sig.ident.to_string())));
        }
    });
    methods.retain(|(ty, _)| compared.contains(ty));
    let mut found: Vec<Found> = sources.iter().map(|_| Found::default()).collect();
    each(&mut |i, modules, item| {
        let text = &sources[i].text;
        for function in functions_of(item, cfg) {
            let monitored = match is_equality(item) {
                true if function.sig.ident == "eq" => {
                    equality(text, modules, item, function, &methods)
                }
                false if item.trait_.is_none() => twin(text, modules, item, function, &methods),
                _ => continue,
            };
            match monitored {
                Ok(Some(monitored)) => found[i].functions.push(monitored),
                Ok(None) => {}
                Err(why) => *found[i].left_out.entry(why).or_default() += 1,
            }
        }
    });
    keep_needed(&mut found);
    for found in &mut found {
        found.functions.sort_by_key(|it| it.at);
    }
    found
}

/// Removes methods that no equality calls.
fn keep_needed(found: &mut [Found]) {
    let mut needed: BTreeSet<Method> = BTreeSet::new();
    loop {
        let functions = found.iter().flat_map(|it| &it.functions);
        let are_needed = functions.filter(|it| it.is_equality || needed.contains(&it.method));
        let more: BTreeSet<Method> = are_needed.flat_map(|it| it.calls.clone()).collect();
        let n = needed.len();
        needed.extend(more);
        if needed.len() == n {
            break;
        }
    }
    for found in found {
        let is_needed = |it: &Monitored| it.is_equality || needed.contains(&it.method);
        found.functions.retain(is_needed);
    }
}

/// The last segment of a type's path.
fn name_of(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(it) if it.qself.is_none() => {
            it.path.segments.last().map(|it| it.ident.to_string())
        }
        Type::Paren(it) => name_of(&it.elem),
        Type::Group(it) => name_of(&it.elem),
        _ => None,
    }
}

/// Does the impl compare values of a type with others of the same type?
fn is_equality(item: &ItemImpl) -> bool {
    let Some((path, _)) = &item.trait_ else {
        return false;
    };
    let Some(last) = path.segments.last() else {
        return false;
    };
    let own = name_of(&item.self_ty);
    let is_of_own = match &last.arguments {
        PathArguments::None => true,
        PathArguments::AngleBracketed(it) => it.args.iter().all(|it| match it {
            GenericArgument::Type(ty) => {
                let other = name_of(ty);
                other.as_deref() == Some("Self") || other == own
            }
            _ => false,
        }),
        PathArguments::Parenthesized(_) => false,
    };
    last.ident == "PartialEq" && own.is_some() && is_of_own
}

fn functions_of<'i>(item: &'i ItemImpl, cfg: &Cfg) -> impl Iterator<Item = &'i ImplItemFn> {
    item.items.iter().filter_map(|it| match it {
        ImplItem::Fn(it) if cfg.allows(&it.attrs) => Some(it),
        _ => None,
    })
}

/// Does the method borrow the value, without anything else that the generated code would have to
/// handle?
fn is_reader(function: &ImplItemFn) -> bool {
    let signature = &function.sig;
    let is_plain = signature.asyncness.is_none() && signature.abi.is_none();
    is_plain && has_borrowed_self(function) && !signature.ident.to_string().starts_with("r#")
}

fn has_borrowed_self(function: &ImplItemFn) -> bool {
    let Some(FnArg::Receiver(it)) = function.sig.inputs.first() else {
        return false;
    };
    matches!(it.kind, ReceiverKind::Reference(_, _, None))
}

/// The code at the beginning of an `eq`.
fn equality(
    text: &str,
    modules: &[String],
    item: &ItemImpl,
    function: &ImplItemFn,
    methods: &BTreeSet<Method>,
) -> Result<Option<Monitored>, &'static str> {
    let other = match function.sig.inputs.iter().nth(1) {
        Some(FnArg::Typed(it)) => match &*it.pat {
            Pat::Ident(it) => Some(it.ident.to_string()),
            Pat::Wild(_) => None,
            _ => return Err("an `==` that takes its other side apart"),
        },
        _ => return Err("an `==` without another side"),
    };
    if !has_borrowed_self(function) {
        return Err("an `==` with an unusual `self`");
    }
    let ty = name_of(&item.self_ty).ok_or("an `==` of a type without a name")?;
    let mut reads = Reads::new(&ty, ["self".to_owned()].into_iter().chain(other), methods);
    let inside = inside(function);
    let body = body(text, function, &mut reads)?;
    let noted = reads.noted();
    let shown = on_one_line(&text[range(&*item.self_ty)]).unwrap_or_default();
    Ok(Some(Monitored {
        name: path(modules, &format!("<{shown} as PartialEq>::eq")),
        is_equality: true,
        calls: reads.calls,
        method: (ty, "eq".to_owned()),
        at: inside.start,
        code: format!(
            " if crate::__testsmith::is_monitored() {{ crate::__testsmith::enter(self); {noted}return {body}; }}"
        ),
    }))
}

/// A second version of a method that notes what it reads.
fn twin(
    text: &str,
    modules: &[String],
    item: &ItemImpl,
    function: &ImplItemFn,
    methods: &BTreeSet<Method>,
) -> Result<Option<Monitored>, &'static str> {
    let signature = &function.sig;
    let ident = signature.ident.to_string();
    let Some(ty) = name_of(&item.self_ty) else {
        return Ok(None);
    };
    let method = (ty, ident);
    if !methods.contains(&method) || !is_reader(function) {
        return Ok(None);
    }
    let mut reads = Reads::new(&method.0, ["self".to_owned()], methods);
    // If the method gets no code, its callers get none either.
    let Ok(body) = body(text, function, &mut reads) else {
        return Ok(None);
    };
    let head = range(&signature.ident).end..range(&function.block).start;
    let Some(head) = on_one_line(&text[head]) else {
        return Ok(None);
    };
    let word = match signature.safety {
        syn::Safety::Unsafe(_) => "unsafe ",
        _ => "",
    };
    let noted = reads.noted();
    let shown = on_one_line(&text[range(&*item.self_ty)]).unwrap_or_default();
    let name = &method.1;
    Ok(Some(Monitored {
        name: path(modules, &format!("{shown}::{name}")),
        is_equality: false,
        calls: reads.calls,
        at: range(function).end,
        code: format!(" pub(crate) {word}fn {PREFIX}{name}{head} {{ {noted}{body} }}"),
        method,
    }))
}

fn path(modules: &[String], name: &str) -> String {
    let modules = modules.iter().map(String::as_str);
    modules.chain([name]).collect::<Vec<_>>().join("::")
}

/// The text between the braces of a function.
fn inside(function: &ImplItemFn) -> Range<usize> {
    let braces = function.block.brace_token.span;
    range(&braces.open()).end..range(&braces.close()).start
}

/// The block of a function with notes of what it reads, on one line.
fn body(text: &str, function: &ImplItemFn, reads: &mut Reads<'_>) -> Result<String, &'static str> {
    if text[inside(function)].trim_start().starts_with("#!") {
        return Err("an `==` with attributes inside");
    }
    reads.visit_block(&function.block);
    let edited = reads.edited(text, range(&function.block));
    on_one_line(&edited).ok_or("an `==` that cannot be written on one line")
}

/// Goes through the impls of a file that are compiled, except those inside functions.
struct Impls<'i> {
    cfg: &'i Cfg,
    modules: Vec<String>,
    meet: &'i mut dyn FnMut(&[String], &ItemImpl),
}

impl<'ast> Visit<'ast> for Impls<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if self.cfg.allows(&item.attrs) && item.content.is_some() {
            self.modules.push(item.ident.to_string());
            visit::visit_item_mod(self, item);
            self.modules.pop();
        }
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        if self.cfg.allows(&item.attrs) {
            (self.meet)(&self.modules, item);
        }
    }

    fn visit_item_fn(&mut self, _: &'ast syn::ItemFn) {}
    fn visit_expr(&mut self, _: &'ast syn::Expr) {}
}

//! Finds operations by the names that a program calls them by.

use rustc_hash::FxHashMap;
use testsmith_api::{Fields, Form, OperationId, Side, Ty, TypeIdx};
use testsmith_sequence::World;

use super::script::Path;

/// An operation, under one of its names.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) op: OperationId,
    /// The qualifiers that may stand before `::name`. If there are none, no qualifier is needed.
    owners: Vec<String>,
    /// Can it be called without its qualifier? A variant can, because it may be imported.
    is_bare: bool,
    /// Can it be called as a method?
    pub(super) is_method: bool,
}

/// Operations by name, and operations that a program leaves implicit.
#[derive(Debug, Default)]
pub(super) struct Index {
    by_name: FxHashMap<String, Vec<Entry>>,
    by_field: FxHashMap<String, Vec<OperationId>>,
    /// Operations that unwrap, by the type that they take.
    unwraps: FxHashMap<(TypeIdx, bool), OperationId>,
    /// Operations that Rust applies by itself, as from `&String` to `&str`, by the type that they
    /// give.
    coercions: FxHashMap<TypeIdx, Vec<OperationId>>,
    /// Operations that programs leave to `Into` and `AsRef`, as from text to a path, by the type
    /// that they give.
    wrappers: FxHashMap<TypeIdx, Vec<OperationId>>,
    pub(super) literals: FxHashMap<TypeIdx, OperationId>,
}

impl Index {
    pub(super) fn new(world: &World) -> Index {
        let mut index = Index::default();
        for (i, operation) in world.catalogue.operations.iter().enumerate() {
            index.add(world, OperationId(i as u32), &operation.form);
        }
        index
    }

    fn add(&mut self, world: &World, op: OperationId, form: &Form) {
        let mut enter = |name: &str, owners: &[&str], is_bare, is_method| {
            let entry = Entry {
                op,
                owners: owners.iter().map(|it| (*it).to_owned()).collect(),
                is_bare,
                is_method,
            };
            self.by_name.entry(name.to_owned()).or_default().push(entry);
        };
        let signature = world.signature(op);
        match form {
            Form::Function { path, .. } | Form::Const { path } => {
                enter(last(path), &[], true, false);
            }
            Form::Inherent {
                self_ty,
                name,
                has_self,
                ..
            } => {
                enter(name, &[head(self_ty)], false, *has_self);
            }
            Form::Trait {
                self_ty,
                trait_,
                name,
                has_self,
                ..
            } => {
                enter(name, &[head(self_ty), trait_.name()], false, *has_self);
            }
            Form::StructLiteral { self_ty, .. } => enter(head(self_ty), &[], true, false),
            Form::Variant { self_ty, name, .. } => enter(name, &[head(self_ty)], true, false),
            Form::AssocConst { self_ty, name } => enter(name, &[head(self_ty)], false, false),
            Form::Field { name } => {
                self.by_field.entry(name.to_string()).or_default().push(op);
            }
            Form::Unwrap(side) => {
                let key = (signature.inputs[0].ty.ty, *side == Side::Err);
                self.unwraps.insert(key, op);
            }
            Form::Literal => {
                self.literals.insert(signature.output.ty, op);
            }
            Form::Closure { .. } | Form::Law(_) => {}
            Form::Recipe { template } => match named(template) {
                Some(Named::Method(name)) => enter(name, &[], false, true),
                Some(Named::Field(name)) => {
                    self.by_field.entry(name.to_owned()).or_default().push(op);
                }
                Some(Named::Function(owner, name)) => match owner {
                    Some(owner) => enter(name, &[owner], false, false),
                    None => enter(name, &[], true, false),
                },
                Some(Named::Syntax(name)) => enter(&name, &[], true, false),
                None => {}
            },
        }
        if let Form::Recipe { template } = form
            && signature.inputs.len() == 1
        {
            let output = signature.output.ty;
            match &**template {
                "{0}" | "&*{0}" | "&**{0}" | "*{0}" | "{0}.as_str()" | "{0}.as_slice()"
                | "{0}.as_mut_slice()" => self.coercions.entry(output).or_default().push(op),
                "std::borrow::Cow::Borrowed({0})"
                | "std::path::PathBuf::from({0})"
                | "std::path::Path::new({0})"
                | "std::ffi::OsString::from({0})"
                | "std::ffi::OsStr::new({0})"
                | "std::rc::Rc::from({0})"
                | "std::sync::Arc::from({0})"
                | "String::into_boxed_str({0})" => {
                    self.wrappers.entry(output).or_default().push(op);
                }
                _ => {}
            }
        }
    }

    /// Operations that a path may name.
    pub(super) fn of_path<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = &'a Entry> {
        let list = self.by_name.get(&path.name);
        list.into_iter()
            .flatten()
            .filter(|entry| match &path.qualifier {
                None => entry.is_bare || entry.owners.is_empty(),
                Some(qualifier) if entry.owners.is_empty() => {
                    // It must be a function in a module, not one of a type.
                    !entry.is_method && !qualifier.starts_with(char::is_uppercase)
                }
                Some(qualifier) => entry.owners.contains(qualifier),
            })
    }

    /// Operations of this name, whatever stands before it.
    pub(super) fn of_name(&self, name: &str) -> impl Iterator<Item = &Entry> {
        self.by_name.get(name).into_iter().flatten()
    }

    pub(super) fn of_field(&self, name: &str) -> &[OperationId] {
        self.by_field.get(name).map_or(&[], |list| list)
    }

    pub(super) fn unwrap(&self, ty: TypeIdx, is_err: bool) -> Option<OperationId> {
        self.unwraps.get(&(ty, is_err)).copied()
    }

    pub(super) fn coercions(&self, to: TypeIdx) -> &[OperationId] {
        self.coercions.get(&to).map_or(&[], |list| list)
    }

    pub(super) fn wrappers(&self, to: TypeIdx) -> &[OperationId] {
        self.wrappers.get(&to).map_or(&[], |list| list)
    }
}

/// The head of a type: `Map` for `krate::Map<u8>`, `u8`, `str` for `&str`.
pub(super) fn head(ty: &Ty) -> &str {
    match ty {
        Ty::Adt { path, .. } => last(path),
        Ty::Prim(prim) => prim.name(),
        Ty::Str => "str",
        Ty::Ref { to, .. } => head(to),
        _ => "",
    }
}

fn last(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

/// The fields of a struct or variant by name, in order of the inputs.
pub(super) fn fields(form: &Form) -> Option<&Fields> {
    match form {
        Form::StructLiteral { fields, .. } | Form::Variant { fields, .. } => Some(fields),
        _ => None,
    }
}

enum Named<'t> {
    Method(&'t str),
    Field(&'t str),
    Function(Option<&'t str>, &'t str),
    /// Tuples, lists and ranges, by number of parts.
    Syntax(String),
}

/// What a program writes where a recipe has this template.
fn named(template: &str) -> Option<Named<'_>> {
    let n_places = template.matches('{').count();
    if let Some(rest) = template.strip_prefix("{0}.") {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        return match end {
            None => Some(Named::Field(rest)),
            Some(0) => Some(Named::Syntax(range(template))),
            Some(end) => Some(Named::Method(&rest[..end])),
        };
    }
    if let Some(format) = template
        .strip_prefix("format!(\"")
        .and_then(|it| it.strip_suffix("\", {0})"))
    {
        return Some(Named::Syntax(format!("format!{format}")));
    }
    if template.starts_with('(') {
        return Some(Named::Syntax(format!("({n_places})")));
    }
    if template.starts_with("vec![") || template.starts_with('[') && !template.contains(';') {
        return Some(Named::Syntax(format!("[{n_places}]")));
    }
    if template.contains("..") {
        return Some(Named::Syntax(range(template)));
    }
    let (path, args) = template.split_once('(').unwrap_or((template, ")"));
    let is_plain = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let is_in_order = args == ")" || args.starts_with("{0}");
    if !path.chars().all(is_plain) || !is_in_order || args.contains('[') {
        return None;
    }
    let mut segments = path.rsplit("::");
    let name = segments.next()?;
    Some(Named::Function(segments.next(), name))
}

/// The syntax of a range: `{0}..{1}` becomes `_.._`.
fn range(template: &str) -> String {
    template.replace("{0}", "_").replace("{1}", "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_are_known_by_what_a_program_writes() {
        let name = |template| match named(template) {
            Some(Named::Method(name)) => format!(".{name}()"),
            Some(Named::Field(name)) => format!(".{name}"),
            Some(Named::Function(owner, name)) => format!("{}::{name}", owner.unwrap_or("")),
            Some(Named::Syntax(name)) => name,
            None => "-".to_owned(),
        };
        for (template, expected) in [
            ("{0}.collect::<Vec<_>>()", ".collect()"),
            ("{0}.next()", ".next()"),
            ("{0}.1", ".1"),
            ("Some({0})", "::Some"),
            ("None", "::None"),
            ("std::rc::Rc::new({0})", "Rc::new"),
            ("std::collections::HashMap::new()", "HashMap::new"),
            ("({0}, {1})", "(2)"),
            ("vec![{0}]", "[1]"),
            ("[{0}, {1}]", "[2]"),
            ("{0}..={1}", "_..=_"),
            ("{0}..", "_.."),
            ("..", ".."),
            ("format!(\"{:?}\", {0})", "format!{:?}"),
            ("match {0} { A => None }", "-"),
            ("std::collections::BTreeMap::from([({0}, {1})])", "-"),
        ] {
            assert_eq!(name(template), expected, "{template}");
        }
    }
}

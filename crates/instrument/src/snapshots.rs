//! The types that a file defines, and for each the code that writes out its values and builds them
//! again, private fields included.
//!
//! The code stands right behind the type: there it may name every field.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, Field, Fields, GenericParam, Generics, Ident, Token, Type, TypeParamBound};

use crate::site::Insertion;
use crate::walk::{on_one_line, range};
use crate::{Cfg, SourceFile, files};

/// The number of a type that the crate defines.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct DefinitionId(pub u32);

/// A type that can be looked into.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    /// Its path in the crate.
    pub(crate) name: String,
    /// Where it ends.
    pub(crate) end: usize,
    /// What is inserted there.
    pub(crate) code: String,
}

impl Definition {
    pub(crate) fn insertion(&self) -> Insertion<'_> {
        Insertion {
            at: self.end,
            text: &self.code,
        }
    }
}

/// The types of one file, and why others have no code.
#[derive(Default)]
pub(crate) struct Found {
    /// In the order in which they stand.
    pub(crate) definitions: Vec<Definition>,
    pub(crate) left_out: BTreeMap<&'static str, usize>,
}

/// Finds the types of one file.
pub(crate) fn definitions(source: &SourceFile, cfg: &Cfg) -> Found {
    let Ok(file) = files::parse(&source.text) else {
        return Found::default();
    };
    let mut search = Search {
        text: &source.text,
        cfg,
        modules: match source.module.as_str() {
            "" => Vec::new(),
            module => vec![module.to_owned()],
        },
        found: Found::default(),
    };
    search.visit_file(&file);
    search.found
}

struct Search<'s> {
    text: &'s str,
    cfg: &'s Cfg,
    modules: Vec<String>,
    found: Found,
}

/// What all kinds of types have.
struct Head<'h> {
    attributes: &'h [Attribute],
    ident: &'h Ident,
    generics: &'h Generics,
    end: usize,
}

/// One constructor of a type.
struct Constructor<'c> {
    attributes: &'c [Attribute],
    /// `Self` or `Self::Variant`.
    path: String,
    name: String,
    fields: &'c Fields,
}

impl Search<'_> {
    fn leave_out(&mut self, why: &'static str) {
        *self.found.left_out.entry(why).or_default() += 1;
    }

    fn add(&mut self, head: Head<'_>, constructors: &[Constructor<'_>]) {
        if !self.cfg.allows(head.attributes) {
            return;
        }
        if head.attributes.iter().any(says_packed) {
            return self.leave_out("the state of a packed type");
        }
        let fields = constructors.iter().flat_map(|it| it.fields);
        let is_conditional = |it: &Field| it.ident.is_none() && conditions(&it.attrs).count() > 0;
        if fields.clone().any(is_conditional) {
            return self
                .leave_out("the state of a type with conditional fields that have no names");
        }
        let is_sized = !asks_unsized(head.generics) && !fields.last().is_some_and(is_unsized);
        match self.code(&head, constructors, is_sized) {
            Some(code) => {
                let path = self.modules.iter().cloned().chain([bare(head.ident)]);
                self.found.definitions.push(Definition {
                    name: path.collect::<Vec<_>>().join("::"),
                    end: head.end,
                    code,
                });
            }
            None => self.leave_out("the state of a type that cannot be written on one line"),
        }
    }

    /// The implementation, on one line.
    fn code(
        &self,
        head: &Head<'_>,
        constructors: &[Constructor<'_>],
        is_sized: bool,
    ) -> Option<String> {
        let mut code = format!(" {}", self.conditions(head.attributes)?);
        let generics = head.generics.params.iter();
        let generics = generics.filter(|it| self.cfg.allows(attributes(it)));
        let parameters: Option<Vec<String>> =
            generics.clone().map(|it| self.parameter(it)).collect();
        let arguments: Vec<String> = generics.map(argument).collect();
        let bounds = match &head.generics.where_clause {
            Some(bounds) => on_one_line(&self.text[range(bounds)])?,
            None => String::new(),
        };
        let _ = write!(
            code,
            "impl<{}> crate::__testsmith::Snapshot for {}<{}> {bounds} {{ ",
            parameters?.join(", "),
            head.ident,
            arguments.join(", "),
        );
        code.push_str("fn snapshot(&self, __out: &mut crate::__testsmith::Out) { match *self { ");
        for (i, constructor) in constructors.iter().enumerate() {
            code.push_str(&self.written(i, constructor)?);
        }
        code.push_str("} } ");
        if is_sized {
            code.push_str(
                "fn restore(__from: &mut crate::__testsmith::In<'_>) -> crate::__testsmith::Option<Self> { \
                 let __made = match __from.begin()? { ",
            );
            for (i, constructor) in constructors.iter().enumerate() {
                code.push_str(&self.built(i, constructor)?);
            }
            code.push_str(
                "_ => return crate::__testsmith::Option::None }; __from.end()?; \
                 crate::__testsmith::Option::Some(__made) } ",
            );
        }
        code.push('}');
        Some(code)
    }

    /// The arm that writes a constructor out.
    fn written(&self, i: usize, constructor: &Constructor<'_>) -> Option<String> {
        let (mut bound, mut written) = (String::new(), String::new());
        for (j, field) in constructor.fields.iter().enumerate() {
            let on = self.conditions(&field.attrs)?;
            let label = label(j, field);
            let _ = write!(bound, "{on}{label}: ref __f{j}, ");
            let name = label.trim_start_matches("r#");
            let _ = write!(
                written,
                "{on}crate::__testsmith_field!(__out, {name:?}, __f{j}); "
            );
        }
        let Constructor { path, name, .. } = constructor;
        let on = self.conditions(constructor.attributes)?;
        Some(format!(
            "{on}{path} {{ {bound}}} => if __out.begin({i}, {name:?}) {{ {written}__out.end(); }} "
        ))
    }

    /// The arm that builds a constructor again.
    fn built(&self, i: usize, constructor: &Constructor<'_>) -> Option<String> {
        let mut built = String::new();
        for (j, field) in constructor.fields.iter().enumerate() {
            let on = self.conditions(&field.attrs)?;
            let (label, ty) = (label(j, field), on_one_line(&self.text[range(&field.ty)])?);
            let _ = write!(
                built,
                "{on}{label}: crate::__testsmith_part!(__from, {ty})?, "
            );
        }
        let on = self.conditions(constructor.attributes)?;
        Some(format!("{on}{i} => {} {{ {built}}}, ", constructor.path))
    }

    /// The attributes that say whether something is compiled.
    fn conditions(&self, attributes: &[Attribute]) -> Option<String> {
        let texts = conditions(attributes).map(|it| on_one_line(&self.text[range(it)]));
        texts.map(|text| Some(text? + " ")).collect()
    }

    /// A generic parameter without its default.
    fn parameter(&self, parameter: &GenericParam) -> Option<String> {
        let mut place = range(parameter);
        let default = match parameter {
            GenericParam::Type(it) => it.default.as_ref().map(|it| range(&it.0)),
            GenericParam::Const(it) => it.default.as_ref().map(|it| range(&it.0)),
            GenericParam::Lifetime(_) => None,
        };
        if let Some(default) = default {
            place.end = default.start;
        }
        on_one_line(&self.text[place])
    }
}

fn attributes(parameter: &GenericParam) -> &[Attribute] {
    match parameter {
        GenericParam::Type(it) => &it.attrs,
        GenericParam::Const(it) => &it.attrs,
        GenericParam::Lifetime(it) => &it.attrs,
    }
}

/// A generic parameter as it is referred to.
fn argument(parameter: &GenericParam) -> String {
    match parameter {
        GenericParam::Type(it) => it.ident.to_string(),
        GenericParam::Const(it) => it.ident.to_string(),
        GenericParam::Lifetime(it) => it.lifetime.to_string(),
    }
}

fn conditions(attributes: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attributes.iter().filter(|it| it.path().is_ident("cfg"))
}

/// A field's name, or its number.
fn label(i: usize, field: &Field) -> String {
    match &field.ident {
        Some(ident) => ident.to_string(),
        None => i.to_string(),
    }
}

/// A name without `r#`.
fn bare(ident: &Ident) -> String {
    let name = ident.to_string();
    name.strip_prefix("r#").unwrap_or(&name).to_owned()
}

/// Nobody may refer to a field of a packed type.
fn says_packed(attribute: &Attribute) -> bool {
    let is_it = attribute.path().is_ident("repr") || attribute.path().is_ident("cfg_attr");
    let list = attribute.meta.require_list();
    is_it && list.is_ok_and(|it| it.tokens.to_string().contains("packed"))
}

/// Can a parameter be of no known size?
fn asks_unsized(generics: &Generics) -> bool {
    let is_asked = |bounds: &Punctuated<TypeParamBound, Token![+]>| {
        bounds
            .iter()
            .any(|bound| matches!(bound, TypeParamBound::Trait(it) if it.maybe.is_some()))
    };
    let in_parameters = generics.type_params().any(|it| is_asked(&it.bounds));
    let mut clauses = generics.where_clause.iter().flat_map(|it| &it.predicates);
    in_parameters
        || clauses.any(|it| matches!(it, syn::WherePredicate::Type(it) if is_asked(&it.bounds)))
}

/// Is this field of no known size, as far as its text shows?
fn is_unsized(field: &Field) -> bool {
    match &field.ty {
        Type::Slice(_) | Type::TraitObject(_) => true,
        Type::Path(it) => it.path.is_ident("str"),
        _ => false,
    }
}

impl<'ast> Visit<'ast> for Search<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if self.cfg.allows(&item.attrs) && item.content.is_some() {
            self.modules.push(bare(&item.ident));
            visit::visit_item_mod(self, item);
            self.modules.pop();
        }
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        let head = Head {
            attributes: &item.attrs,
            ident: &item.ident,
            generics: &item.generics,
            end: range(item).end,
        };
        let constructor = Constructor {
            attributes: &[],
            path: "Self".to_owned(),
            name: bare(&item.ident),
            fields: &item.fields,
        };
        self.add(head, &[constructor]);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        let head = Head {
            attributes: &item.attrs,
            ident: &item.ident,
            generics: &item.generics,
            end: range(item).end,
        };
        let constructors = item.variants.iter().map(|variant| Constructor {
            attributes: &variant.attrs,
            path: format!("Self::{}", variant.ident),
            name: bare(&variant.ident),
            fields: &variant.fields,
        });
        self.add(head, &constructors.collect::<Vec<_>>());
    }

    fn visit_item_union(&mut self, item: &'ast syn::ItemUnion) {
        if self.cfg.allows(&item.attrs) {
            self.leave_out("the state of a union");
        }
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        // One with a name is a definition.
        if item.ident.is_none() && self.cfg.allows(&item.attrs) {
            self.leave_out("the state of types that a macro may define");
        }
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        let types = block.stmts.iter().filter(|it| {
            matches!(
                it,
                syn::Stmt::Item(syn::Item::Struct(_) | syn::Item::Enum(_) | syn::Item::Union(_))
            )
        });
        for _ in types {
            self.leave_out("the state of a type inside a function");
        }
    }

    fn visit_type(&mut self, _: &'ast Type) {}
}

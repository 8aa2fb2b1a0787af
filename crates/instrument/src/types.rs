//! Finds the types that a file defines, and the parts of their text that generated code repeats.

use std::fmt::Write as _;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Field, Fields, GenericParam, Generics, Ident, Type};

use crate::cfg::Cfg;
use crate::files::SourceFile;
use crate::syntax::{on_one_line, range};

/// An item that may define a type.
pub(crate) enum Met<'m> {
    /// A struct or an enum.
    Type(TypeItem<'m>),
    /// A type inside a function, with these attributes.
    Inside(&'m [Attribute]),
    /// A union.
    Union,
    /// A call of a macro that may define types.
    Macro,
}

/// A struct or an enum.
pub(crate) struct TypeItem<'t> {
    pub(crate) attributes: &'t [Attribute],
    pub(crate) ident: &'t Ident,
    pub(crate) generics: &'t Generics,
    pub(crate) constructors: Vec<Constructor<'t>>,
    pub(crate) is_enum: bool,
    /// The modules around it.
    pub(crate) modules: Vec<String>,
    /// Where it ends.
    pub(crate) end: usize,
}

/// One constructor of a type.
pub(crate) struct Constructor<'c> {
    pub(crate) attributes: &'c [Attribute],
    /// `Self` or `Self::Variant`.
    pub(crate) path: String,
    pub(crate) name: String,
    pub(crate) fields: &'c Fields,
}

impl TypeItem<'_> {
    /// Its path in the crate.
    pub(crate) fn path(&self) -> String {
        self.within_modules(&bare(self.ident))
    }

    /// The path of an item beside it.
    pub(crate) fn within_modules(&self, name: &str) -> String {
        let modules = self.modules.iter().map(String::as_str);
        modules.chain([name]).collect::<Vec<_>>().join("::")
    }

    /// All fields of all constructors.
    pub(crate) fn fields(&self) -> impl DoubleEndedIterator<Item = &Field> + Clone {
        self.constructors.iter().flat_map(|it| it.fields)
    }

    /// Does it have fields without names that depend on conditions? Then the numbers of the others
    /// are not known.
    pub(crate) fn has_conditional_places(&self) -> bool {
        let is_conditional = |it: &Field| it.ident.is_none() && conditions(&it.attrs).count() > 0;
        self.fields().any(is_conditional)
    }
}

/// The text of a file, and the configuration that says which of it is compiled.
#[derive(Clone, Copy)]
pub(crate) struct Original<'o> {
    pub(crate) text: &'o str,
    pub(crate) cfg: &'o Cfg,
}

/// The parts of the head of an `impl` for a type.
pub(crate) struct Head {
    /// The parameters: `<'a, T: Ord>`.
    pub(crate) parameters: String,
    /// The type: `Name<'a, T>`.
    pub(crate) ty: String,
    /// `where T: Copy`, or nothing.
    pub(crate) bounds: String,
}

impl Original<'_> {
    /// The text of a node; `None` if it cannot be written on one line.
    pub(crate) fn one_line(self, node: &impl Spanned) -> Option<String> {
        on_one_line(&self.text[range(node)])
    }

    /// The attributes that decide whether something is compiled, as text.
    pub(crate) fn conditions(self, attributes: &[Attribute]) -> Option<String> {
        let texts = conditions(attributes).map(|it| self.one_line(it));
        texts.map(|text| Some(text? + " ")).collect()
    }

    /// The head of an `impl` for the type.
    pub(crate) fn head(self, item: &TypeItem<'_>) -> Option<Head> {
        let (mut parameters, mut arguments) = (Vec::new(), Vec::new());
        for parameter in self.parameters(item) {
            parameters.push(self.parameter(parameter)?);
            arguments.push(argument(parameter));
        }
        let mut ty = item.ident.to_string();
        let _ = write!(ty, "<{}>", arguments.join(", "));
        Some(Head {
            parameters: format!("<{}>", parameters.join(", ")),
            ty,
            bounds: match &item.generics.where_clause {
                Some(bounds) => self.one_line(bounds)?,
                None => String::new(),
            },
        })
    }

    /// The generic parameters that are compiled.
    pub(crate) fn parameters<'i>(
        self,
        item: &TypeItem<'i>,
    ) -> impl Iterator<Item = &'i GenericParam> {
        let all = item.generics.params.iter();
        all.filter(move |it| self.cfg.allows(attributes(it)))
    }

    /// A generic parameter without its default.
    fn parameter(self, parameter: &GenericParam) -> Option<String> {
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

/// A generic parameter as an argument.
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
pub(crate) fn label(i: usize, field: &Field) -> String {
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

/// Does the attribute have this name, and contain this word?
pub(crate) fn says(attribute: &Attribute, name: &str, word: &str) -> bool {
    let list = attribute.meta.require_list();
    attribute.path().is_ident(name) && list.is_ok_and(|it| it.tokens.to_string().contains(word))
}

/// Goes through the types of a file that are compiled.
pub(crate) fn each(source: &SourceFile, cfg: &Cfg, meet: &mut dyn FnMut(Met<'_>)) {
    let modules = match source.module.as_str() {
        "" => Vec::new(),
        module => vec![module.to_owned()],
    };
    Search { cfg, modules, meet }.visit_file(&source.syntax);
}

struct Search<'s> {
    cfg: &'s Cfg,
    modules: Vec<String>,
    meet: &'s mut dyn FnMut(Met<'_>),
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
        if !self.cfg.allows(&item.attrs) {
            return;
        }
        (self.meet)(Met::Type(TypeItem {
            attributes: &item.attrs,
            ident: &item.ident,
            generics: &item.generics,
            constructors: vec![Constructor {
                attributes: &[],
                path: "Self".to_owned(),
                name: bare(&item.ident),
                fields: &item.fields,
            }],
            is_enum: false,
            modules: self.modules.clone(),
            end: range(item).end,
        }));
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        if !self.cfg.allows(&item.attrs) {
            return;
        }
        let constructors = item.variants.iter().map(|variant| Constructor {
            attributes: &variant.attrs,
            path: format!("Self::{}", variant.ident),
            name: bare(&variant.ident),
            fields: &variant.fields,
        });
        (self.meet)(Met::Type(TypeItem {
            attributes: &item.attrs,
            ident: &item.ident,
            generics: &item.generics,
            constructors: constructors.collect(),
            is_enum: true,
            modules: self.modules.clone(),
            end: range(item).end,
        }));
    }

    fn visit_item_union(&mut self, item: &'ast syn::ItemUnion) {
        if self.cfg.allows(&item.attrs) {
            (self.meet)(Met::Union);
        }
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        // A macro with a name is being defined, not called.
        if item.ident.is_none() && self.cfg.allows(&item.attrs) {
            (self.meet)(Met::Macro);
        }
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        for statement in &block.stmts {
            let syn::Stmt::Item(item) = statement else {
                continue;
            };
            match item {
                syn::Item::Struct(it) => (self.meet)(Met::Inside(&it.attrs)),
                syn::Item::Enum(it) => (self.meet)(Met::Inside(&it.attrs)),
                syn::Item::Union(it) => (self.meet)(Met::Inside(&it.attrs)),
                _ => {}
            }
        }
    }

    fn visit_type(&mut self, _: &'ast Type) {}
}

//! Finds the functions of a file: where each stands, and what is known of its machine code.

use std::ops::Range;

use syn::visit::{self, Visit};
use syn::{Attribute, Generics, ReturnType, Signature, Type, Visibility};

use crate::syntax::range;

/// A function with a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Bytes of its body, with the braces.
    pub body: Range<usize>,
    /// Where an attribute can be added that counts after all others.
    pub attribute_at: usize,
    /// Where an item can be added inside the function.
    pub item_at: usize,
    /// Is it compiled only once, with everything in it? Generic functions are not, nor functions
    /// that return a type without a name, because closures in them may be compiled in other crates.
    pub is_compiled_once: bool,
    /// Are all attributes on it and around it known to leave it as it is?
    pub is_plain: bool,
}

/// All functions of a file, outer functions before those inside them; `None` if the file cannot be
/// parsed.
pub fn functions(text: &str) -> Option<Vec<Function>> {
    let file = syn::parse_file(text).ok()?;
    let mut found = Functions {
        text,
        is_generic: false,
        is_plain: true,
        functions: Vec::new(),
    };
    found.visit_file(&file);
    Some(found.functions)
}

/// Attributes that leave a function as it is, with a symbol of its own.
const PLAIN: &[&str] = &[
    "allow",
    "automatically_derived",
    "cfg",
    "cfg_attr",
    "cold",
    "deny",
    "deprecated",
    "doc",
    "expect",
    "forbid",
    "inline",
    "must_use",
    "track_caller",
    "warn",
];

struct Functions<'f> {
    text: &'f str,
    /// Is the impl or trait around it generic?
    is_generic: bool,
    /// Are all attributes around it plain?
    is_plain: bool,
    functions: Vec<Function>,
}

impl Functions<'_> {
    fn add(
        &mut self,
        attributes: &[Attribute],
        before: Option<usize>,
        signature: &Signature,
        body: &syn::Block,
    ) {
        let braces = body.brace_token.span;
        let item_at = range(&braces.open()).end;
        let has_inner = self.text[item_at..].trim_start().starts_with("#!");
        self.functions.push(Function {
            name: signature.ident.to_string(),
            body: range(&braces.open()).start..range(&braces.close()).end,
            attribute_at: before.unwrap_or(range(signature).start),
            item_at,
            is_compiled_once: !self.is_generic && is_compiled_once(signature),
            is_plain: self.is_plain && are_plain(attributes) && !has_inner,
        });
    }

    fn within(&mut self, is_generic: bool, is_plain: bool, walk: impl FnOnce(&mut Self)) {
        let outer = (self.is_generic, self.is_plain);
        (self.is_generic, self.is_plain) = (is_generic, outer.1 && is_plain);
        walk(self);
        (self.is_generic, self.is_plain) = outer;
    }
}

impl<'ast> Visit<'ast> for Functions<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.within(false, are_plain(&item.attrs), |it| {
            visit::visit_item_mod(it, item);
        });
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        self.within(is_generic(&item.generics), are_plain(&item.attrs), |it| {
            visit::visit_item_impl(it, item);
        });
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        // A trait is generic over `Self`.
        self.within(true, are_plain(&item.attrs), |it| {
            visit::visit_item_trait(it, item);
        });
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        // Generic parameters from outside have no meaning inside a function.
        self.within(false, true, |it| {
            it.add(&item.attrs, start(&item.vis), &item.sig, &item.block);
            it.within(false, are_plain(&item.attrs), |it| {
                visit::visit_item_fn(it, item);
            });
        });
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.add(&item.attrs, start(&item.vis), &item.sig, &item.block);
        self.within(false, are_plain(&item.attrs), |it| {
            visit::visit_impl_item_fn(it, item);
        });
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(body) = &item.default {
            self.add(&item.attrs, None, &item.sig, body);
        }
        self.within(false, are_plain(&item.attrs), |it| {
            visit::visit_trait_item_fn(it, item);
        });
    }
}

fn start(visibility: &Visibility) -> Option<usize> {
    match visibility {
        Visibility::Inherited => None,
        it => Some(range(it).start),
    }
}

fn are_plain(attributes: &[Attribute]) -> bool {
    attributes.iter().all(|attribute| {
        let path = attribute.path();
        let first = path.segments.first().map(|it| it.ident.to_string());
        let is_tool = matches!(first.as_deref(), Some("clippy" | "rustfmt" | "diagnostic"));
        is_tool || PLAIN.iter().any(|name| path.is_ident(name))
    })
}

fn is_generic(generics: &Generics) -> bool {
    generics.type_params().next().is_some() || generics.const_params().next().is_some()
}

fn is_compiled_once(signature: &Signature) -> bool {
    let mut unnamed = Unnamed(false);
    for input in &signature.inputs {
        unnamed.visit_fn_arg(input);
    }
    if let ReturnType::Type(_, ty) = &signature.output {
        unnamed.visit_type(ty);
    }
    !is_generic(&signature.generics) && signature.asyncness.is_none() && !unnamed.0
}

/// Notices a type that has no name, or of which nothing is known.
struct Unnamed(bool);

impl<'ast> Visit<'ast> for Unnamed {
    fn visit_type(&mut self, ty: &'ast Type) {
        self.0 |= matches!(
            ty,
            Type::ImplTrait(_) | Type::Macro(_) | Type::Infer(_) | Type::Verbatim(_)
        );
        visit::visit_type(self, ty);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let functions = functions(text).expect("it can be parsed");
        let said = functions.iter().map(|it| {
            let once = if it.is_compiled_once { " once" } else { "" };
            let plain = if it.is_plain { "" } else { " rewritten" };
            format!("{}{once}{plain} {}", it.name, &text[it.body.clone()])
        });
        said.collect()
    }

    #[test]
    fn what_is_generic_or_opaque_is_compiled_more_than_once() {
        let text = "
            fn a<'a>(x: &'a u8) { fn b() {} }
            fn c<T>(x: T) {}
            fn d(x: impl Copy) {}
            fn e() -> Option<impl Fn()> { Some(|| {}) }
            async fn f() {}
            impl<const N: usize> S<N> { fn g() { fn h() {} } }
            impl S<3> { fn i() -> Box<dyn Fn()> { todo!() } }
            trait T { fn j() {} fn k(); }";
        let found = found(text);
        let once = found.iter().filter(|it| it.contains(" once"));
        let once: String = once.map(|it| &it[..1]).collect();
        assert_eq!(once, "abhi");
    }

    #[test]
    fn attributes_that_we_do_not_know_may_rewrite_a_function() {
        let text = "
            #[inline] #[must_use] fn a() {}
            #[no_mangle] fn b() {}
            #[some::thing] impl S { fn c() { fn d() {} } }
            #[clippy::x] mod m { fn e() { #![allow(x)] } }";
        let found = found(text);
        let rewritten = found.iter().filter(|it| it.contains("rewritten"));
        let rewritten: String = rewritten.map(|it| &it[..1]).collect();
        assert_eq!(rewritten, "bcde");
    }

    #[test]
    fn an_added_attribute_is_the_last() {
        let text =
            "#[inline] /// Doc.\npub(crate) const fn a() {}\nimpl S { #[cold] unsafe fn b() {} }";
        let functions = functions(text).expect("it can be parsed");
        assert!(text[functions[0].attribute_at..].starts_with("pub(crate) const"));
        assert_eq!(&text[functions[0].item_at..][..1], "}");
        assert!(text[functions[1].attribute_at..].starts_with("unsafe fn"));
    }
}

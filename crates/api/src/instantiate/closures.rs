//! Closures: the types that stand for `F: FnMut(A) -> R`, and what such a closure may do.
//!
//! A closure is a value in a slot like others, boxed; a test writes it where it is used. What it
//! does is chosen when a sequence is built: each behaviour is a recipe, and what it captures is
//! an input.

use super::Draft;
use super::build::{FRESH, adt_parts, prim};
use super::literal::is_literal;
use super::recipes::{drafted, open_regions, recipe};
use crate::operation::Form;
use crate::ty::{GenericArg, Prim, Region, RegionIdx, TraitRef, Ty, is_fn_trait};

/// Behaviours of one type of closure: each is compiled.
const MAX_BEHAVIOURS: usize = 8;
/// What parameters are called.
const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// Regions of a call are numbered from here; a recipe numbers them anew.
const OF_CALLS: u32 = 1 << 16;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Fn,
    FnMut,
    FnOnce,
}

/// How a closure is called.
struct Shape {
    kind: Kind,
    /// May it capture? A function pointer does not.
    captures: bool,
    params: Vec<Ty>,
    output: Ty,
}

/// The type that stands for a parameter with this bound among others.
pub(super) fn standing_for(trait_: &TraitRef, bounds: &[&TraitRef]) -> Ty {
    let has = |name: &str| bounds.iter().any(|bound| bound.name() == name);
    let trait_ = numbered(trait_);
    // A box is not `Clone`, a function pointer is.
    if has("Clone") || has("Copy") || has("Debug") {
        return Ty::FnPtr {
            inputs: params(&trait_),
            output: Box::new(output(&trait_)),
        };
    }
    let autos = ["Send", "Sync"].into_iter().filter(|name| has(name));
    let autos = autos.map(|name| TraitRef {
        path: format!("std::marker::{name}").into(),
        args: Vec::new(),
        assoc: Vec::new(),
    });
    Ty::adt(
        "std::boxed::Box",
        [Ty::Dyn {
            traits: [trait_].into_iter().chain(autos).collect(),
            bound: FRESH,
        }],
    )
}

/// Is it a type that [`standing_for`] gives?
pub(super) fn is_closure(ty: &Ty) -> bool {
    shape(ty).is_some()
}

/// What a call of it gives.
pub(super) fn output_of(ty: &Ty) -> Option<Ty> {
    shape(ty).map(|shape| shape.output)
}

/// The higher-ranked regions numbered from 0, so that equal types have equal text.
fn numbered(trait_: &TraitRef) -> TraitRef {
    let mut known: Vec<Region> = Vec::new();
    trait_.map(&mut |_| None, &mut |region| match region {
        Region::Bound(_) => {
            let n = known.iter().position(|k| *k == region).unwrap_or_else(|| {
                known.push(region);
                known.len() - 1
            });
            Region::Bound(n as u32)
        }
        other => other,
    })
}

fn params(trait_: &TraitRef) -> Vec<Ty> {
    match trait_.args.as_slice() {
        [GenericArg::Type(Ty::Tuple(params))] => params.clone(),
        _ => Vec::new(),
    }
}

fn output(trait_: &TraitRef) -> Ty {
    let stated = trait_.assoc.iter().find(|(name, _)| &**name == "Output");
    stated.map_or_else(Ty::unit, |(_, ty)| ty.clone())
}

fn shape(ty: &Ty) -> Option<Shape> {
    let (kind, captures, params, output) = match ty {
        Ty::FnPtr { inputs, output } => (Kind::Fn, false, inputs.clone(), (**output).clone()),
        Ty::Adt { .. } => {
            let Some(("std::boxed::Box", types, _)) = adt_parts(ty) else {
                return None;
            };
            let [Ty::Dyn { traits, .. }] = types.as_slice() else {
                return None;
            };
            let trait_ = traits.first().filter(|trait_| is_fn_trait(&trait_.path))?;
            let kind = match trait_.name() {
                "FnOnce" => Kind::FnOnce,
                "FnMut" => Kind::FnMut,
                _ => Kind::Fn,
            };
            (kind, true, params(trait_), output(trait_))
        }
        _ => return None,
    };
    (params.len() <= NAMES.len()).then_some(Shape {
        kind,
        captures,
        params,
        output,
    })
}

/// Calls of a closure that the crate returned.
pub(super) fn calls(ty: &Ty) -> Option<Draft> {
    let ty = open_regions(ty);
    let shape = shape(&ty)?;
    // What the closure leaves open, a call decides.
    let chosen = |ty: &Ty| {
        ty.map(&mut |_| None, &mut |region| match region {
            Region::Bound(n) => Region::Var(RegionIdx(OF_CALLS + n)),
            other => other,
        })
    };
    let borrowed = |mutable| Ty::Ref {
        region: Region::Var(RegionIdx(OF_CALLS - 1)),
        mutable,
        to: Box::new(ty.clone()),
    };
    let callee = match shape.kind {
        Kind::Fn => borrowed(false),
        Kind::FnMut => borrowed(true),
        Kind::FnOnce => ty.clone(),
    };
    let places = (0..shape.params.len()).map(|i| format!("{{{}}}", i + 1));
    let places: Vec<String> = places.collect();
    let inputs = [callee].into_iter().chain(shape.params.iter().map(chosen));
    Some(recipe(
        &format!("{{0}}({})", places.join(", ")),
        inputs.collect(),
        chosen(&shape.output),
    ))
}

/// What a closure of this type may do, the most telling first.
pub(super) fn behaviours(ty: &Ty) -> Vec<Draft> {
    let Some(shape) = shape(ty) else {
        return Vec::new();
    };
    let mut found = Behaviours {
        ty,
        shape: &shape,
        drafts: Vec::new(),
    };
    match &shape.output {
        output if output.is_unit() => found.effects(),
        Ty::Prim(Prim::Bool) => found.predicates(),
        Ty::Adt { path, .. } if &**path == "std::cmp::Ordering" => found.orders(),
        _ => {}
    }
    found.projections();
    found.conversions();
    found.constants();
    found.drafts.truncate(MAX_BEHAVIOURS);
    found.drafts
}

struct Behaviours<'a> {
    ty: &'a Ty,
    shape: &'a Shape,
    drafts: Vec<Draft>,
}

/// What is behind the references, and how many there are.
fn behind(ty: &Ty) -> (usize, &Ty) {
    match ty {
        Ty::Ref { to, .. } => {
            let (depth, inner) = behind(to);
            (depth + 1, inner)
        }
        other => (0, other),
    }
}

fn is_text(ty: &Ty) -> bool {
    *ty == Ty::Str || matches!(adt_parts(ty), Some(("std::string::String", _, _)))
}

fn is_list(ty: &Ty) -> bool {
    matches!(ty, Ty::Slice(_)) || matches!(adt_parts(ty), Some(("std::vec::Vec", _, _)))
}

fn is_copy(ty: &Ty) -> bool {
    match ty {
        Ty::Prim(_) | Ty::Ref { mutable: false, .. } => true,
        Ty::Tuple(parts) => parts.iter().all(is_copy),
        Ty::Adt { path, args } => {
            &**path == "std::cmp::Ordering"
                || &**path == "std::option::Option"
                    && matches!(args.as_slice(), [GenericArg::Type(of)] if is_copy(of))
        }
        _ => false,
    }
}

impl Behaviours<'_> {
    /// `|a, _| body`, with what it captures for `{0}`.
    fn add(&mut self, used: &[usize], body: &str, captured: Vec<Ty>) {
        if !captured.is_empty() && !self.shape.captures {
            return;
        }
        let names = (0..self.shape.params.len()).map(|i| match used.contains(&i) {
            true => NAMES[i],
            false => "_",
        });
        let names: Vec<&str> = names.collect();
        let moves = if captured.is_empty() { "" } else { "move " };
        let template = format!("{moves}|{}| {body}", names.join(", "));
        let form = Form::Closure {
            template: template.as_str().into(),
            boxed: self.shape.captures,
        };
        let mut draft = drafted(&template, form, captured, self.ty.clone());
        draft.outlives = kept_regions(&draft);
        if !self.drafts.iter().any(|known| known.key == draft.key) {
            self.drafts.push(draft);
        }
    }

    fn name(i: usize) -> &'static str {
        NAMES[i]
    }

    /// `*a`, for what is behind all references.
    fn place(&self, i: usize) -> String {
        let (depth, _) = behind(&self.shape.params[i]);
        format!("{}{}", "*".repeat(depth), Self::name(i))
    }

    /// Of a closure that returns nothing: what it does to its arguments.
    fn effects(&mut self) {
        for (i, param) in self.shape.params.iter().enumerate() {
            let Ty::Ref {
                mutable: true, to, ..
            } = param
            else {
                continue;
            };
            let name = Self::name(i);
            match &**to {
                Ty::Prim(of) if of.is_integer() => {
                    self.add(&[i], &format!("*{name} = {name}.wrapping_add(1)"), vec![]);
                    self.add(&[i], &format!("*{name} = {{0}}"), vec![(**to).clone()]);
                }
                Ty::Prim(_) => self.add(&[i], &format!("*{name} = {{0}}"), vec![(**to).clone()]),
                to if is_text(to) => self.add(&[i], &format!("{name}.push('x')"), vec![]),
                to if is_list(to) => self.add(&[i], &format!("{name}.clear()"), vec![]),
                to if self.shape.kind != Kind::FnOnce => {
                    self.add(&[i], &format!("*{name} = {{0}}.clone()"), vec![to.clone()]);
                }
                to => self.add(&[i], &format!("*{name} = {{0}}"), vec![to.clone()]),
            }
        }
        self.add(&[], "{}", vec![]);
    }

    fn predicates(&mut self) {
        self.comparisons();
        for (i, param) in self.shape.params.iter().enumerate() {
            let (_, inner) = behind(param);
            let (name, place) = (Self::name(i), self.place(i));
            match inner {
                Ty::Prim(Prim::Bool) => self.add(&[i], &place, vec![]),
                Ty::Prim(of) => {
                    self.add(&[i], &format!("{place} < {{0}}"), vec![inner.clone()]);
                    if of.is_integer() {
                        self.add(&[i], &format!("{place} % 2 == 0"), vec![]);
                    }
                }
                inner if is_text(inner) || is_list(inner) => {
                    let limit = vec![prim(Prim::Usize)];
                    self.add(&[i], &format!("{name}.len() < {{0}}"), limit);
                    self.add(&[i], &format!("{name}.is_empty()"), vec![]);
                }
                _ => {}
            }
        }
        if !self.shape.captures {
            self.add(&[], "true", vec![]);
            self.add(&[], "false", vec![]);
        }
    }

    /// Are two arguments alike?
    fn comparisons(&mut self) {
        for (i, j) in self.pairs() {
            let (_, inner) = behind(&self.shape.params[i]);
            if matches!(inner, Ty::Prim(_)) || is_text(inner) {
                let (a, b) = (Self::name(i), Self::name(j));
                self.add(&[i, j], &format!("{a} == {b}"), vec![]);
                self.add(&[i, j], &format!("{a} < {b}"), vec![]);
            }
        }
    }

    /// Arguments of one type, but for their lifetimes.
    fn pairs(&self) -> Vec<(usize, usize)> {
        let params = &self.shape.params;
        let mut pairs = Vec::new();
        for i in 0..params.len() {
            for j in i + 1..params.len() {
                let same = behind(&params[i]) == behind(&params[j]);
                if same && pairs.len() < 2 {
                    pairs.push((i, j));
                }
            }
        }
        pairs
    }

    fn orders(&mut self) {
        for (i, j) in self.pairs() {
            let (depth, inner) = behind(&self.shape.params[i]);
            let (a, b) = (Self::name(i), Self::name(j));
            let borrow = if depth == 0 { "&" } else { "" };
            let is_float = matches!(inner, Ty::Prim(of) if of.is_float());
            let compare = if is_float { "total_cmp" } else { "cmp" };
            self.add(&[i, j], &format!("{a}.{compare}({borrow}{b})"), vec![]);
            self.add(&[i, j], &format!("{b}.{compare}({borrow}{a})"), vec![]);
        }
        // What sorts by anything but an order gives what std happens to give.
        if !self.pairs().is_empty() {
            return;
        }
        for (i, param) in self.shape.params.iter().enumerate() {
            let (_, inner) = behind(param);
            let is_float = matches!(inner, Ty::Prim(of) if of.is_float());
            if is_literal(inner) && !is_float {
                let name = Self::name(i);
                self.add(&[i], &format!("{name}.cmp(&{{0}})"), vec![inner.clone()]);
            }
        }
    }

    /// An argument comes back, as it is, copied, or in a wrapper.
    fn projections(&mut self) {
        let output = &self.shape.output;
        if output.is_unit() {
            return;
        }
        let wrapper = match adt_parts(output) {
            Some(("std::option::Option", types, _)) => Some(("Some", types[0])),
            Some(("std::result::Result", types, _)) => Some(("Ok", types[0])),
            _ => None,
        };
        for (i, param) in self.shape.params.iter().enumerate() {
            let name = Self::name(i);
            if param == output {
                self.add(&[i], name, vec![]);
            }
            let (depth, inner) = behind(param);
            if depth > 0 && inner == output {
                let body = match is_copy(inner) {
                    true => self.place(i),
                    false => format!("{name}.clone()"),
                };
                self.add(&[i], &body, vec![]);
            }
            if let Some((wrapper, of)) = wrapper {
                if param == of {
                    self.add(&[i], &format!("{wrapper}({name})"), vec![]);
                } else if depth > 0 && inner == of {
                    let body = match is_copy(inner) {
                        true => format!("{wrapper}({})", self.place(i)),
                        false => format!("{wrapper}({name}.clone())"),
                    };
                    self.add(&[i], &body, vec![]);
                }
            }
        }
        if let Ty::Tuple(parts) = output
            && !parts.is_empty()
            && *parts == self.shape.params
        {
            let used: Vec<usize> = (0..parts.len()).collect();
            let names: Vec<&str> = used.iter().map(|i| NAMES[*i]).collect();
            let comma = if names.len() == 1 { "," } else { "" };
            self.add(&used, &format!("({}{comma})", names.join(", ")), vec![]);
        }
    }

    /// Something is made of an argument.
    fn conversions(&mut self) {
        let output = &self.shape.output;
        for (i, param) in self.shape.params.iter().enumerate() {
            let (_, inner) = behind(param);
            let (name, place) = (Self::name(i), self.place(i));
            match (inner, output) {
                (Ty::Prim(from), Ty::Prim(to)) if from.is_integer() && from == to => {
                    let offset = vec![output.clone()];
                    self.add(&[i], &format!("{name}.wrapping_add({{0}})"), offset);
                }
                (Ty::Prim(from), Ty::Prim(to))
                    if from.is_integer() && (to.is_integer() || to.is_float()) =>
                {
                    self.add(&[i], &format!("{place} as {}", to.name()), vec![]);
                }
                (Ty::Prim(_), to) if is_text(to) && *to != Ty::Str => {
                    self.add(&[i], &format!("{name}.to_string()"), vec![]);
                }
                (from, Ty::Prim(Prim::Usize)) if is_text(from) || is_list(from) => {
                    self.add(&[i], &format!("{name}.len()"), vec![]);
                }
                _ => {}
            }
        }
    }

    /// The same for all arguments.
    fn constants(&mut self) {
        let output = &self.shape.output;
        let is_order = matches!(adt_parts(output), Some(("std::cmp::Ordering", _, _)));
        if output.is_unit() || has_bound(output) || is_order && !self.pairs().is_empty() {
            return;
        }
        let body = match self.shape.kind != Kind::FnOnce && !is_copy(output) {
            true => "{0}.clone()",
            false => "{0}",
        };
        self.add(&[], body, vec![output.clone()]);
        let plain = match output {
            _ if self.shape.captures => return,
            Ty::Prim(of) if of.is_integer() => "0",
            Ty::Prim(of) if of.is_float() => "0.5",
            Ty::Prim(Prim::Char) => "'x'",
            Ty::Adt { path, .. } => match &**path {
                "std::string::String" => "String::new()",
                "std::vec::Vec" => "Vec::new()",
                "std::option::Option" => "None",
                _ => return,
            },
            _ => return,
        };
        self.add(&[], plain, vec![]);
    }
}

fn has_bound(ty: &Ty) -> bool {
    let mut found = false;
    ty.map(&mut |_| None, &mut |region| {
        found |= matches!(region, Region::Bound(_));
        region
    });
    found
}

/// What is captured lives as long as the closure.
fn kept_regions(draft: &Draft) -> Vec<(Region, Region)> {
    let mut bound = None;
    draft.output.any(&mut |node| {
        if let Ty::Dyn { bound: of, .. } = node {
            bound = bound.or(Some(*of));
        }
        false
    });
    let Some(bound @ Region::Var(_)) = bound else {
        return Vec::new();
    };
    let mut pairs = Vec::new();
    for input in &draft.inputs {
        input.ty.map(&mut |_| None, &mut |region| {
            let pair = (region, bound);
            if matches!(region, Region::Var(_)) && region != bound && !pairs.contains(&pair) {
                pairs.push(pair);
            }
            region
        });
    }
    pairs
}

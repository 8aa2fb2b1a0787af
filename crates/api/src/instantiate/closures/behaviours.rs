//! The recipes for what a closure of a given type may do, one for each behaviour.

use super::super::Draft;
use super::super::build::{adt_parts, prim, shared, string, vec};
use super::super::literal::is_literal;
use super::super::recipes::drafted;
use super::{Kind, NAMES, Shape, shape};
use crate::operation::{CLOSURE_PANIC, Form};
use crate::ty::{GenericArg, Prim, Region, RegionIdx, Ty};

/// The most behaviours of one type of closure that differ in what it returns, since each of them is
/// compiled.
const MAX_BEHAVIOURS: usize = 7;

/// The borrow of a log, which nothing else in the signature mentions.
const OF_LOG: Region = Region::Var(RegionIdx(u32::MAX - 2));

/// The recipes of closures of this type, those with the most telling behaviour first.
pub(in crate::instantiate) fn behaviours(ty: &Ty) -> Vec<Draft> {
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
        output if is_formatting(output) => found.texts(),
        _ => {}
    }
    found.projections();
    found.conversions();
    found.constants();
    found.drafts.truncate(MAX_BEHAVIOURS);
    found.logs();
    found.panics();
    found.drafts
}

struct Behaviours<'a> {
    ty: &'a Ty,
    shape: &'a Shape,
    drafts: Vec<Draft>,
}

/// The type behind all references, and how many references there are.
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

/// Is it `std::fmt::Result`?
fn is_formatting(ty: &Ty) -> bool {
    let is_error = |ty: &Ty| matches!(adt_parts(ty), Some(("std::fmt::Error", _, _)));
    matches!(adt_parts(ty), Some(("std::result::Result", types, _))
        if types[0].is_unit() && is_error(types[1]))
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
    /// Adds the closure `|a, _| body`. Captured values stand for `{0}` and so on.
    fn add(&mut self, used: &[usize], body: &str, captured: Vec<Ty>) {
        if !captured.is_empty() && !self.shape.captures {
            return;
        }
        let names = (0..self.shape.params.len()).map(|i| match used.contains(&i) {
            true => NAMES[i],
            false => "_",
        });
        let names: Vec<&str> = names.collect();
        // A log is captured by reference; with a log, other values are captured as they are used.
        let moves = match captured.first() {
            None | Some(Ty::Ref { region: OF_LOG, .. }) => "",
            Some(_) => "move ",
        };
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

    /// `*a`: the argument behind all of its references.
    fn place(&self, i: usize) -> String {
        let (depth, _) = behind(&self.shape.params[i]);
        format!("{}{}", "*".repeat(depth), Self::name(i))
    }

    /// Behaviours of a closure that returns nothing: what it does to its arguments.
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

    /// Behaviours that write an argument to another argument, which is a formatter.
    fn texts(&mut self) {
        let is_formatter = |ty: &Ty| {
            let (_, inner) = behind(ty);
            matches!(adt_parts(inner), Some(("std::fmt::Formatter", _, _)))
        };
        let (formatters, others): (Vec<usize>, Vec<usize>) =
            (0..self.shape.params.len()).partition(|i| is_formatter(&self.shape.params[*i]));
        for f in formatters {
            let to = Self::name(f);
            for &i in &others {
                let text = format!("write!({to}, \"{{{}:?}}\")", Self::name(i));
                self.add(&[i, f], &text, vec![]);
            }
            self.add(&[f], &format!("{to}.write_str(\"text\")"), vec![]);
        }
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

    /// Behaviours that compare two arguments.
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

    /// Pairs of arguments that have one type, up to their lifetimes.
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
        // If a closure that sorts is no order, the result depends on std's implementation.
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

    /// Behaviours that return an argument: as it is, copied, or in a wrapper.
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

    /// Behaviours that log the arguments, or count the calls.
    fn logs(&mut self) {
        if !self.shape.captures_local {
            return;
        }
        let params = self.shape.params.iter().enumerate();
        let owned: Option<Vec<_>> = params.map(|(i, ty)| owned(ty, Self::name(i))).collect();
        let (log, note) = match owned.filter(|parts| !parts.is_empty()) {
            Some(parts) => {
                let (mut types, texts): (Vec<Ty>, Vec<String>) = parts.into_iter().unzip();
                let (of, text) = match types.len() {
                    1 => (types.remove(0), texts[0].clone()),
                    _ => (Ty::Tuple(types), format!("({})", texts.join(", "))),
                };
                if !is_literal(&of) {
                    return;
                }
                let log = Ty::adt("std::cell::RefCell", [vec(of)]);
                (log, format!("{{0}}.borrow_mut().push({text})"))
            }
            None => {
                let count = Ty::adt("std::cell::Cell", [prim(Prim::U32)]);
                (count, "{0}.set({0}.get() + 1)".to_owned())
            }
        };
        let mut captured = vec![shared(OF_LOG, log)];
        let output = &self.shape.output;
        let body = match self.plain_result() {
            _ if output.is_unit() => note,
            Some(result) => format!("{{ {note}; {result} }}"),
            None if is_literal(output) && !has_region(output) => {
                captured.push(output.clone());
                let clone = self.clone_of_captured();
                format!("{{ {note}; {{1}}{clone} }}")
            }
            None => return,
        };
        let used: Vec<usize> = (0..self.shape.params.len())
            .filter(|i| mentions(&body, Self::name(*i)))
            .collect();
        self.add(&used, &body, captured);
    }

    /// The suffix that clones a captured value, because it is returned again and again unless the
    /// closure is called once.
    fn clone_of_captured(&self) -> &'static str {
        match self.shape.kind != Kind::FnOnce && !is_copy(&self.shape.output) {
            true => ".clone()",
            false => "",
        }
    }

    /// The result of a behaviour that captures nothing.
    fn plain_result(&self) -> Option<String> {
        let plain = self.drafts.iter().find(|draft| draft.inputs.is_empty())?;
        let Form::Closure { template, .. } = &plain.form else {
            return None;
        };
        let params = template.strip_prefix('|')?;
        let (params, body) = params.split_once("| ")?;
        // The body decides the names of its arguments.
        let is_named = |(i, name): (usize, &str)| name == "_" || name == NAMES[i];
        let named = params.split(", ").enumerate().all(is_named);
        (named || params.is_empty()).then(|| body.to_owned())
    }

    /// The behaviour that panics. The code that called it must be left in a state that can be
    /// dropped.
    fn panics(&mut self) {
        self.add(&[], &format!("panic!(\"{CLOSURE_PANIC}\")"), vec![]);
        // It has answered before.
        let first = self.shape.params.first().map(|param| behind(param).1);
        let holds = match first {
            Some(ty) if is_text(ty) => format!("!{}.is_empty()", Self::name(0)),
            Some(Ty::Prim(of)) if of.is_integer() => format!("{} > 0", self.place(0)),
            _ => return,
        };
        if self.shape.output == Ty::Prim(Prim::Bool) {
            let body = format!("{{ assert!({holds}, \"{CLOSURE_PANIC}\"); false }}");
            self.add(&[0], &body, vec![]);
        }
    }

    /// Behaviours that make something of an argument.
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

    /// Behaviours that return the same value for all arguments.
    fn constants(&mut self) {
        let output = &self.shape.output;
        let is_order = matches!(adt_parts(output), Some(("std::cmp::Ordering", _, _)));
        if output.is_unit() || has_bound(output) || is_order && !self.pairs().is_empty() {
            return;
        }
        let body = format!("{{0}}{}", self.clone_of_captured());
        self.add(&[], &body, vec![output.clone()]);
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

/// An argument as a value that outlives the call: its type, and how it is taken from an argument of
/// this name.
fn owned(param: &Ty, name: &str) -> Option<(Ty, String)> {
    let (depth, inner) = behind(param);
    let place = format!("{}{name}", "*".repeat(depth));
    Some(match inner {
        Ty::Str => (string(), format!("{name}.to_string()")),
        Ty::Slice(of) if is_literal(of) && !has_region(of) => {
            (vec((**of).clone()), format!("{name}.to_vec()"))
        }
        inner if !is_literal(inner) || has_region(inner) => return None,
        inner if is_copy(inner) => (inner.clone(), place),
        inner => (inner.clone(), format!("{name}.clone()")),
    })
}

fn has_region(ty: &Ty) -> bool {
    let mut found = false;
    ty.map(&mut |_| None, &mut |region| {
        found = true;
        region
    });
    found
}

fn has_bound(ty: &Ty) -> bool {
    let mut found = false;
    ty.map(&mut |_| None, &mut |region| {
        found |= matches!(region, Region::Bound(_));
        region
    });
    found
}

/// Does the body use the argument of this name?
fn mentions(body: &str, name: &str) -> bool {
    body.split(|c: char| !c.is_alphanumeric() && c != '_')
        .any(|word| word == name)
}

/// Bounds by which captured values live as long as the closure.
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

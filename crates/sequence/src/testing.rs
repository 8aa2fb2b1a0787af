//! Test support: worlds and sequences from text.
//!
//! A world is a list of types with what they can do, and of function signatures in Rust's notation:
//!
//! ```text
//! type Text: Drop
//! fn first<'a>(&'a Text) -> &'a Text
//! ```
//!
//! A sequence is one line for each step, in the notation of [`crate::text`] without the results:
//! `first(&s0)`, `drop(s0)`.

use testsmith_api::{
    CallableId, Catalogue, Form, GenericArg, Input, Operation, OperationId, Origin, Pass, Prim,
    Region, RegionIdx, Regioned, Signature, Ty,
};
use testsmith_protocol::{Caps, Use, Value};

use crate::builder::{Builder, Rejected, World};
use crate::step::{Arg, Sequence, SlotIdx};

/// The world that most tests use.
///
/// `Text` is like `String`, `Guard` like a lock's guard: both have drop glue. `Bag` keeps references
/// without drop glue, `Sack` with it. `Plain` can neither be copied nor has it drop glue. `Share` is
/// like `Rc`: its region is covariant.
const WORLD: &str = "
    type u8: Copy + Literal
    type str: Copy + Literal
    type Text: Drop + Literal
    type Guard: Drop
    type Sack: Drop
    type std::rc::Rc: Drop

    fn number() -> u8
    fn double(u8) -> u8
    fn sum(u8, u8) -> u8
    fn byte<'a>(&'a u8) -> &'a u8
    fn plain() -> Plain
    fn use_up(Plain) -> ()

    fn text() -> Text
    fn len(&Text) -> u8
    fn grow(&mut Text) -> ()
    fn eat(Text) -> ()
    fn same(&Text, &Text) -> u8
    fn swap(&mut Text, &mut Text) -> ()
    fn copy_to(&Text, &mut Text) -> ()

    fn first<'a>(&'a Text) -> &'a Text
    fn edit<'a>(&'a mut Text) -> &'a mut Text
    fn as_str<'a>(&'a Text) -> &'a str
    fn trim<'a>(&'a str) -> &'a str
    fn lock<'a>(&'a Text) -> Guard<'a>
    fn lock_mut<'a>(&'a mut Text) -> Guard<'a>
    fn peek<'a, 'g>(&'g Guard<'a>) -> u8
    fn longer<'a, 'b>(&'a Text, &'b Text) -> &'a Text
    fn bounded<'a: 'b, 'b>(&'a Text, &'b Text) -> &'b Text

    fn bag<'a>() -> Bag<'a>
    fn put<'a>(&mut Bag<'a>, &'a Text) -> ()
    fn bag_len<'a>(&Bag<'a>) -> u8
    fn cursor<'a, 'b>(&'b mut Bag<'a>) -> Cursor<'b, 'a>
    fn put_at<'a, 'b>(&mut Cursor<'b, 'a>, &'a Text) -> ()
    fn pour<'a>(&mut Bag<'a>, &mut Bag<'a>) -> ()
    fn view<'a>(&'a Bag<'a>) -> View<'a>
    fn sack<'a>() -> Sack<'a>
    fn pack<'a>(&mut Sack<'a>, &'a Text) -> ()
    fn share<'a>(&'a Text) -> std::rc::Rc<&'a Text>
    fn share_len<'a>(&std::rc::Rc<&'a Text>) -> u8

    fn keep_static(&'static Text) -> ()
    fn spawn<'a: 'static>(Bag<'a>) -> ()
    fn leak(&'static str) -> ()
";

/// The world that most tests use.
pub(crate) fn world() -> World {
    world_of(WORLD)
}

/// The world that a text describes.
pub(crate) fn world_of(text: &str) -> World {
    let mut catalogue = Catalogue::default();
    let mut caps_of: Vec<(&str, Caps)> = Vec::new();
    for line in text.lines().map(str::trim).filter(|it| !it.is_empty()) {
        if let Some(line) = line.strip_prefix("type ") {
            let (name, caps) = line.split_once(": ").expect("`type Name: Caps`");
            caps_of.push((name, caps_from(caps)));
        } else {
            let line = line.strip_prefix("fn ").expect("`type` or `fn`");
            let operation = operation(&mut catalogue, line);
            catalogue.operations.push(operation);
        }
    }
    let caps = catalogue.types.indices().map(|idx| {
        let ty = &catalogue.types.get(idx).ty;
        let declared = caps_of.iter().find(|(name, _)| *name == head(ty));
        match ty {
            Ty::Ref { mutable, .. } if *mutable => Caps::default(),
            Ty::Ref { to, .. } if **to != Ty::Str => Caps::COPY,
            _ => declared.map(|(_, caps)| *caps).unwrap_or_default(),
        }
    });
    let caps = caps.collect();
    World { catalogue, caps }
}

fn caps_from(text: &str) -> Caps {
    text.split(" + ")
        .fold(Caps::default(), |caps, word| match word {
            "Copy" => caps.with(Caps::COPY),
            "Drop" => caps.with(Caps::DROP),
            "Literal" => caps.with(Caps::LITERAL),
            _ => panic!("no such capability: {word}"),
        })
}

/// The name by which a declared type is found.
fn head(ty: &Ty) -> &str {
    match ty {
        Ty::Prim(_) => "u8",
        Ty::Ref { to, .. } => head(to),
        Ty::Str => "str",
        Ty::Adt { path, .. } => path,
        _ => "",
    }
}

fn operation(catalogue: &mut Catalogue, line: &str) -> Operation {
    let open = line.find(['<', '(']).expect("a function has parameters");
    let name = &line[..open];
    let mut parser = Parser {
        rest: &line[open..],
        regions: Vec::new(),
        n_regions: 0,
    };
    let outlives = match parser.eat("<") {
        true => parser.generics(),
        false => Vec::new(),
    };
    parser.expect("(");
    let mut inputs = Vec::new();
    while !parser.eat(")") {
        let (ty, pass) = match parser.ty() {
            Ty::Ref {
                region,
                mutable,
                to,
            } if *to != Ty::Str => match mutable {
                true => (*to, Pass::Mut(region)),
                false => (*to, Pass::Shared(region)),
            },
            ty => (ty, Pass::Value),
        };
        inputs.push(Input {
            name: "x".into(),
            ty: catalogue.types.intern(&ty),
            pass,
            generic: false,
        });
        parser.eat(", ");
    }
    parser.expect(" -> ");
    let output: Regioned = catalogue.types.intern(&parser.ty());
    Operation {
        key: name.into(),
        origin: Origin::Callable(CallableId(catalogue.operations.len() as u32)),
        form: Form::Function {
            path: name.into(),
            turbofish: Vec::new(),
        },
        signature: Signature {
            n_regions: parser.n_regions,
            inputs,
            output,
            outlives,
        },
        opaque: false,
        formatter: None,
        reading: None,
    }
}

/// Reads signatures. A reference without a lifetime gets a region of its own.
struct Parser<'t> {
    rest: &'t str,
    regions: Vec<&'t str>,
    n_regions: u32,
}

impl<'t> Parser<'t> {
    fn eat(&mut self, token: &str) -> bool {
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, token: &str) {
        assert!(self.eat(token), "`{token}` expected before `{}`", self.rest);
    }

    fn word(&mut self) -> &'t str {
        let is_end = |c: char| !(c.is_alphanumeric() || "_:'".contains(c));
        let n = self.rest.find(is_end).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(n);
        self.rest = rest;
        word
    }

    fn fresh(&mut self) -> Region {
        self.n_regions += 1;
        Region::Var(RegionIdx(self.n_regions - 1))
    }

    fn region(&mut self) -> Region {
        let name = self.word();
        match self.regions.iter().position(|known| *known == name) {
            _ if name == "'static" => Region::Static,
            Some(idx) => Region::Var(RegionIdx(idx as u32)),
            None => panic!("the lifetime `{name}` is not declared"),
        }
    }

    /// Declares the lifetimes of `'a: 'b, 'b>`, and gives which outlives which.
    fn generics(&mut self) -> Vec<(Region, Region)> {
        let end = self.rest.find('>').expect("generics end");
        let text = &self.rest[..end];
        for param in text.split(", ") {
            let (name, _) = param.split_once(": ").unwrap_or((param, ""));
            self.regions.push(name);
            self.fresh();
        }
        let mut outlives = Vec::new();
        for param in text.split(", ") {
            if let Some((long, short)) = param.split_once(": ") {
                let mut region_of = |name| {
                    let after = std::mem::replace(&mut self.rest, name);
                    let region = self.region();
                    self.rest = after;
                    region
                };
                outlives.push((region_of(long), region_of(short)));
            }
        }
        self.rest = &self.rest[end + 1..];
        outlives
    }

    fn ty(&mut self) -> Ty {
        if self.eat("()") {
            return Ty::unit();
        }
        if self.eat("&") {
            let region = match self.rest.starts_with('\'') {
                true => self.region(),
                false => self.fresh(),
            };
            self.eat(" ");
            let mutable = self.eat("mut ");
            let to = Box::new(self.ty());
            return Ty::Ref {
                region,
                mutable,
                to,
            };
        }
        match self.word() {
            "u8" => Ty::Prim(Prim::U8),
            "str" => Ty::Str,
            path => {
                let mut args = Vec::new();
                if self.eat("<") {
                    while !self.eat(">") {
                        args.push(match self.rest.starts_with('\'') {
                            true => GenericArg::Region(self.region()),
                            false => GenericArg::Type(self.ty()),
                        });
                        self.eat(", ");
                    }
                }
                Ty::Adt {
                    path: path.into(),
                    args,
                }
            }
        }
    }
}

/// The operation of this name.
pub(crate) fn op(world: &World, name: &str) -> OperationId {
    let mut operations = world.catalogue.operations.iter();
    let idx = operations.position(|operation| &*operation.key == name);
    OperationId(idx.unwrap_or_else(|| panic!("no function `{name}`")) as u32)
}

/// Appends the step that one line describes. A line that begins with `gently` must not end anything.
pub(crate) fn push(world: &World, builder: &mut Builder<'_>, line: &str) -> Result<(), Rejected> {
    let (is_gentle, call) = match line.strip_prefix("gently ") {
        Some(call) => (true, call),
        None => (false, line),
    };
    let (name, args) = call.split_once('(').expect("a step is a call");
    let args = args.strip_suffix(')').expect("a call ends with `)`");
    if name == "drop" {
        return builder.drop(slot(args));
    }
    let args = args.split(", ").filter(|it| !it.is_empty()).map(arg);
    let (op, args) = (op(world, name), args.collect());
    match is_gentle {
        true => builder.push_gently(op, args).map(|_| ()),
        false => builder.push(op, args).map(|_| ()),
    }
}

fn slot(text: &str) -> SlotIdx {
    let number = text.strip_prefix('s').and_then(|n| n.parse().ok());
    SlotIdx(number.unwrap_or_else(|| panic!("`{text}` is no slot")))
}

fn arg(text: &str) -> Arg {
    let ways = [
        ("move ", Use::Move),
        ("&mut ", Use::Mut),
        ("&*", Use::Reborrow),
        ("&", Use::Shared),
    ];
    if let Some(text) = text.strip_prefix('"') {
        return Arg::Literal(Value::Str(text.trim_end_matches('"').into()).into());
    }
    if let Ok(number) = text.parse() {
        return Arg::Literal(Value::UInt(number).into());
    }
    let way = ways
        .into_iter()
        .find_map(|(prefix, usage)| Some((text.strip_prefix(prefix)?, usage)));
    let (name, usage) = way.unwrap_or((text, Use::Copy));
    Arg::Slot(slot(name), usage)
}

/// The lines of a text that are not empty.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|it| !it.is_empty())
}

/// The sequence that a text describes; none of its steps may be rejected.
pub(crate) fn sequence(world: &World, text: &str) -> Sequence {
    let mut builder = Builder::new(world);
    for line in lines(text) {
        if let Err(why) = push(world, &mut builder, line) {
            panic!("`{line}` is rejected: {why:?}");
        }
    }
    builder.finish()
}

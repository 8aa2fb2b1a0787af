//! Finds what a test is about: an item of the crate, and the module that it is in.

use testsmith_api::{Form, KeyNames, OperationId, Origin, Ty};
use testsmith_emit::TestCase;
use testsmith_sequence::{Step, World};

/// The path of the type that an operation's tests are about. For a trait of the crate on a foreign
/// type, that is the trait.
pub(crate) fn subject(world: &World, op: OperationId) -> String {
    let path_of = |ty: &Ty| {
        let mut ty = ty;
        while let Ty::Ref { to, .. } = ty {
            ty = to;
        }
        match ty {
            Ty::Adt { path, .. } => path.to_string(),
            other => other.render(&KeyNames),
        }
    };
    match &world.catalogue.operation(op).form {
        Form::Trait {
            self_ty, trait_, ..
        } if inside(world, &path_of(self_ty)).is_none() => trait_.path.to_string(),
        Form::Inherent { self_ty, .. }
        | Form::Trait { self_ty, .. }
        | Form::StructLiteral { self_ty, .. }
        | Form::Variant { self_ty, .. }
        | Form::AssocConst { self_ty, .. } => path_of(self_ty),
        Form::Function { path, .. } | Form::Const { path } => path.to_string(),
        _ => match world.signature(op).inputs.first() {
            Some(input) => path_of(&world.catalogue.types.get(input.ty.ty).ty),
            None => String::new(),
        },
    }
}

/// The name of a module that only re-exports.
const PRELUDE: &str = "prelude";

/// The module of the crate that a case is about: the first one on the public path to its subject.
/// An item that the root or a prelude re-exports belongs to the module that defines it, public or
/// not. `None` is the root itself.
pub(crate) fn module(world: &World, case: &TestCase) -> Option<String> {
    let op = about(world, case)?;
    let subject = subject(world, op);
    let path = match inside(world, &subject) {
        Some(_) => subject,
        None => of_signature(world, op)?,
    };
    let first = |path: &str| {
        let (module, _) = inside(world, path)?.split_once("::")?;
        Some(module.to_owned())
    };
    let public = first(&path).filter(|module| module != PRELUDE);
    public.or_else(|| {
        let mut definitions = world.catalogue.api.definitions.iter();
        let (defined, _) = definitions.find(|(_, public)| ***public == *path)?;
        first(defined)
    })
}

/// The operation that a case is about. If the case is joined from several, it is that of the first.
fn about(world: &World, case: &TestCase) -> Option<OperationId> {
    let first = case.acts.first().map(|act| act.op);
    let mut called = case
        .sequence
        .steps()
        .iter()
        .rev()
        .filter_map(|step| match step {
            Step::Call { op, .. } => Some(*op),
            Step::Drop(_) => None,
        });
    let is_callable = |op: &OperationId| {
        let origin = world.catalogue.operation(*op).origin;
        matches!(origin, Origin::Callable(_))
    };
    first.or_else(|| called.find(is_callable))
}

/// The first type of the crate in an operation's signature. It tells what a foreign trait on a
/// foreign type has to do with the crate.
fn of_signature(world: &World, op: OperationId) -> Option<String> {
    let signature = world.signature(op);
    let inputs = signature.inputs.iter().map(|input| input.ty.ty);
    let mut found = None;
    for ty in inputs.chain([signature.output.ty]) {
        world.catalogue.types.get(ty).ty.any(&mut |node| {
            if let Ty::Adt { path, .. } = node
                && found.is_none()
                && inside(world, path).is_some()
            {
                found = Some(path.to_string());
            }
            found.is_some()
        });
    }
    found
}

/// The path of an item without the name of the crate; `None` for items of other crates.
fn inside<'p>(world: &World, path: &'p str) -> Option<&'p str> {
    path.strip_prefix(&*world.catalogue.api.krate)?
        .strip_prefix("::")
}

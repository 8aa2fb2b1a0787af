//! Reads what documentation tells callers: that a function panics, and what it asks of its callers.

use testsmith_api::{Callable, CallableKind, Docs, OperationId, Ty, last_segment};
use testsmith_explore::Failure;
use testsmith_sequence::{Sequence, Step, World};

use super::callable;
use super::condition::{Facts, holds};
use super::fit::{Fit, Happened, fit};
use super::given::{origins, slots};

/// What the documentation of the callable says of panics, or else that of the trait's method which
/// it implements.
pub(super) fn announced(world: &World, op: OperationId) -> Option<&str> {
    let callable = callable(world, op)?;
    let own = callable.docs.panics.as_deref();
    own.or_else(|| docs_of_trait(world, callable)?.panics.as_deref())
        .or_else(|| docs_of_namesake(world, callable)?.panics.as_deref())
}

/// The documentation of the type's own method that has the name of the trait's.
fn docs_of_namesake<'w>(world: &'w World, callable: &Callable) -> Option<&'w Docs> {
    let CallableKind::Trait { self_ty, name, .. } = &callable.kind else {
        return None;
    };
    let Ty::Adt { path, .. } = self_ty else {
        return None;
    };
    let mut callables = world.catalogue.api.callables.iter();
    let namesake = callables.find(|it| match &it.kind {
        CallableKind::Inherent {
            self_ty: Ty::Adt { path: of, .. },
            name: own,
            ..
        } => of == path && own == name,
        _ => false,
    });
    Some(&namesake?.docs)
}

/// The documentation of the trait's method that the callable implements.
fn docs_of_trait<'w>(world: &'w World, callable: &Callable) -> Option<&'w Docs> {
    let CallableKind::Trait { trait_, name, .. } = &callable.kind else {
        return None;
    };
    let trait_ = world.catalogue.api.traits.get(&trait_.path)?;
    let method = trait_.methods.iter().find(|it| it.name == *name)?;
    Some(&method.docs)
}

/// How sentences begin that are about the function itself, and not about one that is better.
const ITSELF: [&str; 12] = [
    "cannot panic",
    "does not panic",
    "doesn't panic",
    "it does not",
    "it never",
    "never panic",
    "this does not",
    "this function",
    "this method",
    "this never",
    "will never panic",
    "will not panic",
];

/// What its documentation says to deny that it panics, if it announces none.
pub(super) fn denied(world: &World, op: OperationId) -> Option<&str> {
    let docs = &callable(world, op)?.docs;
    let denies = docs.denies.as_deref().filter(|_| docs.panics.is_none())?;
    let lower = denies.to_lowercase();
    let mut itself = ITSELF.iter();
    itself.any(|it| lower.starts_with(it)).then_some(denies)
}

/// What the documentation of the type, or of an operation that made an argument, says of panics, if
/// that may be what happened.
pub(super) fn forewarned(
    world: &World,
    failure: &Failure,
    happened: &Happened<'_>,
) -> Option<String> {
    let called = callable(world, failure.operation)?;
    let is_it = |said: &str| matches!(fit(said, happened), Some(Fit::Yes(_) | Fit::Unclear(_)));
    if let Some(said) = announced_of_type(world, called).filter(|it| is_it(it)) {
        return Some(format!("its type's documentation announces it: {said}"));
    }
    let slots = slots(failure).into_iter();
    let origins = slots.flat_map(|slot| origins(&failure.sequence, slot));
    let mut makers = origins.filter_map(|slot| callable(world, failure.sequence.maker(slot).0));
    makers.find_map(|maker| {
        let said = maker.docs.warns.as_deref().filter(|it| is_it(it))?;
        Some(format!("the documentation of `{}` says: {said}", maker.key))
    })
}

/// What the function, or an operation that made one of its arguments, asks of its callers. What the
/// call is known to heed is not among it.
pub(super) fn demanded(world: &World, failure: &Failure, facts: &Facts<'_>) -> Option<String> {
    let called = callable(world, failure.operation)?;
    let is_heeded = |said: &&str| holds(&as_told(said), facts) == Some(true);
    let of_trait = || demand(docs_of_trait(world, called)?, called);
    let asked = demand(&called.docs, called).or_else(of_trait);
    if let Some(said) = asked.filter(|it| !is_heeded(it)) {
        return Some(format!("its documentation asks of its callers: {said}"));
    }
    makers(world, failure).find_map(|maker| {
        let said = demand(&maker.docs, maker)?;
        Some(format!(
            "the documentation of `{}` asks of its callers: {said}",
            maker.key
        ))
    })
}

/// What the function, or one before it, says to trust its callers with: it checks nothing, or is for the crate itself.
pub(super) fn trusted(world: &World, sequence: &Sequence) -> Option<String> {
    let steps = sequence.steps().iter();
    let mut called = steps.filter_map(|step| match step {
        Step::Call { op, .. } => callable(world, *op),
        Step::Drop(_) => None,
    });
    called.find_map(trusts)
}

/// What the function says to trust its callers with.
pub(super) fn trusts(called: &Callable) -> Option<String> {
    let Callable { key, docs, .. } = called;
    if let Some(said) = &docs.trusts {
        return Some(format!("the documentation of `{key}` says: {said}"));
    }
    let mut words = last_segment(key).split('_');
    let says = || format!("`{key}` does not check what it is given, as its name says");
    words.any(|word| word == "unchecked").then(says)
}

/// What another function announces of a parameter of the same name, if it is true of this call.
pub(super) fn announced_of_sibling(
    world: &World,
    failure: &Failure,
    facts: &Facts<'_>,
) -> Option<String> {
    let called = callable(world, failure.operation)?;
    let mut others = world.catalogue.api.callables.iter();
    others.find_map(|it| {
        let said = it.docs.panics.as_deref()?;
        let mut shared = facts.arguments.iter().map(|it| it.name);
        let shared = shared.find(|name| {
            let mut own = it.inputs.iter();
            own.any(|it| *it.name == **name) && said.contains(&format!("`{name}`"))
        })?;
        let is_it = it.key != called.key && holds(said, facts) == Some(true);
        is_it.then(|| format!("`{}` announces it of the same `{shared}`: {said}", it.key))
    })
}

/// What must be, as if it were so.
fn as_told(demand: &str) -> String {
    let mut told = demand.to_owned();
    for duty in [
        "must", "should", "shall", "has to", "have to", "needs to", "need to",
    ] {
        told = told.replace(&format!(" {duty} not be "), " is not ");
        told = told.replace(&format!(" {duty} be "), " is ");
    }
    told
}

/// The functions that made the arguments of the last call.
fn makers<'a>(world: &'a World, failure: &'a Failure) -> impl Iterator<Item = &'a Callable> {
    let slots = slots(failure).into_iter();
    slots.filter_map(|slot| callable(world, failure.sequence.maker(slot).0))
}

/// What the documentation of the function's type says of panics, unless it names only other
/// functions.
fn announced_of_type<'w>(world: &'w World, called: &Callable) -> Option<&'w str> {
    let (CallableKind::Inherent { self_ty, .. } | CallableKind::Trait { self_ty, .. }) =
        &called.kind
    else {
        return None;
    };
    let mut of = self_ty;
    while let Ty::Ref { to, .. } = of {
        of = to;
    }
    let Ty::Adt { path, .. } = of else {
        return None;
    };
    let said = world.catalogue.api.adts.get(path)?.panics.as_deref()?;
    let mut functions = named(said).peekable();
    let is_meant =
        functions.peek().is_none() || functions.any(|it| it == last_segment(&called.key));
    is_meant.then_some(said)
}

/// The functions that a text names: `Build::update_edge`, `update_edge()`.
fn named(text: &str) -> impl Iterator<Item = &str> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.filter_map(|quoted| {
        let name = quoted.split('(').next().unwrap_or_default();
        let is_function = quoted.contains('(') || quoted.contains("::");
        is_function.then(|| last_segment(name))
    })
}

/// The first sentence that says what a parameter or the caller must do or be.
pub(super) fn demand<'d>(docs: &'d Docs, callable: &Callable) -> Option<&'d str> {
    let asks = docs.asks.iter().map(|it| &**it);
    let mut asks = asks.filter(|sentence| {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let mut words = sentence.split(|c| !is_word(c));
        words.any(|word| {
            let is_caller = matches!(word, "caller" | "callers" | "Caller" | "Callers");
            let mut parameters = callable.inputs.iter().filter(|it| &*it.name != "self");
            // "Node addresses can be obtained by .." is about `addr`.
            let names = |name: &str| {
                name == word || name.len() >= 4 && word.to_lowercase().starts_with(name)
            };
            is_caller || parameters.any(|it| names(&it.name))
        })
    });
    asks.next()
}

/// A crate counts as documented if at most one in this many functions has no documentation.
const DOCUMENTED: usize = 8;

/// Is it a function without documentation, in a crate where nearly all functions have some?
pub(super) fn is_helper(world: &World, called: &Callable) -> bool {
    let is_own = |it: &&Callable| {
        matches!(
            it.kind,
            CallableKind::Function { .. } | CallableKind::Inherent { .. }
        )
    };
    let own = world.catalogue.api.callables.iter().filter(is_own);
    let (n_own, n_silent) = own.fold((0, 0), |(n_own, n_silent), it| {
        (n_own + 1, n_silent + usize::from(!it.docs.is_there))
    });
    is_own(&called) && !called.docs.is_there && n_silent * DOCUMENTED <= n_own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_named_by_paths_and_calls() {
        let text = "[`Build::update_edge`] and `push()` will panic if `NaN` is `self`";
        let found: Vec<&str> = named(text).collect();
        assert_eq!(found, ["update_edge", "push"]);
    }
}

//! Finds the operations that a choice of callables needs: those that make and change the values
//! which the chosen ones are called with, and those that look at the values which the chosen ones
//! give. Calling the rest would only take time from the chosen ones.

use std::collections::BTreeSet;

use testsmith_api::{Catalogue, Operation, Origin, Pass, TypeIdx, is_literal};

use crate::filter::Filter;

/// Removes the operations that no wanted operation needs. Every wanted operation can still be
/// called: if a type is needed, all operations that make it are kept.
pub(crate) fn keep_needed(catalogue: &mut Catalogue, filter: &Filter) {
    if filter.wants_all() {
        return;
    }
    let mut needed = Needed {
        catalogue,
        inputs: BTreeSet::new(),
        subjects: BTreeSet::new(),
    };
    let mut keep: Vec<bool> = Vec::new();
    for operation in &catalogue.operations {
        let is_wanted = filter.wants_operation(catalogue, operation);
        if is_wanted {
            needed.add_wanted(operation);
        }
        keep.push(is_wanted);
    }
    loop {
        let mut is_stable = true;
        for (operation, keep) in catalogue.operations.iter().zip(&mut keep) {
            if !*keep && needed.needs(operation) {
                *keep = true;
                is_stable = false;
                needed.add(operation);
            }
        }
        if is_stable {
            break;
        }
    }
    let mut keep = keep.into_iter();
    catalogue
        .operations
        .retain(|_| keep.next().expect("one answer for each operation"));
}

struct Needed<'c> {
    catalogue: &'c Catalogue,
    /// Types of which values are needed as arguments.
    inputs: BTreeSet<TypeIdx>,
    /// Types that the wanted operations take or give: tests look at values of these.
    subjects: BTreeSet<TypeIdx>,
}

impl Needed<'_> {
    fn add_wanted(&mut self, operation: &Operation) {
        let inputs = operation.signature.inputs.iter();
        self.subjects.extend(inputs.map(|input| input.ty.ty));
        self.subjects.insert(operation.signature.output.ty);
        self.add(operation);
    }

    fn add(&mut self, operation: &Operation) {
        for input in &operation.signature.inputs {
            // A literal is written in place, so no operation has to make it.
            if input.pass != Pass::Value || !self.is_literal(input.ty.ty) {
                self.inputs.extend(input.accepts(&self.catalogue.types));
            }
        }
        if operation.origin == Origin::Recipe && self.looks_at_subject(operation) {
            self.subjects.insert(operation.signature.output.ty);
        }
    }

    fn needs(&self, operation: &Operation) -> bool {
        let signature = &operation.signature;
        let output = signature.output.ty;
        if operation.origin == Origin::Law {
            return false;
        }
        let is_recipe = operation.origin == Origin::Recipe;
        // Any function that returns a number would count as a maker of numbers, but a literal does
        // as well.
        let makes = self.inputs.contains(&output) && (is_recipe || !self.is_literal(output));
        let changes = || {
            signature.inputs.iter().any(|input| {
                matches!(input.pass, Pass::Mut(_)) && self.inputs.contains(&input.ty.ty)
            })
        };
        makes || changes() || self.looks_at_subject(operation)
    }

    /// Does the operation do nothing but look into a value of a type that tests look at?
    fn looks_at_subject(&self, operation: &Operation) -> bool {
        let [input] = &operation.signature.inputs[..] else {
            return false;
        };
        let is_view = match input.pass {
            Pass::Shared(_) => true,
            Pass::Value => operation.origin == Origin::Recipe,
            Pass::Mut(_) => false,
        };
        let mut types = input.accepts(&self.catalogue.types).into_iter();
        is_view && !self.is_literal(input.ty.ty) && types.any(|ty| self.subjects.contains(&ty))
    }

    fn is_literal(&self, ty: TypeIdx) -> bool {
        is_literal(&self.catalogue.types.get(ty).ty)
    }
}

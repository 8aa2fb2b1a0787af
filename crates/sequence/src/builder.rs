//! The borrow check: the one way to make a [`Sequence`].
//!
//! Every slot carries the loans it holds. A call makes new loans on what it borrows, and they flow
//! into its result and into every argument that shares a region with them in a place that can
//! keep them (`holder.push(&x)`). A use that conflicts with a loan ends the slot that holds it: a
//! type without drop glue just isn't used again, as rustc's non-lexical lifetimes allow; one with
//! drop glue gets an explicit [`Step::Drop`], because its loan lasts until it is dropped.
//!
//! Regions are treated more coarsely than rustc does (all loans of a slot belong to all of its
//! regions, outlives bounds work both ways, unknown variance is invariance): that adds loans, and
//! more loans only mean fewer programs.

use std::sync::Arc;

use testsmith_api::{Catalogue, Input, OperationId, Pass, Region, Signature, TypeIdx, Variance};
use testsmith_protocol::{Caps, Use};

use crate::regions::RegionClasses;
use crate::step::{Arg, Sequence, SlotIdx, Step};

/// The most steps of a sequence, drops included.
pub(crate) const MAX_STEPS: usize = 200;

/// The catalogue, and what the guest measured about its types.
#[derive(Clone, Debug, Default)]
pub struct World {
    /// Operations and types.
    pub catalogue: Catalogue,
    /// What each type can do, by [`TypeIdx`].
    pub caps: Vec<Caps>,
}

impl World {
    /// What a type can do.
    pub fn caps(&self, ty: TypeIdx) -> Caps {
        self.caps.get(ty.0 as usize).copied().unwrap_or_default()
    }

    /// The signature of an operation.
    pub fn signature(&self, op: OperationId) -> &Signature {
        &self.catalogue.operation(op).signature
    }

    /// The natural way to give a slot of type `have` to an input, if there is one.
    pub fn usage(&self, input: &Input, have: TypeIdx) -> Option<Use> {
        let types = &self.catalogue.types;
        let same = have == input.ty.ty;
        let pointee = types.get(have).pointee;
        match input.pass {
            Pass::Value if !same => None,
            Pass::Value if self.caps(have).has(Caps::COPY) => Some(Use::Copy),
            Pass::Value if is_mut_ref(self, have) => Some(Use::Reborrow),
            Pass::Value => Some(Use::Move),
            Pass::Shared(_) if same => Some(Use::Shared),
            Pass::Mut(_) if same => Some(Use::Mut),
            Pass::Shared(_) => {
                pointee.and_then(|(to, _)| (to == input.ty.ty).then_some(Use::Reborrow))
            }
            Pass::Mut(_) => {
                pointee.and_then(|(to, m)| (m && to == input.ty.ty).then_some(Use::Reborrow))
            }
        }
    }
}

fn is_mut_ref(world: &World, ty: TypeIdx) -> bool {
    matches!(
        world.catalogue.types.get(ty).ty,
        testsmith_api::Ty::Ref { mutable: true, .. }
    )
}

/// Why the builder does not append a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rejected {
    /// The number of arguments, a type or a way of use does not fit.
    Type,
    /// The slot is moved, dropped or its loans have ended.
    Gone(SlotIdx),
    /// Two arguments would alias, one of them mutably.
    Aliased(SlotIdx),
    /// The slot's loans are too short for a `'static` demand.
    NeedsStatic(SlotIdx),
    /// The slot would come to borrow from itself.
    Cyclic(SlotIdx),
    /// The slot has drop glue and would borrow from a younger slot, which is dropped before it.
    Outlives(SlotIdx),
    /// The literal would be borrowed for longer than its statement.
    Temporary,
    /// A value would have to end that the caller wants to keep.
    WouldEnd(SlotIdx),
    /// The sequence already has as many steps as it may have.
    TooLong,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Life {
    Live,
    Gone,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Loan {
    owner: SlotIdx,
    mutable: bool,
}

#[derive(Clone, Debug)]
struct Slot {
    ty: TypeIdx,
    life: Life,
    loans: Vec<Loan>,
    /// Slots whose type shares an invariant region with this one's: what flows into one of them
    /// flows into all.
    ties: Vec<SlotIdx>,
}

/// Builds a valid sequence step by step.
#[derive(Clone)]
pub struct Builder<'w> {
    world: &'w World,
    slots: Vec<Slot>,
    steps: Vec<Step>,
    /// Does any slot hold a loan? Most sequences have none.
    has_loans: bool,
}

/// One argument that is a slot, with what the check needs to know about it.
struct Access<'s> {
    slot: SlotIdx,
    usage: Use,
    input: &'s Input,
    /// Does the use need the slot for itself alone?
    exclusive: bool,
    /// Does the use leave a loan on the slot itself, and not only pass on the loans that the slot
    /// holds?
    lends: bool,
}

impl<'w> Builder<'w> {
    /// An empty sequence in the making.
    pub fn new(world: &'w World) -> Self {
        Builder {
            world,
            slots: Vec::new(),
            steps: Vec::new(),
            has_loans: false,
        }
    }

    /// The steps so far.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The number of slots so far.
    pub fn n_slots(&self) -> u16 {
        self.slots.len() as u16
    }

    /// The type of a slot.
    pub fn ty(&self, slot: SlotIdx) -> TypeIdx {
        self.slots[usize::from(slot.0)].ty
    }

    /// May the slot still be used?
    pub fn is_live(&self, slot: SlotIdx) -> bool {
        self.slots
            .get(usize::from(slot.0))
            .is_some_and(|slot| slot.life == Life::Live)
    }

    /// All slots that may still be used.
    pub fn live(&self) -> impl Iterator<Item = SlotIdx> + '_ {
        (0..self.n_slots())
            .map(SlotIdx)
            .filter(|slot| self.is_live(*slot))
    }

    /// Can the slot be observed now without ending another slot? Not while it is lent mutably.
    pub fn is_observable(&self, slot: SlotIdx) -> bool {
        self.is_live(slot)
            && !self.slots.iter().any(|holder| {
                holder.life == Life::Live
                    && holder
                        .loans
                        .iter()
                        .any(|loan| loan.owner == slot && loan.mutable)
            })
    }

    /// Appends all steps of another sequence. Its slot `s` becomes `s` plus the returned offset.
    pub fn append(&mut self, sequence: &Sequence) -> Result<u16, Rejected> {
        self.append_steps(sequence.steps())
    }

    /// Does the same as [`Builder::append`] for the first steps of a sequence.
    pub fn append_steps(&mut self, steps: &[Step]) -> Result<u16, Rejected> {
        let offset = self.n_slots();
        let shift = |slot: &SlotIdx| SlotIdx(slot.0 + offset);
        for step in steps {
            match step {
                Step::Drop(slot) => self.end_explicitly(shift(slot))?,
                Step::Call { op, args, .. } => {
                    let args: Box<[Arg]> = args
                        .iter()
                        .map(|arg| match arg {
                            Arg::Slot(slot, usage) => Arg::Slot(shift(slot), *usage),
                            Arg::Literal(value) => Arg::Literal(value.clone()),
                        })
                        .collect();
                    self.push_boxed(*op, args, true)?;
                }
            }
        }
        Ok(offset)
    }

    /// May a literal stand in place of this input? It may not where it would be borrowed for longer
    /// than the statement.
    pub fn literal_fits(&self, op: OperationId, input_idx: usize) -> Result<(), Rejected> {
        let signature = self.world.signature(op);
        check_temporary(signature, &signature.inputs[input_idx])
    }

    /// Appends a call. Slots whose loans conflict with it are ended first.
    pub fn push(&mut self, op: OperationId, args: Vec<Arg>) -> Result<SlotIdx, Rejected> {
        self.push_boxed(op, args.into_boxed_slice(), true)
    }

    /// Appends a call that must not end any value, as when values are only looked at.
    pub fn push_gently(&mut self, op: OperationId, args: Vec<Arg>) -> Result<SlotIdx, Rejected> {
        self.push_boxed(op, args.into_boxed_slice(), false)
    }

    fn push_boxed(
        &mut self,
        op: OperationId,
        args: Box<[Arg]>,
        may_end: bool,
    ) -> Result<SlotIdx, Rejected> {
        if self.steps.len() >= MAX_STEPS {
            return Err(Rejected::TooLong);
        }
        let world = self.world;
        let signature = world.signature(op);
        let accesses = self.accesses(signature, &args)?;
        check_aliasing(&accesses)?;

        if is_plain(signature) {
            return self.push_plain(op, args, &accesses, may_end);
        }
        let ending = self.conflicts(&accesses)?;
        if let (false, Some(first)) = (may_end, ending.first()) {
            return Err(Rejected::WouldEnd(*first));
        }

        let classes = RegionClasses::of(signature);
        for access in &accesses {
            self.check_static(&classes, access)?;
        }
        let loans_at = self.loans_by_class(&classes, &accesses);
        let flows = self.flows_into_arguments(&classes, &accesses, &loans_at, &ending)?;

        // Nothing below fails: the sequence changes only when the whole step is valid.
        for slot in ending {
            self.end(slot);
        }
        self.has_loans |= !flows.is_empty();
        for (slot, loans) in flows {
            add_loans(&mut self.slots[usize::from(slot.0)].loans, &loans);
        }
        for access in &accesses {
            if access.usage == Use::Move {
                self.slots[usize::from(access.slot.0)].life = Life::Gone;
            }
        }
        let out = SlotIdx(self.n_slots());
        let mut loans = Vec::new();
        let mut ties = Vec::new();
        for (region, variance) in &signature.output.regions {
            let Region::Var(var) = region else { continue };
            let class = classes.class(*var);
            add_loans(&mut loans, &loans_at[class]);
            if *variance == Variance::In {
                for access in &accesses {
                    if classes.invariant_in(access.input, class) && !ties.contains(&access.slot) {
                        ties.push(access.slot);
                    }
                }
            }
        }
        self.tie_arguments(&classes, &accesses);
        for tied in &ties {
            self.slots[usize::from(tied.0)].ties.push(out);
        }
        self.has_loans |= !loans.is_empty();
        self.slots.push(Slot {
            ty: signature.output.ty,
            life: Life::Live,
            loans,
            ties,
        });
        self.steps.push(Step::Call { op, args, out });
        Ok(out)
    }

    /// Appends a call in the common case, in which no region outlives the call and no loan is kept.
    fn push_plain(
        &mut self,
        op: OperationId,
        args: Box<[Arg]>,
        accesses: &[Access<'_>],
        may_end: bool,
    ) -> Result<SlotIdx, Rejected> {
        if self.has_loans {
            let ending = self.conflicts(accesses)?;
            if let (false, Some(first)) = (may_end, ending.first()) {
                return Err(Rejected::WouldEnd(*first));
            }
            for slot in ending {
                self.end(slot);
            }
        }
        for access in accesses {
            if access.usage == Use::Move {
                self.slots[usize::from(access.slot.0)].life = Life::Gone;
            }
        }
        let out = SlotIdx(self.n_slots());
        self.slots.push(Slot {
            ty: self.world.signature(op).output.ty,
            life: Life::Live,
            loans: Vec::new(),
            ties: Vec::new(),
        });
        self.steps.push(Step::Call { op, args, out });
        Ok(out)
    }

    /// The finished sequence.
    pub fn finish(self) -> Sequence {
        Sequence {
            steps: Arc::from(self.steps),
        }
    }

    /// Drops a value, after the values that borrow from it.
    pub fn drop(&mut self, slot: SlotIdx) -> Result<(), Rejected> {
        self.end_explicitly(slot)
    }

    /// Drops a slot as a step of its own.
    fn end_explicitly(&mut self, slot: SlotIdx) -> Result<(), Rejected> {
        if !self.is_live(slot) {
            return Err(Rejected::Gone(slot));
        }
        let mut ending = Vec::new();
        self.collect_ending(slot, &[], &mut ending, 0)?;
        for slot in ending {
            self.end(slot);
        }
        Ok(())
    }

    fn has_glue(&self, slot: SlotIdx) -> bool {
        self.world.caps(self.ty(slot)).has(Caps::DROP)
    }

    fn end(&mut self, slot: SlotIdx) {
        if self.has_glue(slot) {
            self.steps.push(Step::Drop(slot));
        }
        self.slots[usize::from(slot.0)].life = Life::Gone;
    }

    fn accesses<'s>(
        &self,
        signature: &'s Signature,
        args: &[Arg],
    ) -> Result<Vec<Access<'s>>, Rejected> {
        if args.len() != signature.inputs.len() {
            return Err(Rejected::Type);
        }
        let mut accesses = Vec::with_capacity(args.len());
        for (input, arg) in signature.inputs.iter().zip(args) {
            match arg {
                Arg::Literal(_) => {
                    if !self.world.caps(input.ty.ty).has(Caps::LITERAL) {
                        return Err(Rejected::Type);
                    }
                    check_temporary(signature, input)?;
                }
                Arg::Slot(slot, usage) => {
                    if !self.is_live(*slot) {
                        return Err(Rejected::Gone(*slot));
                    }
                    let (exclusive, lends) = self.access_kind(input, *slot, *usage)?;
                    accesses.push(Access {
                        slot: *slot,
                        usage: *usage,
                        input,
                        exclusive,
                        lends,
                    });
                }
            }
        }
        Ok(accesses)
    }

    /// Whether a use is exclusive and whether it lends the slot, or why it does not fit the input.
    fn access_kind(
        &self,
        input: &Input,
        slot: SlotIdx,
        usage: Use,
    ) -> Result<(bool, bool), Rejected> {
        let have = self.ty(slot);
        let same = have == input.ty.ty;
        let pointee = self.world.catalogue.types.get(have).pointee;
        let copies = self.world.caps(have).has(Caps::COPY);
        let fits = match (input.pass, usage) {
            (Pass::Value, Use::Move) => same,
            (Pass::Value, Use::Copy) => same && copies,
            (Pass::Value, Use::Reborrow) => same && is_mut_ref(self.world, have),
            (Pass::Shared(_), Use::Shared) => same,
            (Pass::Shared(_), Use::Reborrow) => pointee.is_some_and(|(to, _)| to == input.ty.ty),
            (Pass::Mut(_), Use::Mut) => same,
            (Pass::Mut(_), Use::Reborrow) => pointee.is_some_and(|(to, m)| m && to == input.ty.ty),
            _ => false,
        };
        if !fits {
            return Err(Rejected::Type);
        }
        Ok(match usage {
            Use::Move => (true, false),
            Use::Copy => (false, false),
            Use::Shared => (false, true),
            Use::Mut => (true, true),
            // A shared reference is copied. A mutable one is lent on, and cannot be used meanwhile.
            Use::Reborrow if !is_mut_ref(self.world, have) => (false, false),
            Use::Reborrow => (!matches!(input.pass, Pass::Shared(_)), true),
        })
    }

    /// Slots that must be ended before these accesses, in the order in which they end.
    fn conflicts(&self, accesses: &[Access<'_>]) -> Result<Vec<SlotIdx>, Rejected> {
        let used: Vec<SlotIdx> = accesses.iter().map(|access| access.slot).collect();
        let mut ending = Vec::new();
        for access in accesses {
            for holder in self.holders(access.slot, access.exclusive) {
                self.collect_ending(holder, &used, &mut ending, 0)?;
            }
        }
        Ok(ending)
    }

    /// Live slots that hold a loan on this one. Unless `any` is set, only mutable loans count.
    fn holders(&self, owner: SlotIdx, any: bool) -> Vec<SlotIdx> {
        self.live()
            .filter(|holder| {
                self.slots[usize::from(holder.0)]
                    .loans
                    .iter()
                    .any(|loan| loan.owner == owner && (any || loan.mutable))
            })
            .collect()
    }

    /// Collects a slot, and before it the slots that have to end first. Dropping a value with drop
    /// glue uses it, so the slots that borrow from it end before it.
    fn collect_ending(
        &self,
        slot: SlotIdx,
        used: &[SlotIdx],
        ending: &mut Vec<SlotIdx>,
        depth: usize,
    ) -> Result<(), Rejected> {
        if ending.contains(&slot) {
            return Ok(());
        }
        if used.contains(&slot) || depth > self.slots.len() {
            return Err(Rejected::Aliased(slot));
        }
        if self.has_glue(slot) {
            for holder in self.holders(slot, true) {
                self.collect_ending(holder, used, ending, depth + 1)?;
            }
        }
        ending.push(slot);
        Ok(())
    }

    fn check_static(&self, classes: &RegionClasses, access: &Access<'_>) -> Result<(), Rejected> {
        let needs_static = |region: &Region| match region {
            Region::Static => true,
            Region::Var(var) => classes.is_static[classes.class(*var)],
            Region::Bound(_) => false,
        };
        let outer = match access.input.pass {
            Pass::Value => None,
            Pass::Shared(region) | Pass::Mut(region) => Some(region),
        };
        let holds_loans = !self.slots[usize::from(access.slot.0)].loans.is_empty();
        let too_short = outer.is_some_and(|r| needs_static(&r)) && (access.lends || holds_loans)
            || holds_loans && access.input.ty.regions.iter().any(|(r, _)| needs_static(r));
        // A reborrowed `&mut str` lends for its outermost region.
        let lends_static = access.lends
            && access.input.pass == Pass::Value
            && access
                .input
                .ty
                .regions
                .first()
                .is_some_and(|(r, _)| needs_static(r));
        if too_short || lends_static {
            return Err(Rejected::NeedsStatic(access.slot));
        }
        Ok(())
    }

    /// For every class of regions, the loans that live in it during this call.
    fn loans_by_class(&self, classes: &RegionClasses, accesses: &[Access<'_>]) -> Vec<Vec<Loan>> {
        let mut loans_at = vec![Vec::new(); classes.n_classes];
        for access in accesses {
            let held = &self.slots[usize::from(access.slot.0)].loans;
            let outer = match access.input.pass {
                Pass::Value if access.lends => access.input.ty.regions.first().map(|(r, _)| *r),
                Pass::Value => None,
                Pass::Shared(region) | Pass::Mut(region) => Some(region),
            };
            if let Some(Region::Var(var)) = outer {
                let at = &mut loans_at[classes.class(var)];
                add_loans(at, held);
                if access.lends {
                    let loan = Loan {
                        owner: access.slot,
                        mutable: access.exclusive,
                    };
                    add_loans(at, &[loan]);
                }
            }
            for (region, _) in &access.input.ty.regions {
                if let Region::Var(var) = region {
                    add_loans(&mut loans_at[classes.class(*var)], held);
                }
            }
        }
        loans_at
    }

    /// The loans that this call adds to existing slots. An argument that can keep a reference passes
    /// it on to the slots that it borrows from, and to the other slots that borrow from those.
    fn flows_into_arguments(
        &self,
        classes: &RegionClasses,
        accesses: &[Access<'_>],
        loans_at: &[Vec<Loan>],
        ending: &[SlotIdx],
    ) -> Result<Vec<(SlotIdx, Vec<Loan>)>, Rejected> {
        let mut flows: Vec<(SlotIdx, Vec<Loan>)> = Vec::new();
        for access in accesses {
            let mut incoming = Vec::new();
            for (class, loans) in loans_at.iter().enumerate() {
                if classes.invariant_in(access.input, class) {
                    add_loans(&mut incoming, loans);
                }
            }
            let held = &self.slots[usize::from(access.slot.0)].loans;
            incoming.retain(|loan| !held.contains(loan));
            if incoming.is_empty() {
                continue;
            }
            for slot in self.relatives(access.slot) {
                let is_moved = slot == access.slot && access.usage == Use::Move;
                let keeps = self.world.catalogue.types.get(self.ty(slot)).n_regions > 0;
                if is_moved || !keeps || !self.is_live(slot) || ending.contains(&slot) {
                    continue;
                }
                if incoming
                    .iter()
                    .any(|loan| loan.owner == slot || self.borrows_from(loan.owner, slot))
                {
                    return Err(Rejected::Cyclic(slot));
                }
                // Locals are dropped in reverse order of declaration, while unwinding too. So a
                // value whose drop may look at what it holds must be younger than its lenders.
                if self.has_glue(slot) && incoming.iter().any(|loan| loan.owner > slot) {
                    return Err(Rejected::Outlives(slot));
                }
                flows.push((slot, incoming.clone()));
            }
        }
        if flows.is_empty() {
            return Ok(flows);
        }
        // Two flows of one call can close a circle that neither closes alone.
        let mut trial = self.slots.clone();
        for (slot, loans) in &flows {
            add_loans(&mut trial[usize::from(slot.0)].loans, loans);
        }
        for (slot, _) in &flows {
            if reaches(&trial, *slot, *slot) {
                return Err(Rejected::Cyclic(*slot));
            }
        }
        Ok(flows)
    }

    /// Does `holder` borrow, directly or not, from `owner`?
    fn borrows_from(&self, holder: SlotIdx, owner: SlotIdx) -> bool {
        reaches(&self.slots, holder, owner)
    }

    /// Slots connected to this one by loans or by shared invariant regions, itself included.
    fn relatives(&self, slot: SlotIdx) -> Vec<SlotIdx> {
        let mut found = vec![slot];
        let mut next = 0;
        while next < found.len() {
            let current = found[next];
            next += 1;
            let this = &self.slots[usize::from(current.0)];
            let down = this.loans.iter().map(|loan| loan.owner);
            let up = (0..self.n_slots()).map(SlotIdx).filter(|other| {
                self.slots[usize::from(other.0)]
                    .loans
                    .iter()
                    .any(|loan| loan.owner == current)
            });
            let neighbours: Vec<SlotIdx> =
                down.chain(up).chain(this.ties.iter().copied()).collect();
            for neighbour in neighbours {
                if !found.contains(&neighbour) {
                    found.push(neighbour);
                }
            }
        }
        found
    }

    fn tie_arguments(&mut self, classes: &RegionClasses, accesses: &[Access<'_>]) {
        for class in 0..classes.n_classes {
            let tied: Vec<SlotIdx> = accesses
                .iter()
                .filter(|access| classes.invariant_in(access.input, class))
                .map(|access| access.slot)
                .collect();
            for pair in tied.windows(2) {
                if pair[0] != pair[1] {
                    self.slots[usize::from(pair[0].0)].ties.push(pair[1]);
                    self.slots[usize::from(pair[1].0)].ties.push(pair[0]);
                }
            }
        }
    }
}

/// Is it a signature from which nothing that the call borrows comes back, and that demands nothing
/// of the loans that its arguments hold?
fn is_plain(signature: &Signature) -> bool {
    let is_static = |input: &Input| {
        matches!(
            input.pass,
            Pass::Shared(Region::Static) | Pass::Mut(Region::Static)
        )
    };
    signature.output.regions.is_empty()
        && signature.outlives.is_empty()
        && signature
            .inputs
            .iter()
            .all(|input| input.ty.regions.is_empty() && !is_static(input))
}

fn reaches(slots: &[Slot], from: SlotIdx, to: SlotIdx) -> bool {
    let mut seen = vec![false; slots.len()];
    let mut queue = vec![from];
    while let Some(slot) = queue.pop() {
        for loan in &slots[usize::from(slot.0)].loans {
            if loan.owner == to {
                return true;
            }
            if !std::mem::replace(&mut seen[usize::from(loan.owner.0)], true) {
                queue.push(loan.owner);
            }
        }
    }
    false
}

fn add_loans(to: &mut Vec<Loan>, loans: &[Loan]) {
    for loan in loans {
        if !to.contains(loan) {
            to.push(*loan);
        }
    }
}

/// A call may use the same slot twice only if neither use is exclusive.
fn check_aliasing(accesses: &[Access<'_>]) -> Result<(), Rejected> {
    for (i, access) in accesses.iter().enumerate() {
        for other in &accesses[i + 1..] {
            if access.slot == other.slot && (access.exclusive || other.exclusive) {
                return Err(Rejected::Aliased(access.slot));
            }
        }
    }
    Ok(())
}

/// A literal behind a reference lives until the end of its statement.
fn check_temporary(signature: &Signature, input: &Input) -> Result<(), Rejected> {
    let region = match input.pass {
        Pass::Value => return Ok(()),
        Pass::Shared(region) | Pass::Mut(region) => region,
    };
    let Region::Var(var) = region else {
        return Err(Rejected::Temporary);
    };
    let classes = RegionClasses::of(signature);
    let class = classes.class(var);
    let mentions =
        |(r, _): &(Region, Variance)| matches!(r, Region::Var(v) if classes.class(*v) == class);
    let escapes = classes.is_static[class]
        || signature.output.regions.iter().any(mentions)
        || signature
            .inputs
            .iter()
            .any(|other| other.ty.regions.iter().any(mentions));
    if escapes {
        Err(Rejected::Temporary)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests;

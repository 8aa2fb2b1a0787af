//! Adds types of our own for traits that the crate asks for and nothing implements, and has rustc
//! judge them.

use testsmith_api::{Catalogue, STAND_INS};
use testsmith_harness::Instrument;
use testsmith_project::{Package, Scratch};

use crate::capped::{Cut, instantiate_at_most};
use crate::error::EquipError;
use crate::filter::Filter;

/// What one stand-in makes possible may ask for another, so that stand-ins are added in rounds, up
/// to this many.
const MAX_ROUNDS: usize = 3;

/// Makes the catalogue again with stand-ins for what nothing implements. An API that had to be cut
/// down gets no more than those it already has.
pub(crate) fn with_stand_ins(
    package: &Package,
    scratch: &mut Scratch,
    instrument: Option<&Instrument>,
    mut catalogue: Catalogue,
    mut cut: Option<Cut>,
    filter: &mut Filter,
    max_operations: usize,
) -> Result<(Catalogue, Option<Cut>), EquipError> {
    if !is_free(package) {
        return Ok((catalogue, cut));
    }
    if !catalogue.api.stand_ins.is_empty() {
        let stand_ins = &catalogue.api.stand_ins;
        let refused = testsmith_harness::write_stand_ins(scratch, stand_ins, instrument)?;
        if !refused.is_empty() {
            let mut api = catalogue.api;
            for (name, why) in &refused {
                api.remove_stand_in(name, why);
            }
            (catalogue, cut) = instantiate_at_most(api, filter, max_operations);
        }
    }
    for _ in 0..MAX_ROUNDS {
        let wanted = catalogue.wanted();
        if cut.is_some() || wanted.is_empty() {
            break;
        }
        let mut api = catalogue.api.clone();
        let n_callables = api.callables.len();
        let n_added = api.add_stand_ins(&wanted);
        if n_added > 0 {
            let stand_ins = &api.stand_ins;
            let refused = testsmith_harness::write_stand_ins(scratch, stand_ins, instrument)?;
            for (name, why) in &refused {
                api.remove_stand_in(name, why);
            }
        }
        filter.follow(&mut api, n_callables);
        let is_news = n_added > 0 || api.obstacles.len() > catalogue.api.obstacles.len();
        if !is_news {
            break;
        }
        (catalogue, cut) = instantiate_at_most(api, filter, max_operations);
    }
    Ok((catalogue, cut))
}

/// Is the name of the crate of stand-ins free, so that neither the package nor a dependency has it?
pub(crate) fn is_free(package: &Package) -> bool {
    let mut dependencies = package.dependencies.iter();
    package.krate != STAND_INS && !dependencies.any(|it| it.name_in_code == STAND_INS)
}

//! Turns what exploration counted into parts of the record.

use testsmith_explore::{Round, Seeds, Yield};
use testsmith_record::{RoundReport, SeedsReport, YieldReport};

/// A round through all states, as the record has it.
pub(crate) fn round(round: &Round) -> RoundReport {
    RoundReport {
        states: round.states,
        done: round.done,
        combinations: round.combinations,
        shared: round.shared,
        refused: round.refused,
    }
}

/// What was lifted from examples and tests, as the record has it.
pub(crate) fn seeds(seeds: &Seeds) -> SeedsReport {
    let told = |it: &Yield| YieldReport {
        found: it.n_found,
        lifted: it.n_lifted,
        statements: it.n_statements,
        lifted_statements: it.n_lifted_statements,
    };
    SeedsReport {
        sequences: seeds.sequences.len() as u64,
        examples: told(&seeds.examples),
        tests: told(&seeds.tests),
    }
}

#[cfg(test)]
mod tests {
    use testsmith_api::Reason;
    use testsmith_record::{HIDDEN, LEFT_OUT};

    #[test]
    fn the_record_knows_the_reasons_that_it_asks_for() {
        assert_eq!(Reason::Filtered.to_string(), LEFT_OUT);
        assert_eq!(Reason::Hidden.to_string(), HIDDEN);
    }
}

//! Merges the records of parts of an analysis.

use testsmith_record::{MutantsReport, Status};

/// Why records cannot be merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// There are no records.
    #[error("there is no record to merge")]
    None,
    /// The records are of different packages.
    #[error("the records are of different packages: {0} and {1}")]
    Packages(String, String),
}

/// Merges the records into one. A mutant that is pending in one record may be judged in another.
pub fn merge(records: Vec<MutantsReport>) -> Result<MutantsReport, MergeError> {
    let mut records = records.into_iter();
    let mut merged = records.next().ok_or(MergeError::None)?;
    for record in records {
        let of = |it: &MutantsReport| format!("{} {}", it.package, it.version);
        if of(&record) != of(&merged) {
            return Err(MergeError::Packages(of(&merged), of(&record)));
        }
        for mutant in record.mutants {
            match merged.mutants.iter_mut().find(|it| it.name == mutant.name) {
                None => merged.mutants.push(mutant),
                Some(known) if known.status == Status::Pending => *known = mutant,
                Some(_) => {}
            }
        }
        for test in record.tests {
            if !merged.tests.iter().any(|it| it.name == test.name) {
                merged.tests.push(test);
            }
        }
        for (stage, seconds) in record.seconds {
            *merged.seconds.entry(stage).or_default() += seconds;
        }
        merged.interrupted |= record.interrupted;
        merged
            .verification
            .verified
            .extend(record.verification.verified);
        merged.verification.alone.extend(record.verification.alone);
    }
    merged.rest.clear();
    let n_all = merged.mutants.len();
    merged.mutants.sort_by_key(|it| it.id);
    merged.not_asked = merged.total.saturating_sub(n_all);
    merged.count();
    Ok(merged)
}

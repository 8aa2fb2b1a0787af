//! A record of which it is not known what it is of.

use serde::Deserialize;
use serde_json::Value;

use crate::{
    ApiReport, CheckReport, CompareReport, DiffReport, MinimizeReport, MutantsReport, RecordKind,
    RecordingReport, RedundancyReport, Report, SCHEMA, StatesReport,
};

/// A record of any command.
#[derive(Clone, Debug)]
pub enum AnyRecord {
    /// Of `cargo testsmith api`.
    Api(Box<ApiReport>),
    /// Of `cargo testsmith --check`.
    Check(Box<CheckReport>),
    /// Of `cargo testsmith compare`.
    Compare(Box<CompareReport>),
    /// Of `cargo testsmith diff`.
    Diff(Box<DiffReport>),
    /// Of `cargo testsmith minimize`.
    Minimize(Box<MinimizeReport>),
    /// Of `cargo testsmith mutants`.
    Mutants(Box<MutantsReport>),
    /// Of `cargo testsmith record`.
    Record(Box<RecordingReport>),
    /// Of `cargo testsmith redundancy`.
    Redundancy(Box<RedundancyReport>),
    /// Of `cargo testsmith`, or as much of a record of `augment` as both have.
    Run(Box<Report>),
    /// Of `cargo testsmith states`.
    States(Box<StatesReport>),
}

/// Why a text is no record.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is not JSON, or a field is not what it should be.
    #[error("it cannot be read: {0}")]
    Syntax(#[from] serde_json::Error),
    /// It is of a version to come.
    #[error("its schema is {0}, and {SCHEMA} is the last one that this testsmith knows")]
    Schema(u64),
    /// Nothing says which command it is of.
    #[error("it is not a record of any command")]
    Kind,
}

impl AnyRecord {
    /// Reads a record, whatever it is of. What it lacks is as if there were nothing to tell.
    pub fn read(text: &str) -> Result<AnyRecord, ReadError> {
        let value: Value = serde_json::from_str(text)?;
        let schema = value.get("schema").and_then(Value::as_u64);
        if let Some(schema) = schema.filter(|it| *it > u64::from(SCHEMA)) {
            return Err(ReadError::Schema(schema));
        }
        Ok(match kind(&value) {
            RecordKind::Api => AnyRecord::Api(of(value)?),
            RecordKind::Check => AnyRecord::Check(of(value)?),
            RecordKind::Compare => AnyRecord::Compare(of(value)?),
            RecordKind::Diff => AnyRecord::Diff(of(value)?),
            RecordKind::Minimize => AnyRecord::Minimize(of(value)?),
            RecordKind::Mutants => AnyRecord::Mutants(of(value)?),
            RecordKind::Record => AnyRecord::Record(of(value)?),
            RecordKind::Redundancy => AnyRecord::Redundancy(of(value)?),
            RecordKind::Run => AnyRecord::Run(of(value)?),
            RecordKind::States => AnyRecord::States(of(value)?),
            RecordKind::Unknown => return Err(ReadError::Kind),
        })
    }

    /// The package that it is about.
    pub fn package(&self) -> &str {
        match self {
            AnyRecord::Api(it) => &it.package,
            AnyRecord::Check(it) => &it.package,
            AnyRecord::Compare(it) => &it.package,
            AnyRecord::Diff(it) => &it.package,
            AnyRecord::Minimize(it) => &it.package,
            AnyRecord::Mutants(it) => &it.package,
            AnyRecord::Record(it) => &it.package,
            AnyRecord::Redundancy(it) => &it.package,
            AnyRecord::Run(it) => &it.package,
            AnyRecord::States(it) => &it.package,
        }
    }
}

fn of<T: for<'de> Deserialize<'de>>(value: Value) -> Result<Box<T>, serde_json::Error> {
    serde_json::from_value(value).map(Box::new)
}

/// What a record is of. Those of older versions do not say it: fields do that nothing else has.
fn kind(value: &Value) -> RecordKind {
    if let Some(word) = value.get("kind").and_then(Value::as_str) {
        let known = RecordKind::ALL.iter().find(|it| it.name() == word);
        return known.copied().unwrap_or_default();
    }
    let has = |field: &str| value.get(field).is_some();
    match () {
        () if has("transitions") => RecordKind::States,
        () if has("with_instance") => RecordKind::Api,
        () if has("failures") && has("callables") => RecordKind::Run,
        () if has("against") => RecordKind::Compare,
        () if has("uncompared") => RecordKind::Diff,
        () if has("redundant") && has("differing") => RecordKind::Minimize,
        () if has("monitored") => RecordKind::Redundancy,
        () if has("functions") && has("tests") => RecordKind::Record,
        () if has("mutants") => RecordKind::Mutants,
        () if has("standing") => RecordKind::Check,
        () => RecordKind::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_that_does_not_say_what_it_is_of_is_known_by_its_fields() {
        let written = [
            serde_json::to_value(ApiReport::default()),
            serde_json::to_value(CheckReport::default()),
            serde_json::to_value(CompareReport::default()),
            serde_json::to_value(DiffReport::default()),
            serde_json::to_value(MinimizeReport::default()),
            serde_json::to_value(MutantsReport::default()),
            serde_json::to_value(RecordingReport::default()),
            serde_json::to_value(RedundancyReport::default()),
            serde_json::to_value(Report::default()),
            serde_json::to_value(StatesReport::default()),
        ];
        for (mut value, expected) in written.map(Result::unwrap).into_iter().zip(RecordKind::ALL) {
            let fields = value.as_object_mut().expect("a record is an object");
            fields.remove("kind");
            assert_eq!(kind(&value), *expected);
            assert!(AnyRecord::read(&value.to_string()).is_ok(), "{expected}");
        }
    }

    #[test]
    fn what_a_record_lacks_is_nothing_to_tell() {
        let read =
            AnyRecord::read(r#"{"kind": "run", "callables": [{}], "seconds": {"new": 1.5}}"#);
        let Ok(AnyRecord::Run(report)) = read else {
            panic!("it is a run's: {read:?}");
        };
        assert_eq!(report.callables[0].status.name(), "unknown");
        assert_eq!(report.seconds.values().sum::<f64>(), 1.5);
    }

    #[test]
    fn a_count_may_be_greater_than_an_integer_of_json() {
        for largest in [7, u128::from(u64::MAX) + 1] {
            let container = crate::ContainerReport {
                largest: Some(largest),
                ..Default::default()
            };
            let report = Report {
                kind: RecordKind::Run,
                containers: vec![container],
                ..Report::default()
            };
            let text = serde_json::to_string(&report).expect("plain fields are JSON");
            let Ok(AnyRecord::Run(read)) = AnyRecord::read(&text) else {
                panic!("it is a run's: {text}");
            };
            assert_eq!(read.containers[0].largest, Some(largest));
        }
    }
}

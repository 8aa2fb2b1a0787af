//! How much of a package's API was called, as more than one command tells it.

use testsmith_record::{CallableReport, CallableStatus};

/// The functions and methods that reach is measured on, as far as they were asked for.
pub(crate) struct Reach<'r> {
    pub(crate) counted: Vec<&'r CallableReport>,
    pub(crate) n_left_out: usize,
}

impl Reach<'_> {
    pub(crate) fn of(callables: &[CallableReport]) -> Reach<'_> {
        let counted = callables.iter().filter(|c| c.counted);
        let (left_out, counted): (Vec<_>, Vec<_>) = counted.partition(|c| c.is_left_out());
        Reach {
            counted,
            n_left_out: left_out.len(),
        }
    }

    /// How many of them have this status.
    pub(crate) fn n_with(&self, status: CallableStatus) -> usize {
        self.counted.iter().filter(|c| c.status == status).count()
    }
}

/// How many callables are hidden from the documentation, as the end of a list; empty if none is.
pub(crate) fn hidden(callables: &[CallableReport]) -> String {
    match callables.iter().filter(|c| c.is_hidden()).count() {
        0 => String::new(),
        n => format!("; {n} hidden from the documentation"),
    }
}

/// A callable for tests of texts.
#[cfg(test)]
pub(crate) fn callable(path: &str, status: CallableStatus, reason: Option<&str>) -> CallableReport {
    CallableReport {
        path: path.to_owned(),
        status,
        calls: 0,
        reason: reason.map(str::to_owned),
        counted: true,
        safety: None,
        instances: Vec::new(),
        touches: std::collections::BTreeSet::new(),
        tests: 0,
    }
}

#[cfg(test)]
mod tests {
    use testsmith_record::{HIDDEN, LEFT_OUT};

    use super::*;

    #[test]
    fn what_was_left_out_on_request_does_not_count() {
        let callables = [
            callable("a::f", CallableStatus::Reached, None),
            callable("a::g", CallableStatus::Modelled, Some("it always panics")),
            callable("a::h", CallableStatus::Skipped, Some(LEFT_OUT)),
            callable("a::i", CallableStatus::Skipped, Some(HIDDEN)),
        ];
        let reach = Reach::of(&callables);
        assert_eq!((reach.counted.len(), reach.n_left_out), (3, 1));
        assert_eq!(reach.n_with(CallableStatus::Reached), 1);
        assert_eq!(hidden(&callables), "; 1 hidden from the documentation");
        assert_eq!(hidden(&callables[..3]), "");
    }
}

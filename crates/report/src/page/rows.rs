//! What the page shows of a record's lists, without what it does not show.

use std::collections::BTreeSet;

use serde::Serialize;
use testsmith_record::{
    CallableReport, CallableStatus, FailureKind, FailureReport, FailureVerdict, FileReport,
    FileStatus, Touched,
};

/// A callable.
#[derive(Serialize)]
pub(super) struct CallableRow<'r> {
    path: &'r str,
    status: CallableStatus,
    calls: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'r str>,
    counted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    safety: Option<&'r str>,
    instances: &'r [String],
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    touches: &'r BTreeSet<Touched>,
}

impl<'r> CallableRow<'r> {
    pub(super) fn of(callable: &'r CallableReport) -> CallableRow<'r> {
        CallableRow {
            path: &callable.path,
            status: callable.status,
            calls: callable.calls,
            reason: callable.reason.as_deref(),
            counted: callable.counted,
            safety: callable.safety.as_deref(),
            instances: &callable.instances,
            touches: &callable.touches,
        }
    }
}

/// A cause of failure.
#[derive(Serialize)]
pub(super) struct FailureRow<'r> {
    name: &'r str,
    kind: FailureKind,
    operation: &'r str,
    message: &'r str,
    file: &'r str,
    line: u32,
    program: &'r str,
    verdict: FailureVerdict,
    reason: &'r str,
    others: &'r [String],
    test: Option<&'r str>,
    text: Option<&'r str>,
}

impl<'r> FailureRow<'r> {
    pub(super) fn of(failure: &'r FailureReport) -> FailureRow<'r> {
        FailureRow {
            name: &failure.name,
            kind: failure.kind,
            operation: &failure.operation,
            message: &failure.message,
            file: &failure.file,
            line: failure.line,
            program: &failure.program,
            verdict: failure.verdict,
            reason: &failure.reason,
            others: &failure.others,
            test: failure.test.as_deref(),
            text: failure.text.as_deref(),
        }
    }
}

/// A test file.
#[derive(Serialize)]
pub(super) struct FileRow<'r> {
    path: &'r str,
    status: FileStatus,
}

impl<'r> FileRow<'r> {
    pub(super) fn of(file: &'r FileReport) -> FileRow<'r> {
        FileRow {
            path: &file.path,
            status: file.status,
        }
    }
}

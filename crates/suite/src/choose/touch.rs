//! Calls that touch the world outside get no tests.

use testsmith_protocol::Touch;

/// The reason in the record for such an execution.
pub(super) fn reaches_out(touch: Touch) -> String {
    let realm = touch.realm.name();
    format!("reached for the world ({realm}): elsewhere it would behave otherwise")
}

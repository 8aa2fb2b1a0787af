//! What reaches for the world outside is in no test.

use testsmith_protocol::Touch;

/// Why it is not.
pub(super) fn reaches_out(touch: Touch) -> String {
    let realm = touch.realm.name();
    format!("reached for the world ({realm}): elsewhere it would behave otherwise")
}

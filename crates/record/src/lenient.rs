//! Values that are read although they are not quite what is written today.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

use crate::Timed;

/// Seconds by stage. Those of stages that are not known are one.
pub(crate) fn seconds<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<Timed, f64>, D::Error> {
    let written = BTreeMap::<String, f64>::deserialize(deserializer)?;
    let mut seconds = BTreeMap::new();
    for (word, n) in written {
        let known = Timed::ALL.iter().find(|it| it.name() == word);
        *seconds
            .entry(known.copied().unwrap_or_default())
            .or_default() += n;
    }
    Ok(seconds)
}

/// A number, or null for what is no number.
pub(crate) fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let number = Option::<f64>::deserialize(deserializer)?;
    Ok(number.unwrap_or_default())
}

/// A count that may be greater than what JSON's readers take for an integer.
pub(crate) fn great<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u128>, D::Error> {
    struct Great;

    impl Visitor<'_> for Great {
        type Value = Option<u128>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a count or null")
        }

        fn visit_unit<E: Error>(self) -> Result<Option<u128>, E> {
            Ok(None)
        }

        fn visit_u64<E: Error>(self, n: u64) -> Result<Option<u128>, E> {
            Ok(Some(u128::from(n)))
        }

        fn visit_f64<E: Error>(self, n: f64) -> Result<Option<u128>, E> {
            Ok(Some(n as u128))
        }
    }
    // Asked for an `u128`, some readers refuse at once.
    deserializer.deserialize_any(Great)
}

//! Prints the definitions of the stand-ins that a file's tests name. They stand at the file's end.

use std::collections::BTreeSet;

use crate::cx::Cx;
use crate::recipe::shorten;

/// The definitions, each with its documentation. They may name further stand-ins, and may need
/// further imports.
pub(crate) fn definitions(cx: Cx<'_>) -> String {
    let mut written: BTreeSet<String> = BTreeSet::new();
    let mut text = String::new();
    loop {
        let named = cx.imports.stand_ins();
        let Some(name) = named.into_iter().find(|name| !written.contains(name)) else {
            return text;
        };
        let all = &cx.world.catalogue.api.stand_ins;
        if let Some(stand_in) = all.iter().find(|it| *it.name == *name) {
            text.push_str(&format!("\n/// {}", stand_in.about));
            for item in &stand_in.items {
                // The definition is private to the file, so it needs no `pub`.
                let item = item.replace("pub ", "");
                text.push_str(&format!("\n{}\n", shorten(cx, &item)));
            }
        }
        written.insert(name);
    }
}

//! The page: one file with its style, its script and its data.
//!
//! The data stands in the page as JSON, and the script makes elements of it, with text as text: so
//! nothing that a crate says is ever read as HTML, and what would act on the text around it is written
//! out. Two places are ours to escape: the title, and the
//! `<` of the JSON.

use testsmith_record::{shown, shown_within};

use crate::page::Page;
use crate::records::Records;

const SHELL: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPTS: [&str; 4] = [
    include_str!("page/rust.js"),
    include_str!("page/parts.js"),
    include_str!("page/sections.js"),
    include_str!("page/page.js"),
];

/// The page of everything that is known about a package.
pub fn html(records: &Records) -> String {
    let data = serde_json::to_value(Page::of(records)).expect("plain fields are JSON");
    let data = shown_within(data).to_string();
    let title = match (records.package(), records.version()) {
        (Some(package), Some(version)) => format!("{package} {version}"),
        _ => "Nothing yet".to_owned(),
    };
    let mut out = String::with_capacity(data.len() + data.len() / 8 + STYLE.len());
    let mut rest = SHELL;
    // What is put in is not looked through again: it may say anything.
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after
            .split_once("}}")
            .expect("the shell closes what it opens");
        out.push_str(before);
        match name {
            "title" => out.push_str(&escaped(&shown(&title))),
            "style" => out.push_str(STYLE),
            "data" => out.push_str(&data.replace('<', "\\u003c")),
            "script" => SCRIPTS.iter().for_each(|it| out.push_str(it)),
            _ => unreachable!("the shell has no other places"),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

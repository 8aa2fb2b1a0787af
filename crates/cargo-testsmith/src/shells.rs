//! What shells and `man` want to know about the command line.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::arguments::Arguments;
use crate::exit::{self, Failure};

/// The name of the binary: `cargo testsmith` runs it.
const BINARY: &str = "cargo-testsmith";

/// A completion script.
pub(crate) fn completions(shell: Shell) -> String {
    let mut command = Arguments::command();
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, BINARY, &mut script);
    let mut script = String::from_utf8_lossy(&script).into_owned();
    if shell == Shell::Bash {
        // clap_complete 4.6 writes the hyphen of a binary's name in two ways, and finds nothing then.
        script = script.replace("cargo__subcmd__testsmith", "cargo__testsmith");
        script.push_str(BASH_OF_CARGO);
    }
    script
}

/// zsh asks `_cargo-testsmith` for what follows `cargo testsmith`; bash must be told to.
const BASH_OF_CARGO: &str = r#"
# `cargo testsmith`, beside whatever else completes cargo.
__cargo_testsmith_before="$(complete -p cargo 2>/dev/null | sed -n 's/.*-F \([^ ]*\).*/\1/p')"
_cargo_with_testsmith() {
    if [[ "${COMP_WORDS[1]}" == testsmith && "${COMP_CWORD}" -gt 1 ]]; then
        COMP_WORDS=(cargo-testsmith "${COMP_WORDS[@]:2}")
        COMP_CWORD=$((COMP_CWORD - 1))
        _cargo__testsmith cargo-testsmith "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
    elif [[ -n "${__cargo_testsmith_before}" && "${__cargo_testsmith_before}" != _cargo_with_testsmith ]]; then
        "${__cargo_testsmith_before}" "$@"
    fi
}
complete -F _cargo_with_testsmith -o bashdefault -o default cargo
"#;

/// The manual page, of the whole or of one of its commands.
pub(crate) fn man(of: Option<&str>) -> Result<String, Failure> {
    let mut command = Arguments::command().name(BINARY);
    command.build();
    let page = match of {
        None => command,
        Some(name) => {
            let found = command.find_subcommand(name).cloned();
            found.ok_or_else(|| Failure {
                message: format!("there is no command `{name}`"),
                advice: Some("`cargo testsmith --help` lists them".to_owned()),
                code: exit::USAGE,
            })?
        }
    };
    let mut text = Vec::new();
    let rendered = clap_mangen::Man::new(page).render(&mut text);
    rendered.expect("memory can be written to");
    Ok(String::from_utf8_lossy(&text).into_owned())
}

//! `cargo testsmith completions`: what shells want to know about the command line.

use clap_complete::Shell;

use crate::exit::Failure;
use crate::terminal;

/// Whom the script is for.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// For which shell
    shell: Shell,
}

/// The name of the binary: `cargo testsmith` runs it.
pub(crate) const BINARY: &str = "cargo-testsmith";

/// Prints a completion script for this command line.
pub(crate) fn completions(args: &Args, line: clap::Command) -> Result<(), Failure> {
    terminal::hand_over(&script(args.shell, line))
}

fn script(shell: Shell, mut line: clap::Command) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut line, BINARY, &mut script);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bash_finds_one_name_for_the_binary_and_completes_cargo_too() {
        let line = clap::Command::new(BINARY).subcommand(clap::Command::new("api"));
        let script = script(Shell::Bash, line);
        assert!(!script.contains("cargo__subcmd__testsmith"), "{script}");
        assert!(script.ends_with("-o default cargo\n"), "{script}");
    }
}

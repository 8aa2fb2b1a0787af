//! The source of what is compiled into every guest: the protocol and the runtime.
//!
//! The source is text here, because the runtime replaces functions of libc: linked into the host,
//! it would replace the host's clock. `embedded/` has links to both sources, so that they are in
//! this package as well when the crates beside it are not.

macro_rules! files {
    ($($krate:literal: $($file:literal)*;)*) => {
        &[$($((
            concat!($krate, "/src/", $file, ".rs"),
            include_str!(concat!("../embedded/", $krate, "/", $file, ".rs")),
        ),)*)*]
    };
}

/// The path of each file in the scratch workspace, and its text.
pub(crate) const FILES: &[(&str, &str)] = files! {
    "protocol": "lib" "copy" "message" "trace" "value" "wire";
    "runtime": "lib" "arena" "clock" "execute" "glue" "literal" "memory" "observe" "os" "probes"
        "random" "table" "threads" "trace" "trap" "zygote";
};

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "the list is compared with what is there"
)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_file_is_there() {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("embedded");
        let mut found = BTreeSet::new();
        for krate in ["protocol", "runtime"] {
            for entry in std::fs::read_dir(dir.join(krate)).expect("it is there") {
                let name = entry.expect("readable").file_name();
                let name = name.to_string_lossy();
                // Directories hold tests, which no harness has.
                if name.ends_with(".rs") {
                    found.insert(format!("{krate}/src/{name}"));
                }
            }
        }
        let listed: BTreeSet<String> = FILES.iter().map(|it| it.0.to_owned()).collect();
        assert_eq!(listed, found);
    }
}

//! Which instance of a generic item an error is about that rustc finds only when it makes code: a constant of
//! the crate that cannot be computed for these arguments.

/// An instance of a type or function, as rustc names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Instance {
    /// The item's own name.
    name: String,
    /// Its arguments without lifetimes, without white space.
    arguments: Vec<String>,
}

impl Instance {
    /// The instance of which a constant could not be computed, by what rustc says.
    pub(crate) fn evaluated(said: &str) -> Option<Instance> {
        let path = said.split("evaluation of `").nth(1)?.split('`').next()?;
        // The constant itself comes after the arguments that it was computed for.
        let end = path.rfind('>')?;
        let begin = opening(&path[..end])?;
        let name = path[..begin].trim_end_matches("::");
        Some(Instance {
            name: name.rsplit("::").next().unwrap_or(name).to_owned(),
            arguments: arguments(&path[begin + 1..end]),
        })
    }

    /// Does the text of a type mention it?
    pub(crate) fn is_in(&self, text: &str) -> bool {
        let beginning = format!("{}<", self.name);
        let mut places = text.match_indices(&beginning);
        places.any(|(at, _)| {
            let begins = !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let begin = at + self.name.len();
            begins
                && closing(&text[begin..])
                    .is_some_and(|end| arguments(&text[begin + 1..begin + end]) == self.arguments)
        })
    }

    /// Is an operation with this key the function, or one of its functions? Keys have arguments with their
    /// parameters' names at their end.
    pub(crate) fn has(&self, key: &str) -> bool {
        let Some((path, given)) = key.rsplit_once("::<") else {
            return false;
        };
        let mut words = path.split(|c: char| !c.is_alphanumeric() && c != '_');
        let given = arguments(given.trim_end_matches('>'));
        let given = given.iter().filter_map(|it| it.split_once('='));
        let given: Vec<&str> = given.map(|(_, it)| it).collect();
        let mut own = self.arguments.iter();
        words.any(|it| it == self.name) && own.all(|it| given.contains(&&**it))
    }
}

/// Where the bracket opens that the end of a text would close.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut places = text.char_indices().rev();
    let found = places.find(|(_, c)| match c {
        '>' => {
            depth += 1;
            false
        }
        '<' if depth > 0 => {
            depth -= 1;
            false
        }
        c => *c == '<',
    });
    found.map(|(at, _)| at)
}

/// Where the bracket closes that opens at the beginning of a text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut places = text.char_indices();
    let found = places.find(|(_, c)| {
        depth += usize::from(*c == '<');
        depth -= usize::from(*c == '>');
        depth == 0
    });
    found.map(|(at, _)| at)
}

/// Arguments without lifetimes, and without white space.
fn arguments(text: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut depth = 0_usize;
    for c in text.chars() {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match (c, found.last_mut()) {
            (',', _) if depth == 0 => found.push(String::new()),
            (c, Some(last)) if !c.is_whitespace() => last.push(c),
            _ => {}
        }
    }
    let is_lifetime = |it: &String| it.starts_with('\'') && !it[1..].contains('\'');
    found.retain(|it| !it.is_empty() && !is_lifetime(it));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance(path: &str) -> Instance {
        let said = format!("= note: evaluation of `{path}` failed here");
        Instance::evaluated(&said).expect("it names an instance")
    }

    #[test]
    fn an_instance_is_found_in_types() {
        let instance = instance("wildmatch::Pattern::<'a', 'b'>::DIFFER");
        assert!(instance.is_in("&wildmatch::Pattern<'a', 'b'>"));
        assert!(instance.is_in("Vec<wildmatch::inner::Pattern<'a','b'>>"));
        assert!(!instance.is_in("wildmatch::Pattern<'a', 'c'>"));
        assert!(!instance.is_in("wildmatch::NoPattern<'a', 'b'>"));
    }

    #[test]
    fn lifetimes_are_no_arguments() {
        let instance = instance("k::Window::<'_, 0>::CHECK");
        assert!(instance.is_in("k::Window<'static, 0>"));
    }

    #[test]
    fn an_instance_is_found_by_the_key_of_an_operation() {
        let instance = instance("k::chunks::<0>::{constant#0}");
        assert!(instance.has("k::chunks::<N = 0>"));
        assert!(!instance.has("k::chunks::<N = 1>"));
        assert!(!instance.has("k::chunks"));
    }

    #[test]
    fn what_names_no_instance_is_about_none() {
        assert_eq!(Instance::evaluated("evaluation of `k::MAX` failed"), None);
        assert_eq!(Instance::evaluated("mismatched types"), None);
    }
}

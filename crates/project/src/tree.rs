//! Reads which packages depend on which in a build, as `cargo tree` says. The lock file would not
//! do: it also lists what features that are off would ask for.

use std::collections::{BTreeMap, BTreeSet};

/// A package by name and version: `serde v1.0.0`.
type Node = String;

/// A tree of dependencies: for each package, its direct dependencies.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    of: BTreeMap<Node, Vec<Node>>,
}

impl Tree {
    /// Reads what `cargo tree --prefix depth` prints. A package that was printed before has no
    /// children when it is printed again.
    pub(crate) fn parse(text: &str) -> Tree {
        let mut of: BTreeMap<Node, Vec<Node>> = BTreeMap::new();
        let mut above: Vec<Node> = Vec::new();
        for line in text.lines() {
            let end = line.find(|c: char| !c.is_ascii_digit());
            let (depth, package) = line.split_at(end.unwrap_or(line.len()));
            let Ok(depth) = depth.parse::<usize>() else {
                continue;
            };
            let mut words = package.split(' ');
            let (Some(name), Some(version)) = (words.next(), words.next()) else {
                continue;
            };
            let node = format!("{name} {version}");
            above.truncate(depth);
            if let Some(parent) = above.last() {
                of.entry(parent.clone()).or_default().push(node.clone());
            }
            above.push(node);
        }
        Tree { of }
    }

    /// The direct dependencies of a package.
    fn children(&self, node: &str) -> &[Node] {
        self.of.get(node).map_or(&[], Vec::as_slice)
    }

    /// The direct dependencies of a package that depend on a crate, by name, the closest first.
    pub(crate) fn standing_on(&self, name: &str, version: &str, krate: &str) -> Vec<&str> {
        let package = format!("{name} v{version}");
        let direct = self.children(&package);
        let far = direct
            .iter()
            .filter_map(|node| Some((self.distance(node, krate)?, name_of(node))));
        let mut far: Vec<(usize, &str)> = far.collect();
        far.sort();
        far.into_iter().map(|(_, name)| name).collect()
    }

    /// How many steps there are from a package to a crate that it depends on.
    fn distance(&self, node: &Node, krate: &str) -> Option<usize> {
        let mut known = BTreeSet::new();
        let mut level = vec![node];
        for distance in 1.. {
            let below = level.iter().flat_map(|node| self.children(node));
            level = below.filter(|node| known.insert(*node)).collect();
            let is_it = |node: &&Node| name_of(node).replace('-', "_") == krate;
            if level.iter().any(is_it) {
                return Some(distance);
            }
            if level.is_empty() {
                break;
            }
        }
        None
    }
}

fn name_of(node: &Node) -> &str {
    node.split(' ').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_that_stand_on_a_crate_are_found_closest_first() {
        let tree = Tree::parse(
            "0ours v0.0.0 (/somewhere)\n\
             1own v0.1.0\n\
             2alone v1.0.0\n\
             2behind v2.0.0\n\
             3facade v1.0.0\n\
             4facade-core v1.0.0\n\
             2facade v1.0.0 (*)\n",
        );
        let standing_on = |krate| tree.standing_on("own", "0.1.0", krate);
        assert_eq!(standing_on("facade_core"), ["facade", "behind"]);
        assert_eq!(standing_on("facade"), ["behind"]);
        assert!(standing_on("unknown").is_empty());
    }
}

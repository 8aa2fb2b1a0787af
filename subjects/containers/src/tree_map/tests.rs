//! Checks the colours, the order and the links of the red-black tree.

use super::{Color, Link, TreeMap};
use crate::pseudo_random::PseudoRandom;

/// Checks a subtree whose keys must lie strictly between two bounds. Returns
/// the number of its entries and the number of black ones on each way down.
fn check_subtree(
    map: &TreeMap,
    link: Link,
    parent: Link,
    above: Option<i32>,
    below: Option<i32>,
) -> (usize, usize) {
    let Some(index) = link else {
        return (0, 0);
    };
    let entry = &map.nodes[index];
    assert_eq!(entry.parent, parent);
    assert!(above.is_none_or(|bound| entry.key > bound));
    assert!(below.is_none_or(|bound| entry.key < bound));
    if entry.color == Color::Red {
        assert_eq!(map.color_of(entry.left), Color::Black);
        assert_eq!(map.color_of(entry.right), Color::Black);
    }
    let left = check_subtree(map, entry.left, link, above, Some(entry.key));
    let right = check_subtree(map, entry.right, link, Some(entry.key), below);
    assert_eq!(left.1, right.1);
    let own_black = usize::from(entry.color == Color::Black);
    (left.0 + right.0 + 1, left.1 + own_black)
}

/// Checks the whole map.
fn check(map: &TreeMap) {
    assert_eq!(map.color_of(map.root), Color::Black);
    let (count, _) = check_subtree(map, map.root, None, None, None);
    assert_eq!(count, map.size);
    assert_eq!(count, map.nodes.in_use());
}

#[test]
fn colours_hold_through_random_operations() {
    let mut numbers = PseudoRandom::new(4);
    for spread in [5, 20, 100] {
        let mut map = TreeMap::new();
        for _ in 0..5000 {
            let key = numbers.key(spread);
            match numbers.below(20) {
                0..=9 => {
                    map.put(key, key * 2);
                }
                10..=17 => {
                    map.remove(key);
                }
                18 => {
                    map.poll_first_entry();
                }
                _ => {
                    map.poll_last_entry();
                }
            }
            check(&map);
        }
    }
}

#[test]
fn colours_hold_through_rising_and_falling_keys() {
    let mut map = TreeMap::new();
    for key in 0..300 {
        map.put(key, 0);
        check(&map);
    }
    for key in 0..300 {
        map.remove((key * 7) % 300);
        check(&map);
    }
    for key in (0..300).rev() {
        map.put(key, 0);
        check(&map);
    }
}

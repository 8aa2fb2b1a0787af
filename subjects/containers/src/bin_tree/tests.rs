//! Checks the inner order of the binary search tree.

use super::{BinTree, Link};
use crate::pseudo_random::PseudoRandom;

/// Checks that all values of a subtree lie strictly between two bounds, and
/// returns how many there are.
fn check_order(link: &Link, above: Option<i32>, below: Option<i32>) -> usize {
    let Some(node) = link else {
        return 0;
    };
    assert!(above.is_none_or(|bound| node.value > bound));
    assert!(below.is_none_or(|bound| node.value < bound));
    1 + check_order(&node.left, above, Some(node.value))
        + check_order(&node.right, Some(node.value), below)
}

#[test]
fn order_holds_through_random_operations() {
    let mut numbers = PseudoRandom::new(1);
    let mut tree = BinTree::new();
    for _ in 0..5000 {
        let value = numbers.key(40);
        if numbers.below(2) == 0 {
            tree.add(value);
        } else {
            tree.remove(value);
        }
        assert_eq!(check_order(&tree.root, None, None), tree.size);
    }
}

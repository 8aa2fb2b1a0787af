//! Checks the inner structure of the binomial heap.

use super::BinomialHeap;
use crate::pseudo_random::PseudoRandom;

/// Checks that a node is the root of a binomial tree in heap order, and
/// returns the number of its nodes.
fn check_tree(heap: &BinomialHeap, root: usize) -> usize {
    let mut count = 1;
    let mut expected_degree = heap.nodes[root].degree;
    let mut next = heap.nodes[root].child;
    while let Some(child) = next {
        // The children have the degrees below that of their parent, each once.
        expected_degree -= 1;
        assert_eq!(heap.nodes[child].degree, expected_degree);
        assert_eq!(heap.nodes[child].parent, Some(root));
        assert!(heap.nodes[child].key >= heap.nodes[root].key);
        count += check_tree(heap, child);
        next = heap.nodes[child].sibling;
    }
    assert_eq!(expected_degree, 0);
    count
}

/// Checks the whole heap.
fn check(heap: &BinomialHeap) {
    let mut count = 0;
    let mut last_degree = None;
    let mut next = heap.head;
    while let Some(root) = next {
        assert_eq!(heap.nodes[root].parent, None);
        assert!(last_degree.is_none_or(|degree| degree < heap.nodes[root].degree));
        last_degree = Some(heap.nodes[root].degree);
        count += check_tree(heap, root);
        next = heap.nodes[root].sibling;
    }
    assert_eq!(count, heap.size);
    assert_eq!(count, heap.nodes.in_use());
}

#[test]
fn structure_holds_through_random_operations() {
    let mut numbers = PseudoRandom::new(2);
    let mut heap = BinomialHeap::new();
    for _ in 0..5000 {
        let key = numbers.key(60);
        match numbers.below(8) {
            0..=3 => heap.insert(key),
            4 => {
                heap.extract_min();
            }
            5 => {
                heap.decrease_key_value(key, key - numbers.below(30) as i32);
            }
            6 => {
                heap.delete(key);
            }
            _ => {
                let mut other = BinomialHeap::new();
                for _ in 0..numbers.below(6) {
                    other.insert(numbers.key(60));
                }
                other.extract_min();
                check(&other);
                heap.union(other);
            }
        }
        check(&heap);
    }
}

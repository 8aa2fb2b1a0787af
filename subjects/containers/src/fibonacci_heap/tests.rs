//! Checks the inner structure of the Fibonacci heap.

use super::FibonacciHeap;
use crate::pseudo_random::PseudoRandom;

/// Checks a ring of nodes and all that hangs below it, and returns the number
/// of its nodes.
fn check_ring(heap: &FibonacciHeap, start: usize, parent: Option<usize>) -> usize {
    let members = heap.ring(start);
    let mut count = 0;
    for &node in &members {
        assert_eq!(heap.nodes[heap.nodes[node].right].left, node);
        assert_eq!(heap.nodes[node].parent, parent);
        if let Some(parent) = parent {
            assert!(heap.nodes[node].key >= heap.nodes[parent].key);
        }
        let below = match heap.nodes[node].child {
            None => {
                assert_eq!(heap.nodes[node].degree, 0);
                0
            }
            Some(child) => {
                assert_eq!(heap.ring(child).len(), heap.nodes[node].degree);
                check_ring(heap, child, Some(node))
            }
        };
        // The marks are what keeps the trees bushy: a tree whose root has
        // degree d holds at least as many nodes as the Fibonacci number d + 2.
        assert!(below + 1 >= fibonacci(heap.nodes[node].degree + 2));
        count += below + 1;
    }
    count
}

/// Returns a number of the sequence 0, 1, 1, 2, 3, 5 and so on.
fn fibonacci(index: usize) -> usize {
    let (mut current, mut next) = (0, 1);
    for _ in 0..index {
        (current, next) = (next, current + next);
    }
    current
}

/// Checks the whole heap.
fn check(heap: &FibonacciHeap) {
    let count = match heap.min {
        None => 0,
        Some(min) => {
            for root in heap.ring(min) {
                assert!(heap.nodes[min].key <= heap.nodes[root].key);
            }
            check_ring(heap, min, None)
        }
    };
    assert_eq!(count, heap.size);
    assert_eq!(count, heap.nodes.in_use());
}

#[test]
fn structure_holds_through_random_operations() {
    let mut numbers = PseudoRandom::new(3);
    let mut heap = FibonacciHeap::new();
    let mut marks_seen = 0;
    for _ in 0..8000 {
        let key = numbers.key(60);
        match numbers.below(10) {
            0..=3 => heap.insert(key),
            4 => {
                heap.remove_min();
            }
            5..=7 => {
                heap.decrease_key(key, key - numbers.below(40) as i32);
            }
            8 => {
                heap.delete(key);
            }
            _ => {
                let mut other = FibonacciHeap::new();
                for _ in 0..numbers.below(6) {
                    other.insert(numbers.key(60));
                }
                other.remove_min();
                check(&other);
                heap.union(other);
            }
        }
        check(&heap);
        marks_seen += heap
            .find_node(key)
            .map_or(0, |node| usize::from(heap.nodes[node].marked));
    }
    // Without marked nodes the cascading cut would not have been tried.
    assert!(marks_seen > 0);
}

//! Compares the four containers with those of the standard library, over
//! thousands of pseudo-random operations.

#[path = "../src/pseudo_random.rs"]
mod pseudo_random;

use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use containers::{BinTree, BinomialHeap, FibonacciHeap, TreeMap};
use pseudo_random::PseudoRandom;

#[test]
fn bin_tree_behaves_like_a_standard_set() {
    let mut numbers = PseudoRandom::new(11);
    let mut tree = BinTree::new();
    let mut model = BTreeSet::new();
    for _ in 0..5000 {
        let value = numbers.key(50);
        match numbers.below(3) {
            0 => assert_eq!(tree.add(value), model.insert(value)),
            1 => assert_eq!(tree.remove(value), model.remove(&value)),
            _ => assert_eq!(tree.find(value), model.contains(&value)),
        }
        assert_eq!(tree.size(), model.len());
        assert_eq!(tree.is_empty(), model.is_empty());
        assert_eq!(tree.minimum(), model.first().copied());
        assert_eq!(tree.maximum(), model.last().copied());
        assert_eq!(tree.in_order(), model.iter().copied().collect::<Vec<_>>());
    }
}

#[test]
fn bin_tree_is_not_balanced() {
    let mut tree = BinTree::new();
    assert_eq!(tree.height(), 0);
    for value in [1, 2, 3, 4] {
        tree.add(value);
    }
    assert_eq!(tree.height(), 4);
}

#[test]
fn bin_trees_of_different_shape_are_equal() {
    let mut chain = BinTree::new();
    let mut bushy = BinTree::new();
    for value in [1, 2, 3] {
        chain.add(value);
    }
    for value in [2, 1, 3] {
        bushy.add(value);
    }
    assert_eq!(chain, bushy);
    bushy.remove(3);
    assert_ne!(chain, bushy);
}

#[test]
fn binomial_heap_behaves_like_a_sorted_list() {
    let mut numbers = PseudoRandom::new(12);
    let mut heap = BinomialHeap::new();
    let mut model: Vec<i32> = Vec::new();
    for _ in 0..5000 {
        let key = numbers.key(50);
        match numbers.below(8) {
            0..=3 => {
                heap.insert(key);
                model.push(key);
            }
            4 => assert_eq!(heap.extract_min(), remove_smallest(&mut model)),
            5 => {
                let smaller = key - numbers.key(10);
                assert_eq!(
                    heap.decrease_key_value(key, smaller),
                    decrease(&mut model, key, smaller)
                );
            }
            6 => assert_eq!(heap.delete(key), remove_one(&mut model, key)),
            _ => {
                let mut other = BinomialHeap::new();
                for _ in 0..numbers.below(5) {
                    let foreign = numbers.key(50);
                    other.insert(foreign);
                    model.push(foreign);
                }
                heap.union(other);
            }
        }
        assert_eq!(heap.size(), model.len());
        assert_eq!(heap.is_empty(), model.is_empty());
        assert_eq!(heap.find_minimum(), model.iter().min().copied());
        assert_eq!(heap.contains(key), model.contains(&key));
    }
    while let Some(smallest) = heap.extract_min() {
        assert_eq!(Some(smallest), remove_smallest(&mut model));
    }
    assert!(model.is_empty());
}

#[test]
fn fibonacci_heap_behaves_like_a_sorted_list() {
    let mut numbers = PseudoRandom::new(13);
    let mut heap = FibonacciHeap::new();
    let mut model: Vec<i32> = Vec::new();
    for _ in 0..5000 {
        let key = numbers.key(50);
        match numbers.below(8) {
            0..=3 => {
                heap.insert(key);
                model.push(key);
            }
            4 => assert_eq!(heap.remove_min(), remove_smallest(&mut model)),
            5 => {
                let smaller = key - numbers.key(10);
                assert_eq!(
                    heap.decrease_key(key, smaller),
                    decrease(&mut model, key, smaller)
                );
            }
            6 => assert_eq!(heap.delete(key), remove_one(&mut model, key)),
            _ => {
                let mut other = FibonacciHeap::new();
                for _ in 0..numbers.below(5) {
                    let foreign = numbers.key(50);
                    other.insert(foreign);
                    model.push(foreign);
                }
                heap.union(other);
            }
        }
        assert_eq!(heap.size(), model.len());
        assert_eq!(heap.is_empty(), model.is_empty());
        assert_eq!(heap.min(), model.iter().min().copied());
        assert_eq!(heap.contains(key), model.contains(&key));
    }
    let mut copy = heap.clone();
    while let Some(smallest) = heap.remove_min() {
        assert_eq!(Some(smallest), remove_smallest(&mut model));
    }
    assert!(model.is_empty());
    assert!(!copy.is_empty());
    copy.clear();
    assert_eq!((copy.size(), copy.min()), (0, None));
}

#[test]
fn heaps_sort_like_the_standard_heap() {
    let mut numbers = PseudoRandom::new(14);
    let mut binomial = BinomialHeap::new();
    let mut fibonacci = FibonacciHeap::new();
    let mut standard = BinaryHeap::new();
    for _ in 0..3000 {
        let key = numbers.key(100_000);
        binomial.insert(key);
        fibonacci.insert(key);
        standard.push(key);
    }
    for expected in standard.into_sorted_vec() {
        assert_eq!(binomial.extract_min(), Some(expected));
        assert_eq!(fibonacci.remove_min(), Some(expected));
    }
    assert!(binomial.is_empty());
    assert!(fibonacci.is_empty());
}

#[test]
fn heaps_hold_the_smallest_integer_without_overflow() {
    let mut binomial = BinomialHeap::new();
    let mut fibonacci = FibonacciHeap::new();
    for key in [i32::MIN, i32::MAX, 0, i32::MIN] {
        binomial.insert(key);
        fibonacci.insert(key);
    }
    assert!(binomial.delete(i32::MAX));
    assert!(fibonacci.delete(i32::MAX));
    assert!(binomial.delete(i32::MIN));
    assert!(fibonacci.delete(i32::MIN));
    assert_eq!(binomial.find_minimum(), Some(i32::MIN));
    assert_eq!(fibonacci.min(), Some(i32::MIN));
    assert_eq!((binomial.size(), fibonacci.size()), (2, 2));
}

#[test]
fn tree_map_behaves_like_the_standard_map() {
    let mut numbers = PseudoRandom::new(15);
    let mut map = TreeMap::new();
    let mut model: BTreeMap<i32, i32> = BTreeMap::new();
    for round in 0..6000 {
        let key = numbers.key(60);
        match numbers.below(10) {
            0..=3 => assert_eq!(map.put(key, round), model.insert(key, round)),
            4..=6 => assert_eq!(map.remove(key), model.remove(&key)),
            7 => assert_eq!(map.poll_first_entry(), model.pop_first()),
            8 => assert_eq!(map.poll_last_entry(), model.pop_last()),
            _ => {
                let mut other = TreeMap::new();
                other.put(key, round);
                other.put(-key, -round);
                map.put_all(&other);
                model.extend(other.entries());
            }
        }
        assert_eq!(map.get(key), model.get(&key).copied());
        assert_eq!(map.contains_key(key), model.contains_key(&key));
        assert_eq!(map.size(), model.len());
        assert_eq!(map.is_empty(), model.is_empty());
        assert_eq!(map.first_key(), model.keys().next().copied());
        assert_eq!(map.last_key(), model.keys().next_back().copied());
        let key_at = |found: Option<(&i32, &i32)>| found.map(|(key, _)| *key);
        assert_eq!(map.ceiling_key(key), key_at(model.range(key..).next()));
        assert_eq!(map.higher_key(key), key_at(model.range(key + 1..).next()));
        assert_eq!(map.floor_key(key), key_at(model.range(..=key).next_back()));
        assert_eq!(map.lower_key(key), key_at(model.range(..key).next_back()));
        assert_eq!(
            map.contains_value(round),
            model.values().any(|value| *value == round)
        );
        assert_eq!(map.keys(), model.keys().copied().collect::<Vec<_>>());
        assert_eq!(map.values(), model.values().copied().collect::<Vec<_>>());
    }
    map.clear();
    assert_eq!(map, TreeMap::new());
}

#[test]
fn tree_map_knows_no_key_beyond_the_integers() {
    let mut map = TreeMap::new();
    map.put(i32::MAX, 1);
    map.put(i32::MIN, 2);
    assert_eq!(map.higher_key(i32::MAX), None);
    assert_eq!(map.lower_key(i32::MIN), None);
    assert_eq!(map.higher_key(i32::MIN), Some(i32::MAX));
}

/// Removes the smallest number of a list.
fn remove_smallest(list: &mut Vec<i32>) -> Option<i32> {
    let smallest = *list.iter().min()?;
    remove_one(list, smallest);
    Some(smallest)
}

/// Removes one occurrence of a number and tells whether there was one.
fn remove_one(list: &mut Vec<i32>, number: i32) -> bool {
    match list.iter().position(|held| *held == number) {
        Some(index) => {
            list.swap_remove(index);
            true
        }
        None => false,
    }
}

/// Replaces one occurrence of a number by one that is not greater.
fn decrease(list: &mut Vec<i32>, old: i32, new: i32) -> bool {
    if new > old || !remove_one(list, old) {
        return false;
    }
    list.push(new);
    true
}

//! Random choice by weights that change all the time, fast even for many thousands of items.

use crate::rng::Rng;

/// Weights of the items `0..n` (a Fenwick tree: changing and choosing take logarithmic time).
#[derive(Clone, Debug, Default)]
pub(crate) struct Weights {
    weights: Vec<u32>,
    /// `sums[i]` is the sum of the weights of the items below `i` that the lowest bit of `i` spans.
    sums: Vec<u64>,
    total: u64,
}

impl Weights {
    /// Items with these weights.
    pub(crate) fn new(weights: Vec<u32>) -> Weights {
        let mut sums = vec![0; weights.len() + 1];
        for (i, weight) in weights.iter().enumerate() {
            let node = i + 1;
            sums[node] += u64::from(*weight);
            let parent = node + (node & node.wrapping_neg());
            if parent < sums.len() {
                sums[parent] += sums[node];
            }
        }
        Weights {
            total: weights.iter().map(|weight| u64::from(*weight)).sum(),
            weights,
            sums,
        }
    }

    /// The weight of an item.
    pub(crate) fn get(&self, item: usize) -> u32 {
        self.weights[item]
    }

    /// Changes the weight of an item.
    pub(crate) fn set(&mut self, item: usize, weight: u32) {
        let old = std::mem::replace(&mut self.weights[item], weight);
        if old == weight {
            return;
        }
        let change = u64::from(weight).wrapping_sub(u64::from(old));
        self.total = self.total.wrapping_add(change);
        let mut node = item + 1;
        while node < self.sums.len() {
            self.sums[node] = self.sums[node].wrapping_add(change);
            node += node & node.wrapping_neg();
        }
    }

    /// An item, in proportion to the weights; `None` if all are 0.
    pub(crate) fn pick(&self, rng: &mut Rng) -> Option<usize> {
        if self.total == 0 {
            return None;
        }
        let mut rest = rng.below(self.total as usize) as u64;
        let mut item = 0;
        let mut step = self.sums.len().next_power_of_two() / 2;
        while step > 0 {
            let next = item + step;
            if next < self.sums.len() && self.sums[next] <= rest {
                rest -= self.sums[next];
                item = next;
            }
            step /= 2;
        }
        Some(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_in_proportion_to_their_weights() {
        let mut weights = Weights::new(vec![5, 0, 10, 1, 4]);
        weights.set(0, 0);
        weights.set(3, 6);
        let mut rng = Rng::new(7);
        let mut n_picked = [0; 5];
        for _ in 0..20_000 {
            n_picked[weights.pick(&mut rng).expect("there are weights")] += 1;
        }
        assert_eq!((n_picked[0], n_picked[1]), (0, 0));
        for (item, expected) in [(2, 10_000), (3, 6_000), (4, 4_000)] {
            let off: i32 = n_picked[item] - expected;
            assert!(off.abs() < 400, "{n_picked:?}");
        }
    }

    #[test]
    fn without_weight_there_is_no_choice() {
        let mut weights = Weights::new(vec![3]);
        weights.set(0, 0);
        assert_eq!(weights.pick(&mut Rng::new(0)), None);
        assert_eq!(Weights::default().pick(&mut Rng::new(0)), None);
    }
}

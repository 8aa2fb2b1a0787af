//! Where boxes of a column go: as near as possible to where they would like to be, in their order,
//! without touching.

/// A box of a column.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Wish {
    /// The height that its centre should have.
    pub(crate) centre: f64,
    /// How tall it is, with the room around it.
    pub(crate) height: f64,
    /// How much it matters that it has that height.
    pub(crate) weight: f64,
}

/// The centres: least squares with minimal distances, by pooling adjacent violators.
pub(crate) fn settle(wishes: &[Wish]) -> Vec<f64> {
    // Without the distances that there must be between boxes, the condition is that centres do not
    // decrease.
    let mut offsets = Vec::with_capacity(wishes.len());
    let mut offset = 0.0;
    for (i, wish) in wishes.iter().enumerate() {
        if i > 0 {
            offset += (wishes[i - 1].height + wish.height) / 2.0;
        }
        offsets.push(offset);
    }
    // For each block of boxes: the sum of weighted heights, the sum of weights, and the number of
    // boxes.
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for (wish, offset) in wishes.iter().zip(&offsets) {
        let mut pool = ((wish.centre - offset) * wish.weight, wish.weight, 1);
        while let Some((sum, weight, n)) = pools.last().copied()
            && sum / weight > pool.0 / pool.1
        {
            pools.pop();
            pool = (pool.0 + sum, pool.1 + weight, pool.2 + n);
        }
        pools.push(pool);
    }
    let settled = pools
        .iter()
        .flat_map(|(sum, weight, n)| std::iter::repeat_n(sum / weight, *n));
    settled
        .zip(&offsets)
        .map(|(at, offset)| at + offset)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(centre: f64) -> Wish {
        Wish {
            centre,
            height: 10.0,
            weight: 1.0,
        }
    }

    #[test]
    fn boxes_with_room_are_where_they_like_to_be() {
        assert_eq!(settle(&[wish(0.0), wish(50.0)]), [0.0, 50.0]);
    }

    #[test]
    fn boxes_that_want_the_same_place_share_it() {
        assert_eq!(settle(&[wish(5.0), wish(5.0)]), [0.0, 10.0]);
        assert_eq!(
            settle(&[wish(30.0), wish(0.0), wish(50.0)]),
            [10.0, 20.0, 50.0]
        );
    }
}

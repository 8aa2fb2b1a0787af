//! A set of digests with a fixed size: if it is full, it forgets the oldest.
//!
//! Exploration may go on for days, and what it remembers must not grow. Forgetting costs little:
//! something old is taken for new once more.
//! something old is taken for new once more.

use std::ops::Range;

/// The number of digests in a bucket, which fill a cache line.
const BUCKET: usize = 8;

/// Remembers a bounded number of digests.
#[derive(Clone, Debug)]
pub(crate) struct Digests {
    /// The buckets one after another, in each the youngest digest first. 0 is an empty place.
    digests: Box<[u64]>,
    n_inserted: usize,
    n_forgotten: u64,
}

impl Digests {
    /// Room for `2^bits` digests, allocated at once.
    pub(crate) fn with_bits(bits: u32) -> Digests {
        Digests {
            digests: vec![0; BUCKET.max(1 << bits)].into_boxed_slice(),
            n_inserted: 0,
            n_forgotten: 0,
        }
    }

    /// The bucket that a digest belongs to.
    fn bucket(&self, digest: u64) -> Range<usize> {
        let n_buckets = self.digests.len() / BUCKET;
        // Not all digests are well mixed, but buckets should fill evenly.
        let mixed = (digest ^ digest >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        let start = ((u128::from(mixed) * n_buckets as u128) >> 64) as usize * BUCKET;
        start..start + BUCKET
    }

    /// Is the digest remembered?
    pub(crate) fn contains(&self, digest: u64) -> bool {
        let digest = digest.max(1);
        self.digests[self.bucket(digest)].contains(&digest)
    }

    /// Remembers a digest, and says whether it is new, as far as that is remembered.
    pub(crate) fn insert(&mut self, digest: u64) -> bool {
        let digest = digest.max(1);
        let bucket = self.bucket(digest);
        let bucket = &mut self.digests[bucket];
        if bucket.contains(&digest) {
            return false;
        }
        self.n_forgotten += u64::from(bucket[BUCKET - 1] != 0);
        bucket.copy_within(..BUCKET - 1, 1);
        bucket[0] = digest;
        self.n_inserted += 1;
        true
    }

    /// How many digests were new.
    pub(crate) fn n_inserted(&self) -> usize {
        self.n_inserted
    }

    /// How many digests were forgotten.
    pub(crate) fn n_forgotten(&self) -> u64 {
        self.n_forgotten
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classes::digest;

    #[test]
    fn what_was_inserted_is_known_while_there_is_room() {
        let mut seen = Digests::with_bits(12);
        let digests: Vec<u64> = (0..1000u64).map(|i| digest(&i)).collect();
        assert!(digests.iter().all(|digest| seen.insert(*digest)));
        assert!(!digests.iter().any(|digest| seen.insert(*digest)));
        assert_eq!((seen.n_inserted(), seen.n_forgotten()), (1000, 0));
    }

    #[test]
    fn a_full_set_forgets_the_oldest_and_does_not_grow() {
        let mut seen = Digests::with_bits(3);
        for i in 1..=9 {
            assert!(seen.insert(i));
        }
        assert_eq!(seen.digests.len(), 8);
        assert_eq!(seen.n_forgotten(), 1);
        assert!(!seen.insert(2));
        assert!(seen.insert(1));
    }
}

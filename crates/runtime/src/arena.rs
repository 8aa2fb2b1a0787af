//! Storage for slots: raw, never moved while a program runs, reused by the next one.
//!
//! Values are not boxed, because moving a `Box` invalidates borrows derived from it.

/// Bump allocation in chunks.
pub(crate) struct Arena {
    chunks: Vec<Box<[u128]>>,
    chunk_idx: usize,
    used: usize,
}

const CHUNK_BYTES: usize = 64 * 1024;

impl Arena {
    pub(crate) fn new() -> Arena {
        Arena {
            chunks: vec![chunk_of(CHUNK_BYTES)],
            chunk_idx: 0,
            used: 0,
        }
    }

    /// Lets all storage be used again.
    pub(crate) fn reset(&mut self) {
        self.chunk_idx = 0;
        self.used = 0;
    }

    /// Uninitialised storage.
    pub(crate) fn allocate(&mut self, size: usize, align: usize) -> *mut u8 {
        loop {
            let chunk = &mut self.chunks[self.chunk_idx];
            let base = chunk.as_mut_ptr().cast::<u8>();
            let n_bytes = chunk.len() * size_of::<u128>();
            let start = (base as usize + self.used).next_multiple_of(align) - base as usize;
            if start + size <= n_bytes {
                self.used = start + size;
                return base.wrapping_add(start);
            }
            self.chunk_idx += 1;
            self.used = 0;
            if self.chunk_idx == self.chunks.len()
                || self.chunks[self.chunk_idx].len() * size_of::<u128>() < size + align
            {
                self.chunks
                    .insert(self.chunk_idx, chunk_of((size + align).max(CHUNK_BYTES)));
            }
        }
    }
}

fn chunk_of(n_bytes: usize) -> Box<[u128]> {
    vec![0; n_bytes.div_ceil(size_of::<u128>())].into_boxed_slice()
}

#[cfg(test)]
mod tests;

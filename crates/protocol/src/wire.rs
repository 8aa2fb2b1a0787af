//! Bytes in and out: little-endian, length-prefixed, no alignment, no reflection.

/// What went wrong while reading a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WireError {
    /// The message ends too early.
    Short,
    /// An unknown tag.
    Tag(u8),
    /// A string that is not UTF-8.
    Utf8,
    /// A value in a value, and so on, deeper than anybody writes them.
    Deep,
    /// The message is longer than any that is meant.
    Long,
}

impl std::fmt::Display for WireError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            WireError::Short => write!(f, "message ends too early"),
            WireError::Tag(tag) => write!(f, "unknown tag {tag}"),
            WireError::Utf8 => write!(f, "text is not UTF-8"),
            WireError::Long => write!(f, "message is too long"),
            WireError::Deep => write!(f, "a value is too deep"),
        }
    }
}

impl std::error::Error for WireError {}

/// Reads a message from the front.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// A reader over a whole message.
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader { rest: bytes }
    }

    /// Is everything read?
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// What has not been read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The next `n` bytes.
    pub fn take(&mut self, n: usize) -> Result<&'a [u8], WireError> {
        if self.rest.len() < n {
            return Err(WireError::Short);
        }
        let (head, tail) = self.rest.split_at(n);
        self.rest = tail;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(N)?);
        Ok(out)
    }

    /// One byte.
    pub fn u8(&mut self) -> Result<u8, WireError> {
        Ok(self.array::<1>()?[0])
    }

    /// Two bytes.
    pub fn u16(&mut self) -> Result<u16, WireError> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    /// Four bytes.
    pub fn u32(&mut self) -> Result<u32, WireError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// Eight bytes.
    pub fn u64(&mut self) -> Result<u64, WireError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// Sixteen bytes.
    pub fn u128(&mut self) -> Result<u128, WireError> {
        Ok(u128::from_le_bytes(self.array()?))
    }

    /// A length-prefixed run of bytes.
    pub fn bytes(&mut self) -> Result<&'a [u8], WireError> {
        let n = self.u32()? as usize;
        self.take(n)
    }

    /// A length-prefixed string.
    pub fn text(&mut self) -> Result<&'a str, WireError> {
        std::str::from_utf8(self.bytes()?).map_err(|_| WireError::Utf8)
    }
}

/// Appends to a message.
pub trait Writer {
    /// Raw bytes.
    fn raw(&mut self, bytes: &[u8]);

    /// One byte.
    fn u8(&mut self, value: u8) {
        self.raw(&[value]);
    }
    /// Two bytes.
    fn u16(&mut self, value: u16) {
        self.raw(&value.to_le_bytes());
    }
    /// Four bytes.
    fn u32(&mut self, value: u32) {
        self.raw(&value.to_le_bytes());
    }
    /// Eight bytes.
    fn u64(&mut self, value: u64) {
        self.raw(&value.to_le_bytes());
    }
    /// Sixteen bytes.
    fn u128(&mut self, value: u128) {
        self.raw(&value.to_le_bytes());
    }
    /// A length-prefixed run of bytes.
    fn bytes(&mut self, value: &[u8]) {
        self.u32(value.len() as u32);
        self.raw(value);
    }
    /// A length-prefixed string.
    fn text(&mut self, value: &str) {
        self.bytes(value.as_bytes());
    }
}

impl Writer for Vec<u8> {
    fn raw(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// A digest of bytes, the same on both sides.
pub fn digest(bytes: &[u8]) -> u64 {
    const K: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut hash = bytes.len() as u64 ^ K;
    let mut mix = |word: u64| {
        let product = u128::from(hash ^ word) * u128::from(K | 1);
        hash = (product as u64) ^ ((product >> 64) as u64) ^ word.rotate_left(32);
    };
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        mix(u64::from_le_bytes(
            chunk.try_into().expect("chunks of eight"),
        ));
    }
    let mut last = [0; 8];
    last[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
    mix(u64::from_le_bytes(last));
    mix(K);
    hash
}

pub struct Counted {
    pub id: u8,
    pub alive: &'static ::std::sync::atomic::AtomicIsize,
}

impl Clone for Counted {
    fn clone(&self) -> Self {
        ::stand_ins::Counter(self.alive).item(self.id)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.alive.fetch_sub(1, ::std::sync::atomic::Ordering::Relaxed);
    }
}

impl ::std::fmt::Debug for Counted {
    fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
        write!(f, "Counted({})", self.id)
    }
}

impl PartialEq for Counted {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Counted {}

impl PartialOrd for Counted {
    fn partial_cmp(&self, other: &Self) -> Option<::std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Counted {
    fn cmp(&self, other: &Self) -> ::std::cmp::Ordering {
        self.id.cmp(&other.id)
    }
}

impl ::std::hash::Hash for Counted {
    fn hash<H: ::std::hash::Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

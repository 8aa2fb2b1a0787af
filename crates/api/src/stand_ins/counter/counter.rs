#[derive(Debug)]
pub struct Counter(pub &'static ::std::sync::atomic::AtomicIsize);

impl Counter {
    pub fn new() -> Counter {
        Counter(Box::leak(Box::new(::std::sync::atomic::AtomicIsize::new(0))))
    }

    pub fn item(&self, id: u8) -> ::stand_ins::Counted {
        self.0.fetch_add(1, ::std::sync::atomic::Ordering::Relaxed);
        ::stand_ins::Counted { id, alive: self.0 }
    }

    pub fn alive(&self) -> isize {
        self.0.load(::std::sync::atomic::Ordering::Relaxed)
    }
}

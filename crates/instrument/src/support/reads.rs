// What `==` reads of values while it is monitored, and snapshots that have nothing else in them.

use self::std::sync::atomic::AtomicBool;
use self::std::sync::{Mutex, MutexGuard};

/// An address, a size, and the name of a type, which tells a struct from its first field.
type Place = (usize, usize, &'static str);

/// Are the reads of equalities noted?
pub static MONITOR: AtomicBool = AtomicBool::new(false);
static NOTES: Mutex<Notes> = Mutex::new(Notes::new());

/// How many notes there are at most; beyond that, everything counts as read.
const MAX_NOTES: usize = 1 << 16;

/// What was noted.
struct Notes {
    /// Values whose equality said what it reads of them.
    entered: BTreeSet<Place>,
    /// Places that were read, and whether a snapshot has met them.
    read: BTreeMap<Place, bool>,
    /// Parts of lists and texts that were read, with the type of an item, and how many bytes of them a
    /// snapshot has met.
    slices: BTreeMap<Place, usize>,
    is_full: bool,
}

impl Notes {
    const fn new() -> Notes {
        Notes {
            entered: BTreeSet::new(),
            read: BTreeMap::new(),
            slices: BTreeMap::new(),
            is_full: false,
        }
    }

    fn has_room(&mut self) -> bool {
        let n = self.entered.len() + self.read.len() + self.slices.len();
        self.is_full |= n >= MAX_NOTES;
        !self.is_full
    }

    /// Has a snapshot met all that was read?
    fn is_all_met(&self) -> bool {
        !self.is_full
            && self.read.values().all(|is_met| *is_met)
            && self.slices.iter().all(|(slice, met)| *met >= slice.1)
    }
}

fn notes() -> MutexGuard<'static, Notes> {
    NOTES.lock().unwrap_or_else(|it| it.into_inner())
}

fn place<T: ?Sized>(value: &T) -> Place {
    let address = value as *const T as *const u8 as usize;
    (address, self::std::mem::size_of_val(value), self::std::any::type_name::<T>())
}

/// Are the reads of equalities noted?
#[inline(always)]
pub fn is_monitored() -> bool {
    MONITOR.load(Ordering::Relaxed)
}

/// Notes that an equality begins which notes what it reads of the value.
pub fn enter<T: ?Sized>(value: &T) {
    let mut notes = notes();
    if notes.has_room() {
        notes.entered.insert(place(value));
    }
}

/// Notes that all of a value is read, except parts whose own equality notes what it reads.
fn note_place<T: ?Sized>(value: &T) {
    let (place, mut notes) = (place(value), notes());
    // A value without size has nothing to read.
    if is_monitored() && place.1 > 0 && notes.has_room() {
        notes.read.entry(place).or_insert(false);
    }
}

/// Notes that items are read which have this address and size together.
fn note_slice(address: usize, size: usize, item: &'static str) {
    let mut notes = notes();
    if is_monitored() && size > 0 && notes.has_room() {
        notes.slices.entry((address, size, item)).or_insert(0);
    }
}

/// What an equality reads of a value that it compares with itself.
fn monitored(compare: impl FnOnce()) -> Notes {
    struct Off;
    impl Drop for Off {
        fn drop(&mut self) {
            MONITOR.store(false, Ordering::Relaxed);
        }
    }
    *notes() = Notes::new();
    MONITOR.store(true, Ordering::Relaxed);
    let off = Off;
    compare();
    drop(off);
    self::std::mem::replace(&mut *notes(), Notes::new())
}

/// Decides which parts of a value are written: those that were read.
struct Sieve {
    notes: Notes,
    /// Is the value that is being written part of a value that was read?
    keeps: bool,
    /// How many values were kept so far.
    n_kept: u64,
}

impl Sieve {
    fn meet(&mut self, place: &Place) {
        let is_entered = self.notes.entered.contains(place);
        // From here on its own equality says what is read.
        self.keeps &= !is_entered;
        if let Some(is_met) = self.notes.read.get_mut(place) {
            *is_met = true;
            self.keeps = true;
        }
        let (begin, size, name) = *place;
        for (slice, met) in self.notes.slices.range_mut(..(begin + 1, 0, "")) {
            if slice.2 == name && begin + size <= slice.0 + slice.1 {
                *met += size;
                self.keeps |= !is_entered;
            }
        }
        // Its constructor counts as read.
        self.n_kept += (self.keeps || is_entered) as u64;
    }
}

impl Out {
    /// A value within another.
    fn node<T: Snapshot + ?Sized>(&mut self, value: &T) {
        match self.sieve {
            None => value.snapshot(self),
            Some(_) => drop(self.sift(value)),
        }
    }

    /// Is the value that is being written not read as a whole?
    fn sifts(&self) -> bool {
        match &self.sieve {
            Some(sieve) => !sieve.keeps,
            None => false,
        }
    }

    /// Writes what was read of a value, or that nothing of it was read; says whether something was.
    fn sift<T: Snapshot + ?Sized>(&mut self, value: &T) -> bool {
        let (begin, flags, n_shared) = (self.bytes.len(), self.flags, self.shared.len() as u64);
        let Some(sieve) = &mut self.sieve else {
            return false;
        };
        let (keeps, n_kept) = (sieve.keeps, sieve.n_kept);
        sieve.meet(&place(value));
        value.snapshot(self);
        let Some(sieve) = &mut self.sieve else {
            return false;
        };
        sieve.keeps = keeps;
        if sieve.n_kept > n_kept {
            return true;
        }
        self.bytes.truncate(begin);
        self.flags = flags;
        self.shared.retain(|_, n| *n < n_shared);
        self.bytes.push(UNREAD);
        false
    }

    /// The items that were read of a list, with their positions.
    fn items<'i, T: Snapshot + 'i>(&mut self, items: impl Iterator<Item = &'i T>) {
        self.bytes.push(PARTS);
        for (i, item) in items.enumerate() {
            if self.is_full() {
                break;
            }
            let begin = self.bytes.len();
            self.number(i as u64 + 1);
            if !self.sift(item) {
                self.bytes.truncate(begin);
            }
        }
        self.number(0);
    }

    /// The parts that were read of a text, with their positions.
    fn excerpts(&mut self, text: &[u8]) {
        let (begin, end) = (text.as_ptr() as usize, text.as_ptr() as usize + text.len());
        self.bytes.push(PARTS);
        let mut found = Vec::new();
        if let Some(sieve) = &mut self.sieve {
            for (slice, met) in sieve.notes.slices.range_mut((begin, 0, "")..(end, 0, "")) {
                if slice.2 == "str" && slice.0 + slice.1 <= end {
                    *met = slice.1;
                    sieve.n_kept += 1;
                    found.push((slice.0 - begin, slice.1));
                }
            }
        }
        for (at, size) in found {
            self.number(at as u64 + 1);
            self.words(&text[at..at + size]);
        }
        self.number(0);
    }
}

/// Writes out what `compare`, which compares a value with itself, reads of it; as [`snapshot`].
pub fn read_of<T: Snapshot + ?Sized>(value: &T, compare: impl FnOnce(), bytes: &mut Vec<u8>) -> u8 {
    let sieve = Sieve { notes: monitored(compare), keeps: true, n_kept: 0 };
    let mut is_all_met = false;
    let flags = written(bytes, |out| {
        out.sieve = Some(sieve);
        out.node(value);
        is_all_met = out.sieve.take().map_or(false, |it| it.notes.is_all_met());
    });
    match is_all_met {
        true => flags,
        // The snapshot did not meet everything that was read, so all of the value counts as read.
        false => snapshot(value, bytes),
    }
}

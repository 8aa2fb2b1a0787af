use super::*;

fn counters(counts: &mut [u64]) -> Counters {
    let range = counts.as_mut_ptr_range();
    // SAFETY: both are ends of one array, which the test keeps while it reads.
    unsafe { Counters::between(range.start, range.end) }
}

/// The trace of a call that enters regions so often, in a batch of its own.
fn trace(counts: &[u64]) -> Trace {
    let page = Page::map().expect("there is memory");
    counters(&mut counts.to_vec()).read(page, 0, true)
}

#[test]
fn region_is_listed_with_about_how_often_it_was_entered() {
    let mut counts = [0; 20];
    for (region, count) in [(0, 1), (3, 2), (9, 4), (10, 15), (19, 16)] {
        counts[region] = count;
    }
    let trace = trace(&counts);
    assert_eq!(
        trace.regions,
        [(0, 0), (3, 1), (9, 2), (10, 2), (19, 3)]
            .map(|(region, often)| Passage::new(RegionId(region), often))
    );
    assert_eq!(trace.work, 38);
}

#[test]
fn way_does_not_depend_on_how_often_but_the_digest_does() {
    let (once, often) = (trace(&[1, 0, 1]), trace(&[1, 0, 9]));
    assert_eq!(once.way, often.way);
    assert_ne!(once.hash, often.hash);
    assert_ne!(once.way, trace(&[1, 1, 1]).way);
}

#[test]
fn regions_of_a_known_trace_are_sent_again_only_on_demand() {
    let page = Page::map().expect("there is memory");
    let mut counts = [1, 0, 2];
    let counters = counters(&mut counts);
    let n_listed = |op, on_demand| counters.read(page, op, on_demand).regions.len();
    assert_eq!(n_listed(0, false), 2);
    assert_eq!(n_listed(0, false), 0);
    assert_eq!(n_listed(0, true), 2);
    // For another operation it is new, and so it is in the next batch.
    assert_eq!(n_listed(1, false), 2);
    page.begin_batch();
    assert_eq!(n_listed(0, false), 2);
}

#[test]
fn cleared_counters_count_from_zero() {
    let mut counts = [1, u64::MAX, 2];
    let counters = counters(&mut counts);
    assert_eq!(counters.sum(), u64::MAX);
    counters.clear();
    assert_eq!(counters.sum(), 0);
    assert_eq!(Counters::NONE.sum(), 0);
}

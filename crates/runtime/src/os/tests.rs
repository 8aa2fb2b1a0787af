use super::*;

fn page() -> &'static Page {
    Page::map().expect("there is memory")
}

#[test]
fn output_is_what_was_appended() {
    let page = page();
    assert!(page.append(b"ab") && page.append(b"") && page.append(b"c"));
    assert_eq!(page.output(), b"abc");
}

#[test]
fn output_that_has_no_room_is_not_appended() {
    let page = page();
    assert!(page.append(&vec![1; MAX_OUT - 1]));
    assert!(!page.append(b"ab"));
    assert_eq!(page.output().len(), MAX_OUT - 1);
    assert!(page.append(b"c"));
}

#[test]
fn next_program_begins_with_nothing_counted_or_touched() {
    let page = page();
    page.step.store(3, Ordering::Relaxed);
    page.n_calls.store(4, Ordering::Relaxed);
    page.busy_ticks.store(5, Ordering::Relaxed);
    page.touch
        .store(3 << 16 | Realm::Files as u32, Ordering::Relaxed);
    let touched = Touch {
        at: 3,
        realm: Realm::Files,
    };
    assert_eq!(page.touched(), Some(touched));
    page.begin(7);
    assert_eq!(page.touched(), None);
    let left = [&page.step, &page.n_calls, &page.busy_ticks, &page.program];
    assert_eq!(left.map(|it| it.load(Ordering::Relaxed)), [0, 0, 0, 7]);
}

#[test]
fn reason_survives_as_a_number() {
    for n in 0..=7 {
        assert_eq!(Reason::from_u32(n) as u32, n);
    }
    assert_eq!(Reason::from_u32(99), Reason::None);
}

#[test]
fn only_signals_that_a_watched_program_cannot_send_come_from_outside() {
    assert!(End::Signal(SIGKILL).is_from_outside());
    assert!(!End::Signal(SIGSEGV).is_from_outside());
    assert!(!End::Exit(SIGKILL).is_from_outside());
}

#[test]
fn a_child_has_time_to_begin_and_then_for_each_program() {
    let looks = |n: u32, left: &mut Left, program| (0..n).all(|_| !left.is_over(program, 0));
    let mut left = Left::of(Patience::with(100, &(3..5)));
    assert!(looks(1000, &mut left, None), "it has not begun");
    assert!(looks(10, &mut left, Some(3)));
    assert!(looks(10, &mut left, Some(4)));
    assert!(!looks(10, &mut left, Some(4)));
}

#[test]
fn a_child_that_is_busy_has_twice_what_it_gives_itself() {
    let mut left = Left::of(Patience::with(100, &(0..2)));
    assert!(!left.is_over(Some(0), 30));
    assert!(!left.is_over(Some(0), 230));
    assert!(!left.is_over(Some(1), 231));
    assert!(left.is_over(Some(1), 432));
}

#[test]
fn what_a_child_says_of_its_programs_gives_it_no_more_time() {
    let mut left = Left::of(Patience::with(100, &(0..2)));
    let said = [0, 7, 1, 0, u32::MAX, 1].into_iter().cycle();
    let n_looks = said.take_while(|it| !left.is_over(Some(*it), 0)).count();
    assert!(n_looks < 40, "{n_looks}");
}

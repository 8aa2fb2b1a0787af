//! Other threads read the clock as well, so only bounds can be checked.

use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime};

use super::*;

/// Tests that set the clock take turns.
static TURN: Mutex<()> = Mutex::new(());

fn seconds_since_1970() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.expect("it is later").as_secs()
}

#[test]
fn program_begins_at_the_time_it_is_told() {
    let _turn = TURN.lock();
    reset(1_234_567_890);
    assert_eq!(seconds_since_1970(), 1_234_567_890);
    reset(0);
    assert_eq!(seconds_since_1970(), 0);
}

#[test]
fn time_passes_with_every_look_and_no_otherwise() {
    let _turn = TURN.lock();
    let (first, second) = (Instant::now(), Instant::now());
    assert!(second - first >= Duration::from_nanos(STEP));
    assert!(second - first < Duration::from_millis(100));
}

#[cfg(target_arch = "x86_64")]
#[test]
fn what_was_slept_has_passed() {
    let _turn = TURN.lock();
    let before = Instant::now();
    std::thread::sleep(Duration::from_millis(3));
    assert!(Instant::now() - before >= Duration::from_millis(3));
}

#[cfg(target_arch = "x86_64")]
#[test]
fn wait_that_nobody_answers_ends_at_its_deadline() {
    let _turn = TURN.lock();
    let (_sender, receiver) = std::sync::mpsc::channel::<()>();
    let before = Instant::now();
    let answer = receiver.recv_timeout(Duration::from_millis(5));
    assert!(answer.is_err());
    assert!(Instant::now() - before >= Duration::from_millis(5));
}

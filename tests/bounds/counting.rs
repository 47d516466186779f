//! An allocator that counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static TURN: Mutex<()> = Mutex::new(());

fn more(bytes: usize) {
    let live = LIVE.fetch_add(bytes, Relaxed) + bytes;
    PEAK.fetch_max(live, Relaxed);
}

// SAFETY: every call goes to the system's allocator as it is; only numbers are kept beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        more(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        more(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both blocks may be there while one is copied.
        more(size);
        LIVE.fetch_sub(layout.size(), Relaxed);
        unsafe { System.realloc(block, layout, size) }
    }
}

/// While it lives, no other test of this binary allocates.
pub(crate) fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Bytes that are allocated now.
pub(crate) fn live() -> usize {
    LIVE.load(Relaxed)
}

/// What work gives, and the most bytes that were allocated for it at one time.
pub(crate) fn peak_of<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = live();
    PEAK.store(before, Relaxed);
    let done = work();
    (done, PEAK.load(Relaxed) - before)
}

#[test]
fn what_is_allocated_is_counted() {
    let _turn = turn();
    // Threads that outlive an earlier test may still give a little back meanwhile.
    let spare = 64 << 10;
    let before = live();
    let (kept, peak) = peak_of(|| {
        drop(vec![1u8; (3 << 20) + spare]);
        vec![1u8; (1 << 20) + spare]
    });
    assert!((3 << 20..4 << 20).contains(&peak), "{peak}");
    assert!((1 << 20..2 << 20).contains(&(live() - before)));
    drop(kept);
    assert!(live().saturating_sub(before) < 1 << 20);
}

//! Ordered lists threaded through the records of a slab: a record joins and leaves in constant
//! time, wherever it stands.

use slab::Slab;

use super::job::Record;

/// The records by their keys.
pub(super) type Records = Slab<Box<Record>>;

/// What an order is for. A record stands in at most one list of each axis.
#[derive(Debug, Clone, Copy)]
pub(super) enum Axis {
    /// The jobs of a session, active or ended, oldest first.
    Session,
    /// The active jobs of an instance; the ended ones of the bridge by their last use.
    Use,
    /// Those that a lifetime ends, the nearest end first.
    Time,
}

/// Where a record stands on each axis.
pub(super) type Places = [Place; 3];

/// The neighbours of a record.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    before: Option<usize>,
    after: Option<usize>,
}

/// One list.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct List {
    first: Option<usize>,
    last: Option<usize>,
}

impl List {
    pub(super) fn first(&self) -> Option<usize> {
        self.first
    }

    pub(super) fn push(&mut self, records: &mut Records, axis: Axis, key: usize) {
        records[key].places[axis as usize] = Place {
            before: self.last,
            after: None,
        };
        match self.last {
            Some(last) => records[last].places[axis as usize].after = Some(key),
            None => self.first = Some(key),
        }
        self.last = Some(key);
    }

    /// Takes out a record that stands in this list.
    pub(super) fn take(&mut self, records: &mut Records, axis: Axis, key: usize) {
        let Place { before, after } = std::mem::take(&mut records[key].places[axis as usize]);
        match before {
            Some(before) => records[before].places[axis as usize].after = after,
            None => self.first = after,
        }
        match after {
            Some(after) => records[after].places[axis as usize].before = before,
            None => self.last = before,
        }
    }

    /// The records in order.
    pub(super) fn iter<'a>(
        &self,
        records: &'a Records,
        axis: Axis,
    ) -> impl Iterator<Item = &'a Record> {
        let mut next = self.first;
        std::iter::from_fn(move || {
            let record = &*records[next?];
            next = record.places[axis as usize].after;
            Some(record)
        })
    }
}

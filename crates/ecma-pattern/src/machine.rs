//! Runs a [`Program`]: a backtracking machine with its own stack, each step of which the
//! [`Budget`] counts.
//!
//! The stack holds the actions for a failed choice: try the alternative, restore a register, leave a
//! lookaround. A lookaround that succeeds drops the choices made inside it, as ECMA-262 requires, and
//! keeps the entries that restore its captures. Once a text turns out to need many steps, the machine
//! remembers choices by instruction and position: those that failed on both sides, and those that
//! led a lookaround to its end. Each is then made once, which bounds the work of a plain pattern
//! by its length times the text's.

use std::collections::HashSet;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use crate::budget::{Budget, Exhausted};
use crate::program::{Class, Inst, Loop, MAX_COUNTS, Memo, NONE, Program};
use crate::syntax::{self, INFINITE};

/// The number of entries that the stack may hold (16 MB).
const MAX_STACK: usize = 1 << 20;

/// The number of steps after which choices are remembered, as a rule.
pub(crate) const STEPS_BEFORE_MEMORY: u32 = 4096;

/// The size of one memory of positions at most, in words (8 MB).
const MAX_MEMORY_WORDS: usize = 1 << 20;

/// The number of failures inside counted loops that are remembered (about 9 MB).
const MAX_COUNTED_FAILURES: usize = 400_000;

/// The number of groups of one name that one step may look at.
const GROUPS_PER_STEP: usize = 16;

/// The number of bytes of a captured text that one step may compare.
const BYTES_PER_STEP: usize = 1024;

/// Matches a pattern anywhere in a text; after a number of steps it remembers the choices that failed.
pub(crate) fn is_match(
    program: &Program,
    text: &str,
    budget: &Budget,
    steps_before_memory: u32,
) -> Result<bool, Exhausted> {
    // Positions are kept in 32 bits, one of which means none.
    if u32::try_from(text.len()).map_or(true, |len| len == NONE) {
        return Err(Exhausted);
    }
    let mut machine = Machine {
        program,
        text,
        budget,
        registers: vec![NONE; program.registers as usize],
        stack: Vec::new(),
        look: NONE,
        steps: 0,
        steps_before_memory,
        failed: None,
        failed_counted: HashSet::new(),
        reached: None,
    };
    let mut start = 0;
    loop {
        if machine.run(start)? {
            return Ok(true);
        }
        if program.anchored {
            return Ok(false);
        }
        match machine.ahead(start) {
            Some((_, next)) => start = next,
            None => return Ok(false),
        }
    }
}

/// The state to go back to when a choice fails.
#[derive(Debug, Clone, Copy)]
enum Entry {
    /// Try the other way.
    Other { pc: u32, at: u32, memo: u32 },
    /// Both ways failed.
    Failed { memo: u32, at: u32 },
    /// Leave a greedy run one code point earlier, down to `least`.
    Shorter { pc: u32, at: u32, least: u32 },
    /// Restore a register.
    Restore { register: u32, value: u32 },
    /// A lookaround's body did not match.
    Look { pc: u32, at: u32, outer: u32 },
}

struct Machine<'r> {
    program: &'r Program,
    text: &'r str,
    budget: &'r Budget,
    /// Captures, then the loops' counts and starts.
    registers: Vec<u32>,
    stack: Vec<Entry>,
    /// The index of the innermost lookaround on the stack; [`NONE`] outside of any.
    look: u32,
    steps: u32,
    steps_before_memory: u32,
    /// Choices that failed.
    failed: Option<Memory>,
    /// Choices inside counted loops that failed, with the plane and the counts.
    failed_counted: HashSet<(u32, u32, [u32; MAX_COUNTS])>,
    /// Choices inside a lookaround that lead to its end.
    reached: Option<Memory>,
}

impl Machine<'_> {
    fn run(&mut self, start: u32) -> Result<bool, Exhausted> {
        let (mut pc, mut at) = (0, start);
        loop {
            self.step()?;
            let next = match self.program.insts[pc as usize] {
                Inst::Match => return Ok(true),
                Inst::Char { c, back } => self
                    .read(at, back)
                    .filter(|(read, _)| *read == c)
                    .map(|(_, at)| (pc + 1, at)),
                Inst::Class { class, back } => self
                    .read(at, back)
                    .filter(|(read, _)| self.program.classes[class as usize].contains(*read))
                    .map(|(_, at)| (pc + 1, at)),
                Inst::Run { run, memo } => self.run_of(pc, at, run, memo)?,
                Inst::Split {
                    first,
                    second,
                    memo,
                } => {
                    if self.has_failed(memo, at) {
                        None
                    } else if self.has_reached(memo, at) {
                        self.leave_look()?
                    } else {
                        self.push(Entry::Other {
                            pc: second,
                            at,
                            memo,
                        })?;
                        Some((first, at))
                    }
                }
                Inst::Jump(to) => Some((to, at)),
                Inst::Save(register) => {
                    self.set(register, at)?;
                    Some((pc + 1, at))
                }
                Inst::LoopInit(index) => {
                    self.set(self.program.loops[index as usize].count, 0)?;
                    Some((pc + 1, at))
                }
                Inst::LoopHead { index, memo } => self.loop_head(pc, at, index, memo)?,
                Inst::LoopBody(index) => {
                    let Loop { start, resets, .. } = &self.program.loops[index as usize];
                    if *start != NONE {
                        self.set(*start, at)?;
                    }
                    for register in resets {
                        if self.registers[*register as usize] != NONE {
                            self.set(*register, NONE)?;
                        }
                    }
                    Some((pc + 1, at))
                }
                Inst::LoopTail(index) => self.loop_tail(at, index)?,
                Inst::Start { multiline } => {
                    let holds = at == 0
                        || multiline && self.behind(at).is_some_and(|(c, _)| is_line_end(c));
                    holds.then_some((pc + 1, at))
                }
                Inst::End { multiline } => {
                    let holds = self
                        .ahead(at)
                        .is_none_or(|(c, _)| multiline && is_line_end(c));
                    holds.then_some((pc + 1, at))
                }
                Inst::Boundary { negate, folded } => {
                    let before = self
                        .behind(at)
                        .is_some_and(|(c, _)| self.is_word(c, folded));
                    let after = self.ahead(at).is_some_and(|(c, _)| self.is_word(c, folded));
                    ((before != after) != negate).then_some((pc + 1, at))
                }
                Inst::Look { .. } => {
                    let outer = self.look;
                    self.look = self.stack.len() as u32;
                    self.push(Entry::Look { pc, at, outer })?;
                    Some((pc + 1, at))
                }
                Inst::LookEnd => self.leave_look()?,
                Inst::Back {
                    reference,
                    folded,
                    back,
                } => self
                    .repeated(at, reference, folded, back)?
                    .map(|at| (pc + 1, at)),
            };
            match next {
                Some(next) => (pc, at) = next,
                None => match self.backtrack()? {
                    Some(next) => (pc, at) = next,
                    None => return Ok(false),
                },
            }
        }
    }

    fn step(&mut self) -> Result<(), Exhausted> {
        self.steps = self.steps.saturating_add(1);
        if self.steps == self.steps_before_memory {
            let (planes, length) = (self.program.planes, self.text.len());
            self.failed = Some(Memory::new(planes, length));
            // Only lookarounds ask for these.
            self.reached = self.program.looks.then(|| Memory::new(planes, length));
        }
        self.budget.tick()
    }

    /// Returns to the latest choice whose alternative was not tried.
    fn backtrack(&mut self) -> Result<Option<(u32, u32)>, Exhausted> {
        while let Some(entry) = self.stack.pop() {
            self.step()?;
            match entry {
                Entry::Other { pc, at, memo } => {
                    if memo != NONE && self.failed.is_some() {
                        self.stack.push(Entry::Failed { memo, at });
                    }
                    return Ok(Some((pc, at)));
                }
                Entry::Failed { memo, at } => self.note_failed(memo, at),
                Entry::Shorter { pc, at, least } => {
                    let Inst::Run { run, memo } = self.program.insts[pc as usize] else {
                        continue;
                    };
                    let run = &self.program.runs[run as usize];
                    if run.is_endless() {
                        self.note_failed(memo, at);
                    }
                    if at != least
                        && let Some((_, at)) = self.read(at, !run.back)
                    {
                        self.stack.push(Entry::Shorter { pc, at, least });
                        return Ok(Some((pc + 1, at)));
                    }
                }
                Entry::Restore { register, value } => self.registers[register as usize] = value,
                Entry::Look { pc, at, outer } => {
                    self.look = outer;
                    if let Inst::Look { negate: true, next } = self.program.insts[pc as usize] {
                        return Ok(Some((next, at)));
                    }
                }
            }
        }
        Ok(None)
    }

    /// A lookaround's body matched, so the choices inside it are final.
    fn leave_look(&mut self) -> Result<Option<(u32, u32)>, Exhausted> {
        let base = self.look as usize;
        let Some(&Entry::Look { pc, at, outer }) = self.stack.get(base) else {
            return Ok(None);
        };
        self.note_reached(base)?;
        self.look = outer;
        let Inst::Look { negate, next } = self.program.insts[pc as usize] else {
            return Ok(None);
        };
        if negate {
            for entry in self.stack.drain(base..).rev() {
                if let Entry::Restore { register, value } = entry {
                    self.registers[register as usize] = value;
                }
            }
            return Ok(None);
        }
        let mut kept = base;
        for index in base + 1..self.stack.len() {
            if matches!(self.stack[index], Entry::Restore { .. }) {
                self.stack[kept] = self.stack[index];
                kept += 1;
            }
        }
        self.stack.truncate(kept);
        Ok(Some((next, at)))
    }

    fn run_of(
        &mut self,
        pc: u32,
        at: u32,
        run: u32,
        memo: u32,
    ) -> Result<Option<(u32, u32)>, Exhausted> {
        if self.has_failed(memo, at) {
            return Ok(None);
        }
        if self.has_reached(memo, at) {
            return self.leave_look();
        }
        let program = self.program;
        let run = &program.runs[run as usize];
        let class = &program.classes[run.class as usize];
        let (mut end, mut least, mut count) = (at, at, 0);
        while count < run.max
            && let Some((c, next)) = self.read(end, run.back)
            && class.contains(c)
            && !(run.is_endless() && self.has_failed(memo, next))
        {
            self.step()?;
            if run.is_endless() && self.has_reached(memo, next) {
                self.push(Entry::Shorter { pc, at: end, least })?;
                return self.leave_look();
            }
            end = next;
            count += 1;
            if count == run.min {
                least = end;
            }
        }
        if count < run.min {
            return Ok(None);
        }
        if end != least || run.is_endless() {
            if !run.is_endless() && self.failed.is_some() {
                self.push(Entry::Failed { memo, at })?;
            }
            self.push(Entry::Shorter { pc, at: end, least })?;
        }
        Ok(Some((pc + 1, end)))
    }

    fn loop_head(
        &mut self,
        pc: u32,
        at: u32,
        index: u32,
        memo: u32,
    ) -> Result<Option<(u32, u32)>, Exhausted> {
        let this = &self.program.loops[index as usize];
        let count = self.count(this);
        if count < this.min {
            return Ok(Some((pc + 1, at)));
        }
        if this.max != INFINITE && count >= this.max {
            return Ok(Some((this.exit, at)));
        }
        if self.has_failed(memo, at) {
            return Ok(None);
        }
        if self.has_reached(memo, at) {
            return self.leave_look();
        }
        let (first, second) = if this.greedy {
            (pc + 1, this.exit)
        } else {
            (this.exit, pc + 1)
        };
        self.push(Entry::Other {
            pc: second,
            at,
            memo,
        })?;
        Ok(Some((first, at)))
    }

    fn loop_tail(&mut self, at: u32, index: u32) -> Result<Option<(u32, u32)>, Exhausted> {
        let this = &self.program.loops[index as usize];
        let count = self.count(this);
        let empty = this.start != NONE && self.registers[this.start as usize] == at;
        if empty && count >= this.min {
            return Ok(None);
        }
        if this.count != NONE {
            self.set(this.count, count.saturating_add(1))?;
        }
        Ok(Some((this.head, at)))
    }

    /// The number of iterations that are done, where it matters.
    fn count(&self, this: &Loop) -> u32 {
        match this.count {
            NONE => 0,
            register => self.registers[register as usize],
        }
    }

    /// Returns the position after a repetition of what a group captured; `None` if the text differs.
    /// A group that did not take part matches the empty text.
    fn repeated(
        &self,
        at: u32,
        reference: u32,
        folded: bool,
        back: bool,
    ) -> Result<Option<u32>, Exhausted> {
        let list = self.program.references[reference as usize];
        let groups = &self.program.meant[list as usize];
        for _ in 0..groups.len() / GROUPS_PER_STEP {
            self.budget.tick()?;
        }
        let captured = groups
            .iter()
            .map(|&first| {
                let first = first as usize;
                (self.registers[first], self.registers[first + 1])
            })
            .find(|&(start, end)| start != NONE && end != NONE);
        let Some((start, end)) = captured else {
            return Ok(Some(at));
        };
        let captured = &self.text[start as usize..end as usize];
        for _ in 0..captured.len() / BYTES_PER_STEP {
            self.budget.tick()?;
        }
        if folded {
            return self.repeated_folded(at, captured, back);
        }
        let (before, after) = self.text.split_at(at as usize);
        let length = end - start;
        Ok(if back {
            before.ends_with(captured).then(|| at - length)
        } else {
            after.starts_with(captured).then(|| at + length)
        })
    }

    fn repeated_folded(
        &self,
        mut at: u32,
        captured: &str,
        back: bool,
    ) -> Result<Option<u32>, Exhausted> {
        let mut chars = captured.chars();
        while let Some(expected) = if back {
            chars.next_back()
        } else {
            chars.next()
        } {
            self.budget.tick()?;
            match self.read(at, back) {
                Some((c, next)) if is_same_folded(c, expected) => at = next,
                _ => return Ok(None),
            }
        }
        Ok(Some(at))
    }

    fn read(&self, at: u32, back: bool) -> Option<(char, u32)> {
        if back {
            self.behind(at)
        } else {
            self.ahead(at)
        }
    }

    fn ahead(&self, at: u32) -> Option<(char, u32)> {
        let c = self.text[at as usize..].chars().next()?;
        Some((c, at + c.len_utf8() as u32))
    }

    fn behind(&self, at: u32) -> Option<(char, u32)> {
        let c = self.text[..at as usize].chars().next_back()?;
        Some((c, at - c.len_utf8() as u32))
    }

    fn is_word(&self, c: char, folded: bool) -> bool {
        match &self.program.folded_word {
            Some(class) if folded => class.contains(c),
            _ => c.is_ascii_alphanumeric() || c == '_',
        }
    }

    fn set(&mut self, register: u32, value: u32) -> Result<(), Exhausted> {
        let old = std::mem::replace(&mut self.registers[register as usize], value);
        self.push(Entry::Restore {
            register,
            value: old,
        })
    }

    fn push(&mut self, entry: Entry) -> Result<(), Exhausted> {
        if self.stack.len() == MAX_STACK {
            return Err(Exhausted);
        }
        self.stack.push(entry);
        Ok(())
    }

    fn has_failed(&self, memo: u32, at: u32) -> bool {
        let (Some(failed), Some(this)) = (&self.failed, self.program.memos.get(memo as usize))
        else {
            return false;
        };
        let plane = self.plane(this, at);
        match this.counts() {
            None => failed.holds(plane, at),
            Some(counts) => self
                .failed_counted
                .contains(&(plane, at, self.counted(counts))),
        }
    }

    fn note_failed(&mut self, memo: u32, at: u32) {
        let Some(this) = self.program.memos.get(memo as usize) else {
            return;
        };
        let plane = self.plane(this, at);
        if let Some(counts) = this.counts() {
            if self.failed_counted.len() < MAX_COUNTED_FAILURES {
                let counts = self.counted(counts);
                self.failed_counted.insert((plane, at, counts));
            }
        } else if let Some(failed) = &mut self.failed {
            failed.insert(plane, at);
        }
    }

    fn counted(&self, counts: [u32; MAX_COUNTS]) -> [u32; MAX_COUNTS] {
        counts.map(|register| self.registers[register as usize])
    }

    fn plane(&self, memo: &Memo, at: u32) -> u32 {
        let (mut plane, mut next) = (memo.plane, memo.guard);
        while let Some(guard) = self.program.guards.get(next as usize) {
            plane += u32::from(self.registers[guard.start as usize] == at);
            next = guard.outer;
        }
        plane
    }

    fn has_reached(&self, memo: u32, at: u32) -> bool {
        self.look != NONE
            && self.reached.as_ref().is_some_and(|reached| {
                let this = self.program.memos.get(memo as usize);
                this.is_some_and(|this| this.is_of_position() && reached.holds(this.plane, at))
            })
    }

    /// Notes the choices that a lookaround made on the way to its end.
    fn note_reached(&mut self, base: usize) -> Result<(), Exhausted> {
        let Some(memory) = &mut self.reached else {
            return Ok(());
        };
        for entry in &self.stack[base..] {
            self.budget.tick()?;
            let (memo, from, to) = match *entry {
                Entry::Other { memo, at, .. } | Entry::Failed { memo, at } => (memo, at, at),
                Entry::Shorter { pc, at, least } => match self.program.insts[pc as usize] {
                    // It could have begun anywhere on its way.
                    Inst::Run { run, memo } if self.program.runs[run as usize].is_endless() => {
                        (memo, at.min(least), at.max(least))
                    }
                    _ => continue,
                },
                Entry::Restore { .. } | Entry::Look { .. } => continue,
            };
            // Any other would depend on registers that have changed since.
            let this = self.program.memos.get(memo as usize);
            if let Some(this) = this.filter(|this| this.is_of_position()) {
                for at in from..=to {
                    self.budget.tick()?;
                    memory.insert(this.plane, at);
                }
            }
        }
        Ok(())
    }
}

/// A bit for each plane and position.
struct Memory {
    words: Vec<u64>,
    words_per_plane: usize,
}

impl Memory {
    fn new(planes: u32, text: usize) -> Self {
        let words_per_plane = text / 64 + 1;
        // Planes that do not fit get no memory.
        let planes = (planes as usize).min(MAX_MEMORY_WORDS / words_per_plane);
        Self {
            words: vec![0; planes * words_per_plane],
            words_per_plane,
        }
    }

    fn place(&self, plane: u32, at: u32) -> (usize, u64) {
        let at = at as usize;
        let word = plane as usize * self.words_per_plane + at / 64;
        (word, 1 << (at % 64))
    }

    fn holds(&self, plane: u32, at: u32) -> bool {
        let (word, bit) = self.place(plane, at);
        self.words.get(word).is_some_and(|bits| bits & bit != 0)
    }

    fn insert(&mut self, plane: u32, at: u32) {
        let (word, bit) = self.place(plane, at);
        if let Some(bits) = self.words.get_mut(word) {
            *bits |= bit;
        }
    }
}

/// ECMA-262 12.3, LineTerminator.
fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

/// True if two code points are equal under simple case folding.
fn is_same_folded(a: char, b: char) -> bool {
    a == b
        || syntax::fold(ClassUnicode::new([ClassUnicodeRange::new(a, a)]))
            .is_ok_and(|class| Class::new(&class).contains(b))
}

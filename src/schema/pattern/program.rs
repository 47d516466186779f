//! Compiles a pattern's tree to the instructions that [`super::machine`] runs.
//!
//! The match is only asked for a verdict, so groups that no backreference means are not kept,
//! and a pattern without backreferences is *plain*: what can follow from an instruction depends
//! on the position alone, which is what lets the machine remember failures (a [`Memo`]) and lets
//! short counted loops be written out.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::syntax::{self, Count, INFINITE, Node, Syntax};

/// No register, memo or captured position.
pub(super) const NONE: u32 = u32::MAX;

/// A counted loop is written out up to so many instructions ...
const MAX_UNROLLED: u64 = 256;

/// ... while the whole program has at most so many.
const MAX_UNROLLED_PROGRAM: usize = 8192;

/// Choices inside more counted loops are not remembered.
pub(super) const MAX_COUNTS: usize = 2;

/// The ranges of all classes of a pattern together.
const MAX_CLASS_RANGES: usize = 1 << 18;

/// One step of the machine. Unless it says otherwise it goes on with the next one; `back` reads
/// towards the start of the text, as lookbehind does.
#[derive(Debug, Clone, Copy)]
pub(super) enum Inst {
    Match,
    Char {
        c: char,
        back: bool,
    },
    Class {
        class: u32,
        back: bool,
    },
    /// A greedy loop over one code point.
    Run {
        run: u32,
        memo: u32,
    },
    /// Tries one way, then another.
    Split {
        first: u32,
        second: u32,
        memo: u32,
    },
    Jump(u32),
    /// Keeps the position.
    Save(u32),
    /// Enters a loop: no iteration is done.
    LoopInit(u32),
    /// Before an iteration, the next instruction, or the exit.
    LoopHead {
        index: u32,
        memo: u32,
    },
    /// An iteration begins.
    LoopBody(u32),
    /// An iteration ends.
    LoopTail(u32),
    Start {
        multiline: bool,
    },
    End {
        multiline: bool,
    },
    Boundary {
        negate: bool,
        folded: bool,
    },
    /// The body follows, up to [`LookEnd`](Self::LookEnd); then `next`.
    Look {
        negate: bool,
        next: u32,
    },
    LookEnd,
    Back {
        reference: u32,
        folded: bool,
        back: bool,
    },
}

/// A greedy loop over one code point.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) class: u32,
    pub(super) min: u32,
    pub(super) max: u32,
    pub(super) back: bool,
}

impl Run {
    /// Whether it can be entered anew wherever it could be left.
    pub(super) fn is_endless(&self) -> bool {
        self.min == 0 && self.max == INFINITE
    }
}

/// A loop with registers (ECMA-262 22.2.2.3.1, `RepeatMatcher`).
#[derive(Debug)]
pub(super) struct Loop {
    pub(super) min: u32,
    pub(super) max: u32,
    pub(super) greedy: bool,
    pub(super) head: u32,
    pub(super) exit: u32,
    /// The register that counts iterations; [`NONE`] where their number decides nothing.
    pub(super) count: u32,
    /// The register of where the iteration began; [`NONE`] where each one consumes.
    pub(super) start: u32,
    /// The registers of captures that an iteration forgets.
    pub(super) resets: Vec<u32>,
}

/// A choice whose failures are remembered.
///
/// What follows from it depends on the position, and on which iterations around it have consumed
/// nothing yet and so may not end. An inner iteration begins no earlier than an outer one, so
/// their number says which: there is a *plane* of positions for each. Where counted loops stand
/// around, it depends on their counts, too.
#[derive(Debug)]
pub(super) struct Memo {
    pub(super) plane: u32,
    /// The start registers of the iterations around.
    pub(super) guards: Vec<u32>,
    /// The registers of the counts around; the first alone where there is one.
    pub(super) counts: Option<[u32; MAX_COUNTS]>,
}

impl Memo {
    /// Whether the position alone decides.
    pub(super) fn is_of_position(&self) -> bool {
        self.guards.is_empty() && self.counts.is_none()
    }
}

/// A set of code points.
#[derive(Debug)]
pub(super) struct Class {
    ascii: u128,
    ranges: Box<[(char, char)]>,
}

impl Class {
    pub(super) fn new(class: &ClassUnicode) -> Self {
        let mut ascii = 0u128;
        for range in class.iter() {
            for c in range.start()..=range.end().min('\x7f') {
                ascii |= 1 << u32::from(c);
            }
        }
        let ranges = class
            .iter()
            .filter(|range| !range.end().is_ascii())
            .map(|range| (range.start(), range.end()))
            .collect();
        Self { ascii, ranges }
    }

    pub(super) fn contains(&self, c: char) -> bool {
        if c.is_ascii() {
            return self.ascii >> u32::from(c) & 1 == 1;
        }
        let after = self.ranges.partition_point(|&(start, _)| start <= c);
        after > 0 && self.ranges[after - 1].1 >= c
    }
}

/// A compiled pattern.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) insts: Vec<Inst>,
    pub(super) classes: Vec<Class>,
    pub(super) runs: Vec<Run>,
    pub(super) loops: Vec<Loop>,
    pub(super) memos: Vec<Memo>,
    pub(super) planes: u32,
    /// For each backreference, the first register of each group that it may mean.
    pub(super) references: Vec<Vec<u32>>,
    pub(super) registers: u32,
    /// Whether it matches at the start of the text or nowhere.
    pub(super) anchored: bool,
    /// `\w` under `(?i:...)`, where the pattern has a boundary there.
    pub(super) folded_word: Option<Class>,
}

/// Compiles what was read.
pub(super) fn compile(syntax: &Syntax) -> Result<Program, String> {
    let mut captures = HashMap::new();
    for group in syntax.references.iter().flatten() {
        let next = 2 * captures.len() as u32;
        captures.entry(*group).or_insert(next);
    }
    let references = syntax
        .references
        .iter()
        .map(|groups| {
            groups
                .iter()
                .filter_map(|g| captures.get(g).copied())
                .collect()
        })
        .collect();
    let mut compiler = Compiler {
        plain: captures.is_empty(),
        class_ids: HashMap::new(),
        class_ranges: 0,
        guards: Vec::new(),
        counts: Vec::new(),
        program: Program {
            insts: Vec::new(),
            classes: Vec::new(),
            runs: Vec::new(),
            loops: Vec::new(),
            memos: Vec::new(),
            planes: 0,
            references,
            registers: 2 * captures.len() as u32,
            anchored: anchored(&syntax.root),
            folded_word: None,
        },
        captures,
    };
    compiler.emit(&syntax.root, false)?;
    compiler.push(Inst::Match);
    Ok(compiler.program)
}

struct Compiler {
    plain: bool,
    /// The first register of each group that is kept: where it starts; the next: where it ends.
    captures: HashMap<u32, u32>,
    class_ids: HashMap<Vec<(char, char)>, u32>,
    class_ranges: usize,
    /// The start registers of the loops around, up to the nearest lookaround.
    guards: Vec<u32>,
    /// Likewise, their count registers.
    counts: Vec<u32>,
    program: Program,
}

impl Compiler {
    fn at(&self) -> u32 {
        self.program.insts.len() as u32
    }

    fn push(&mut self, inst: Inst) -> usize {
        self.program.insts.push(inst);
        self.program.insts.len() - 1
    }

    fn register(&mut self) -> u32 {
        self.program.registers += 1;
        self.program.registers - 1
    }

    fn memo(&mut self) -> u32 {
        if !self.plain {
            return NONE;
        }
        let counts = match self.counts[..] {
            [] => None,
            [only] => Some([only, only]),
            [outer, inner] => Some([outer, inner]),
            _ => return NONE,
        };
        self.program.memos.push(Memo {
            plane: self.program.planes,
            guards: self.guards.clone(),
            counts,
        });
        self.program.planes += self.guards.len() as u32 + 1;
        self.program.memos.len() as u32 - 1
    }

    fn class(&mut self, class: &ClassUnicode) -> Result<u32, String> {
        let next = self.program.classes.len() as u32;
        let ranges = class.iter().map(|range| (range.start(), range.end()));
        match self.class_ids.entry(ranges.collect()) {
            Entry::Occupied(known) => Ok(*known.get()),
            Entry::Vacant(new) => {
                self.class_ranges += class.ranges().len();
                if self.class_ranges > MAX_CLASS_RANGES {
                    return Err(
                        "cannot be kept: its character classes are too large together".to_owned(),
                    );
                }
                self.program.classes.push(Class::new(class));
                Ok(*new.insert(next))
            }
        }
    }

    fn emit(&mut self, node: &Node, back: bool) -> Result<(), String> {
        match node {
            Node::Empty => {}
            Node::Char(c) => {
                self.push(Inst::Char { c: *c, back });
            }
            Node::Set(class) => {
                let class = self.class(class)?;
                self.push(Inst::Class { class, back });
            }
            Node::Seq(nodes) if back => {
                for node in nodes.iter().rev() {
                    self.emit(node, back)?;
                }
            }
            Node::Seq(nodes) => {
                for node in nodes {
                    self.emit(node, back)?;
                }
            }
            Node::Alt(nodes) => self.alternatives(nodes, back)?,
            Node::Group(index, body) => match self.captures.get(index).copied() {
                None => self.emit(body, back)?,
                Some(start) => {
                    // What a group captured counts once both ends are known.
                    let (opening, closing) = if back {
                        (start + 1, start)
                    } else {
                        (start, start + 1)
                    };
                    self.push(Inst::Save(opening));
                    self.emit(body, back)?;
                    self.push(Inst::Save(closing));
                }
            },
            Node::Repeat(body, count) => self.repeat(body, *count, back)?,
            Node::Look {
                behind,
                negate,
                body,
            } => {
                // A lookaround's inner choices lead to its end, whatever stands around it.
                let guards = std::mem::take(&mut self.guards);
                let counts = std::mem::take(&mut self.counts);
                let look = self.push(Inst::LookEnd);
                self.emit(body, *behind)?;
                self.push(Inst::LookEnd);
                self.program.insts[look] = Inst::Look {
                    negate: *negate,
                    next: self.at(),
                };
                self.guards = guards;
                self.counts = counts;
            }
            Node::Start { multiline } => {
                self.push(Inst::Start {
                    multiline: *multiline,
                });
            }
            Node::End { multiline } => {
                self.push(Inst::End {
                    multiline: *multiline,
                });
            }
            Node::Boundary { negate, folded } => {
                if *folded && self.program.folded_word.is_none() {
                    self.program.folded_word = Some(Class::new(&syntax::word_class(true)?));
                }
                self.push(Inst::Boundary {
                    negate: *negate,
                    folded: *folded,
                });
            }
            Node::Back { reference, folded } => {
                self.push(Inst::Back {
                    reference: *reference as u32,
                    folded: *folded,
                    back,
                });
            }
        }
        Ok(())
    }

    fn alternatives(&mut self, nodes: &[Node], back: bool) -> Result<(), String> {
        let mut jumps = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            if index + 1 == nodes.len() {
                self.emit(node, back)?;
                break;
            }
            let split = self.push(Inst::Match);
            let memo = self.memo();
            self.emit(node, back)?;
            jumps.push(self.push(Inst::Match));
            self.program.insts[split] = Inst::Split {
                first: split as u32 + 1,
                second: self.at(),
                memo,
            };
        }
        let end = self.at();
        for jump in jumps {
            self.program.insts[jump] = Inst::Jump(end);
        }
        Ok(())
    }

    fn repeat(&mut self, body: &Node, count: Count, back: bool) -> Result<(), String> {
        let Count { min, max, greedy } = count;
        let (narrowest, widest) = width(body);
        if widest == 0 {
            // Another empty iteration changes nothing, and one that need not be is refused.
            return if min > 0 {
                self.emit(body, back)
            } else {
                Ok(())
            };
        }
        if greedy && let Some(class) = single(body) {
            return self.run(&class, min, max, back);
        }
        let nullable = narrowest == 0;
        // Whether an iteration leaves no trace but the position.
        let free = self.plain || (!nullable && !holds_any(body, &self.captures));
        let bare = match (min, max) {
            (0, 1) => true,
            (0 | 1, INFINITE) => !nullable,
            _ => false,
        };
        let short = (min > 0 || max != INFINITE)
            && written_out(size(body), count) <= MAX_UNROLLED
            && self.program.insts.len() <= MAX_UNROLLED_PROGRAM;
        if !free || !(bare || short) {
            return self.counted_loop(body, count, back);
        }
        if max != INFINITE {
            return self.bounded(body, count, back);
        }
        for _ in 1..min {
            self.emit(body, back)?;
        }
        if nullable {
            self.emit(body, back)?;
            let rest = Count { min: 0, ..count };
            return self.counted_loop(body, rest, back);
        }
        self.endless(body, min > 0, greedy, back)
    }

    fn run(&mut self, class: &ClassUnicode, min: u32, max: u32, back: bool) -> Result<(), String> {
        let class = self.class(class)?;
        // The part without an end comes apart: that is where failures are remembered.
        let parts = if max == INFINITE {
            [(min, min), (0, INFINITE)]
        } else {
            [(min, max), (0, 0)]
        };
        for (min, max) in parts.into_iter().filter(|&(_, max)| max > 0) {
            let memo = if min == max { NONE } else { self.memo() };
            let run = self.program.runs.len() as u32;
            self.program.runs.push(Run {
                class,
                min,
                max,
                back,
            });
            self.push(Inst::Run { run, memo });
        }
        Ok(())
    }

    /// `body*`, or `body+` where one iteration must be; the body consumes.
    fn endless(&mut self, body: &Node, once: bool, greedy: bool, back: bool) -> Result<(), String> {
        let memo = self.memo();
        let start = self.at();
        if once {
            self.emit(body, back)?;
            let exit = self.at() + 1;
            self.push(choice(start, exit, greedy, memo));
        } else {
            let split = self.push(Inst::Match);
            self.emit(body, back)?;
            self.push(Inst::Jump(start));
            self.program.insts[split] = choice(start + 1, self.at(), greedy, memo);
        }
        Ok(())
    }

    /// `body{2,4}` as `bb(b(b)?)?`.
    fn bounded(&mut self, body: &Node, count: Count, back: bool) -> Result<(), String> {
        for _ in 0..count.min {
            self.emit(body, back)?;
        }
        let mut splits = Vec::new();
        for _ in count.min..count.max {
            let memo = self.memo();
            splits.push((self.push(Inst::Match), memo));
            self.emit(body, back)?;
        }
        let end = self.at();
        for (split, memo) in splits {
            self.program.insts[split] = choice(split as u32 + 1, end, count.greedy, memo);
        }
        Ok(())
    }

    fn counted_loop(&mut self, body: &Node, count: Count, back: bool) -> Result<(), String> {
        let Count { min, max, greedy } = count;
        let counted = min > 0 || max != INFINITE;
        let nullable = width(body).0 == 0;
        let count = if counted { self.register() } else { NONE };
        let start = if nullable { self.register() } else { NONE };
        if counted {
            self.counts.push(count);
        }
        let memo = self.memo();
        let mut resets: Vec<u32> = Vec::new();
        each_group(body, &mut |group| {
            if let Some(&first) = self.captures.get(&group) {
                resets.extend([first, first + 1]);
            }
        });
        let index = self.program.loops.len() as u32;
        self.program.loops.push(Loop {
            min,
            max,
            greedy,
            head: 0,
            exit: 0,
            count,
            start,
            resets,
        });
        if counted {
            self.push(Inst::LoopInit(index));
        }
        if nullable {
            self.guards.push(start);
        }
        let head = self.at();
        self.push(Inst::LoopHead { index, memo });
        self.push(Inst::LoopBody(index));
        self.emit(body, back)?;
        self.push(Inst::LoopTail(index));
        if counted {
            self.counts.pop();
        }
        if nullable {
            self.guards.pop();
        }
        let exit = self.at();
        let this = &mut self.program.loops[index as usize];
        (this.head, this.exit) = (head, exit);
        Ok(())
    }
}

fn choice(body: u32, exit: u32, greedy: bool, memo: u32) -> Inst {
    let (first, second) = if greedy { (body, exit) } else { (exit, body) };
    Inst::Split {
        first,
        second,
        memo,
    }
}

/// The class of a node that is always one code point.
fn single(node: &Node) -> Option<ClassUnicode> {
    match node {
        Node::Char(c) => Some(ClassUnicode::new([ClassUnicodeRange::new(*c, *c)])),
        Node::Set(class) => Some(class.clone()),
        _ => None,
    }
}

/// How few and how many code points a node consumes.
fn width(node: &Node) -> (u32, u32) {
    match node {
        Node::Empty
        | Node::Look { .. }
        | Node::Start { .. }
        | Node::End { .. }
        | Node::Boundary { .. } => (0, 0),
        Node::Char(_) | Node::Set(_) => (1, 1),
        Node::Back { .. } => (0, INFINITE),
        Node::Group(_, body) => width(body),
        Node::Seq(nodes) => nodes.iter().map(width).fold((0, 0), |sum, next| {
            (sum.0.saturating_add(next.0), sum.1.saturating_add(next.1))
        }),
        Node::Alt(nodes) => nodes.iter().map(width).fold((INFINITE, 0), |sum, next| {
            (sum.0.min(next.0), sum.1.max(next.1))
        }),
        Node::Repeat(body, count) => {
            let (narrowest, widest) = width(body);
            (
                narrowest.saturating_mul(count.min),
                widest.saturating_mul(count.max),
            )
        }
    }
}

/// About how many instructions a node takes.
fn size(node: &Node) -> u64 {
    match node {
        Node::Empty => 0,
        Node::Char(_)
        | Node::Set(_)
        | Node::Start { .. }
        | Node::End { .. }
        | Node::Boundary { .. }
        | Node::Back { .. } => 1,
        Node::Look { body, .. } | Node::Group(_, body) => size(body) + 2,
        Node::Seq(nodes) => nodes.iter().map(size).sum(),
        Node::Alt(nodes) => nodes.iter().map(|node| size(node) + 2).sum(),
        Node::Repeat(body, count) => {
            if count.greedy && single(body).is_some() {
                return 2;
            }
            let body = size(body);
            let whole = written_out(body, *count);
            if whole <= MAX_UNROLLED {
                whole
            } else {
                body + 4
            }
        }
    }
}

/// About how many instructions a loop takes whose iterations are written out.
fn written_out(body: u64, count: Count) -> u64 {
    let copies = if count.max == INFINITE {
        u64::from(count.min) + 1
    } else {
        u64::from(count.max)
    };
    copies.saturating_mul(body + 1)
}

/// Whether a match can only begin where the text does.
fn anchored(node: &Node) -> bool {
    match node {
        Node::Start { multiline } => !multiline,
        Node::Seq(nodes) => nodes.iter().any(anchored),
        Node::Alt(nodes) => nodes.iter().all(anchored),
        Node::Group(_, body) => anchored(body),
        Node::Repeat(body, count) => count.min > 0 && anchored(body),
        _ => false,
    }
}

fn holds_any(node: &Node, captures: &HashMap<u32, u32>) -> bool {
    let mut found = false;
    each_group(node, &mut |group| found |= captures.contains_key(&group));
    found
}

fn each_group(node: &Node, visit: &mut impl FnMut(u32)) {
    match node {
        Node::Group(index, body) => {
            visit(*index);
            each_group(body, visit);
        }
        Node::Seq(nodes) | Node::Alt(nodes) => {
            for node in nodes {
                each_group(node, visit);
            }
        }
        Node::Repeat(body, _) | Node::Look { body, .. } => each_group(body, visit),
        _ => {}
    }
}

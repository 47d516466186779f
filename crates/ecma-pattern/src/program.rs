//! Compiles a pattern's tree to the instructions that [`super::machine`] runs.
//!
//! A match returns only true or false, so groups without a backreference are not captured. A pattern
//! without backreferences is *plain*: the outcome from an instruction depends only on the position.
//! Therefore the machine can remember failures (a [`Memo`]), and short counted loops can be
//! unrolled.

use std::collections::HashMap;
use std::sync::Arc;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use crate::allowance::{Allowance, Read};
use crate::syntax::{self, Ast, Count, INFINITE, Set, Syntax};

/// No register, memo or captured position.
pub(crate) const NONE: u32 = u32::MAX;

/// A counted loop is written out if it takes at most this many instructions,
const MAX_UNROLLED: u64 = 256;

/// and the whole program has at most this many.
const MAX_UNROLLED_PROGRAM: usize = 8192;

/// Choices inside more counted loops are not remembered.
pub(crate) const MAX_COUNTS: usize = 2;

/// One step of the machine. Unless it says otherwise it goes on with the next one; `back` reads
/// towards the start of the text, as lookbehind does.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Inst {
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
pub(crate) struct Run {
    pub(crate) class: u32,
    pub(crate) min: u32,
    pub(crate) max: u32,
    pub(crate) back: bool,
}

impl Run {
    /// True if it can be entered anew wherever it could be left.
    pub(crate) fn is_endless(&self) -> bool {
        self.min == 0 && self.max == INFINITE
    }
}

/// A loop with registers (ECMA-262 22.2.2.3.1, `RepeatMatcher`).
#[derive(Debug)]
pub(crate) struct Loop {
    pub(crate) min: u32,
    pub(crate) max: u32,
    pub(crate) greedy: bool,
    pub(crate) head: u32,
    pub(crate) exit: u32,
    /// The register that counts iterations; [`NONE`] where their number decides nothing.
    pub(crate) count: u32,
    /// The register of where the iteration began; [`NONE`] where each one consumes.
    pub(crate) start: u32,
    /// The registers of captures that an iteration forgets.
    pub(crate) resets: Vec<u32>,
}

/// A choice whose failures are remembered.
///
/// Its outcome depends on the position, and on which iterations around it have consumed
/// nothing yet and so may not end. An inner iteration begins no earlier than an outer one, so
/// their number says which: there is a *plane* of positions for each. Where counted loops stand
/// around, it depends on their counts, too.
#[derive(Debug)]
pub(crate) struct Memo {
    pub(crate) plane: u32,
    /// The innermost iteration around, in [`Program::guards`]; [`NONE`] without any.
    pub(crate) guard: u32,
    /// The registers of the counts around, the first alone where there is one; [`NONE`] without.
    counts: [u32; MAX_COUNTS],
}

impl Memo {
    /// True if the position alone decides.
    pub(crate) const fn is_of_position(&self) -> bool {
        self.guard == NONE && self.counts[0] == NONE
    }

    pub(crate) fn counts(&self) -> Option<[u32; MAX_COUNTS]> {
        (self.counts[0] != NONE).then_some(self.counts)
    }
}

/// An iteration that may not end without having consumed something.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Guard {
    /// The one around it; [`NONE`] without any.
    pub(crate) outer: u32,
    /// The register of where it began.
    pub(crate) start: u32,
    /// The number of iterations around, this one included.
    depth: u32,
}

/// A set of code points.
#[derive(Debug)]
pub(crate) struct Class {
    ascii: u128,
    ranges: Box<[(char, char)]>,
}

impl Class {
    pub(crate) fn new(class: &ClassUnicode) -> Self {
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

    pub(crate) fn contains(&self, c: char) -> bool {
        if c.is_ascii() {
            return self.ascii >> u32::from(c) & 1 == 1;
        }
        let after = self.ranges.partition_point(|&(start, _)| start <= c);
        after > 0 && self.ranges[after - 1].1 >= c
    }
}

/// A compiled pattern.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) insts: Vec<Inst>,
    pub(crate) classes: Vec<Class>,
    pub(crate) runs: Vec<Run>,
    pub(crate) loops: Vec<Loop>,
    pub(crate) memos: Vec<Memo>,
    pub(crate) guards: Vec<Guard>,
    pub(crate) planes: u32,
    /// True if there is a lookaround.
    pub(crate) looks: bool,
    /// For each backreference, its list in `meant`.
    pub(crate) references: Vec<u32>,
    /// The first register of each group that a backreference may mean.
    pub(crate) meant: Vec<Vec<u32>>,
    pub(crate) registers: u32,
    /// True if it matches at the start of the text or nowhere.
    pub(crate) anchored: bool,
    /// `\w` under `(?i:...)`, where the pattern has a boundary there.
    pub(crate) folded_word: Option<Class>,
}

/// Compiles a parsed pattern.
pub(crate) fn compile(syntax: &Syntax, allowance: &Allowance<'_>) -> Read<Program> {
    let mut captures = HashMap::new();
    for group in syntax.meant.iter().flatten() {
        allowance.step()?;
        let next = 2 * captures.len() as u32;
        captures.entry(*group).or_insert(next);
    }
    let registers = |groups: &Vec<u32>| {
        let registers = groups.iter().filter_map(|g| captures.get(g).copied());
        registers.collect()
    };
    let meant = syntax.meant.iter().map(registers).collect();
    let mut compiler = Compiler {
        allowance,
        plain: captures.is_empty(),
        class_ids: HashMap::new(),
        letter_ids: HashMap::new(),
        guard: NONE,
        counts: Vec::new(),
        program: Program {
            insts: Vec::new(),
            classes: Vec::new(),
            runs: Vec::new(),
            loops: Vec::new(),
            memos: Vec::new(),
            guards: Vec::new(),
            planes: 0,
            looks: false,
            references: syntax.references.clone(),
            meant,
            registers: 2 * captures.len() as u32,
            anchored: anchored(&syntax.root),
            folded_word: None,
        },
        captures,
    };
    compiler.emit(&syntax.root, false)?;
    compiler.push(Inst::Match);
    let mut program = compiler.program;
    program.insts.shrink_to_fit();
    program.classes.shrink_to_fit();
    program.runs.shrink_to_fit();
    program.memos.shrink_to_fit();
    Ok(program)
}

struct Compiler<'r> {
    allowance: &'r Allowance<'r>,
    plain: bool,
    /// The first register of each group that is kept: where it starts; the next: where it ends.
    captures: HashMap<u32, u32>,
    /// Classes by their address: the reader has each once.
    class_ids: HashMap<*const ClassUnicode, u32>,
    letter_ids: HashMap<char, u32>,
    /// The innermost of the loops around that have a start register, up to the nearest lookaround.
    guard: u32,
    /// Likewise, the count registers of all of them.
    counts: Vec<u32>,
    program: Program,
}

impl Compiler<'_> {
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
            [] => [NONE, NONE],
            [only] => [only, only],
            [outer, inner] => [outer, inner],
            _ => return NONE,
        };
        self.program.memos.push(Memo {
            plane: self.program.planes,
            guard: self.guard,
            counts,
        });
        self.program.planes += self.guards() + 1;
        self.program.memos.len() as u32 - 1
    }

    /// The number of surrounding loops that have a start register.
    fn guards(&self) -> u32 {
        self.program
            .guards
            .get(self.guard as usize)
            .map_or(0, |guard| guard.depth)
    }

    fn class(&mut self, class: &Set) -> u32 {
        let next = self.program.classes.len() as u32;
        *self.class_ids.entry(Arc::as_ptr(class)).or_insert_with(|| {
            self.program.classes.push(Class::new(class));
            next
        })
    }

    /// The class of a node that is always one code point.
    fn single(&mut self, node: &Ast) -> Option<u32> {
        match node {
            Ast::Char(c) => {
                let next = self.program.classes.len() as u32;
                let letter = ClassUnicode::new([ClassUnicodeRange::new(*c, *c)]);
                Some(*self.letter_ids.entry(*c).or_insert_with(|| {
                    self.program.classes.push(Class::new(&letter));
                    next
                }))
            }
            Ast::Set(class) => Some(self.class(class)),
            _ => None,
        }
    }

    fn emit(&mut self, node: &Ast, back: bool) -> Read<()> {
        self.allowance.step()?;
        match node {
            Ast::Empty => {}
            Ast::Char(c) => {
                self.push(Inst::Char { c: *c, back });
            }
            Ast::Set(class) => {
                let class = self.class(class);
                self.push(Inst::Class { class, back });
            }
            Ast::Seq(nodes) if back => {
                for node in nodes.iter().rev() {
                    self.emit(node, back)?;
                }
            }
            Ast::Seq(nodes) => {
                for node in nodes {
                    self.emit(node, back)?;
                }
            }
            Ast::Alt(nodes) => self.alternatives(nodes, back)?,
            Ast::Group(index, body) => match self.captures.get(index).copied() {
                None => self.emit(body, back)?,
                Some(start) => {
                    // A group counts as captured once both of its ends are known.
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
            Ast::Repeat(body, count) => self.repeat(body, *count, back)?,
            Ast::Look {
                behind,
                negate,
                body,
            } => {
                // A lookaround's inner choices lead to its end, whatever stands around it.
                self.program.looks = true;
                let guard = std::mem::replace(&mut self.guard, NONE);
                let counts = std::mem::take(&mut self.counts);
                let look = self.push(Inst::LookEnd);
                self.emit(body, *behind)?;
                self.push(Inst::LookEnd);
                self.program.insts[look] = Inst::Look {
                    negate: *negate,
                    next: self.at(),
                };
                self.guard = guard;
                self.counts = counts;
            }
            Ast::Start { multiline } => {
                self.push(Inst::Start {
                    multiline: *multiline,
                });
            }
            Ast::End { multiline } => {
                self.push(Inst::End {
                    multiline: *multiline,
                });
            }
            Ast::Boundary { negate, folded } => {
                if *folded && self.program.folded_word.is_none() {
                    self.program.folded_word = Some(Class::new(&syntax::word_class(true)?));
                }
                self.push(Inst::Boundary {
                    negate: *negate,
                    folded: *folded,
                });
            }
            Ast::Back { reference, folded } => {
                self.push(Inst::Back {
                    reference: *reference as u32,
                    folded: *folded,
                    back,
                });
            }
        }
        Ok(())
    }

    fn alternatives(&mut self, nodes: &[Ast], back: bool) -> Read<()> {
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

    /// True if a backreference means a group inside.
    fn holds_any(&self, node: &Ast) -> Read<bool> {
        let mut found = false;
        each_group(node, self.allowance, &mut |group| {
            found |= self.captures.contains_key(&group);
        })?;
        Ok(found)
    }

    fn repeat(&mut self, body: &Ast, count: Count, back: bool) -> Read<()> {
        let Count { min, max, greedy } = count;
        let (narrowest, widest) = width(body, self.allowance)?;
        if widest == 0 {
            // Another empty iteration changes nothing, and one that need not be is refused.
            return if min > 0 {
                self.emit(body, back)
            } else {
                Ok(())
            };
        }
        if greedy && let Some(class) = self.single(body) {
            self.run(class, min, max, back);
            return Ok(());
        }
        let nullable = narrowest == 0;
        // True if an iteration leaves no trace but the position.
        let free = self.plain || (!nullable && !self.holds_any(body)?);
        let bare = match (min, max) {
            (0, 1) => true,
            (0 | 1, INFINITE) => !nullable,
            _ => false,
        };
        let short = (min > 0 || max != INFINITE)
            && written_out(size(body, self.allowance)?, count) <= MAX_UNROLLED
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

    fn run(&mut self, class: u32, min: u32, max: u32, back: bool) {
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
    }

    /// `body*`, or `body+` where one iteration must be; the body consumes.
    fn endless(&mut self, body: &Ast, once: bool, greedy: bool, back: bool) -> Read<()> {
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
    fn bounded(&mut self, body: &Ast, count: Count, back: bool) -> Read<()> {
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

    fn counted_loop(&mut self, body: &Ast, count: Count, back: bool) -> Read<()> {
        let Count { min, max, greedy } = count;
        let counted = min > 0 || max != INFINITE;
        let nullable = width(body, self.allowance)?.0 == 0;
        let count = if counted { self.register() } else { NONE };
        let start = if nullable { self.register() } else { NONE };
        if counted {
            self.counts.push(count);
        }
        let memo = self.memo();
        let mut resets: Vec<u32> = Vec::new();
        each_group(body, self.allowance, &mut |group| {
            if let Some(&first) = self.captures.get(&group) {
                resets.extend([first, first + 1]);
            }
        })?;
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
        let outer = self.guard;
        if nullable {
            let depth = self.guards() + 1;
            self.guard = self.program.guards.len() as u32;
            self.program.guards.push(Guard {
                outer,
                start,
                depth,
            });
        }
        let head = self.at();
        self.push(Inst::LoopHead { index, memo });
        self.push(Inst::LoopBody(index));
        self.emit(body, back)?;
        self.push(Inst::LoopTail(index));
        if counted {
            self.counts.pop();
        }
        self.guard = outer;
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

/// The least and the greatest number of code points that a node consumes.
fn width(node: &Ast, allowance: &Allowance<'_>) -> Read<(u32, u32)> {
    allowance.step()?;
    Ok(match node {
        Ast::Empty
        | Ast::Look { .. }
        | Ast::Start { .. }
        | Ast::End { .. }
        | Ast::Boundary { .. } => (0, 0),
        Ast::Char(_) | Ast::Set(_) => (1, 1),
        Ast::Back { .. } => (0, INFINITE),
        Ast::Group(_, body) => width(body, allowance)?,
        Ast::Seq(nodes) => nodes.iter().try_fold((0u32, 0u32), |sum, node| {
            let next = width(node, allowance)?;
            Read::Ok((sum.0.saturating_add(next.0), sum.1.saturating_add(next.1)))
        })?,
        Ast::Alt(nodes) => nodes.iter().try_fold((INFINITE, 0), |sum, node| {
            let next = width(node, allowance)?;
            Read::Ok((sum.0.min(next.0), sum.1.max(next.1)))
        })?,
        Ast::Repeat(body, count) => {
            let (narrowest, widest) = width(body, allowance)?;
            (
                narrowest.saturating_mul(count.min),
                widest.saturating_mul(count.max),
            )
        }
    })
}

/// About how many instructions a node takes.
fn size(node: &Ast, allowance: &Allowance<'_>) -> Read<u64> {
    allowance.step()?;
    let sum = |nodes: &[Ast], each: u64| {
        nodes
            .iter()
            .try_fold(0, |sum, node| Read::Ok(sum + size(node, allowance)? + each))
    };
    Ok(match node {
        Ast::Empty => 0,
        Ast::Char(_)
        | Ast::Set(_)
        | Ast::Start { .. }
        | Ast::End { .. }
        | Ast::Boundary { .. }
        | Ast::Back { .. } => 1,
        Ast::Look { body, .. } | Ast::Group(_, body) => size(body, allowance)? + 2,
        Ast::Seq(nodes) => sum(nodes, 0)?,
        Ast::Alt(nodes) => sum(nodes, 2)?,
        Ast::Repeat(body, count) => {
            if count.greedy && matches!(**body, Ast::Char(_) | Ast::Set(_)) {
                return Ok(2);
            }
            let body = size(body, allowance)?;
            let whole = written_out(body, *count);
            if whole <= MAX_UNROLLED {
                whole
            } else {
                body + 4
            }
        }
    })
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

/// True if a match can only begin where the text does.
fn anchored(node: &Ast) -> bool {
    match node {
        Ast::Start { multiline } => !multiline,
        Ast::Seq(nodes) => nodes.iter().any(anchored),
        Ast::Alt(nodes) => nodes.iter().all(anchored),
        Ast::Group(_, body) => anchored(body),
        Ast::Repeat(body, count) => count.min > 0 && anchored(body),
        _ => false,
    }
}

fn each_group(node: &Ast, allowance: &Allowance<'_>, visit: &mut impl FnMut(u32)) -> Read<()> {
    allowance.step()?;
    match node {
        Ast::Group(index, body) => {
            visit(*index);
            each_group(body, allowance, visit)
        }
        Ast::Seq(nodes) | Ast::Alt(nodes) => nodes
            .iter()
            .try_for_each(|node| each_group(node, allowance, visit)),
        Ast::Repeat(body, _) | Ast::Look { body, .. } => each_group(body, allowance, visit),
        _ => Ok(()),
    }
}

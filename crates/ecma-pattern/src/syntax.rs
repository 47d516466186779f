//! Reads a pattern as ECMA-262 22.2.1 does under `u` (grammar parameters `UnicodeMode` and
//! `NamedCaptureGroups`, without the leniency of Annex B), duplicate names in different
//! alternatives and `(?ims-ims:...)` included.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, LazyLock};

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use crate::allowance::{Allowance, Read, refuse};
use crate::is_white_space;
use crate::message::quoted;
use crate::property;

/// A class, shared wherever it stands.
pub(crate) type Set = Arc<ClassUnicode>;

/// The most ranges of a class that are collected before they are put in order.
const MAX_LOOSE_RANGES: usize = 1 << 14;

/// The ranges, and the bytes, that one step of reading covers.
const RANGES_PER_STEP: usize = 6;
const BYTES_PER_STEP: usize = 64;

/// The steps of folding a class, and one for each letter with a case that it may hold.
const FOLD_STEPS: usize = 16;
const CASED_LETTERS: usize = 3000;

/// The depth to which groups may nest: the reader and the compiler recurse.
const MAX_NESTING: usize = 250;

/// A count that no text reaches.
pub(crate) const INFINITE: u32 = u32::MAX;

/// The class of `\s`; all white space is in the Basic Multilingual Plane.
static SPACE: LazyLock<ClassUnicode> = LazyLock::new(|| {
    ClassUnicode::new(
        scalars(0, 0xffff)
            .flat_map(|range| range.start()..=range.end())
            .filter(|c| is_white_space(*c))
            .map(|c| ClassUnicodeRange::new(c, c)),
    )
});

/// A pattern as a tree.
#[derive(Debug)]
pub(crate) enum Ast {
    Empty,
    Char(char),
    /// One code point of a set.
    Set(Set),
    Seq(Vec<Ast>),
    Alt(Vec<Ast>),
    /// A capturing group, counted from 0.
    Group(u32, Box<Ast>),
    Repeat(Box<Ast>, Count),
    Look {
        behind: bool,
        negate: bool,
        body: Box<Ast>,
    },
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
    /// The text that a group captured; an index into [`Syntax::references`].
    Back {
        reference: usize,
        folded: bool,
    },
}

/// A quantifier.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Count {
    pub(crate) min: u32,
    /// [`INFINITE`] for none.
    pub(crate) max: u32,
    pub(crate) greedy: bool,
}

/// A pattern that was read.
#[derive(Debug)]
pub(crate) struct Syntax {
    pub(crate) root: Ast,
    /// For each backreference, the list of groups that it may mean.
    pub(crate) references: Vec<u32>,
    /// Each list once: several groups where alternatives share a name, of which at most one has
    /// captured.
    pub(crate) meant: Vec<Vec<u32>>,
}

/// Reads a pattern.
pub(crate) fn parse(source: &str, allowance: &Allowance<'_>) -> Read<Syntax> {
    let mut parser = Parser {
        allowance,
        sets: HashMap::new(),
        brackets: HashMap::new(),
        letters: HashMap::new(),
        rest: source,
        nesting: 0,
        groups: 0,
        names: Vec::new(),
        references: Vec::new(),
        flags: Flags::default(),
    };
    let (root, _) = parser.disjunction()?;
    if !parser.rest.is_empty() {
        return refuse("unmatched \")\"");
    }
    let (references, meant) = parser.resolve()?;
    Ok(Syntax {
        root,
        references,
        meant,
    })
}

/// The class of `\w`.
pub(crate) fn word_class(folded: bool) -> Read<ClassUnicode> {
    let class = ranges(&[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]);
    if folded { fold(class) } else { Ok(class) }
}

/// Every code point whose canonical form (simple case folding) is that of one in the class.
pub(crate) fn fold(mut class: ClassUnicode) -> Read<ClassUnicode> {
    class
        .try_case_fold_simple()
        .map_err(|_| "cannot be kept: no case tables at hand".to_owned())?;
    Ok(class)
}

fn ranges(list: &[(char, char)]) -> ClassUnicode {
    ClassUnicode::new(
        list.iter()
            .map(|&(low, high)| ClassUnicodeRange::new(low, high)),
    )
}

fn negated(mut class: ClassUnicode) -> ClassUnicode {
    class.negate();
    class
}

/// The scalar values from one code point to another.
fn scalars(low: u32, high: u32) -> impl Iterator<Item = ClassUnicodeRange> {
    [(low, high.min(0xd7ff)), (low.max(0xe000), high)]
        .into_iter()
        .filter(|(low, high)| low <= high)
        .filter_map(|(low, high)| {
            Some(ClassUnicodeRange::new(
                char::from_u32(low)?,
                char::from_u32(high)?,
            ))
        })
}

/// The names of the groups that may take part in one match together.
type Names = BTreeSet<String>;

#[derive(Debug, Clone, Copy, Default)]
struct Flags {
    ignore_case: bool,
    multiline: bool,
    dot_all: bool,
}

enum Reference {
    Number(u32),
    Name(String),
}

struct Parser<'p> {
    allowance: &'p Allowance<'p>,
    /// Every class once.
    sets: HashMap<Vec<(char, char)>, Set>,
    /// Classes in brackets by their text, and whether case is ignored.
    brackets: HashMap<(&'p str, bool), Set>,
    /// The letters that are equal if case is ignored; none if a letter equals only itself.
    letters: HashMap<char, Option<Set>>,
    rest: &'p str,
    nesting: usize,
    groups: u32,
    names: Vec<(String, u32)>,
    references: Vec<Reference>,
    flags: Flags,
}

/// The content of a class, between its brackets.
enum ClassAtom {
    /// One code point, surrogates included.
    One(u32),
    Many(Set),
}

impl<'p> Parser<'p> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next();
        self.rest = chars.as_str();
        c
    }

    fn eat(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Alternatives up to `)` or the end, with the names of their groups.
    fn disjunction(&mut self) -> Read<(Ast, Names)> {
        let mut alternatives = Vec::new();
        let mut all = Names::new();
        loop {
            let mut names = Names::new();
            alternatives.push(self.alternative(&mut names)?);
            merge(&mut all, names, self.allowance)?;
            if !self.eat("|") {
                break;
            }
        }
        let node = match alternatives.pop() {
            Some(only) if alternatives.is_empty() => only,
            last => {
                alternatives.extend(last);
                Ast::Alt(alternatives)
            }
        };
        Ok((node, all))
    }

    fn alternative(&mut self, names: &mut Names) -> Read<Ast> {
        let mut terms = Vec::new();
        while self.peek().is_some_and(|c| c != '|' && c != ')') {
            self.allowance.step()?;
            terms.push(self.term(names)?);
        }
        Ok(match terms.pop() {
            None => Ast::Empty,
            Some(only) if terms.is_empty() => only,
            last => {
                terms.extend(last);
                Ast::Seq(terms)
            }
        })
    }

    fn term(&mut self, names: &mut Names) -> Read<Ast> {
        // Assertions take no quantifier under `u`.
        let Flags {
            ignore_case,
            multiline,
            ..
        } = self.flags;
        for (text, node) in [
            ("^", Ast::Start { multiline }),
            ("$", Ast::End { multiline }),
            ("\\b", boundary(false, ignore_case)),
            ("\\B", boundary(true, ignore_case)),
        ] {
            if self.eat(text) {
                return Ok(node);
            }
        }
        for (text, behind, negate) in [
            ("(?=", false, false),
            ("(?!", false, true),
            ("(?<=", true, false),
            ("(?<!", true, true),
        ] {
            if self.eat(text) {
                return Ok(Ast::Look {
                    behind,
                    negate,
                    body: Box::new(self.group_body(names)?),
                });
            }
        }
        let atom = self.atom(names)?;
        self.quantified(atom)
    }

    fn atom(&mut self, names: &mut Names) -> Read<Ast> {
        match self.next() {
            Some('(') => self.group(names),
            Some('[') => self.class(),
            Some('\\') => self.atom_escape(),
            Some('.') => {
                let class = if self.flags.dot_all {
                    ranges(&[('\0', char::MAX)])
                } else {
                    negated(ranges(&[
                        ('\n', '\n'),
                        ('\r', '\r'),
                        ('\u{2028}', '\u{2029}'),
                    ]))
                };
                Ok(Ast::Set(self.shared(class)?))
            }
            Some(c @ ('*' | '+' | '?' | '{')) => {
                refuse(format!("nothing to repeat before \"{c}\""))
            }
            Some(c @ (']' | '}')) => {
                refuse(format!("a lone \"{c}\" is no character; write \"\\{c}\""))
            }
            Some(c) => self.literal(u32::from(c)),
            None => Ok(Ast::Empty),
        }
    }

    /// One code point. A surrogate stands in no text.
    fn literal(&mut self, code: u32) -> Read<Ast> {
        let Some(c) = char::from_u32(code) else {
            return Ok(Ast::Set(self.shared(ClassUnicode::empty())?));
        };
        if !self.flags.ignore_case {
            return Ok(Ast::Char(c));
        }
        let folded = match self.letters.get(&c) {
            Some(folded) => folded.clone(),
            None => {
                self.allowance.steps(FOLD_STEPS)?;
                let class = fold(ranges(&[(c, c)]))?;
                let folded = if class.ranges() == [ClassUnicodeRange::new(c, c)] {
                    None
                } else {
                    Some(self.shared(class)?)
                };
                self.letters.insert(c, folded.clone());
                folded
            }
        };
        Ok(folded.map_or(Ast::Char(c), Ast::Set))
    }

    /// The one set of a class.
    fn shared(&mut self, class: ClassUnicode) -> Read<Set> {
        let key: Vec<(char, char)> = class.iter().map(|r| (r.start(), r.end())).collect();
        self.allowance.steps(key.len() / RANGES_PER_STEP)?;
        if let Some(known) = self.sets.get(&key) {
            return Ok(Arc::clone(known));
        }
        self.allowance.take_ranges(key.len())?;
        let set = Arc::new(class);
        self.sets.insert(key, Arc::clone(&set));
        Ok(set)
    }

    /// A set where it stands as an atom.
    fn set(&mut self, class: &Set) -> Read<Ast> {
        if !self.flags.ignore_case {
            let class = ClassUnicode::clone(class);
            return Ok(Ast::Set(self.shared(class)?));
        }
        let class = self.folded(ClassUnicode::clone(class))?;
        Ok(Ast::Set(self.shared(class)?))
    }

    /// [`fold`], counted.
    fn folded(&self, class: ClassUnicode) -> Read<ClassUnicode> {
        let letters: usize = class.iter().map(ClassUnicodeRange::len).sum();
        self.allowance
            .steps(FOLD_STEPS + letters.min(CASED_LETTERS))?;
        fold(class)
    }

    /// The part after `(`, but for assertions.
    fn group(&mut self, names: &mut Names) -> Read<Ast> {
        if self.eat("?<") {
            let name = self.group_name()?;
            let index = self.open_group();
            self.names.push((name.clone(), index));
            add_name(names, name)?;
            return Ok(Ast::Group(index, Box::new(self.group_body(names)?)));
        }
        if self.eat("?") {
            let outer = self.flags;
            self.modifiers()?;
            let body = self.group_body(names)?;
            self.flags = outer;
            return Ok(body);
        }
        let index = self.open_group();
        Ok(Ast::Group(index, Box::new(self.group_body(names)?)))
    }

    fn open_group(&mut self) -> u32 {
        let index = self.groups;
        self.groups += 1;
        index
    }

    fn group_body(&mut self, names: &mut Names) -> Read<Ast> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return refuse(format!(
                "cannot be kept: groups nest deeper than {MAX_NESTING}"
            ));
        }
        let (body, inner) = self.disjunction()?;
        self.nesting -= 1;
        if !self.eat(")") {
            return refuse("unterminated group");
        }
        add_names(names, inner, self.allowance)?;
        Ok(body)
    }

    /// `:`, or `ims-ims:` (ES2025).
    fn modifiers(&mut self) -> Read<()> {
        let mut value = true;
        let mut seen = String::new();
        loop {
            let c = self.next();
            let (flag, c) = match c {
                Some(':') if seen != "-" => return Ok(()),
                Some('-') if value => {
                    value = false;
                    seen.push('-');
                    continue;
                }
                Some('i') => (&mut self.flags.ignore_case, 'i'),
                Some('m') => (&mut self.flags.multiline, 'm'),
                Some('s') => (&mut self.flags.dot_all, 's'),
                _ => {
                    return refuse(
                        "invalid group: after \"(?\" must come one of : = ! <= <! <name> \
                                or modifiers such as i:",
                    );
                }
            };
            if seen.contains(c) {
                return refuse(format!("repeated modifier \"{c}\" in a group"));
            }
            seen.push(c);
            *flag = value;
        }
    }

    /// The rest of `<name>`.
    fn group_name(&mut self) -> Read<String> {
        let mut name = String::new();
        loop {
            let c = match self.next() {
                None => return refuse("unterminated group name"),
                Some('>') if name.is_empty() => return refuse("empty group name"),
                Some('>') => return Ok(name),
                Some('\\') => {
                    if !self.eat("u") {
                        return refuse("invalid escape in a group name");
                    }
                    char::from_u32(self.unicode_escape()?)
                        .ok_or_else(|| "a surrogate in a group name".to_owned())?
                }
                Some(c) => c,
            };
            let property = if name.is_empty() {
                "ID_Start"
            } else {
                "ID_Continue"
            };
            let allowed = match c {
                '$' | '_' | 'a'..='z' | 'A'..='Z' => true,
                '0'..='9' | '\u{200c}' | '\u{200d}' => !name.is_empty(),
                c if c.is_ascii() => false,
                c => {
                    self.allowance.step()?;
                    contains(&*property::class(property, false, false)?, c)
                }
            };
            name.push(c);
            if !allowed {
                return refuse(format!("invalid group name {}", quoted(&name)));
            }
        }
    }

    fn quantified(&mut self, atom: Ast) -> Read<Ast> {
        let (min, max) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                let whole = self.rest;
                self.next();
                let bounds = self.bounds();
                let Some((min, max)) = bounds.filter(|_| self.rest.starts_with('}')) else {
                    let shown: String = whole.chars().take(20).collect();
                    return refuse(format!(
                        "incomplete quantifier at {}; write \"\\{{\" for the character",
                        quoted(&shown)
                    ));
                };
                if max.is_some_and(|max| min > max) {
                    return refuse("numbers out of order in a {} quantifier");
                }
                (min, max)
            }
            _ => return Ok(atom),
        };
        self.next();
        let greedy = !self.eat("?");
        let bounded = |count: u64| u32::try_from(count).unwrap_or(INFINITE);
        Ok(match max {
            Some(0) => Ast::Empty,
            Some(1) if min == 1 => atom,
            max => Ast::Repeat(
                Box::new(atom),
                Count {
                    min: bounded(min),
                    max: max.map_or(INFINITE, bounded),
                    greedy,
                },
            ),
        })
    }

    /// `n`, `n,` or `n,m`.
    fn bounds(&mut self) -> Option<(u64, Option<u64>)> {
        let min = self.number()?;
        if !self.eat(",") {
            return Some((min, Some(min)));
        }
        if self.rest.starts_with('}') {
            return Some((min, None));
        }
        Some((min, Some(self.number()?)))
    }

    /// Decimal digits, as large as they count.
    fn number(&mut self) -> Option<u64> {
        let end = self
            .rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!digits.is_empty()).then(|| digits.parse().unwrap_or(u64::MAX))
    }

    /// The part after `\` outside a class.
    fn atom_escape(&mut self) -> Read<Ast> {
        if self.peek().is_some_and(|c| matches!(c, '1'..='9')) {
            let number = self.number().unwrap_or(u64::MAX);
            let group = u32::try_from(number - 1).unwrap_or(u32::MAX);
            return Ok(self.back(Reference::Number(group)));
        }
        if self.eat("k") {
            if !self.eat("<") {
                return refuse("\\k without a group name");
            }
            let name = self.group_name()?;
            return Ok(self.back(Reference::Name(name)));
        }
        let escape = self.rest;
        if let Some(class) = self.class_escape()? {
            // A property's table is folded once for all.
            if let Some(inner) = escape.strip_prefix(['p', 'P'])
                && self.flags.ignore_case
                && let Some((inner, _)) = inner.strip_prefix('{').and_then(|i| i.split_once('}'))
            {
                let class = property::class(inner, escape.starts_with('P'), true)?;
                return Ok(Ast::Set(self.shared(ClassUnicode::clone(&class))?));
            }
            return self.set(&class);
        }
        let code = self.character_escape()?;
        self.literal(code)
    }

    fn back(&mut self, reference: Reference) -> Ast {
        self.references.push(reference);
        Ast::Back {
            reference: self.references.len() - 1,
            folded: self.flags.ignore_case,
        }
    }

    /// The groups that each backreference means. They may stand behind it.
    fn resolve(&self) -> Read<(Vec<u32>, Vec<Vec<u32>>)> {
        let mut named: HashMap<&str, Vec<u32>> = HashMap::new();
        for (name, index) in &self.names {
            named.entry(name).or_default().push(*index);
        }
        let (mut by_name, mut by_number) = (HashMap::new(), HashMap::new());
        let (mut references, mut meant) = (Vec::new(), Vec::new());
        for reference in &self.references {
            self.allowance.step()?;
            let next = meant.len() as u32;
            let list = match reference {
                Reference::Number(group) if *group < self.groups => {
                    *by_number.entry(*group).or_insert_with(|| {
                        meant.push(vec![*group]);
                        next
                    })
                }
                Reference::Number(group) => {
                    return refuse(format!(
                        "\\{} refers to a group that does not exist",
                        u64::from(*group) + 1
                    ));
                }
                Reference::Name(name) => {
                    let Some(groups) = named.get(name.as_str()) else {
                        return refuse(format!(
                            "\\k refers to a group {} that does not exist",
                            quoted(name)
                        ));
                    };
                    *by_name.entry(name.as_str()).or_insert_with(|| {
                        meant.push(groups.clone());
                        next
                    })
                }
            };
            references.push(list);
        }
        Ok((references, meant))
    }

    /// `\d \D \s \S \w \W \p{...} \P{...}`, what follows the backslash.
    fn class_escape(&mut self) -> Read<Option<Set>> {
        let Some(kind) = self.peek() else {
            return Ok(None);
        };
        let negate = kind.is_ascii_uppercase();
        let class = match kind.to_ascii_lowercase() {
            'd' => ranges(&[('0', '9')]),
            's' => SPACE.clone(),
            'w' => word_class(self.flags.ignore_case)?,
            'p' => {
                let body = self.rest.get(1..).and_then(|rest| rest.strip_prefix('{'));
                let Some((inner, rest)) = body.and_then(|body| body.split_once('}')) else {
                    return refuse(format!("\\{kind} without {{a property}}"));
                };
                self.allowance.steps(FOLD_STEPS)?;
                let class = property::class(inner, negate, false)?;
                self.rest = rest;
                return Ok(Some(class));
            }
            _ => return Ok(None),
        };
        self.next();
        Ok(Some(Arc::new(if negate { negated(class) } else { class })))
    }

    /// A code point, what follows the backslash.
    fn character_escape(&mut self) -> Read<u32> {
        let Some(c) = self.next() else {
            return refuse("a lone \"\\\" at the end");
        };
        let invalid = |what: &str| refuse(format!("invalid escape {}", quoted(what)));
        match c {
            'f' => Ok(0x0c),
            'n' => Ok(0x0a),
            'r' => Ok(0x0d),
            't' => Ok(0x09),
            'v' => Ok(0x0b),
            '0' if !self.peek().is_some_and(|c| c.is_ascii_digit()) => Ok(0),
            'c' => match self.next() {
                Some(letter) if letter.is_ascii_alphabetic() => Ok(u32::from(letter) % 32),
                _ => invalid("\\c"),
            },
            'x' => match self.hex(2) {
                Some(code) => Ok(code),
                None => invalid("\\x"),
            },
            'u' => self.unicode_escape(),
            '^' | '$' | '\\' | '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|'
            | '/' => Ok(u32::from(c)),
            c => invalid(&format!("\\{c}")),
        }
    }

    /// The part after `\u`: `{...}`, four digits, or a surrogate pair of two escapes.
    fn unicode_escape(&mut self) -> Read<u32> {
        let invalid = || "invalid escape \"\\u\"".to_owned();
        if self.eat("{") {
            let (digits, rest) = self.rest.split_once('}').ok_or_else(invalid)?;
            if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
                return refuse(invalid());
            }
            let digits = digits.trim_start_matches('0');
            let code = if digits.is_empty() {
                0
            } else {
                u32::from_str_radix(digits, 16).unwrap_or(u32::MAX)
            };
            if code > u32::from(char::MAX) {
                return refuse("a code point past 10FFFF in \\u{...}");
            }
            self.rest = rest;
            return Ok(code);
        }
        let lead = self.hex(4).ok_or_else(invalid)?;
        if (0xd800..0xdc00).contains(&lead) {
            let before = self.rest;
            if self.eat("\\u")
                && let Some(trail) = self.hex(4)
                && (0xdc00..0xe000).contains(&trail)
            {
                return Ok(0x10000 + ((lead - 0xd800) << 10) + (trail - 0xdc00));
            }
            self.rest = before;
        }
        Ok(lead)
    }

    fn hex(&mut self, digits: usize) -> Option<u32> {
        let text = self.rest.get(..digits)?;
        if !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        self.rest = &self.rest[digits..];
        u32::from_str_radix(text, 16).ok()
    }

    /// The part after `[`.
    fn class(&mut self) -> Read<Ast> {
        let text = self.rest;
        let key = |end: &str| (&text[..text.len() - end.len()], self.flags.ignore_case);
        // Escapes aside, the first bracket closes it.
        let mut escaped = false;
        let end = text.find(|c: char| {
            let closes = c == ']' && !escaped;
            escaped = c == '\\' && !escaped;
            closes
        });
        if let Some(end) = end {
            self.allowance.steps(end / BYTES_PER_STEP)?;
            let after = &text[end + 1..];
            if let Some(known) = self.brackets.get(&key(after)) {
                let set = Arc::clone(known);
                self.rest = after;
                return Ok(Ast::Set(set));
            }
        }
        let class = self.class_ranges()?;
        let set = self.shared(class)?;
        let key = (
            &text[..text.len() - self.rest.len()],
            self.flags.ignore_case,
        );
        self.brackets.insert(key, Arc::clone(&set));
        Ok(Ast::Set(set))
    }

    fn class_ranges(&mut self) -> Read<ClassUnicode> {
        let negate = self.eat("^");
        let mut list = Vec::new();
        let mut tidy = 0;
        loop {
            if self.eat("]") {
                break;
            }
            self.allowance.step()?;
            // Ranges that are named again and again take no more room than once.
            if list.len() > tidy + MAX_LOOSE_RANGES {
                self.allowance.steps(list.len() / RANGES_PER_STEP)?;
                list = ClassUnicode::new(list).ranges().to_vec();
                tidy = list.len();
            }
            let low = self.class_atom()?;
            let is_range = self.rest.starts_with('-') && !self.rest.starts_with("-]");
            if !is_range {
                match low {
                    ClassAtom::One(code) => list.extend(scalars(code, code)),
                    ClassAtom::Many(class) => {
                        self.allowance
                            .steps(class.ranges().len() / RANGES_PER_STEP)?;
                        list.extend(class.iter().copied());
                    }
                }
                continue;
            }
            self.next();
            let (ClassAtom::One(low), ClassAtom::One(high)) = (low, self.class_atom()?) else {
                return refuse(
                    "invalid class: a range \"-\" beside a class such as \\w; write \"\\-\"",
                );
            };
            if low > high {
                return refuse("range out of order in a character class");
            }
            list.extend(scalars(low, high));
        }
        self.allowance.steps(list.len() / RANGES_PER_STEP)?;
        let mut class = ClassUnicode::new(list);
        if self.flags.ignore_case {
            class = self.folded(class)?;
        }
        Ok(if negate { negated(class) } else { class })
    }

    fn class_atom(&mut self) -> Read<ClassAtom> {
        match self.next() {
            None => refuse("unterminated character class"),
            Some('\\') => {
                if self.eat("b") {
                    return Ok(ClassAtom::One(0x08));
                }
                if self.eat("-") {
                    return Ok(ClassAtom::One(u32::from('-')));
                }
                match self.class_escape()? {
                    Some(class) => Ok(ClassAtom::Many(class)),
                    None => Ok(ClassAtom::One(self.character_escape()?)),
                }
            }
            Some(c) => Ok(ClassAtom::One(u32::from(c))),
        }
    }
}

fn boundary(negate: bool, folded: bool) -> Ast {
    Ast::Boundary { negate, folded }
}

/// Puts the names of alternatives together, the fewer to the more.
fn merge(all: &mut Names, mut names: Names, allowance: &Allowance<'_>) -> Read<()> {
    if names.len() > all.len() {
        std::mem::swap(all, &mut names);
    }
    for name in names {
        allowance.step()?;
        all.insert(name);
    }
    Ok(())
}

/// Adds the names of a group that can take part together with others, the fewer to the more.
fn add_names(names: &mut Names, mut inner: Names, allowance: &Allowance<'_>) -> Read<()> {
    if inner.len() > names.len() {
        std::mem::swap(names, &mut inner);
    }
    for name in inner {
        allowance.step()?;
        add_name(names, name)?;
    }
    Ok(())
}

/// Names a group; two that can take part together must differ.
fn add_name(names: &mut Names, name: String) -> Read<()> {
    if names.contains(&name) {
        return refuse(format!("duplicate group name {}", quoted(&name)));
    }
    names.insert(name);
    Ok(())
}

fn contains(class: &ClassUnicode, c: char) -> bool {
    let ranges = class.ranges();
    let after = ranges.partition_point(|range| range.start() <= c);
    after > 0 && ranges[after - 1].end() >= c
}

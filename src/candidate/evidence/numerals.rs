//! Numbers as people write them: the exact values of the numerals in a text, and whether a text
//! mentions a number at all.
//!
//! A numeral has ASCII or full-width digits, a sign, grouping by commas (`1,234.5`, and the Indian
//! `12,34,567`) and a decimal point. A percent sign, a currency or a unit beside it changes
//! nothing. Dotted chains (`2026.12.5`, `1.2.3`) are several whole numbers.

use super::whole_words::narrow;

/// A decimal value in one spelling: significant digits without zeros at either end, and the power
/// of ten of the last one. Zero has no digits, and no sign.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    /// Makes the decimal of digits with an optional point, times a power of ten.
    fn new(negative: bool, digits: &str, exponent: i64) -> Self {
        let fraction = digits.find('.').map_or(0, |at| digits.len() - at - 1);
        let all: String = digits.chars().filter(char::is_ascii_digit).collect();
        let kept = all.trim_start_matches('0').trim_end_matches('0');
        let zeros = all.len() - all.trim_end_matches('0').len();
        if kept.is_empty() {
            return Self {
                negative: false,
                digits: String::new(),
                exponent: 0,
            };
        }
        let signed = |length: usize| i64::try_from(length).unwrap_or(i64::MAX);
        Self {
            negative,
            digits: kept.to_owned(),
            exponent: exponent
                .saturating_add(signed(zeros))
                .saturating_sub(signed(fraction)),
        }
    }

    /// Reads a number in JSON's syntax.
    pub(crate) fn of_json(text: &str) -> Self {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match rest.find(['e', 'E']) {
            // A candidate's number is finite: its exponent is small, or its value is 0.
            Some(at) => (&rest[..at], rest[at + 1..].parse().unwrap_or(0)),
            None => (rest, 0),
        };
        Self::new(negative, mantissa, exponent)
    }

    /// Returns whether the two differ at most by the sign.
    pub(super) fn is_size_of(&self, other: &Self) -> bool {
        self.exponent == other.exponent && self.digits == other.digits
    }

    fn negated(&self) -> Self {
        Self {
            negative: !self.negative && !self.digits.is_empty(),
            ..self.clone()
        }
    }
}

/// The sign before a numeral.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// No sign, or a plus.
    None,
    Minus,
    /// A minus, or a hyphen behind a word: `订单-5`.
    Unsure,
}

/// A numeral in a text, by bytes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Numeral {
    start: usize,
    end: usize,
    sign: Sign,
    magnitude: Decimal,
}

impl Numeral {
    /// Returns its value, and also the negated one if its sign may be a hyphen.
    fn values(&self) -> impl Iterator<Item = Decimal> + use<> {
        let plain = (self.sign != Sign::Minus).then(|| self.magnitude.clone());
        let negative = matches!(self.sign, Sign::Minus | Sign::Unsure);
        plain
            .into_iter()
            .chain(negative.then(|| self.magnitude.negated()))
    }
}

/// Bytes beside a quote that can belong to a numeral which the quote cuts.
const CONTEXT: usize = 64;

/// Returns whether `text[start..end]` contains a whole numeral with a value. A numeral that continues
/// outside that range does not count, such as the `1` of `1,234`.
pub(super) fn has_value(text: &str, start: usize, end: usize, value: &Decimal) -> bool {
    let from = text.floor_char_boundary(start.saturating_sub(CONTEXT));
    let to = text.ceil_char_boundary(end.saturating_add(CONTEXT).min(text.len()));
    read(&text[from..to]).iter().any(|numeral| {
        from + numeral.start >= start
            && from + numeral.end <= end
            && numeral.values().any(|said| said == *value)
    })
}

/// Returns the values of the numerals in a text.
pub(super) fn values(text: &str) -> impl Iterator<Item = Decimal> + use<> {
    read(text).into_iter().flat_map(|numeral| numeral.values())
}

/// The numerals of a text, in order.
fn read(text: &str) -> Vec<Numeral> {
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let mut reader = Reader {
        text,
        chars,
        at: 0,
        found: Vec::new(),
    };
    while reader.at < reader.chars.len() {
        if reader.digit(reader.at).is_some() {
            reader.numeral();
        } else {
            reader.at += 1;
        }
    }
    reader.found
}

struct Reader<'t> {
    text: &'t str,
    chars: Vec<(usize, char)>,
    at: usize,
    found: Vec<Numeral>,
}

impl Reader<'_> {
    fn char(&self, at: usize) -> Option<char> {
        self.chars.get(at).map(|(_, c)| *c)
    }

    fn digit(&self, at: usize) -> Option<char> {
        self.char(at).map(narrow).filter(char::is_ascii_digit)
    }

    /// Returns the end of the run of digits from here.
    fn run(&self, from: usize) -> usize {
        let mut to = from;
        while self.digit(to).is_some() {
            to += 1;
        }
        to
    }

    fn digits(&self, from: usize, to: usize) -> String {
        (from..to).filter_map(|at| self.digit(at)).collect()
    }

    fn byte(&self, at: usize) -> usize {
        self.chars
            .get(at)
            .map_or(self.text.len(), |(byte, _)| *byte)
    }

    /// A comma that groups: a full-width one only between full-width digits, since it also
    /// separates clauses.
    fn groups_at(&self, at: usize) -> bool {
        let wide = |at: usize| self.char(at).is_some_and(|c| !c.is_ascii());
        match self.char(at) {
            Some(',') => true,
            Some('\u{ff0c}') => at > 0 && wide(at - 1) && wide(at + 1),
            _ => false,
        }
    }

    fn point_at(&self, at: usize) -> bool {
        matches!(self.char(at), Some('.' | '\u{ff0e}')) && self.digit(at + 1).is_some()
    }

    /// Reads one numeral, or all whole numbers of a dotted chain.
    fn numeral(&mut self) {
        let start = self.at;
        let mut end = self.run(start);
        let mut digits = self.digits(start, end);
        let grouped = self.grouped(start, end);
        if let Some((to, all)) = grouped {
            end = to;
            digits = all;
        }
        if !self.point_at(end) {
            // `.5`, where no word stands before the point.
            let whole_run = end == self.run(start);
            if start > 0 && whole_run && self.point_at(start - 1) && self.opens(start - 1) {
                return self.push(start - 1, end, &format!(".{digits}"));
            }
            return self.push(start, end, &digits);
        }
        let fraction = self.run(end + 1);
        if self.point_at(fraction) {
            // A date or a version: its parts, each on its own.
            self.push(start, end, &digits);
            while self.point_at(self.at) {
                let from = self.at + 1;
                let to = self.run(from);
                let part = self.digits(from, to);
                self.push(from, to, &part);
            }
            return;
        }
        let whole = format!("{digits}.{}", self.digits(end + 1, fraction));
        self.push(start, fraction, &whole);
    }

    /// The end and the digits of a numeral that commas group from here.
    fn grouped(&self, start: usize, first: usize) -> Option<(usize, String)> {
        let mut digits = self.digits(start, first);
        if first - start > 3 || digits.starts_with('0') {
            return None;
        }
        let mut lengths = Vec::new();
        let mut end = first;
        while self.groups_at(end) && self.digit(end + 1).is_some() {
            let to = self.run(end + 1);
            lengths.push(to - end - 1);
            digits.push_str(&self.digits(end + 1, to));
            end = to;
        }
        let (last, before) = lengths.split_last()?;
        let western = before.iter().all(|&length| length == 3);
        let indian = first - start <= 2 && before.iter().all(|&length| length == 2);
        (*last == 3 && (western || indian)).then_some((end, digits))
    }

    /// Returns whether a numeral may begin here, which it may not inside a word.
    fn opens(&self, at: usize) -> bool {
        at == 0
            || self
                .char(at - 1)
                .is_some_and(|c| !c.is_alphanumeric() && !matches!(c, '.' | '\u{ff0e}'))
    }

    fn sign(&self, start: usize) -> Sign {
        let before = |distance| self.char(start.checked_sub(distance)?);
        if !matches!(before(1), Some('-' | '\u{2212}' | '\u{ff0d}' | '\u{2013}')) {
            return Sign::None;
        }
        match before(2) {
            // A range, a date or a code.
            Some(c) if narrow(c).is_ascii_alphanumeric() => Sign::None,
            Some(c) if c.is_alphanumeric() => Sign::Unsure,
            _ => Sign::Minus,
        }
    }

    fn push(&mut self, start: usize, end: usize, digits: &str) {
        self.at = end;
        let sign = self.sign(start);
        // A character that may not be a sign is not part of the numeral, so a quote may omit it.
        let signed = usize::from(sign == Sign::Minus);
        self.found.push(Numeral {
            start: self.byte(start - signed),
            end: self.byte(end),
            sign,
            magnitude: Decimal::new(false, digits, 0),
        });
    }
}

/// Chinese characters that say a number, those of cheques and the traditional ones too.
const CHINESE: &str = "零两兩俩仨三四五六七八九十百千万萬亿億兆半廿卅卌\
                       壹贰貳叁參肆伍陆陸柒捌玖拾佰仟";

/// Words with 一 that say no number.
const NOT_ONE_BEFORE: &str = "统統唯之逐";
const NOT_ONE_AFTER: &str = "下些起样樣定直般切旦律致并併";

/// English words that say a number, in order.
const ENGLISH: &[&str] = &[
    "billion",
    "billions",
    "billionth",
    "couple",
    "double",
    "dozen",
    "dozens",
    "eight",
    "eighteen",
    "eighteenth",
    "eighth",
    "eighths",
    "eighties",
    "eightieth",
    "eighty",
    "eleven",
    "eleventh",
    "fifteen",
    "fifteenth",
    "fifth",
    "fifths",
    "fifties",
    "fiftieth",
    "fifty",
    "five",
    "forties",
    "fortieth",
    "forty",
    "four",
    "fourteen",
    "fourteenth",
    "fourth",
    "fourths",
    "fourty",
    "half",
    "halves",
    "hundred",
    "hundreds",
    "hundredth",
    "million",
    "millions",
    "millionth",
    "nine",
    "nineteen",
    "nineteenth",
    "nineties",
    "ninetieth",
    "ninety",
    "ninth",
    "ninths",
    "once",
    "one",
    "pair",
    "quarter",
    "quarterly",
    "quarters",
    "seven",
    "seventeen",
    "seventeenth",
    "seventh",
    "sevenths",
    "seventies",
    "seventieth",
    "seventy",
    "six",
    "sixteen",
    "sixteenth",
    "sixth",
    "sixths",
    "sixties",
    "sixtieth",
    "sixty",
    "ten",
    "tenfold",
    "tens",
    "tenth",
    "tenths",
    "third",
    "thirds",
    "thirteen",
    "thirteenth",
    "thirties",
    "thirtieth",
    "thirty",
    "thousand",
    "thousands",
    "thousandth",
    "three",
    "thrice",
    "trillion",
    "trillions",
    "triple",
    "twelfth",
    "twelve",
    "twenties",
    "twentieth",
    "twenty",
    "twice",
    "two",
    "zero",
];

/// The length of the longest word in [`ENGLISH`].
const LONGEST_WORD: usize = 11;

/// The form in which a text mentions numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberForm {
    /// It mentions none.
    Never,
    /// Only digits of some script.
    Digits,
    /// Words, perhaps beside digits.
    Words,
}

/// Returns the form in which a text mentions numbers: digits of any script, or Chinese and English words.
pub(super) fn number_form(text: &str) -> NumberForm {
    let mut digits = false;
    let mut before = None;
    let mut word = Word::default();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if word.push(narrow(c)) {
            before = Some(c);
            continue;
        }
        if word.take_number() {
            return NumberForm::Words;
        }
        if c == '一' {
            let not_one = before.is_some_and(|c| NOT_ONE_BEFORE.contains(c))
                || rest.peek().is_some_and(|&c| NOT_ONE_AFTER.contains(c));
            if !not_one {
                return NumberForm::Words;
            }
        } else if c == '万' && rest.peek() == Some(&'一') && before.is_none_or(|c| !is_chinese(c))
        {
            // 万一: in case.
            rest.next();
        } else if is_chinese(c) {
            return NumberForm::Words;
        } else if c.is_numeric() {
            digits = true;
        }
        before = Some(c);
    }
    if word.take_number() {
        NumberForm::Words
    } else if digits {
        NumberForm::Digits
    } else {
        NumberForm::Never
    }
}

fn is_chinese(c: char) -> bool {
    // 〇 is a letter number, which `is_numeric` knows.
    !c.is_ascii() && (CHINESE.contains(c) || matches!(c, '一' | '二' | '〇'))
}

/// A run of ASCII letters, as far as it can be one of [`ENGLISH`].
#[derive(Default)]
struct Word {
    letters: [u8; LONGEST_WORD],
    length: usize,
}

impl Word {
    /// Adds a character if it is a letter, and returns whether it is.
    fn push(&mut self, c: char) -> bool {
        if !c.is_ascii_alphabetic() {
            return false;
        }
        if let (Some(slot), Ok(byte)) = (self.letters.get_mut(self.length), u8::try_from(c)) {
            *slot = byte.to_ascii_lowercase();
        }
        self.length += 1;
        true
    }

    /// Ends the run, and returns whether it is a word for a number.
    fn take_number(&mut self) -> bool {
        let length = std::mem::take(&mut self.length);
        let Some(word) = self.letters.get(..length) else {
            return false;
        };
        // Shorter runs are the common case.
        length >= 3
            && ENGLISH
                .binary_search_by(|known| known.as_bytes().cmp(word))
                .is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<String> {
        let show = |numeral: &Numeral| {
            let Decimal {
                digits, exponent, ..
            } = &numeral.magnitude;
            let sign = match numeral.sign {
                Sign::Minus => "-",
                Sign::Unsure => "±",
                Sign::None => "",
            };
            format!("{sign}{digits}e{exponent}")
        };
        read(text).iter().map(show).collect()
    }

    #[test]
    fn the_words_are_sorted_and_fit() {
        assert!(ENGLISH.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(
            ENGLISH.iter().map(|word| word.len()).max(),
            Some(LONGEST_WORD)
        );
    }

    #[test]
    fn numerals_are_read() {
        for (text, expected) in [
            ("1,234.50", &["12345e-1"][..]),
            ("１，２３４．５", &["12345e-1"]),
            ("12,34,567", &["1234567e0"]),
            ("1,2,3", &["1e0", "2e0", "3e0"]),
            ("买3，200元", &["3e0", "2e2"]),
            ("5,100件", &["51e2"]),
            ("2026.12.05", &["2026e0", "12e0", "5e0"]),
            ("1.2.3.4", &["1e0", "2e0", "3e0", "4e0"]),
            ("3-5", &["3e0", "5e0"]),
            ("-5", &["-5e0"]),
            ("－５", &["-5e0"]),
            ("\u{2212}5", &["-5e0"]),
            ("订单-5", &["±5e0"]),
            ("A-5", &["5e0"]),
            ("+86", &["86e0"]),
            ("15%", &["15e0"]),
            (".5", &["5e-1"]),
            (" .5", &["5e-1"]),
            ("a.5", &["5e0"]),
            ("5.", &["5e0"]),
            ("000123", &["123e0"]),
            ("0", &["e0"]),
            ("1.5,2.5", &["15e-1", "25e-1"]),
            ("USD100", &["1e2"]),
            ("0,123", &["e0", "123e0"]),
            ("1,23", &["1e0", "23e0"]),
            ("none", &[]),
        ] {
            assert_eq!(values(text), expected, "{text}");
        }
    }

    #[test]
    fn a_numeral_that_is_cut_says_nothing() {
        let says = |text: &str, quote: &str, value: &str| {
            let start = text.find(quote).unwrap();
            has_value(text, start, start + quote.len(), &Decimal::of_json(value))
        };
        assert!(says("about 1,234.50 in all", "1,234.50", "1234.5"));
        assert!(!says("about 1,234.50 in all", "1,234", "1234"));
        assert!(!says("about 1,234.50 in all", "234", "234"));
        assert!(says("1,2,3", "2", "2"));
        assert!(!says("-5", "5", "5"));
        assert!(says("-5", "-5", "-5"));
        assert!(says("订单-5", "5", "5"));
        assert!(says("3-5", "5", "5"));
        assert!(says("1e2", "1e2", "1"));
        assert!(says("5", "5", "5.0"));
        assert!(says("5", "5", "0.5e1"));
        assert!(!says(
            "9007199254740993",
            "9007199254740993",
            "9007199254740992"
        ));
    }

    #[test]
    fn texts_speak_of_numbers() {
        for (text, expected) in [
            ("order", NumberForm::Never),
            ("3 books", NumberForm::Digits),
            ("３本", NumberForm::Digits),
            ("٣ كتب", NumberForm::Digits),
            ("½", NumberForm::Digits),
            ("三本", NumberForm::Words),
            ("两三个", NumberForm::Words),
            ("一百二十", NumberForm::Words),
            ("1万2", NumberForm::Words),
            ("3.5亿", NumberForm::Words),
            ("半", NumberForm::Words),
            ("一小时", NumberForm::Words),
            ("查一下订单", NumberForm::Never),
            ("统一处理", NumberForm::Never),
            ("万一失败", NumberForm::Never),
            ("一万一", NumberForm::Words),
            ("twenty-one", NumberForm::Words),
            ("A Dozen", NumberForm::Words),
            ("three hundred and five", NumberForm::Words),
            ("2 million", NumberForm::Words),
            ("ｔｈｒｅｅ", NumberForm::Words),
            ("the third one", NumberForm::Words),
            ("often someone", NumberForm::Never),
            ("tennis", NumberForm::Never),
            ("thousandthsomething", NumberForm::Never),
            ("二〇二六", NumberForm::Words),
        ] {
            assert_eq!(number_form(text), expected, "{text}");
        }
    }
}

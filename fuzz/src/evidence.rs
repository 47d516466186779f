//! The rules of evidence, read again in plain words: `docs/evidence.md` without the first reading's
//! code. Slow and simple: every place is tried, every text is a list of characters.

use serde_json::Value;

/// A level of evidence.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Level {
    Exact,
    Bound,
    Any,
}

fn narrow(c: char) -> char {
    if ('\u{ff01}'..='\u{ff5e}').contains(&c) {
        char::from_u32(u32::from(c) - 0xfee0).unwrap()
    } else {
        c
    }
}

fn in_run(c: char) -> bool {
    let wide =
        ('０'..='９').contains(&c) || ('Ａ'..='Ｚ').contains(&c) || ('ａ'..='ｚ').contains(&c);
    wide || c.is_ascii_alphanumeric()
}

/// The places of a quote as whole words, by characters.
pub(crate) fn places(text: &str, quote: &str) -> Vec<usize> {
    let text: Vec<char> = text.chars().collect();
    let quote: Vec<char> = quote.chars().collect();
    if quote.is_empty() {
        return Vec::new();
    }
    (0..text.len())
        .filter(|&at| text[at..].starts_with(&quote))
        .filter(|&at| {
            let end = at + quote.len();
            let left = at > 0 && in_run(text[at - 1]) && in_run(text[at]);
            let right = end < text.len() && in_run(text[end - 1]) && in_run(text[end]);
            !left && !right
        })
        .collect()
}

/// Whether a quote may stand for anything.
pub(crate) fn says_something(quote: &str) -> bool {
    quote.chars().any(char::is_alphanumeric)
}

/// Whether a text speaks of a number, of the few words that the fuzzer writes.
fn speaks(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_ascii_alphabetic());
    text.chars().any(|c| c.is_numeric() || "三百万".contains(c))
        || words
            .into_iter()
            .any(|word| ["three", "dozen"].contains(&word))
}

/// The runs of digits of a text, each with whether only separators part it from the one before.
fn runs(text: &str) -> Vec<(String, bool)> {
    let mut runs: Vec<(String, bool)> = Vec::new();
    let mut open = false;
    let mut joined = false;
    for c in text.chars().map(narrow) {
        if c.is_ascii_digit() {
            if open {
                runs.last_mut().unwrap().0.push(c);
            } else {
                runs.push((c.to_string(), joined && !runs.is_empty()));
            }
            open = true;
            joined = true;
        } else {
            open = false;
            joined &= " -.,/()\u{a0}\u{3000}".contains(c);
        }
    }
    runs
}

/// Whether a text holds digits, which begin and end where its own runs do.
fn holds(text: &str, digits: &str) -> bool {
    let runs = runs(text);
    for first in 0..runs.len() {
        let mut joined = String::new();
        for (at, (run, linked)) in runs[first..].iter().enumerate() {
            if at > 0 && !linked {
                break;
            }
            joined.push_str(run);
            if joined == digits {
                return true;
            }
        }
        // The last four of a long run.
        let run = &runs[first].0;
        if digits.len() == 4 && run.len() >= 8 && run.ends_with(digits) {
            return true;
        }
    }
    false
}

/// Whether all long runs of a string stand in the quotes.
fn digits_stand(value: &str, quotes: &[&str]) -> bool {
    let runs = runs(value);
    let mut at = 0;
    while at < runs.len() {
        let mut end = at + 1;
        while end < runs.len() && runs[end].1 {
            end += 1;
        }
        let chain = &runs[at..end];
        let whole: String = chain.iter().map(|(run, _)| run.as_str()).collect();
        let long = chain.iter().any(|(run, _)| run.len() >= 4);
        let stands = |digits: &str| quotes.iter().any(|quote| holds(quote, digits));
        let each = || chain.iter().all(|(run, _)| run.len() < 4 || stands(run));
        if long && !stands(&whole) && !each() {
            return false;
        }
        at = end;
    }
    true
}

/// Whether some run of digits of a text is long enough for the rules.
pub(crate) fn has_long_run(text: &str) -> bool {
    runs(text).iter().any(|(run, _)| run.len() >= 4)
}

/// Whether a leaf passes: `Some(true)` to the letter, `Some(false)` in other words. Numbers of
/// `exact` are whole ones here.
pub(crate) fn binds(level: Level, value: &Value, quotes: &[&str]) -> Option<bool> {
    match value {
        Value::String(text) if quotes.contains(&text.as_str()) => Some(true),
        Value::String(text) => match level {
            Level::Exact => None,
            Level::Bound => digits_stand(text, quotes).then_some(false),
            Level::Any => Some(false),
        },
        Value::Number(number) if level == Level::Bound => {
            let plain = [0.0, 1.0, 2.0].contains(&number.as_f64().unwrap());
            (plain || quotes.iter().any(|quote| speaks(quote))).then_some(false)
        }
        _ if level == Level::Exact => None,
        _ => Some(false),
    }
}

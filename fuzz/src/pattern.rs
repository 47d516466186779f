//! Patterns against `regress`: pattern and text are parted by the first newline.

use std::time::{Duration, Instant};

use ecma_pattern::{Budget, Pattern};

pub fn run(data: &[u8]) {
    let Ok(both) = std::str::from_utf8(data) else {
        return;
    };
    let (source, text) = both.split_once('\n').unwrap_or((both, ""));
    let found = Pattern::new(source);
    let other = regress::Regex::with_flags(source, "u");
    let pattern = match (found, &other) {
        (Ok(pattern), _) => pattern,
        (Err(why), Ok(_)) => {
            assert!(
                why.starts_with("cannot be kept: ") || refused_by_the_standard_alone(source),
                "/{source}/u is refused, and is a pattern for regress: {why}"
            );
            return;
        }
        (Err(why), Err(_)) => {
            assert!(!why.is_empty());
            return;
        }
    };
    // No pattern holds up the check past its budget, whatever it is: the fuzzer's own timeout ends
    // one that does.
    let budget = Budget::until(Instant::now() + Duration::from_millis(5));
    let matches = pattern.is_match(text, &budget);
    let Ok(matches) = matches else { return };
    assert_eq!(
        pattern.is_match(text, &Budget::unlimited()),
        Ok(matches),
        "not the same twice"
    );
    // The other engine has no budget, so it is asked only what it answers soon: groups that repeat
    // what repeats keep it for ever.
    let groups = source.as_bytes().windows(2);
    let groups = groups.filter(|w| w[0] == b')' && b"*+{".contains(&w[1]));
    if let Ok(other) = other
        && source.len() <= 24
        && text.len() <= 16
        && source.matches(['*', '+', '{']).count() <= 3
        && groups.count() <= 1
        // It compiles an optional lone surrogate to nothing that matches: /\udaaa?/u fails on "".
        && !source.to_ascii_lowercase().contains("\\ud")
        && !source
            .as_bytes()
            .windows(3)
            .any(|w| w.iter().all(u8::is_ascii_digit))
    {
        assert_eq!(
            matches,
            other.find(text).is_some(),
            "/{source}/u on {text:?}"
        );
    }
}

/// Returns true where `regress` takes what ECMA-262 (22.2.1) refuses under `u`:
///
/// - a quantifier after `\b` or `\B`, which are assertions;
/// - a sign among the digits of `\u` (it reads them with `from_str_radix`);
/// - a broken `\u` after a lead surrogate (it skips it).
fn refused_by_the_standard_alone(source: &str) -> bool {
    let mut in_class = false;
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '[' => in_class = true,
            ']' => in_class = false,
            '\\' => {
                let Some(escaped) = rest.chars().next() else {
                    return false;
                };
                rest = &rest[escaped.len_utf8()..];
                let lenient = match escaped {
                    'b' | 'B' => !in_class && rest.starts_with(['*', '+', '?', '{']),
                    'u' => {
                        let lead = hex(rest).is_some_and(|code| (0xd800..0xdc00).contains(&code));
                        let next = rest.get(4..).and_then(|rest| rest.strip_prefix("\\u"));
                        rest.starts_with('+')
                            || rest.starts_with("{+")
                            || (lead && next.is_some_and(|next| hex(next).is_none()))
                    }
                    _ => false,
                };
                if lenient {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

/// The code of four hexadecimal digits.
fn hex(text: &str) -> Option<u32> {
    let digits = text.get(..4)?;
    let digits = digits
        .bytes()
        .all(|b| b.is_ascii_hexdigit())
        .then_some(digits)?;
    u32::from_str_radix(digits, 16).ok()
}

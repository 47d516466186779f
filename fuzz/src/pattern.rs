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
        (Err(why), _) => {
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

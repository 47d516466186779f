use std::time::{Duration, Instant};

use serde::Deserialize;

use crate::*;

/// The result of RegExp: the pattern, and a verdict for each text, or `None` if RegExp refused it.
type Case = (String, Option<Vec<(String, u8)>>);

#[derive(Deserialize)]
struct Data {
    table: Vec<Case>,
    properties: Vec<(String, u64, u32)>,
    random: Vec<Case>,
}

fn data() -> Data {
    serde_json::from_str(include_str!("../tests/data/patterns.json")).unwrap()
}

fn soon(milliseconds: u64) -> Budget {
    Budget::until(Instant::now() + Duration::from_millis(milliseconds))
}

/// Returns the verdicts that differ from RegExp's, and apart from them the patterns that "cannot be
/// kept".
fn differences(cases: &[Case]) -> (Vec<String>, Vec<String>) {
    let (mut wrong, mut not_kept) = (Vec::new(), Vec::new());
    for (source, expected) in cases {
        let pattern = Pattern::new(source);
        if Pattern::is_valid(source, &Budget::unlimited()) != Ok(pattern.is_ok()) {
            wrong.push(format!("{source}: is_valid says another thing"));
        }
        match (pattern, expected) {
            (Err(reason), None) if reason.starts_with("cannot be kept: ") => {
                wrong.push(format!("{source}: no pattern, but {reason}"));
            }
            (Err(_), None) => {}
            (Ok(_), None) => wrong.push(format!("{source}: accepted")),
            (Err(reason), Some(_)) if reason.starts_with("cannot be kept: ") => {
                not_kept.push(format!("{source}: {reason}"));
            }
            (Err(reason), Some(_)) => wrong.push(format!("{source}: refused, {reason}")),
            (Ok(pattern), Some(texts)) => {
                for (text, expected) in texts {
                    // Memory must not change a verdict, so here it also begins at once.
                    for steps in [machine::STEPS_BEFORE_MEMORY, 1] {
                        let program = &pattern.0.program;
                        let verdict = machine::is_match(program, text, &soon(20_000), steps);
                        if verdict != Ok(*expected == 1) {
                            wrong.push(format!("{source} on {text:?} ({steps}): {verdict:?}"));
                        }
                    }
                }
            }
        }
    }
    (wrong, not_kept)
}

fn check(cases: &[Case]) {
    let (wrong, not_kept) = differences(cases);
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(not_kept.is_empty(), "not kept:\n{}", not_kept.join("\n"));
}

/// `PATTERN_SAMPLE` may name a larger sample that `patterns.gen.mjs --random` made.
#[test]
fn verdicts_are_those_of_reg_exp() {
    let data = data();
    assert!(data.table.len() > 700 && data.random.len() >= 2000);
    check(&data.table);
    check(&data.random);
    if let Some(path) = std::env::var_os("PATTERN_SAMPLE") {
        let sample: Data = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        check(&sample.random);
    }
}

#[test]
fn patterns_cross_threads() {
    fn crosses<T: Clone + Send + Sync + 'static>() {}
    crosses::<Pattern>();
}

#[test]
fn properties_hold_the_code_points_that_they_hold_in_javascript() {
    let sums = data().properties;
    assert!(sums.len() > 700, "{}", sums.len());
    let mut not_kept = Vec::new();
    for (name, members, sum) in sums {
        let class = match property::class(&name, false, false) {
            Ok(class) => class,
            Err(allowance::Refused::Exhausted) => panic!("a budget without bound ended"),
            Err(allowance::Refused::For(reason)) => {
                not_kept.push(reason);
                continue;
            }
        };
        let codes = class
            .iter()
            .flat_map(|range| range.start()..=range.end())
            .map(u32::from);
        let (mut count, mut total) = (0u64, 0u32);
        for code in codes {
            count += 1;
            total = total.wrapping_mul(31).wrapping_add(code);
        }
        assert_eq!((count, total), (members, sum), "{name}");
    }
    assert_eq!(
        not_kept,
        ["cannot be kept: \\p{Changes_When_NFKC_Casefolded} is not in the Unicode tables at hand";
            2]
    );
}

#[test]
fn reasons_name_what_is_wrong() {
    for (source, reason) in [
        ("\\-", "invalid escape \"\\-\""),
        ("[\\w-.]", "a range \"-\" beside a class"),
        ("\\p{Greek}", "no property \"Greek\" in ECMAScript"),
        (
            "\\p{CWKCF}",
            "cannot be kept: \\p{Changes_When_NFKC_Casefolded}",
        ),
        ("(?<a>x)(?<a>y)", "duplicate group name \"a\""),
        ("\\k<b>(?<a>x)", "a group \"b\" that does not exist"),
        ("(a)\\2", "\\2 refers to a group that does not exist"),
        ("a{2,1}", "numbers out of order"),
        ("a{,1}", "incomplete quantifier at \"{,1}\""),
        ("(?P<n>a)", "invalid group"),
        ("[b-a]", "range out of order"),
        ("(?<a\u{7}>x)", "invalid group name \"a\\u0007\""),
    ] {
        let found = Pattern::new(source).unwrap_err();
        assert!(found.contains(reason), "{source}: {found}");
    }
}

#[test]
fn nesting_is_bounded() {
    for opening in ["(", "(?:", "(?=", "(?<!", "(?i:", "(?:a|("] {
        let deep = |depth: usize| {
            let closing = ")".repeat(depth * opening.matches('(').count());
            Pattern::new(&format!("{}a{closing}", opening.repeat(depth)))
        };
        assert!(deep(100).is_ok(), "{opening}");
        assert!(
            deep(250 / opening.matches('(').count()).is_ok(),
            "{opening}"
        );
        for depth in [251, 10_000, 100_000] {
            let reason = deep(depth).unwrap_err();
            assert!(
                reason.starts_with("cannot be kept: groups nest"),
                "{reason}"
            );
        }
    }
    for (source, words) in [
        ("(".repeat(100_000), "groups nest"),
        (
            format!("{}a{}", "(?:".repeat(240), "{2})*".repeat(240)),
            "nothing to repeat before \"{\"",
        ),
    ] {
        let reason = Pattern::new(&source).unwrap_err();
        assert!(reason.contains(words), "{reason}");
    }
    let quantified = format!("{}a{}", "(?:".repeat(240), ")*".repeat(240));
    let pattern = Pattern::new(&quantified).unwrap();
    assert_eq!(pattern.is_match("aaa", &soon(20_000)), Ok(true));
}

/// V8 13.6 differs from the standard here.
#[test]
fn modifiers_hold_in_alternatives_and_for_characters_that_fold_to_ascii() {
    for (source, text) in [("^(?i:ab|cd){2}$", "aBCd"), ("^(?i:\\u017f\\u212a)$", "sk")] {
        let pattern = Pattern::new(source).unwrap();
        assert_eq!(pattern.is_match(text, &soon(20_000)), Ok(true), "{source}");
    }
}

/// Neither time nor memory follows from a count.
#[test]
fn counts_of_any_size_are_kept() {
    for source in [
        "(?:a{1000}){1000}",
        "x{0,4294967295}",
        "(?:(?:(?:ab){99999}){99999}){99999}",
        "(?:(?:a|b){2,99999999999}c?){3,}",
        &format!("{}a{}", "(?:".repeat(200), "){9}".repeat(200)),
        &"(?:ab){60}".repeat(3000),
    ] {
        // So many steps for each byte of the pattern, whatever it counts to.
        let budget = Budget::of_ticks(128 * source.len().max(256) as u64);
        let pattern = Pattern::within(source, &Allowance::new(&budget));
        let pattern = pattern.unwrap().unwrap();
        assert!(pattern.0.program.insts.len() < 32_768, "{source}");
    }
    let exact = Pattern::new("^(?:a{1000}){100}$").unwrap();
    let text = "a".repeat(100_000);
    assert_eq!(exact.is_match(&text, &soon(5000)), Ok(true));
    assert_eq!(exact.is_match(&text[1..], &soon(5000)), Ok(false));
}

#[test]
fn classes_are_bounded() {
    let source: String = (0x4e00..0x4e00 + 5000)
        .filter_map(char::from_u32)
        .map(|c| format!("[\\p{{L}}\\p{{N}}😀{c}]"))
        .collect();
    // All of these are one class; those below differ.
    assert!(Pattern::new(&source).is_ok());
    let source: String = (0x2500..0x2500 + 5000)
        .filter_map(char::from_u32)
        .map(|c| format!("[\\p{{L}}\\p{{N}}{c}]"))
        .collect();
    let reason = Pattern::new(&source).unwrap_err();
    assert!(reason.contains("too large together"), "{reason}");
}

/// Failures hold for one count, and for one answer to whether the iteration has consumed.
#[test]
fn memory_keeps_apart_what_differs() {
    let many = "a".repeat(150);
    for (source, text, expected) in [
        ("^(?:a|aa){100}$", many.as_str(), true),
        ("^(?:a|aa){70}$", &many, false),
        ("^(?:(?:a|aa){9,80}b?){2,9}$", &many, true),
        ("^(?:(?=(?:b?(?:c|))*!)b)*!$", "bbb!", true),
        ("^(?:(?=(?:(?:b?(?:c|))*d?)*!)b)*!$", "bbb!", true),
        ("^(?:b(?<=^(?:(?:c|)b?)*))*!$", "bbb!", true),
        ("^(?:(?!(?:b?(?:c|))*!)b)*!$", "bbb!", false),
    ] {
        let pattern = Pattern::new(source).unwrap();
        let verdict = machine::is_match(&pattern.0.program, text, &soon(20_000), 1);
        assert_eq!(verdict, Ok(expected), "{source}");
    }
}

/// The work of these is bounded by pattern times text, where V8 would run for ages.
#[test]
fn plain_patterns_take_linear_time() {
    let many = "a".repeat(8_000);
    let bang = format!("{many}!");
    let words = format!("{}!", "word ".repeat(80));
    let digits = format!("{}x", "12".repeat(4_000));
    for (source, text, expected) in [
        ("^(?:a+)+$", &bang, false),
        ("(a*)*b", &bang, false),
        ("(?:a|a|aa)*b", &bang, false),
        ("^(?=.*!)(?:a|ab|aa)*c", &bang, false),
        ("^(?!.*--)(?:[a-z0-9]+-?)+$", &bang, false),
        ("(?:(?:a?)*)*b", &bang, false),
        ("^(?:(?:a|aa)+){2,5}$", &bang, false),
        ("a*a*a*a*b", &bang, false),
        ("^(?:\\w+\\s?){1,100}$", &words, false),
        ("^(?:a?){300}$", &many, false),
        ("(?<=^(?:a|aa)+)!", &bang, true),
        ("(?=(?:a|aa)+!)b", &bang, false),
        ("(?:(?=[^]*!)a)*b", &bang, false),
        ("(?:(?!a*b)a)*b", &bang, false),
        ("(?:(?![^]*!)a)*b", &bang, false),
        ("(?<!x.*)b|(?<=a+?)(?<!a*)a|c", &bang, false),
        ("^(\\d+)+$", &digits, false),
        ("(?:\\d*)*?$", &digits, true),
        ("x*y", &many, false),
    ] {
        let pattern = Pattern::new(source).unwrap();
        // So many steps for each instruction and byte: a text of 8,000 would take thousands of
        // them if each byte were looked at from each other one.
        let steps = if source.contains('{') { 128 } else { 8 };
        let steps = steps * pattern.0.program.insts.len() * text.len();
        let budget = Budget::of_ticks(steps as u64);
        assert_eq!(pattern.is_match(text, &budget), Ok(expected), "{source}");
    }
}

#[test]
fn the_budget_ends_the_others() {
    let many = format!("{}!", "a".repeat(5000));
    let pairs = format!("{}!", "ab".repeat(2500));
    let long = format!("{}!", "a".repeat(262_144));
    for (source, text) in [
        ("^(?:(a+)+)\\1$", &many),
        ("^(a|b|ab)*\\1c", &pairs),
        ("(?=(a)?)(?:a|b|ab)*\\1c", &pairs),
        ("(?=(a+))(?:a|\\1)*c", &many),
        ("^(?:(?:(?:a|aa){1,400}){1,400}){1,400}$", &many),
        ("(?:a{0,200000}){1,9}b", &long),
        ("(?:){4294967295}", &many),
        ("(a*)(a*)(a*)\\3b", &long),
        ("(?:()|a){4294967295}\\1", &long),
    ] {
        let pattern = Pattern::new(source).unwrap();
        let begin = Instant::now();
        let verdict = pattern.is_match(text, &soon(200));
        let spent = begin.elapsed();
        // The empty iterations of one are decided at once.
        let expected = if source == "(?:){4294967295}" {
            Ok(true)
        } else {
            Err(Exhausted)
        };
        assert_eq!(verdict, expected, "{source}");
        assert!(spent < Duration::from_secs(2), "{source}: {spent:?}");
    }
}

#[test]
fn long_texts_are_read_to_their_end() {
    let text = "ab中😀".repeat(40_000);
    for (source, expected) in [
        ("^(?:ab中😀)*$", true),
        ("^[^]*$", true),
        ("^(?:(a)b|(中)|[^a中])*\\1$", true),
        ("^(?:(a)b|(中)|[^a中])*\\1x$", false),
        ("(?<=^(?:😀|中|b|a)+)$", true),
        ("^(?=[^]*😀$)(?!.*c).{160000}$", true),
        ("^.{160001,}$", false),
    ] {
        let pattern = Pattern::new(source).unwrap();
        assert_eq!(
            pattern.is_match(&text, &soon(20_000)),
            Ok(expected),
            "{source}"
        );
    }
}

/// Reading and compiling end with the budget, whatever the pattern is made of.
#[test]
fn the_budget_ends_reading_and_compiling() {
    let many = |piece: &str, times: usize| piece.repeat(times);
    let named: String = (0..4000).map(|i| format!("(?<n{i}>a)|")).collect();
    let letters: String = (0x4e00..0x4e00 + 1000)
        .filter_map(char::from_u32)
        .map(|c| format!("[^\\P{{L}}{c}]"))
        .collect();
    let nested = many(&format!("{}{}", many("(?:a?", 240), many(")*", 240)), 20);
    let counted = many(&format!("{}a{}", many("(", 240), many("){2,3}", 240)), 20);
    for source in [
        many("a", 40_000),
        many("a?b*?", 20_000),
        format!("(?i:{})", many("\\p{L}", 2000)),
        format!("(?i:{letters})"),
        format!("[{}]", many("\\p{L}\\P{Lu}", 2000)),
        named,
        nested,
        counted,
        format!("{}{}", many("(?<n>a)|", 4000), many("\\k<n>", 4000)),
    ] {
        let few = Budget::of_ticks(10_000);
        let outcome = Pattern::within(&source, &Allowance::new(&few)).map(|_| ());
        assert_eq!(outcome, Err(Exhausted), "{}", &source[..20]);
        let ended = Budget::until(Instant::now());
        assert_eq!(Pattern::is_valid(&source, &ended), Err(Exhausted));
    }
}

/// A class that a pattern names repeatedly is stored once.
#[test]
fn classes_are_shared() {
    let classes = |source: &str| Pattern::new(source).unwrap().0.program.classes.len();
    assert_eq!(classes(&"\\p{L}\\p{Lu}".repeat(100)), 2);
    assert_eq!(classes(&format!("(?i:{})", "\\p{L}".repeat(100))), 1);
    assert_eq!(classes(&"[\\p{L}\\]a-c]".repeat(100)), 1);
    assert_eq!(classes(&"a*b*".repeat(100)), 2);
    // The one of a text that is the same where case is ignored is another.
    assert_eq!(classes("[a-c](?i:[a-c])[a-c]"), 2);
    for (source, text, expected) in [
        ("^[\\]a]+$", "]a", true),
        ("^[\\\\]$", "\\", true),
        ("^(?i:\\P{Lu})$", "A", true),
        ("^(?i:\\p{Lu})$", "a", true),
        ("^\\P{Lu}$", "A", false),
        ("^[a](?i:[a])[a]$", "aAa", true),
        ("^[a](?i:[a])[a]$", "aAA", false),
    ] {
        let pattern = Pattern::new(source).unwrap();
        assert_eq!(
            pattern.is_match(text, &Budget::unlimited()),
            Ok(expected),
            "{source}"
        );
    }
}

/// A list of groups that share a name is there once, and one look at it is many steps.
#[test]
fn references_to_many_groups_are_bounded() {
    let source = format!("^(?:{})+{}", "(?<n>a)|".repeat(3000), "\\k<n>".repeat(3000));
    let pattern = Pattern::new(&source).unwrap();
    assert_eq!(pattern.0.program.meant.len(), 1);
    let few = Budget::of_ticks(50_000);
    assert_eq!(pattern.is_match(&"b".repeat(100), &few), Err(Exhausted));
}

//! The public JSON parsing suite, each file as the value of one key. The files are read from
//! `../shared`; where that is absent the test says so and passes.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use intent_runtime::json::{MAX_DEPTH, ReadError, ReadLimits, read};

/// Files that must be read by the suite, and are refused on purpose (docs/candidates.md).
const REFUSED: &[(&str, &str)] = &[
    ("y_object_duplicated_key.json", "duplicate key"),
    ("y_object_duplicated_key_and_value.json", "duplicate key"),
    ("y_number_real_capital_e.json", "outside ±(2^53 - 1)"),
    ("y_number_real_exponent.json", "outside ±(2^53 - 1)"),
    (
        "y_number_real_fraction_exponent.json",
        "outside ±(2^53 - 1)",
    ),
    ("y_object_extreme_numbers.json", "outside ±(2^53 - 1)"),
    ("y_number.json", "outside ±(2^53 - 1)"),
];

#[test]
fn every_file() {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/suites/json-parsing/test_parsing");
    let Ok(files) = fs::read_dir(&folder) else {
        eprintln!("skipped: no suite at {}", folder.display());
        return;
    };
    let limits = ReadLimits {
        depth: MAX_DEPTH,
        nodes: 20_000,
    };
    let (mut yes, mut no, mut either) = (0, 0, 0);
    for file in files {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let mut bytes = b"{\"v\":".to_vec();
        bytes.extend(fs::read(&path).unwrap());
        bytes.push(b'}');
        let start = Instant::now();
        // A text that is no UTF-8 is no text: a caller cannot even pass it on.
        let outcome = match std::str::from_utf8(&bytes) {
            Ok(text) => read(text, limits).map(drop),
            Err(_) => Err(ReadError::Faults(vec!["no UTF-8".into()])),
        };
        assert!(
            start.elapsed() < Duration::from_secs(1),
            "{name} took {:?}",
            start.elapsed()
        );
        match (&name[..2], outcome) {
            ("y_", Ok(())) => {
                let refused = REFUSED.iter().any(|(file, _)| *file == name);
                assert!(!refused, "{name} is listed as refused, and was read");
                yes += 1;
            }
            ("y_", Err(error)) => {
                let why = REFUSED
                    .iter()
                    .find(|(file, _)| *file == name)
                    .map(|(_, why)| *why);
                let told = format!("{error:?}");
                assert!(why.is_some_and(|why| told.contains(why)), "{name}: {told}");
                eprintln!("refused on purpose: {name}: {told}");
            }
            ("n_", outcome) => {
                assert!(outcome.is_err(), "{name} was read");
                no += 1;
            }
            _ => either += 1,
        }
    }
    eprintln!("{yes} files read, {no} refused, {either} either way");
    assert!(
        yes > 80 && no > 180 && either > 30,
        "the suite has shrunk: {yes}, {no}, {either}"
    );
}

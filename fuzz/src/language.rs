//! Language tags: a canonical form is a fixed point, and casing never matters.

use intent_runtime::language::canonical;

pub fn run(data: &[u8]) {
    let Ok(tag) = std::str::from_utf8(data) else {
        return;
    };
    match canonical(tag) {
        Ok(form) => {
            assert!(tag.is_ascii() && !tag.contains('_'), "{tag}");
            assert_eq!(canonical(&form).as_ref(), Ok(&form), "{tag}");
            assert_eq!(
                canonical(&tag.to_ascii_uppercase()).as_ref(),
                Ok(&form),
                "{tag}"
            );
            assert_eq!(
                canonical(&tag.to_ascii_lowercase()).as_ref(),
                Ok(&form),
                "{tag}"
            );
            assert!(
                form.split('-').all(|subtag| (1..=8).contains(&subtag.len())
                    && subtag.bytes().all(|b| b.is_ascii_alphanumeric())),
                "{tag}: {form}"
            );
        }
        Err(why) => {
            assert!(!why.is_empty() && why.len() < 1000, "{tag}: {why}");
            assert!(!why.contains(char::is_control), "{tag}: {why}");
            assert!(canonical(&tag.to_ascii_uppercase()).is_err(), "{tag}");
        }
    }
}

//! Language tags: BCP 47 (RFC 5646) against the IANA Language Subtag Registry.
//!
//! [`canonical`] accepts the tag of a language that text can be written in, checks every subtag
//! and gives the canonical form of RFC 5646, section 4.5:
//!
//! | given | canonical | rule |
//! |---|---|---|
//! | `EN-us` | `en-US` | the casing of section 2.1.1 |
//! | `iw`, `de-DD`, `ja-Latn-hepburn-heploc` | `he`, `de-DE`, `ja-Latn-alalc97` | preferred values |
//! | `i-klingon`, `sgn-BR` | `tlh`, `bzs` | grandfathered and redundant tags |
//! | `zh-cmn-Hans-CN` | `cmn-Hans-CN` | an extended language stands alone |
//! | `en-u-nu-latn-ca-gregory-t-fr` | `en-t-fr-u-ca-gregory-nu-latn` | order within extensions |
//!
//! The choices that the RFC leaves open:
//!
//! - A tag must name a language. `und`, `mul`, `zxx`, `mis` and `i-default` name none, and only
//!   the parties to an agreement know what `qaa`..`qtz` or `x-…` mean: refused. Private
//!   scripts and regions (`Qaaa`..`Qabx`; `AA`, `QM`..`QZ`, `XA`..`XZ`, `ZZ`) and a suffix
//!   `-x-…` leave the language known: accepted, `sr-XK` is in wide use.
//! - Deprecated subtags without a preferred value stay as they are, and so do the grandfathered
//!   tags without one (`zh-min`, `cel-gaulish`, `i-enochian`, `i-mingo`).
//! - An extended language needs the language of its prefix (section 2.2.2), a variant does not
//!   (its prefixes are advice, section 3.1.8).
//! - Of extensions only `t` (RFC 6497) and `u` (RFC 6067, keys as in UTS #35) exist in IANA's
//!   registry. Their syntax is checked, and the language within `t` like any other, except that
//!   `und` has a meaning there. Keys and types are CLDR's and are not looked up. A repeated
//!   attribute or key has no meaning after its first occurrence: refused, as repeated variants
//!   and singletons are.

use std::sync::LazyLock;

/// The registry, sorted, in blocks; its `File-Date` is in its first line.
const REGISTRY: &str = include_str!("../data/language-subtags.txt");

/// The blocks of the registry by name.
static BLOCKS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let blocks = REGISTRY.split("\n\n[").skip(1);
    blocks.filter_map(|block| block.split_once("]\n")).collect()
});

/// The canonical form of a tag.
///
/// # Errors
///
/// The fault of the tag, naming the subtag at fault: a clause that can follow the tag.
pub fn canonical(tag: &str) -> Result<String, String> {
    if let Some(whole) = whole_tag(&tag.to_ascii_lowercase()) {
        return match whole {
            "i-default" => Err(names_no_language(whole)),
            whole => Ok(whole.to_owned()),
        };
    }
    let subtags = split(tag)?;
    let mut rest = subtags.as_slice();
    let mut out = language(&mut rest, Position::Tag)?;
    extensions(rest, &mut out)?;
    Ok(out.join("-"))
}

/// The subtags of a tag in lower case.
fn split(tag: &str) -> Result<Vec<String>, String> {
    tag.split('-')
        .map(|subtag| {
            if subtag.is_empty() {
                return Err("has an empty subtag".to_owned());
            }
            if !subtag.bytes().all(|b| b.is_ascii_alphanumeric()) {
                return Err(format!(
                    "subtag {} holds more than ASCII letters and digits (subtags are joined with \"-\", as in \"en-US\")",
                    crate::text::quoted(subtag)
                ));
            }
            if subtag.len() > 8 {
                return Err(format!(
                    "subtag {} is longer than 8 characters",
                    crate::text::quoted(subtag)
                ));
            }
            Ok(subtag.to_ascii_lowercase())
        })
        .collect()
}

/// The position of a language in a tag.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    /// At the head of the tag.
    Tag,
    /// In a `t` extension, as the language that content was transformed from.
    Source,
}

/// Takes language, extended language, script, region and variants off the front of `rest`, and
/// gives their canonical form.
fn language(rest: &mut &[String], place: Position) -> Result<Vec<String>, String> {
    let given = *rest;
    let mut language = primary_language(rest, place)?;
    if let Some(extlang) = next_if(rest, |s| s.len() == 3 && is_alpha(s)) {
        let Some(prefix) = find_pair("extlang", extlang) else {
            return Err(unregistered(extlang, "extended language"));
        };
        if prefix != given[0] {
            return Err(format!(
                "extended language \"{extlang}\" can only follow \"{prefix}\""
            ));
        }
        language = extlang;
    }
    let mut out = vec![preferred("preferred-language", language).to_owned()];
    if let Some(script) = next_if(rest, |s| s.len() == 4 && is_alpha(s)) {
        if !in_block("script", script) {
            return Err(unregistered(script, "script"));
        }
        out.push(title_case(script));
    }
    if let Some(region) = next_if(rest, is_region_form) {
        if !in_block(&format!("region{}", region.len()), region) {
            return Err(unregistered(region, "region"));
        }
        out.push(preferred("preferred-region", region).to_ascii_uppercase());
    }
    variants(rest, &mut out)?;

    // A redundant tag with a preferred value counts as a whole: sgn-BR is bzs, and sgn-DD, which
    // is sgn-DE by then, is gsg.
    let taken = given.len() - rest.len();
    let whole = whole_tag(&given[..taken].join("-"))
        .or_else(|| whole_tag(&out.join("-").to_ascii_lowercase()));
    if let Some(whole) = whole {
        out = whole.split('-').map(str::to_owned).collect();
    }
    Ok(out)
}

fn primary_language<'a>(rest: &mut &'a [String], place: Position) -> Result<&'a str, String> {
    let Some(language) = next_if(rest, |_| true) else {
        return Err("has no language".to_owned());
    };
    if language == "x" {
        return Err("is for private use only and names no language".to_owned());
    }
    if has_word("special", language) {
        return match (place, language) {
            (Position::Source, "und") => Ok(language),
            _ => Err(names_no_language(language)),
        };
    }
    if language.len() == 3 && ("qaa"..="qtz").contains(&language) {
        return Err(format!(
            "language \"{language}\" is for private use and names no known language"
        ));
    }
    // Four letters are reserved, and no longer language was ever registered.
    let length = language.len();
    let registered = matches!(length, 2 | 3) && in_block(&format!("language{length}"), language);
    registered
        .then_some(language)
        .ok_or_else(|| unregistered(language, "language"))
}

fn variants(rest: &mut &[String], out: &mut Vec<String>) -> Result<(), String> {
    let mut seen: Vec<&str> = Vec::new();
    let first = out.len();
    while let Some(variant) = next_if(rest, is_variant_form) {
        if !has_word("variant", variant) {
            return Err(unregistered(variant, "variant"));
        }
        if seen.contains(&variant) {
            return Err(format!("variant \"{variant}\" is repeated"));
        }
        seen.push(variant);
        let mut names = find_pair("preferred-variant", variant)
            .unwrap_or(variant)
            .split(' ');
        let name = names.next().unwrap_or(variant);
        // The preferred value stands for the variants of the prefix as well.
        let stood_for: Vec<&str> = names.collect();
        let mut at = 0;
        out.retain(|kept| {
            at += 1;
            at <= first || !(stood_for.contains(&kept.as_str()) || kept == name)
        });
        out.push(name.to_owned());
    }
    Ok(())
}

/// Appends the part after the language: the extensions in the order of their singletons, then the
/// private suffix.
fn extensions(mut rest: &[String], out: &mut Vec<String>) -> Result<(), String> {
    let mut found: [Option<Vec<String>>; 2] = [None, None];
    while let Some((singleton, after)) = rest.split_first() {
        if singleton == "x" {
            if after.is_empty() {
                return Err("ends with \"x\" without a private subtag".to_owned());
            }
            break;
        }
        if singleton.len() > 1 {
            return Err(format!(
                "subtag \"{singleton}\" has no place here (a tag is one language, then at most one script and one region, then variants)"
            ));
        }
        let end = after
            .iter()
            .position(|s| s.len() == 1)
            .unwrap_or(after.len());
        let (body, remaining) = after.split_at(end);
        if body.is_empty() {
            return Err(format!("extension \"{singleton}\" is empty"));
        }
        let (slot, canonical) = match singleton.as_str() {
            "t" => (0, transformed_content(body)),
            "u" => (1, unicode_locale(body)),
            _ => {
                return Err(format!(
                    "extension \"{singleton}\" is not registered (only \"t\" and \"u\" are)"
                ));
            }
        };
        if found[slot].replace(canonical?).is_some() {
            return Err(format!("extension \"{singleton}\" is repeated"));
        }
        rest = remaining;
    }
    for (singleton, body) in ["t", "u"].into_iter().zip(found) {
        if let Some(body) = body {
            out.push(singleton.to_owned());
            out.extend(body);
        }
    }
    out.extend_from_slice(rest);
    Ok(())
}

/// RFC 6497: a source language, fields of a key (letter, digit) and values, or both. Canonical:
/// in lower case, fields by key.
fn transformed_content(body: &[String]) -> Result<Vec<String>, String> {
    let is_key = |s: &str| {
        let b = s.as_bytes();
        b.len() == 2 && b[0].is_ascii_alphabetic() && b[1].is_ascii_digit()
    };
    let mut rest = body;
    let mut out = Vec::new();
    if !is_key(&body[0]) {
        out = language(&mut rest, Position::Source)?;
        for subtag in &mut out {
            subtag.make_ascii_lowercase();
        }
    }
    let mut fields = keyed(rest, is_key, "t")?;
    if let Some(field) = fields.iter().find(|field| field.len() == 1) {
        return Err(format!(
            "key \"{}\" of extension \"t\" has no value",
            field[0]
        ));
    }
    fields.sort_unstable();
    out.extend(fields.concat());
    Ok(out)
}

/// RFC 6067: attributes, then keywords of a key (letter or digit, letter) and its type. Canonical:
/// attributes and keywords sorted, `true` left out as the type that a key has by default.
fn unicode_locale(body: &[String]) -> Result<Vec<String>, String> {
    let is_key = |s: &str| s.len() == 2 && s.as_bytes()[1].is_ascii_alphabetic();
    let attributes = body.iter().position(|s| s.len() < 3).unwrap_or(body.len());
    let (attributes, keywords) = body.split_at(attributes);
    let mut out = attributes.to_vec();
    out.sort_unstable();
    if let Some(twice) = out.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!(
            "attribute \"{}\" of extension \"u\" is repeated",
            twice[0]
        ));
    }
    let mut keywords = keyed(keywords, is_key, "u")?;
    keywords.sort_unstable();
    for keyword in keywords {
        match keyword {
            [key, only] if only == "true" => out.push(key.clone()),
            keyword => out.extend_from_slice(keyword),
        }
    }
    Ok(out)
}

/// Splits the rest of an extension into keys with their values.
fn keyed<'a>(
    mut rest: &'a [String],
    is_key: impl Fn(&str) -> bool,
    extension: &str,
) -> Result<Vec<&'a [String]>, String> {
    let mut groups: Vec<&[String]> = Vec::new();
    while let Some((key, values)) = rest.split_first() {
        if !is_key(key) {
            return Err(format!(
                "subtag \"{key}\" has no place in extension \"{extension}\""
            ));
        }
        let end = values
            .iter()
            .position(|s| s.len() < 3)
            .unwrap_or(values.len());
        groups.push(&rest[..=end]);
        rest = &values[end..];
    }
    let mut keys: Vec<&String> = groups.iter().map(|group| &group[0]).collect();
    keys.sort_unstable();
    if let Some(twice) = keys.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!(
            "key \"{}\" of extension \"{extension}\" is repeated",
            twice[0]
        ));
    }
    Ok(groups)
}

/// Countries and names that people write for a language, and its tag.
const MEANT: [(&str, &str); 12] = [
    ("cn", "zh-CN"),
    ("chinese", "zh-CN"),
    ("tw", "zh-TW"),
    ("hk", "zh-HK"),
    ("jp", "ja"),
    ("japanese", "ja"),
    ("korean", "ko"),
    ("english", "en"),
    ("german", "de"),
    ("french", "fr"),
    ("spanish", "es"),
    ("dk", "da"),
];

fn unregistered(subtag: &str, kind: &str) -> String {
    let meant = MEANT.iter().find(|(word, _)| *word == subtag);
    match meant {
        Some((_, tag)) if kind == "language" => {
            format!("\"{subtag}\" is not a registered language; did you mean \"{tag}\"?")
        }
        _ => format!("\"{subtag}\" is not a registered {kind}"),
    }
}

fn names_no_language(subtag: &str) -> String {
    format!("\"{subtag}\" names no language that text could be written in")
}

fn next_if<'a>(rest: &mut &'a [String], wanted: impl Fn(&str) -> bool) -> Option<&'a str> {
    let (first, after) = rest.split_first()?;
    wanted(first).then(|| {
        *rest = after;
        first.as_str()
    })
}

fn is_alpha(subtag: &str) -> bool {
    subtag.bytes().all(|b| b.is_ascii_alphabetic())
}

fn is_region_form(subtag: &str) -> bool {
    (subtag.len() == 2 && is_alpha(subtag))
        || (subtag.len() == 3 && subtag.bytes().all(|b| b.is_ascii_digit()))
}

fn is_variant_form(subtag: &str) -> bool {
    subtag.len() >= 5 || (subtag.len() == 4 && subtag.as_bytes()[0].is_ascii_digit())
}

fn title_case(subtag: &str) -> String {
    let mut out = subtag.to_owned();
    out[..1].make_ascii_uppercase();
    out
}

fn block(name: &str) -> &'static str {
    let found = BLOCKS.iter().find(|(known, _)| *known == name);
    found.map_or("", |(_, block)| block)
}

/// True if a subtag stands in a block whose entries are sorted, of one width, and one character
/// apart.
fn in_block(name: &str, subtag: &str) -> bool {
    let (entries, stride) = (block(name).as_bytes(), subtag.len() + 1);
    let (mut low, mut high) = (0, (entries.len() + 1) / stride);
    while low < high {
        let middle = low.midpoint(high);
        let at = middle * stride;
        match entries
            .get(at..at + subtag.len())
            .map(|entry| entry.cmp(subtag.as_bytes()))
        {
            Some(std::cmp::Ordering::Equal) => return true,
            Some(std::cmp::Ordering::Less) => low = middle + 1,
            _ => high = middle,
        }
    }
    false
}

/// Returns whether a short block contains a subtag of any width.
fn has_word(name: &str, subtag: &str) -> bool {
    block(name)
        .split_ascii_whitespace()
        .any(|word| word == subtag)
}

/// The text after a key in a block of lines.
fn find_pair(name: &str, key: &str) -> Option<&'static str> {
    let block = block(name);
    let line = format!("\n{key} ");
    let start = if block.starts_with(&line[1..]) {
        line.len() - 1
    } else {
        memchr::memmem::find(block.as_bytes(), line.as_bytes())? + line.len()
    };
    block[start..].lines().next()
}

/// The meaning of a grandfathered or redundant tag; each has more than one subtag.
fn whole_tag(tag: &str) -> Option<&'static str> {
    if tag.contains('-') {
        find_pair("tag", tag)
    } else {
        None
    }
}

fn preferred<'a>(block: &str, subtag: &'a str) -> &'a str {
    find_pair(block, subtag).unwrap_or(subtag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_forms() {
        for (given, expected) in [
            ("en", "en"),
            ("EN-us", "en-US"),
            ("zh-hant-tw", "zh-Hant-TW"),
            ("pt-br", "pt-BR"),
            ("iw", "he"),
            ("sgn-dd", "gsg"),
            ("sgn-DD-t-sgn-dd", "gsg-t-gsg"),
            ("iw-il", "he-IL"),
            ("in", "id"),
            ("bh", "bih"),
            ("de-dd", "de-DE"),
            ("my-BU", "my-MM"),
            // A language and a region may share letters without sharing a replacement.
            ("in-IN", "id-IN"),
            ("sr-xk", "sr-XK"),
            ("en-Latn-US", "en-Latn-US"),
            // Deprecated without a preferred value.
            ("sr-CS", "sr-CS"),
            ("sh", "sh"),
            // Grandfathered and redundant tags.
            ("i-klingon", "tlh"),
            ("I-LUX", "lb"),
            ("en-gb-oed", "en-GB-oxendict"),
            ("zh-min-nan", "nan"),
            ("art-lojban", "jbo"),
            ("sgn-be-fr", "sfb"),
            ("zh-min", "zh-min"),
            ("CEL-GAULISH", "cel-gaulish"),
            ("i-mingo", "i-mingo"),
            ("sgn-br", "bzs"),
            ("sgn-BR-x-Home", "bzs-x-home"),
            ("sgn-BR-u-ca-gregory", "bzs-u-ca-gregory"),
            // Extended languages, and the preferred value of what they become.
            ("zh-cmn", "cmn"),
            ("zh-cmn-hans-cn", "cmn-Hans-CN"),
            ("zh-gan", "gan"),
            ("ar-ajp", "apc"),
            ("sgn-ase-us", "ase-US"),
            // Variants.
            ("sl-rozaj-biske", "sl-rozaj-biske"),
            ("en-1606nict", "en-1606nict"),
            ("ja-Latn-heploc", "ja-Latn-alalc97"),
            ("ja-latn-HEPBURN-heploc", "ja-Latn-alalc97"),
            ("ja-Latn-alalc97-heploc", "ja-Latn-alalc97"),
            // A variant outside its prefixes is advised against, and valid.
            ("fr-rozaj", "fr-rozaj"),
            // Extensions.
            ("en-u-ca-gregory", "en-u-ca-gregory"),
            ("EN-U-NU-LATN-CA-GREGORY", "en-u-ca-gregory-nu-latn"),
            ("de-u-attr-co-phonebk", "de-u-attr-co-phonebk"),
            ("de-u-foo-bar", "de-u-bar-foo"),
            ("en-u-kn-true", "en-u-kn"),
            ("en-u-kn", "en-u-kn"),
            ("ar-u-ca-islamic-civil", "ar-u-ca-islamic-civil"),
            ("en-t-it", "en-t-it"),
            ("en-t-und-cyrl", "en-t-und-cyrl"),
            ("en-t-zh-Hant-TW", "en-t-zh-hant-tw"),
            ("en-t-iw-m0-ungegn-2007", "en-t-he-m0-ungegn-2007"),
            ("ja-t-it-x0-foo-k0-osx", "ja-t-it-k0-osx-x0-foo"),
            ("ja-t-m0-true", "ja-t-m0-true"),
            (
                "en-u-nu-latn-ca-gregory-t-fr",
                "en-t-fr-u-ca-gregory-nu-latn",
            ),
            (
                "en-t-de-u-ca-gregory-x-A-b-u",
                "en-t-de-u-ca-gregory-x-a-b-u",
            ),
            ("en-x-local", "en-x-local"),
            ("en-x-a-a-a", "en-x-a-a-a"),
        ] {
            assert_eq!(canonical(given).as_deref(), Ok(expected), "{given}");
            assert_eq!(canonical(expected).as_deref(), Ok(expected), "{expected}");
        }
    }

    #[test]
    fn rfc_5646_appendix_a() {
        for (given, expected) in [
            ("de", "de"),
            ("fr", "fr"),
            ("ja", "ja"),
            ("i-enochian", "i-enochian"),
            ("zh-Hant", "zh-Hant"),
            ("zh-Hans", "zh-Hans"),
            ("sr-Cyrl", "sr-Cyrl"),
            ("sr-Latn", "sr-Latn"),
            ("zh-cmn-Hans-CN", "cmn-Hans-CN"),
            ("cmn-Hans-CN", "cmn-Hans-CN"),
            ("zh-yue-HK", "yue-HK"),
            ("yue-HK", "yue-HK"),
            ("zh-Hans-CN", "zh-Hans-CN"),
            ("sr-Latn-RS", "sr-Latn-RS"),
            ("sl-rozaj", "sl-rozaj"),
            ("sl-rozaj-biske", "sl-rozaj-biske"),
            ("sl-nedis", "sl-nedis"),
            ("de-CH-1901", "de-CH-1901"),
            ("sl-IT-nedis", "sl-IT-nedis"),
            ("hy-Latn-IT-arevela", "hy-Latn-IT-arevela"),
            ("de-DE", "de-DE"),
            ("en-US", "en-US"),
            ("es-419", "es-419"),
            ("de-CH-x-phonebk", "de-CH-x-phonebk"),
            ("az-Arab-x-AZE-derbend", "az-Arab-x-aze-derbend"),
            ("de-Qaaa", "de-Qaaa"),
            ("sr-Latn-QM", "sr-Latn-QM"),
            ("sr-Qaaa-RS", "sr-Qaaa-RS"),
            ("en-US-u-islamcal", "en-US-u-islamcal"),
        ] {
            assert_eq!(canonical(given).as_deref(), Ok(expected), "{given}");
        }
        // Valid or well-formed there, refused here on purpose.
        for given in [
            "x-whatever",
            "qaa-Qaaa-QM-x-southern",
            "zh-CN-a-myext-x-private",
            "en-a-myext-b-another",
        ] {
            assert!(canonical(given).is_err(), "{given}");
        }
        // Invalid there.
        for given in ["de-419-DE", "a-DE", "ar-a-aaa-b-bbb-a-ccc"] {
            assert!(canonical(given).is_err(), "{given}");
        }
    }

    #[test]
    fn refusals_name_the_subtag() {
        for (given, named) in [
            ("", "empty subtag"),
            ("-", "empty subtag"),
            ("en-", "empty subtag"),
            ("en--US", "empty subtag"),
            (" en", "\" en\""),
            (" und", "\" und\""),
            ("en_US", "\"en_US\""),
            ("日本語", "\"日本語\""),
            ("en-\u{212a}", "\"\u{212a}\""),
            ("en-US\n", "\"US\\u000a\""),
            ("en-abcdefghi", "\"abcdefghi\" is longer"),
            ("English", "\"english\" is not a registered language"),
            ("e", "\"e\" is not a registered language"),
            ("i", "\"i\" is not a registered language"),
            ("12", "\"12\" is not a registered language"),
            ("abcd", "\"abcd\" is not a registered language"),
            ("zz-ZZ", "\"zz\" is not a registered language"),
            ("zzz", "\"zzz\" is not a registered language"),
            ("und", "\"und\" names no language"),
            ("und-Latn", "\"und\" names no language"),
            ("MUL", "\"mul\" names no language"),
            ("zxx", "\"zxx\" names no language"),
            ("mis", "\"mis\" names no language"),
            ("i-default", "\"i-default\" names no language"),
            ("x-private", "private use"),
            ("x", "private use"),
            ("qaa", "\"qaa\" is for private use"),
            ("qtz-DE", "\"qtz\" is for private use"),
            ("en-cmn", "\"cmn\" can only follow \"zh\""),
            ("zh-abc", "\"abc\" is not a registered extended language"),
            ("zh-cmn-yue", "\"yue\" has no place"),
            ("en-Abcd", "\"abcd\" is not a registered script"),
            ("zh-Hans-Hant", "\"hant\" has no place"),
            ("zh-CN-Hans", "\"hans\" has no place"),
            ("en-QL", "\"ql\" is not a registered region"),
            ("en-840", "\"840\" is not a registered region"),
            ("en-US-US", "\"us\" has no place"),
            ("en-1a", "\"1a\" has no place"),
            ("en-foobar", "\"foobar\" is not a registered variant"),
            ("en-1xyz", "\"1xyz\" is not a registered variant"),
            ("sl-rozaj-rozaj", "\"rozaj\" is repeated"),
            ("sl-rozaj-IT", "\"it\" has no place"),
            ("en-a-abc", "\"a\" is not registered"),
            ("en-0-abc", "\"0\" is not registered"),
            ("en-u", "\"u\" is empty"),
            ("en-u-x-foo", "\"u\" is empty"),
            ("en-t-u-ca-gregory", "\"t\" is empty"),
            ("en-u-ca-gregory-t", "\"t\" is empty"),
            ("en-u-ca-u-nu", "\"u\" is repeated"),
            ("en-t-de-t-fr", "\"t\" is repeated"),
            (
                "en-u-ca-buddhist-ca-gregory",
                "\"ca\" of extension \"u\" is repeated",
            ),
            ("en-u-foo-foo", "\"foo\" of extension \"u\" is repeated"),
            ("en-u-c1-foo", "\"c1\" has no place in extension \"u\""),
            ("en-t-zz", "\"zz\" is not a registered language"),
            ("en-t-de-abcde", "\"abcde\" is not a registered variant"),
            ("en-t-de-de-ca", "\"ca\" has no place in extension \"t\""),
            ("en-t-mul", "\"mul\" names no language"),
            ("en-t-m0", "\"m0\" of extension \"t\" has no value"),
            ("en-t-m0-k0-osx", "\"m0\" of extension \"t\" has no value"),
            (
                "en-t-m0-abc-m0-def",
                "\"m0\" of extension \"t\" is repeated",
            ),
            ("en-x", "without a private subtag"),
            ("i-klingon-x-foo", "\"i\" is not a registered language"),
        ] {
            let reason = canonical(given).unwrap_err();
            assert!(reason.contains(named), "{given:?}: {reason}");
        }
    }

    #[test]
    fn the_registry_is_searched_to_its_ends() {
        for (name, width) in [
            ("language2", 2),
            ("language3", 3),
            ("script", 4),
            ("region2", 2),
            ("region3", 3),
        ] {
            let entries: Vec<&str> = block(name).split_ascii_whitespace().collect();
            assert!(!entries.is_empty() && entries.is_sorted(), "{name}");
            for entry in entries {
                assert_eq!(entry.len(), width, "{name}: {entry}");
                assert!(in_block(name, entry), "{name}: {entry}");
            }
            assert!(!in_block(name, &"0".repeat(width)), "{name}");
            assert!(!in_block(name, &"~".repeat(width)), "{name}");
        }
        for name in [
            "extlang",
            "preferred-language",
            "preferred-region",
            "preferred-variant",
            "tag",
        ] {
            assert!(!block(name).is_empty(), "{name}");
            assert!(block(name).lines().all(|line| line.contains(' ')), "{name}");
        }
    }

    /// Every tag the registry offers comes out as itself or as what the registry prefers, and a
    /// canonical form is its own canonical form.
    #[test]
    fn tags_of_the_registry_become_what_it_prefers() {
        let words = |name| block(name).split_ascii_whitespace();
        let pairs = |name| block(name).lines().filter_map(|line| line.split_once(' '));
        // The first word alone: the others are stood for as well.
        let preferred = |name, subtag: &'static str| {
            let found = pairs(name).find(|(known, _)| *known == subtag);
            let value = found.map_or(subtag, |(_, value)| value);
            value.split(' ').next().unwrap_or(value)
        };
        let language = |subtag| preferred("preferred-language", subtag).to_owned();
        let languages = words("language2")
            .chain(words("language3"))
            .map(|subtag| (subtag.to_owned(), language(subtag)));
        let extended = pairs("extlang")
            .map(|(extlang, prefix)| (format!("{prefix}-{extlang}"), language(extlang)));
        let whole = pairs("tag")
            .filter(|(tag, _)| *tag != "i-default")
            .map(|(tag, value)| (tag.to_owned(), value.to_owned()));
        let scripts = words("script").map(|subtag| (subtag, title_case(subtag)));
        let regions = words("region2").chain(words("region3")).map(|subtag| {
            let value = preferred("preferred-region", subtag);
            (subtag, value.to_ascii_uppercase())
        });
        let variants = words("variant")
            .map(|subtag| (subtag, preferred("preferred-variant", subtag).to_owned()));
        let rest = scripts
            .chain(regions)
            .chain(variants)
            .map(|(subtag, value)| (format!("en-{subtag}"), format!("en-{value}")));
        let mut count = 0;
        for (tag, expected) in languages.chain(extended).chain(whole).chain(rest) {
            assert_eq!(canonical(&tag).as_ref(), Ok(&expected), "{tag}");
            assert_eq!(canonical(&expected).as_ref(), Ok(&expected), "{tag}");
            count += 1;
        }
        assert!(count > 8000, "{count}");
    }
}

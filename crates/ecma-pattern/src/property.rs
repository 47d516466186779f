//! `\p{...}`: the names that ECMA-262 accepts (22.2.1.9, tables 65 to 67), over the Unicode
//! tables of `regex-syntax`.
//!
//! ECMAScript takes names as they are spelt here and no others: `\p{greek}`, `\p{IsGreek}` and
//! `\p{Block=...}`, which other engines read, are syntax errors. The tables know one version of
//! Unicode (16); a script that a newer version brought is refused until they do.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

use crate::allowance::Read;
use crate::syntax;

use crate::message::quoted;

const SCRIPTS: &str = "\
    Adlam Adlm, Ahom, Anatolian_Hieroglyphs Hluw, Arabic Arab, Armenian Armn, Avestan Avst, \
    Balinese Bali, Bamum Bamu, Bassa_Vah Bass, Batak Batk, Bengali Beng, Bhaiksuki Bhks, \
    Bopomofo Bopo, Brahmi Brah, Braille Brai, Buginese Bugi, Buhid Buhd, \
    Canadian_Aboriginal Cans, Carian Cari, Caucasian_Albanian Aghb, Chakma Cakm, Cham, \
    Cherokee Cher, Chorasmian Chrs, Common Zyyy, Coptic Copt Qaac, Cuneiform Xsux, \
    Cypriot Cprt, Cypro_Minoan Cpmn, Cyrillic Cyrl, Deseret Dsrt, Devanagari Deva, \
    Dives_Akuru Diak, Dogra Dogr, Duployan Dupl, Egyptian_Hieroglyphs Egyp, Elbasan Elba, \
    Elymaic Elym, Ethiopic Ethi, Garay Gara, Georgian Geor, Glagolitic Glag, Gothic Goth, \
    Grantha Gran, Greek Grek, Gujarati Gujr, Gunjala_Gondi Gong, Gurmukhi Guru, \
    Gurung_Khema Gukh, Han Hani, Hangul Hang, Hanifi_Rohingya Rohg, Hanunoo Hano, Hatran Hatr, \
    Hebrew Hebr, Hiragana Hira, Imperial_Aramaic Armi, Inherited Qaai Zinh, \
    Inscriptional_Pahlavi Phli, Inscriptional_Parthian Prti, Javanese Java, Kaithi Kthi, \
    Kannada Knda, Katakana Kana, Kawi, Kayah_Li Kali, Kharoshthi Khar, \
    Khitan_Small_Script Kits, Khmer Khmr, Khojki Khoj, Khudawadi Sind, Kirat_Rai Krai, \
    Lao Laoo, Latin Latn, Lepcha Lepc, Limbu Limb, Linear_A Lina, Linear_B Linb, Lisu, \
    Lycian Lyci, Lydian Lydi, Mahajani Mahj, Makasar Maka, Malayalam Mlym, Mandaic Mand, \
    Manichaean Mani, Marchen Marc, Masaram_Gondi Gonm, Medefaidrin Medf, Meetei_Mayek Mtei, \
    Mende_Kikakui Mend, Meroitic_Cursive Merc, Meroitic_Hieroglyphs Mero, Miao Plrd, Modi, \
    Mongolian Mong, Mro Mroo, Multani Mult, Myanmar Mymr, Nabataean Nbat, Nag_Mundari Nagm, \
    Nandinagari Nand, New_Tai_Lue Talu, Newa, Nko Nkoo, Nushu Nshu, \
    Nyiakeng_Puachue_Hmong Hmnp, Ogham Ogam, Ol_Chiki Olck, Ol_Onal Onao, Old_Hungarian Hung, \
    Old_Italic Ital, Old_North_Arabian Narb, Old_Permic Perm, Old_Persian Xpeo, \
    Old_Sogdian Sogo, Old_South_Arabian Sarb, Old_Turkic Orkh, Old_Uyghur Ougr, Oriya Orya, \
    Osage Osge, Osmanya Osma, Pahawh_Hmong Hmng, Palmyrene Palm, Pau_Cin_Hau Pauc, \
    Phags_Pa Phag, Phoenician Phnx, Psalter_Pahlavi Phlp, Rejang Rjng, Runic Runr, \
    Samaritan Samr, Saurashtra Saur, Sharada Shrd, Shavian Shaw, Siddham Sidd, \
    SignWriting Sgnw, Sinhala Sinh, Sogdian Sogd, Sora_Sompeng Sora, Soyombo Soyo, \
    Sundanese Sund, Sunuwar Sunu, Syloti_Nagri Sylo, Syriac Syrc, Tagalog Tglg, Tagbanwa Tagb, \
    Tai_Le Tale, Tai_Tham Lana, Tai_Viet Tavt, Takri Takr, Tamil Taml, Tangsa Tnsa, \
    Tangut Tang, Telugu Telu, Thaana Thaa, Thai, Tibetan Tibt, Tifinagh Tfng, Tirhuta Tirh, \
    Todhri Todr, Toto, Tulu_Tigalari Tutg, Ugaritic Ugar, Unknown Zzzz, Vai Vaii, \
    Vithkuqi Vith, Wancho Wcho, Warang_Citi Wara, Yezidi Yezi, Yi Yiii, Zanabazar_Square Zanb";

const CATEGORIES: &str = "\
    Cased_Letter LC, Close_Punctuation Pe, Connector_Punctuation Pc, Control Cc cntrl, \
    Currency_Symbol Sc, Dash_Punctuation Pd, Decimal_Number digit Nd, Enclosing_Mark Me, \
    Final_Punctuation Pf, Format Cf, Initial_Punctuation Pi, Letter L, Letter_Number Nl, \
    Line_Separator Zl, Lowercase_Letter Ll, Mark M Combining_Mark, Math_Symbol Sm, \
    Modifier_Letter Lm, Modifier_Symbol Sk, Nonspacing_Mark Mn, Number N, Open_Punctuation Ps, \
    Other C, Other_Letter Lo, Other_Number No, Other_Punctuation Po, Other_Symbol So, \
    Paragraph_Separator Zp, Private_Use Co, Punctuation P punct, Separator Z, \
    Space_Separator Zs, Spacing_Mark Mc, Surrogate Cs, Symbol S, Titlecase_Letter Lt, \
    Unassigned Cn, Uppercase_Letter Lu";

const BINARY: &str = "\
    Alphabetic Alpha, Any, ASCII, ASCII_Hex_Digit AHex, Assigned, Bidi_Control Bidi_C, \
    Bidi_Mirrored Bidi_M, Case_Ignorable CI, Cased, Changes_When_Casefolded CWCF, \
    Changes_When_Casemapped CWCM, Changes_When_Lowercased CWL, \
    Changes_When_NFKC_Casefolded CWKCF, Changes_When_Titlecased CWT, \
    Changes_When_Uppercased CWU, Dash, Default_Ignorable_Code_Point DI, Deprecated Dep, \
    Diacritic Dia, Emoji, Emoji_Component EComp, Emoji_Modifier EMod, \
    Emoji_Modifier_Base EBase, Emoji_Presentation EPres, Extended_Pictographic ExtPict, \
    Extender Ext, Grapheme_Base Gr_Base, Grapheme_Extend Gr_Ext, Hex_Digit Hex, \
    ID_Continue IDC, ID_Start IDS, Ideographic Ideo, IDS_Binary_Operator IDSB, \
    IDS_Trinary_Operator IDST, Join_Control Join_C, Logical_Order_Exception LOE, \
    Lowercase Lower, Math, Noncharacter_Code_Point NChar, Pattern_Syntax Pat_Syn, \
    Pattern_White_Space Pat_WS, Quotation_Mark QMark, Radical, Regional_Indicator RI, \
    Sentence_Terminal STerm, Soft_Dotted SD, Terminal_Punctuation Term, \
    Unified_Ideograph UIdeo, Uppercase Upper, Variation_Selector VS, White_Space space, \
    XID_Continue XIDC, XID_Start XIDS";

/// A table as it was made: the query, whether it is negated, whether case is ignored.
type Made = (String, bool, bool);

/// Tables that were made, each once for the process. There are no more than names and their kinds.
static TABLES: LazyLock<RwLock<HashMap<Made, Arc<ClassUnicode>>>> = LazyLock::new(RwLock::default);

/// The code points of `\p{inner}`, lone surrogates left out: no text has any. Negated it is
/// `\P{inner}`, folded what either is where case is ignored.
pub(crate) fn class(inner: &str, negate: bool, fold: bool) -> Read<Arc<ClassUnicode>> {
    let made = (query(inner)?, negate, fold);
    let known = TABLES.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(class) = known.get(&made) {
        return Ok(Arc::clone(class));
    }
    drop(known);
    let mut class = of_query(&made.0)?;
    if negate {
        class.negate();
    }
    if fold {
        class = syntax::fold(class)?;
    }
    let class = Arc::new(class);
    let mut known = TABLES.write().unwrap_or_else(PoisonError::into_inner);
    Ok(Arc::clone(known.entry(made).or_insert(class)))
}

/// The name of a property in the tables of `regex-syntax`.
fn query(inner: &str) -> Result<String, String> {
    let unknown = || format!("\\p{{...}} has no property {} in ECMAScript", quoted(inner));
    Ok(match inner.split_once('=') {
        Some(("General_Category" | "gc", value)) => {
            format!("gc={}", canonical(CATEGORIES, value).ok_or_else(unknown)?)
        }
        Some(("Script" | "sc", value)) => {
            format!("sc={}", canonical(SCRIPTS, value).ok_or_else(unknown)?)
        }
        Some(("Script_Extensions" | "scx", value)) => {
            format!("scx={}", canonical(SCRIPTS, value).ok_or_else(unknown)?)
        }
        Some(_) => return Err(unknown()),
        None => match canonical(CATEGORIES, inner) {
            Some(category) => format!("gc={category}"),
            None => canonical(BINARY, inner).ok_or_else(unknown)?.to_owned(),
        },
    })
}

fn of_query(query: &str) -> Result<ClassUnicode, String> {
    match query {
        "gc=Surrogate" => Ok(ClassUnicode::empty()),
        // `regex-syntax` has no table of what has no script.
        "sc=Unknown" | "scx=Unknown" => {
            let mut all = Vec::new();
            for script in entries(SCRIPTS).filter(|names| *names != "Unknown Zzzz") {
                all.extend(table(&format!("sc={}", first(script)))?.iter().copied());
            }
            let mut class = ClassUnicode::new(all);
            class.negate();
            Ok(class)
        }
        query => table(query),
    }
}

fn entries(list: &str) -> impl Iterator<Item = &str> {
    list.split(", ")
}

fn first(names: &str) -> &str {
    names.split(' ').next().unwrap_or(names)
}

/// The long name of the property or value that has this name.
fn canonical<'a>(list: &'a str, name: &str) -> Option<&'a str> {
    entries(list)
        .find(|names| names.split(' ').any(|known| known == name))
        .map(first)
}

fn table(query: &str) -> Result<ClassUnicode, String> {
    let hir = regex_syntax::Parser::new()
        .parse(&format!("\\p{{{query}}}"))
        .map_err(|_| {
            format!("cannot be kept: \\p{{{query}}} is not in the Unicode tables at hand")
        })?;
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => Ok(class.clone()),
        // A class of one is simplified to a literal.
        HirKind::Literal(literal) => Ok(ClassUnicode::new(
            String::from_utf8_lossy(&literal.0)
                .chars()
                .map(|c| ClassUnicodeRange::new(c, c)),
        )),
        _ => Ok(ClassUnicode::empty()),
    }
}

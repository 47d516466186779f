//! Texts on their way to JavaScript.

use napi::bindgen_prelude::{Either, Latin1String, Utf16String};

/// A text in a form that the engine copies as it is; it decodes UTF-8 much more slowly.
pub type JsText = Either<Latin1String, Utf16String>;

pub(super) fn js_text(text: String) -> JsText {
    if text.is_ascii() {
        Either::A(text.into())
    } else {
        // By a crate that is compiled for speed.
        Either::B(strict_json::text::utf16(&text).into())
    }
}

//! Writing JSON, or counting the bytes that it would have.

use crate::text::{json_string_len, push_json_string};

/// The target of JSON output: a text, or a count of its UTF-8 bytes.
pub trait Sink: Sized {
    /// JSON as it stands.
    fn raw(&mut self, json: &str);
    /// A text as a JSON string.
    fn string(&mut self, text: &str);

    /// Texts as an array of strings.
    fn strings(&mut self, texts: &[String]) {
        self.list(texts, |sink, text| sink.string(text));
    }

    /// Items as an array.
    fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.raw("[");
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.raw(",");
            }
            write(self, item);
        }
        self.raw("]");
    }

    /// A text as a JSON string, or `null`.
    fn string_or_null(&mut self, text: Option<&str>) {
        match text {
            Some(text) => self.string(text),
            None => self.raw("null"),
        }
    }
}

impl Sink for String {
    #[inline]
    fn raw(&mut self, json: &str) {
        self.push_str(json);
    }

    fn string(&mut self, text: &str) {
        push_json_string(self, text);
    }
}

/// A count of bytes.
#[derive(Default)]
pub struct Count(pub usize);

impl std::io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Sink for Count {
    #[inline]
    fn raw(&mut self, json: &str) {
        self.0 += json.len();
    }

    fn string(&mut self, text: &str) {
        self.0 += json_string_len(text);
    }
}

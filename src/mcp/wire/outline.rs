//! The members `id`, `method` and `params.name` of a message that cannot be read as a whole.
//!
//! A push-down scanner with a counter for a stack: it follows strings and brackets, forgives
//! everything else (bad UTF-8, lone surrogates, any depth, a missing end), and keeps nothing but
//! the members it looks for. So it may be fed a line of any length, piece by piece, and finds an
//! `id` that comes last, where the official TypeScript SDK puts it.

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

/// Longer ids and method names are not kept; real clients do not send them.
const MOST_KEPT: usize = 1 << 10;

/// The most messages of a line that are answered; only an endless batch has more.
const MOST_SEEN: usize = 1 << 10;

/// A message with an id.
#[derive(Debug)]
pub(super) struct MessageHead {
    /// As it was written.
    pub(super) id: Box<RawValue>,
    /// The method, where there is one.
    pub(super) method: Option<String>,
    /// `params.name`, where there is one: the tool of a `tools/call`.
    pub(super) tool: Option<String>,
}

/// The part of a line that was seen so far.
#[derive(Default)]
pub(super) struct Outline {
    started: Started,
    depth: u64,
    string: Text,
    /// The token at the depth of the members, or of those of `params`, that is being read or was read last.
    token: Vec<u8>,
    member: Member,
    /// Within `params`.
    param: Param,
    /// The message in progress.
    id: Option<Box<RawValue>>,
    method: Option<String>,
    tool: Option<String>,
    is_response: bool,
    seen: Vec<MessageHead>,
}

#[derive(Default, Clone, Copy, PartialEq)]
enum Started {
    #[default]
    No,
    /// At an object: its members are at depth 1.
    Message,
    /// At an array of objects: their members are at depth 2.
    Batch,
    /// Anything else is no message.
    Noise,
}

#[derive(Default, Clone, Copy, PartialEq)]
enum Text {
    #[default]
    Outside,
    Inside,
    AfterBackslash,
}

#[derive(Default, Clone, Copy, PartialEq)]
enum Member {
    /// Not within a message.
    #[default]
    None,
    /// Before the colon.
    Key,
    /// After the colon of a member that is looked for.
    Id,
    Method,
    Params,
    /// `result` or `error`: only a response has them.
    Outcome,
    /// After any other colon.
    Other,
}

#[derive(Default, Clone, Copy, PartialEq)]
enum Param {
    /// Not within `params`.
    #[default]
    None,
    Key,
    Name,
    Other,
}

impl Outline {
    /// The messages of a text that is whole.
    pub(super) fn of(text: &[u8]) -> Vec<MessageHead> {
        let mut outline = Self::default();
        outline.feed(text);
        outline.end()
    }

    pub(super) fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.step(*byte);
        }
    }

    /// The result. A message without its end counts, with the members that were complete.
    pub(super) fn end(mut self) -> Vec<MessageHead> {
        self.end_message();
        self.seen
    }

    fn step(&mut self, byte: u8) {
        match (self.string, byte) {
            (Text::AfterBackslash, _) => {
                self.keep(byte);
                self.string = Text::Inside;
            }
            (Text::Inside, b'\\') => {
                self.keep(byte);
                self.string = Text::AfterBackslash;
            }
            (Text::Inside, b'"') => {
                self.keep(byte);
                self.string = Text::Outside;
            }
            (Text::Inside, _) => self.keep(byte),
            (Text::Outside, b' ' | b'\t' | b'\r' | b'\n') => self.keep(byte),
            (Text::Outside, _) if self.started == Started::No => self.start(byte),
            (Text::Outside, _) if self.started == Started::Noise => {}
            (Text::Outside, b'"') => {
                self.string = Text::Inside;
                self.keep(byte);
            }
            (Text::Outside, b'{' | b'[') => self.open(byte),
            (Text::Outside, b'}' | b']') => self.close(),
            (Text::Outside, b':') if self.at_members() => self.colon(),
            (Text::Outside, b',') if self.at_members() => self.end_member(),
            (Text::Outside, b':') if self.at_params() => self.param_colon(),
            (Text::Outside, b',') if self.at_params() => self.end_param(),
            (Text::Outside, _) => self.keep(byte),
        }
    }

    fn start(&mut self, byte: u8) {
        self.started = match byte {
            b'{' => Started::Message,
            b'[' => Started::Batch,
            _ => Started::Noise,
        };
        if self.started != Started::Noise {
            self.open(byte);
        }
    }

    fn at_members(&self) -> bool {
        self.member != Member::None && self.depth == self.members_depth()
    }

    fn at_params(&self) -> bool {
        self.param != Param::None && self.depth == self.members_depth() + 1
    }

    const fn members_depth(&self) -> u64 {
        match self.started {
            Started::Batch => 2,
            _ => 1,
        }
    }

    fn open(&mut self, byte: u8) {
        self.depth += 1;
        if self.depth == self.members_depth() && byte == b'{' {
            self.member = Member::Key;
            self.token.clear();
        }
        let in_params = self.member == Member::Params && self.depth == self.members_depth() + 1;
        if in_params && byte == b'{' {
            self.param = Param::Key;
            self.token.clear();
        }
    }

    fn close(&mut self) {
        if self.at_params() {
            self.end_param();
            self.param = Param::None;
        }
        if self.at_members() {
            self.end_member();
            self.end_message();
        }
        self.depth = self.depth.saturating_sub(1);
    }

    fn keep(&mut self, byte: u8) {
        // One byte more than is kept marks a token that is too long.
        if (self.at_members() || self.at_params()) && self.token.len() <= MOST_KEPT {
            self.token.push(byte);
        }
    }

    fn token<T: DeserializeOwned>(&self) -> Option<T> {
        let kept = self.token.len() <= MOST_KEPT;
        kept.then(|| serde_json::from_slice(&self.token).ok())?
    }

    fn colon(&mut self) {
        let key = match self.member {
            Member::Key => self.token::<String>(),
            _ => None,
        };
        self.member = match key.as_deref() {
            Some("id") => Member::Id,
            Some("method") => Member::Method,
            Some("params") => Member::Params,
            Some("result" | "error") => Member::Outcome,
            _ => Member::Other,
        };
        self.token.clear();
    }

    fn param_colon(&mut self) {
        let is_name = self.param == Param::Key && self.token::<String>().as_deref() == Some("name");
        self.param = if is_name { Param::Name } else { Param::Other };
        self.token.clear();
    }

    fn end_param(&mut self) {
        if self.param == Param::Name {
            self.tool = self.token();
        }
        self.param = Param::Key;
        self.token.clear();
    }

    fn end_member(&mut self) {
        match self.member {
            // An object or array left no token behind, and so is no id.
            Member::Id => self.id = self.token::<Box<RawValue>>().filter(|raw| is_id(raw)),
            Member::Method => self.method = self.token(),
            Member::Outcome => self.is_response = true,
            Member::None | Member::Key | Member::Params | Member::Other => {}
        }
        self.member = Member::Key;
        self.token.clear();
    }

    fn end_message(&mut self) {
        (self.member, self.param) = (Member::None, Param::None);
        let (id, method, tool) = (self.id.take(), self.method.take(), self.tool.take());
        let is_response = std::mem::take(&mut self.is_response) && method.is_none();
        if let Some(id) = id.filter(|_| !is_response && self.seen.len() < MOST_SEEN) {
            self.seen.push(MessageHead { id, method, tool });
        }
    }
}

/// Strings and numbers are ids; null is one in JSON-RPC, though not in MCP, so it is answered.
pub(super) fn is_id(raw: &RawValue) -> bool {
    !raw.get().starts_with(['{', '[', 't', 'f'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(line: impl AsRef<[u8]>) -> Vec<String> {
        let whole = Outline::default().tap(|outline| outline.feed(line.as_ref()));
        let bytewise = Outline::default().tap(|outline| {
            for byte in line.as_ref() {
                outline.feed(&[*byte]);
            }
        });
        let shown = |outline: Outline| -> Vec<String> {
            let show = |seen: MessageHead| {
                let tool = seen.tool.map(|tool| format!(" {tool}"));
                let method = seen.method.unwrap_or_default();
                format!("{} {method}{}", seen.id, tool.unwrap_or_default())
            };
            outline.end().into_iter().map(show).collect()
        };
        let whole = shown(whole);
        assert_eq!(whole, shown(bytewise));
        whole
    }

    trait Tap: Sized {
        fn tap(mut self, act: impl FnOnce(&mut Self)) -> Self {
            act(&mut self);
            self
        }
    }
    impl Tap for Outline {}

    #[test]
    fn ids_are_found_wherever_they_stand() {
        let deep = format!(
            r#"{{"params":{}{},"method":"m","id":7}}"#,
            "[".repeat(5000),
            "]".repeat(5000)
        );
        for (line, expected) in [
            (
                r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"a":"\ud800"}}"#,
                "7 tools/call",
            ),
            (
                r#"{"method":"ping","params":{"id":1,"method":"no"},"jsonrpc":"2.0","id":"x"}"#,
                "\"x\" ping",
            ),
            (r#" { "id" : 7 , "method" : "a\"},{\\" } "#, "7 a\"},{\\"),
            (r#"{"\u0069d":1.50,"m\u0065thod":"b"}"#, "1.50 b"),
            (r#"{"id":7,"method":"ping","params":{bad}}"#, "7 ping"),
            (r#"{"id":7,"method":"ping","params":{"cut":"of"#, "7 ping"),
            (
                r#"{"id":7,"method":"tools/call","params":{"arguments":{"name":"no"},"name" : "intent_accept" , "x":["name",{"name":1}]}}"#,
                "7 tools/call intent_accept",
            ),
            (
                r#"{"params":{"name":"a","arguments":{"b":"\ud800"},"id":3},"id":7,"method":"m","name":"no"}"#,
                "7 m a",
            ),
            (r#"{"id":7,"method":"m","params":{"name":["a"]}}"#, "7 m"),
            (r#"{"id":7,"method":"m","params":[{"name":"a"}]}"#, "7 m"),
            (r#"{"id":7,"method":"m","params":{"name":"cut"#, "7 m"),
            (r#"{"id":null,"method":"ping"}x"#, "null ping"),
            (r#"{"id":"\ud83d\ude00"}]"#, r#""\ud83d\ude00" "#),
            (deep.as_str(), "7 m"),
        ] {
            assert_eq!(outline(line), [expected], "{line}");
        }
        assert_eq!(outline(b"{\"x\":\"\xff\xc0\",\"id\":3}"), ["3 "]);
        assert_eq!(
            outline(r#"[{"id":1,"method":"a","params":{"name":"t"}},{"x":[{"id":9}]},{"id":2,"#),
            ["1 a t", "2 "]
        );
        assert_eq!(outline(r#"{"id":1}{"id":2}"#), ["1 ", "2 "]);
    }

    #[test]
    fn what_is_no_id_is_not_taken_for_one() {
        for line in [
            "",
            "{",
            "}",
            "nonsense",
            r#"INFO {"id":1}"#,
            r#""id":1"#,
            r#"{"params":{"id":1}}"#,
            r#"{"id":{"id":1}}"#,
            r#"{"id":[1]}"#,
            r#"{"id":true}"#,
            r#"{"id":tru}"#,
            r#"{"id":01}"#,
            r#"{"id":1 2}"#,
            r#"{"id":1:2}"#,
            // Cut within the number: it may have gone on.
            r#"{"method":"m","id":12"#,
            r#"{"id":1,"result":{"x":"\ud800"}}"#,
            r#"{"error":{},"id":1}"#,
            r#"[[{"id":1}],1,"{"]"#,
        ] {
            assert_eq!(outline(line), Vec::<String>::new(), "{line}");
        }
        let long = format!(r#"{{"id":"{}"}}"#, "x".repeat(1 << 20));
        assert!(outline(long).is_empty());
        assert!(outline(format!(r#"{{"id":{}}}"#, "1".repeat(MOST_KEPT + 5))).is_empty());
    }

    #[test]
    fn an_endless_batch_is_bounded() {
        let mut outline = Outline::default();
        outline.feed(b"[");
        for _ in 0..5000 {
            outline.feed(br#"{"id":1,"method":"ping"},"#);
        }
        assert_eq!(outline.end().len(), MOST_SEEN);
    }
}

//! Decompresses the body of a response, up to a limit.

use std::io::{self, Write};
use std::mem;

use flate2::write::MultiGzDecoder;

/// Decodes a body chunk by chunk.
pub(super) enum BodyDecoder {
    Plain(Bounded),
    /// All members of a gzip stream (RFC 1952, section 2.2), one after the other.
    Packed(Box<MultiGzDecoder<Bounded>>),
}

/// The reason why a body cannot be decoded.
#[derive(Debug)]
pub(super) enum BodyError {
    /// It is longer than the limit.
    TooLong,
    /// It is not a complete gzip stream.
    Broken,
}

impl BodyDecoder {
    /// Makes the decoder for a `content-encoding`. A body with another encoding than gzip stays as it is.
    pub(super) fn new(encoding: &str, limit: u64) -> Self {
        let bounded = Bounded {
            bytes: Vec::new(),
            limit,
            passed: false,
        };
        if ["gzip", "x-gzip"]
            .iter()
            .any(|name| encoding.trim().eq_ignore_ascii_case(name))
        {
            Self::Packed(Box::new(MultiGzDecoder::new(bounded)))
        } else {
            Self::Plain(bounded)
        }
    }

    /// Decodes one chunk. Must not be called after an error.
    pub(super) fn take(&mut self, chunk: &[u8]) -> Result<(), BodyError> {
        let written = match self {
            Self::Plain(bounded) => bounded.write_all(chunk),
            Self::Packed(decoder) => decoder.write_all(chunk),
        };
        written.map_err(|_| self.error())
    }

    /// The whole body.
    pub(super) fn finish(mut self) -> Result<Vec<u8>, BodyError> {
        match &mut self {
            Self::Plain(bounded) => Ok(mem::take(&mut bounded.bytes)),
            Self::Packed(decoder) => match decoder.try_finish() {
                Ok(()) => Ok(mem::take(&mut decoder.get_mut().bytes)),
                Err(_) => Err(self.error()),
            },
        }
    }

    fn error(&self) -> BodyError {
        let bounded = match self {
            Self::Plain(bounded) => bounded,
            Self::Packed(decoder) => decoder.get_ref(),
        };
        if bounded.passed {
            BodyError::TooLong
        } else {
            BodyError::Broken
        }
    }
}

/// A buffer that refuses bytes beyond its limit.
pub(super) struct Bounded {
    bytes: Vec<u8>,
    limit: u64,
    passed: bool,
}

impl Write for Bounded {
    fn write(&mut self, more: &[u8]) -> io::Result<usize> {
        if (self.bytes.len() + more.len()) as u64 > self.limit {
            self.passed = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(more);
        Ok(more.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(text: &str) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    /// However the bytes are cut into chunks.
    fn read(bytes: &[u8], limit: u64) -> Result<Vec<u8>, BodyError> {
        let mut outcomes = [1, 7, bytes.len().max(1)].map(|size| {
            let mut body = BodyDecoder::new("GZip", limit);
            bytes.chunks(size).try_for_each(|chunk| body.take(chunk))?;
            body.finish()
        });
        let texts: Vec<_> = outcomes.iter().map(|o| format!("{o:?}")).collect();
        assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
        mem::replace(&mut outcomes[0], Ok(Vec::new()))
    }

    #[test]
    fn every_member_counts() {
        for parts in [
            &["{}"][..],
            &["{\"a\"", ":1}"],
            &["", "{}", ""],
            &["a", "b", "c", "d"],
        ] {
            let packed: Vec<u8> = parts.iter().flat_map(|part| gzip(part)).collect();
            assert_eq!(read(&packed, 100).unwrap(), parts.concat().as_bytes());
        }
    }

    #[test]
    fn what_is_no_gzip_is_refused() {
        let whole = gzip("{\"a\":1}");
        let mut wrong_sum = whole.clone();
        let at = wrong_sum.len() - 6;
        wrong_sum[at] ^= 1;
        for (name, bytes) in [
            ("garbage behind", [&whole[..], b"garbage"].concat()),
            ("a zero behind", [&whole[..], &[0]].concat()),
            ("text behind", [&whole[..], b"{}"].concat()),
            ("half a second member", [&whole[..], &whole[..12]].concat()),
            ("a head behind", [&whole[..], &whole[..4]].concat()),
            ("plain text", b"{\"a\":1}".to_vec()),
            ("nothing", Vec::new()),
            ("a wrong checksum", wrong_sum),
        ] {
            assert!(
                matches!(read(&bytes, 100), Err(BodyError::Broken)),
                "{name}"
            );
        }
        for end in 1..whole.len() {
            assert!(
                matches!(read(&whole[..end], 100), Err(BodyError::Broken)),
                "{end}"
            );
        }
    }

    #[test]
    fn the_limit_is_that_of_all_members_together() {
        let packed = [gzip("12345"), gzip("67890")].concat();
        assert_eq!(read(&packed, 10).unwrap(), b"1234567890");
        assert!(matches!(read(&packed, 9), Err(BodyError::TooLong)));
        let bomb = gzip(&"0".repeat(10_000_000));
        let mut body = BodyDecoder::new("x-gzip", 1000);
        assert!(matches!(body.take(&bomb), Err(BodyError::TooLong)));
        let mut plain = BodyDecoder::new("", 3);
        plain.take(b"123").unwrap();
        assert!(matches!(plain.take(b"4"), Err(BodyError::TooLong)));
    }
}

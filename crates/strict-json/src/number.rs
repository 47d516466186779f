//! Numbers that survive the journey through an IEEE 754 double.

/// 2^53 - 1.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// A finite number whose text and double say the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number<'t> {
    value: f64,
    text: &'t str,
}

/// Why a number of correct JSON syntax is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberFault {
    NotFinite,
    UnsafeInteger,
    Inexact,
}

impl NumberFault {
    pub(crate) const fn message(self) -> &'static str {
        match self {
            Self::NotFinite => "the number is too large for a double",
            Self::UnsafeInteger => "the integer lies outside ±(2^53 - 1)",
            Self::Inexact => "the number has more digits than a double keeps",
        }
    }
}

impl<'t> Number<'t> {
    /// Reads a text that already has JSON's number syntax.
    pub(crate) fn from_text(text: &'t str) -> Result<Self, NumberFault> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.len() <= 15 && digits.bytes().all(|b| b.is_ascii_digit()) {
            let integer: i64 = text.parse().map_err(|_| NumberFault::NotFinite)?;
            // "-0" is negative zero, which an i64 cannot hold.
            let value = if integer == 0 && text.starts_with('-') {
                -0.0
            } else {
                integer as f64
            };
            return Ok(Self { value, text });
        }
        let value: f64 = text.parse().map_err(|_| NumberFault::NotFinite)?;
        if !value.is_finite() {
            return Err(NumberFault::NotFinite);
        }
        if value.fract() == 0.0 && value.abs() > MAX_SAFE_INTEGER as f64 {
            return Err(NumberFault::UnsafeInteger);
        }
        let shortest = serde_json::Number::from_f64(value)
            .ok_or(NumberFault::NotFinite)?
            .to_string();
        if SignificantDigits::of(digits)
            != SignificantDigits::of(shortest.strip_prefix('-').unwrap_or(&shortest))
        {
            return Err(NumberFault::Inexact);
        }
        Ok(Self { value, text })
    }

    /// As it stood in the text.
    #[must_use]
    pub const fn text(&self) -> &'t str {
        self.text
    }

    /// The double.
    #[must_use]
    pub const fn as_f64(&self) -> f64 {
        self.value
    }

    /// The value where it is integral; never for negative zero, so that its sign is kept.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        let integral =
            self.value.fract() == 0.0 && !(self.value == 0.0 && self.value.is_sign_negative());
        // Within ±(2^53 - 1) by construction.
        #[expect(clippy::cast_possible_truncation, reason = "safe integers fit")]
        integral.then_some(self.value as i64)
    }

    /// The same number for `serde_json`, integral ones as integers.
    #[must_use]
    pub fn to_serde(self) -> serde_json::Number {
        match self.as_i64() {
            Some(integer) => integer.into(),
            None => serde_json::Number::from_f64(self.value).unwrap_or_else(|| 0.into()),
        }
    }
}

/// A decimal value in one spelling: significant digits without zeros at either end, and the
/// power of ten of the first. More than 17 digits are never needed: a double's shortest decimal
/// has no more.
#[derive(PartialEq, Eq)]
struct SignificantDigits {
    digits: [u8; 18],
    len: usize,
    exponent: i64,
}

impl SignificantDigits {
    /// Parses an unsigned text in JSON's number syntax.
    fn of(text: &str) -> Self {
        let (mantissa, exponent) = match text.find(['e', 'E']) {
            Some(at) => (&text[..at], saturating(&text[at + 1..])),
            None => (text, 0),
        };
        let point = mantissa.find('.').unwrap_or(mantissa.len());
        let mut decimal = Self {
            digits: [0; 18],
            len: 0,
            exponent: 0,
        };
        let mut seen = 0usize; // digits since the first significant one
        let mut position = 0i64; // of the digit, counted from the start of the mantissa
        for byte in mantissa.bytes() {
            if byte == b'.' {
                continue;
            }
            if seen > 0 || byte != b'0' {
                if seen == 0 {
                    decimal.exponent = (point as i64 - position - 1).saturating_add(exponent);
                }
                seen += 1;
                if byte != b'0' {
                    // An eighteenth significant digit tells that the text is inexact; which it
                    // is does not matter.
                    let slot = seen.min(18);
                    decimal.digits[slot - 1] = byte;
                    decimal.len = slot;
                }
            }
            position += 1;
        }
        decimal
    }
}

fn saturating(exponent: &str) -> i64 {
    let (negative, digits) = match exponent.as_bytes().first() {
        Some(b'-') => (true, &exponent[1..]),
        Some(b'+') => (false, &exponent[1..]),
        _ => (false, exponent),
    };
    let magnitude = digits.bytes().fold(0i64, |sum, b| {
        sum.saturating_mul(10).saturating_add(i64::from(b - b'0'))
    });
    if negative { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_what_a_double_keeps() {
        for text in [
            "0",
            "-0",
            "-0.0",
            "1.0",
            "0.1",
            "1e2",
            "1E+2",
            "0e1",
            "0.0e999999999999999999999",
            "9007199254740991",
            "-9007199254740991",
            "19.99",
            "1e-7",
            "5e-324",
            "1.7976931348623158e-10",
            "2.5e-10",
            "0.30000000000000004",
            "100000000000000000000e-10",
            "0.00001000",
            "123.456e1",
        ] {
            assert!(Number::from_text(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn refuses_the_rest() {
        use NumberFault::{Inexact, NotFinite, UnsafeInteger};
        for (text, fault) in [
            ("9007199254740992", UnsafeInteger),
            ("9007199254740993", UnsafeInteger),
            ("1e22", UnsafeInteger),
            ("1E400", NotFinite),
            ("1e400", NotFinite),
            ("1e-400", Inexact),
            ("0.10000000000000001", Inexact),
            ("123456789.123456789", Inexact),
            ("1.00000000000000000000000000000000001", Inexact),
            ("4.9406564584124654e-324", Inexact),
            ("3e-324", Inexact),
        ] {
            assert_eq!(Number::from_text(text).err(), Some(fault), "{text}");
        }
    }
}

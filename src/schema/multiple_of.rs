//! `multipleOf`, exact for decimals: 19.99 is a multiple of 0.01 although no quotient of the two
//! doubles is an integer. A number means the shortest decimal that reads back as its double, on
//! both sides.

/// A decimal: `digits` · 10^`exponent`, with at most 20 digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ScaledInteger {
    digits: u128,
    exponent: i32,
}

impl ScaledInteger {
    /// The magnitude of a number in JSON's syntax; `None` where it has too many digits, as only a
    /// number that no double keeps has.
    pub(super) fn magnitude(text: &str) -> Option<Self> {
        let text = text.strip_prefix('-').unwrap_or(text);
        let (mantissa, exponent) = match text.find(['e', 'E']) {
            Some(at) => (&text[..at], text[at + 1..].parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut digits = 0u128;
        for byte in whole.bytes().chain(fraction.bytes()) {
            digits = digits
                .checked_mul(10)?
                .checked_add(u128::from(byte.wrapping_sub(b'0')))?;
        }
        let mut exponent = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
        while digits != 0 && digits.is_multiple_of(10) {
            digits /= 10;
            exponent += 1;
        }
        (digits < 10u128.pow(20)).then_some(Self { digits, exponent })
    }

    /// Converts a finite double.
    pub(super) fn of(value: f64) -> Option<Self> {
        Self::magnitude(&serde_json::Number::from_f64(value)?.to_string())
    }

    /// True if it is an integral multiple of a divisor above 0.
    pub(super) fn is_multiple_of(self, divisor: Self) -> bool {
        if self.digits == 0 {
            return true;
        }
        let Some(shift) = self.exponent.checked_sub(divisor.exponent) else {
            return false;
        };
        if shift >= 0 {
            // digits · 10^shift ≡ 0 (mod divisor.digits); factors stay below 10^20 · 10 < 2^128.
            let mut rest = self.digits % divisor.digits;
            for _ in 0..shift {
                if rest == 0 {
                    break;
                }
                rest = rest * 10 % divisor.digits;
            }
            rest == 0
        } else {
            // No trailing zeros are left in the digits, so a power of ten in the divisor that
            // they would have to hold divides none of them.
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn multiple(value: f64, divisor: f64) -> bool {
        ScaledInteger::of(value)
            .unwrap()
            .is_multiple_of(ScaledInteger::of(divisor).unwrap())
    }

    #[test]
    fn is_exact() {
        for (value, divisor) in [
            (19.99, 0.01),
            (0.3, 0.1),
            (1.1, 0.1),
            (4.35, 0.01),
            (0.0075, 0.0001),
            (1e-7, 1e-7),
            (3e-7, 1e-7),
            (1.0, 1e-7),
            (9_007_199_254_740_991.0, 1e-7),
            (9_007_199_254_740_991.0, 1e-300),
            (1e300, 0.01),
            (1e300, 0.5),
            (-19.99, 0.01),
            (0.0, 7.0),
            (-0.0, 0.1),
            (10.0, 2.5),
            (1e-5, 1e-7),
            (12_391_239_123.0, 1e-8),
            (5e-324, 5e-324),
            (1e308, 5e-324),
        ] {
            assert!(multiple(value, divisor), "{value} {divisor}");
        }
        for (value, divisor) in [
            (19.995, 0.01),
            (0.35, 0.1),
            (1e-8, 1e-7),
            (1.5e-7, 1e-7),
            (0.00751, 0.0001),
            (9_007_199_254_740_991.0, 2.0),
            (1.0, 3.0),
            (1e300, 7.0),
            (1e300, 0.3),
            (7.0, 2.5),
            (1.0, 1e300),
            (0.1, 10.0),
            (15.0, 10.0),
        ] {
            assert!(!multiple(value, divisor), "{value} {divisor}");
        }
    }
}

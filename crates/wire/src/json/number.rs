//! Numbers as they are spelled, and the values they mean (RFC 8259 section 6).

use std::fmt;

/// A number that keeps its spelling: `1`, `1.0` and `1e0` are one value and three lexemes.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Number {
    lexeme: Box<str>,
}

/// Exponents beyond this are all alike: no text within reach has that many digits.
const EXPONENT_BOUND: i64 = i64::MAX / 4;

impl Number {
    /// `lexeme` must follow the grammar; the parser has seen to that.
    pub(super) fn new(lexeme: &str) -> Self {
        Self { lexeme: lexeme.into() }
    }

    /// The spelling.
    #[must_use]
    pub fn lexeme(&self) -> &str {
        &self.lexeme
    }

    /// Whether it is spelled without fraction and exponent. `1.0` is not; see [`Number::is_integral`].
    #[must_use]
    pub fn is_integer(&self) -> bool {
        !self.lexeme.contains(['.', 'e', 'E'])
    }

    /// Whether its value is whole, however it is spelled: `1.0` and `1e3` are.
    #[must_use]
    pub fn is_integral(&self) -> bool {
        let decimal = self.decimal();
        decimal.digits.is_empty() || decimal.exponent >= 0
    }

    /// The nearest double; `None` beyond its range.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        self.lexeme.parse().ok().filter(|value: &f64| value.is_finite())
    }

    /// The value, if it is spelled as an integer ([`Number::is_integer`]) and fits.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.lexeme.parse().ok()
    }

    /// The value, if it is whole ([`Number::is_integral`]) and fits.
    #[must_use]
    pub fn as_whole_i64(&self) -> Option<i64> {
        /// Digits of the longest `i64`.
        const MAX_DIGITS: usize = 19;
        let Decimal { negative, mut digits, exponent } = self.decimal();
        if digits.is_empty() {
            return Some(0);
        }
        let zeros = usize::try_from(exponent).ok()?;
        if digits.len().checked_add(zeros)? > MAX_DIGITS {
            return None;
        }
        digits.extend(std::iter::repeat_n('0', zeros));
        if negative {
            digits.insert(0, '-');
        }
        digits.parse().ok()
    }

    /// Whether both are exactly the same value: `10` and `1.0e1` are, `0.1` and its nearest double are not.
    #[must_use]
    pub fn same_value(&self, other: &Self) -> bool {
        self.decimal() == other.decimal()
    }

    /// The number as `serde_json` holds it; beyond the range of a double the largest one of its sign.
    pub(super) fn to_value(&self) -> serde_json::Number {
        if self.is_integer() && *self.lexeme != *"-0" {
            if let Ok(value) = self.lexeme.parse::<i64>() {
                return value.into();
            }
            if let Ok(value) = self.lexeme.parse::<u64>() {
                return value.into();
            }
        }
        let largest = if self.lexeme.starts_with('-') { f64::MIN } else { f64::MAX };
        serde_json::Number::from_f64(self.as_f64().unwrap_or(largest)).unwrap_or_else(|| 0.into())
    }

    fn decimal(&self) -> Decimal {
        let (mantissa, exponent) = match self.lexeme.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, read_exponent(exponent)),
            None => (&*self.lexeme, 0),
        };
        let (mantissa, negative) = match mantissa.strip_prefix('-') {
            Some(rest) => (rest, true),
            None => (mantissa, false),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut digits = String::with_capacity(whole.len() + fraction.len());
        digits.push_str(whole);
        digits.push_str(fraction);
        let significant = digits.trim_end_matches('0').len();
        let trailing = digits.len() - significant;
        digits.truncate(significant);
        let digits = digits.trim_start_matches('0').to_owned();
        if digits.is_empty() {
            return Decimal { negative: false, digits, exponent: 0 };
        }
        let length = |n: usize| i64::try_from(n).unwrap_or(EXPONENT_BOUND);
        Decimal { negative, digits, exponent: exponent - length(fraction.len()) + length(trailing) }
    }
}

/// A value in lowest terms: `digits` times ten to the `exponent`, no zero at either end of `digits`.
#[derive(PartialEq, Eq)]
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

fn read_exponent(text: &str) -> i64 {
    let (digits, sign) = match text.strip_prefix('-') {
        Some(digits) => (digits, -1),
        None => (text.strip_prefix('+').unwrap_or(text), 1),
    };
    // The grammar leaves only digits, so the one way to fail is to be too long.
    sign * digits.parse::<i64>().unwrap_or(EXPONENT_BOUND).min(EXPONENT_BOUND)
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lexeme)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lexeme)
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self::new(&value.to_string())
    }
}

impl From<&serde_json::Number> for Number {
    fn from(value: &serde_json::Number) -> Self {
        Self::new(&value.to_string())
    }
}

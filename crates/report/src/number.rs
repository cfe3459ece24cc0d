//! Numbers as a person writes them: as many digits as mean something, a dash for what is not there.

use crate::{in_words, minus, superscript};

/// Shown where there is no number.
pub(crate) const NOTHING: &str = "–";

/// A number to this many digits.
pub(crate) fn number(x: f64, digits: usize) -> String {
    if !x.is_finite() {
        return NOTHING.into();
    }
    if x == 0.0 {
        return "0".into();
    }
    in_words(rounded(x, digits), digits)
}

/// A number that somebody wrote: to so many digits at most, without zeros at the end.
pub(crate) fn given(x: f64, digits: usize) -> String {
    let text = number(x, digits);
    let (mantissa, power) = text.split_once('×').unwrap_or((&text, ""));
    let mantissa = match mantissa.contains('.') {
        true => mantissa.trim_end_matches('0').trim_end_matches('.'),
        false => mantissa,
    };
    if power.is_empty() { mantissa.to_owned() } else { format!("{mantissa}×{power}") }
}

/// A number and its standard deviation, both to the digits that the deviation leaves: two of its own.
pub(crate) fn with_sigma(value: f64, sigma: f64) -> String {
    if !(value.is_finite() && sigma.is_finite() && sigma > 0.0) {
        return number(value, 4);
    }
    let sigma = rounded(sigma, 2);
    // Digits beyond the seventh nobody reads.
    if sigma < 1e-6 * value.abs() {
        return format!("{} ± {}", number(value, 7), number(sigma, 2));
    }
    let decimals = 1 - power_of(sigma);
    let power = power_of(value).max(power_of(sigma));
    if (-3..5).contains(&power) {
        // Deviations above ten leave tens and hundreds.
        let unit = 10_f64.powi((-decimals).max(0));
        let places = decimals.max(0) as usize;
        let whole = |x: f64| if unit > 1.0 { (x / unit).round() * unit } else { x };
        let (value, sigma) = (whole(value), whole(sigma));
        return minus(&format!("{value:.places$} ± {sigma:.places$}"));
    }
    let (scale, places) = (10_f64.powi(power), (decimals + power).max(0) as usize);
    let (value, sigma) = (value / scale, sigma / scale);
    minus(&format!("({value:.places$} ± {sigma:.places$})×10{}", superscript(power)))
}

/// The unit in which errors are read best, and the factor to it: lengths are told in millimetres if the smallest of those
/// that are compared is below a tenth of a metre.
pub fn readable(unit: &str, smallest: f64) -> (&str, f64) {
    match unit {
        "m" if smallest < 0.1 => ("mm", 1000.0),
        _ => (unit, 1.0),
    }
}

/// How much a number has changed, in per cent.
pub(crate) fn change(before: f64, after: f64) -> String {
    let percent = 100.0 * (after - before) / before.abs();
    match percent {
        p if !p.is_finite() => NOTHING.into(),
        p if p.abs() < 0.05 => "0 %".into(),
        p => format!("{}{} %", if p > 0.0 { "+" } else { "" }, number(p, 2)),
    }
}

/// Seconds, minutes or hours.
pub(crate) fn duration(seconds: f64) -> String {
    let (whole, unit) = (seconds.round() as u64, |n: u64| (n / 60, n % 60));
    match seconds {
        s if !s.is_finite() || s < 0.0 => NOTHING.into(),
        s if s < 100.0 => format!("{} s", number(s, 2)),
        s if s < 6000.0 => {
            let (minutes, seconds) = unit(whole);
            format!("{minutes} min {seconds} s")
        }
        _ => {
            let (hours, minutes) = unit(whole / 60);
            format!("{hours} h {minutes} min")
        }
    }
}

/// A count, its thousands apart.
pub(crate) fn count(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + 4);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// `1 window`, `2 windows`.
pub(crate) fn several(n: usize, what: &str) -> String {
    format!("{} {what}{}", count(n), if n == 1 { "" } else { "s" })
}

/// `a, b and c`.
pub(crate) fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// An axis: `name [unit]`.
pub(crate) fn axis(name: &str, unit: &str) -> String {
    if unit.is_empty() { name.to_owned() } else { format!("{name} [{unit}]") }
}

/// The nearest number of so many digits.
fn rounded(x: f64, digits: usize) -> f64 {
    format!("{x:.*e}", digits.saturating_sub(1)).parse().unwrap_or(x)
}

fn power_of(x: f64) -> i32 {
    if x == 0.0 { i32::MIN / 4 } else { x.abs().log10().floor() as i32 }
}

#[cfg(test)]
mod tests {
    use super::{change, count, duration, given, list, number, readable, with_sigma};

    #[test]
    fn digits_follow_the_deviation() {
        assert_eq!(with_sigma(1.23456, 0.0123), "1.235 ± 0.012");
        assert_eq!(with_sigma(-0.02, 0.5), "−0.02 ± 0.50");
        assert_eq!(with_sigma(0.0, 0.5), "0.00 ± 0.50");
        assert_eq!(with_sigma(12_342.0, 678.0), "12340 ± 680");
        assert_eq!(with_sigma(1.234e-5, 4e-7), "(1.234 ± 0.040)×10⁻⁵");
        assert_eq!(with_sigma(0.999_96, 0.000_99), "0.99996 ± 0.00099");
        assert_eq!(with_sigma(2.0, 1e-12), "2.000000 ± 1.0×10⁻¹²");
        assert_eq!(with_sigma(2.0, f64::NAN), "2.000");
        assert_eq!(with_sigma(f64::NAN, 1.0), "–");
    }

    #[test]
    fn short_lengths_are_told_in_millimetres() {
        assert_eq!(readable("m", 0.0123), ("mm", 1000.0));
        assert_eq!(readable("m", 0.4), ("m", 1.0));
        assert_eq!(readable("deg", 0.01), ("deg", 1.0));
        assert_eq!(readable("m", f64::NAN), ("m", 1.0));
    }

    #[test]
    fn words_for_numbers() {
        assert_eq!([given(0.02, 5), given(1e-5, 5), given(100.0, 5)], ["0.02", "1×10⁻⁵", "100"]);
        assert_eq!(number(9.996, 3), "10.0");
        assert_eq!(number(f64::INFINITY, 3), "–");
        assert_eq!(
            [change(2.0, 2.5), change(-2.0, -2.5), change(0.0, 1.0)],
            ["+25 %", "−25 %", "–"]
        );
        assert_eq!(
            [duration(12.34), duration(200.0), duration(7300.0)],
            ["12 s", "3 min 20 s", "2 h 1 min"]
        );
        assert_eq!(count(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(list(&["a".into(), "b".into(), "c".into()]), "a, b and c");
    }
}

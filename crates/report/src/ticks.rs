//! Positions and labels of the marks of an axis.

/// A mark on an axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub(super) at: f64,
    pub(super) label: String,
}

/// About `count` round numbers in a range.
pub(super) fn linear(from: f64, to: f64, count: usize) -> Vec<Tick> {
    let step = round_step((to - from) / count as f64);
    let first = (from / step - 1e-9).ceil() as i64;
    let last = (to / step + 1e-9).floor() as i64;
    let largest = from.abs().max(to.abs());
    (first..=last)
        .map(|i| i as f64 * step)
        .map(|at| Tick { at, label: label(at, step, largest) })
        .collect()
}

/// The nearest of 1, 2, 5 times a power of ten.
fn round_step(step: f64) -> f64 {
    let power = 10_f64.powf(step.log10().floor());
    power
        * match step / power {
            m if m < 1.5 => 1.0,
            m if m < 3.5 => 2.0,
            m if m < 7.5 => 5.0,
            _ => 10.0,
        }
}

fn label(at: f64, step: f64, largest: f64) -> String {
    // What `round_step` made has one digit that counts.
    let decimals = (-step.log10() - 1e-9).ceil() as i32;
    if at == 0.0 {
        return "0".into();
    }
    if largest >= 1e5 || decimals > 4 {
        let power = largest.log10().floor() as i32;
        let digits = (decimals + power).max(0) as usize;
        let mantissa = format!("{:.digits$}", at / 10_f64.powi(power));
        return minus(&format!("{mantissa}×10{}", superscript(power)));
    }
    minus(&format!("{at:.0$}", decimals.max(0) as usize))
}

/// Marks of a logarithmic axis, whose range is of exponents: powers of ten; where there are fewer than
/// two of them also 2 and 5 times those, or round numbers.
pub(super) fn logarithmic(from: f64, to: f64, count: usize) -> Vec<Tick> {
    let powers = powers_of_ten(from, to, count);
    if powers.len() > 1 {
        return powers;
    }
    let (low, high) = (10_f64.powf(from), 10_f64.powf(to));
    if !(low > 0.0 && high.is_finite()) {
        return powers;
    }
    let between = |(power, factor): (i32, f64)| {
        let value = factor * 10_f64.powi(power);
        let label = label(value, 10_f64.powi(power), value);
        Tick { at: value.log10(), label }
    };
    let steps: Vec<Tick> = (from.floor() as i32..=to.ceil() as i32)
        .flat_map(|power| [1.0, 2.0, 5.0].map(|factor| (power, factor)))
        .map(between)
        .filter(|tick| (from..=to).contains(&tick.at))
        .collect();
    if steps.len() > 1 {
        return steps;
    }
    let linear = linear(low, high, count).into_iter().filter(|tick| tick.at > 0.0);
    linear.map(|tick| Tick { at: tick.at.log10(), ..tick }).collect()
}

/// Powers of ten in a range, at most about `count` of them. The range is of exponents.
fn powers_of_ten(from: f64, to: f64, count: usize) -> Vec<Tick> {
    let decades = to - from;
    let every = [1, 2, 3, 5, 10, 20, 50, 100]
        .into_iter()
        .find(|n| decades / f64::from(*n) <= count as f64)
        .unwrap_or(100);
    let first = (from - 1e-9).ceil() as i32;
    let last = (to + 1e-9).floor() as i32;
    (first..=last)
        .filter(|power| power.rem_euclid(every) == 0)
        .map(|power| Tick { at: f64::from(power), label: power_of_ten(power) })
        .collect()
}

fn power_of_ten(power: i32) -> String {
    match power {
        0 => "1".into(),
        1 => "10".into(),
        _ => format!("10{}", superscript(power)),
    }
}

/// `⁻¹²`.
pub fn superscript(n: i32) -> String {
    n.to_string()
        .chars()
        .map(|c| match c {
            '-' => '⁻',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            digit => char::from_u32('⁰' as u32 + digit as u32 - '0' as u32).unwrap_or(digit),
        })
        .collect()
}

/// A minus as long as a plus.
pub fn minus(text: &str) -> String {
    text.replace('-', "−")
}

/// A number of `digits` digits as one writes it in a text: `0.034`, `2.1×10⁻⁹`.
pub fn in_words(x: f64, digits: usize) -> String {
    let power = if x == 0.0 { 0 } else { x.abs().log10().floor() as i32 };
    let digits = digits.max(1) as i32;
    if (-3..5).contains(&power) {
        return minus(&format!("{x:.0$}", (digits - 1 - power).max(0) as usize));
    }
    let mantissa = format!("{:.1$}", x / 10_f64.powi(power), digits as usize - 1);
    minus(&format!("{mantissa}×10{}", superscript(power)))
}

#[cfg(test)]
mod tests {
    use super::{in_words, linear, logarithmic, powers_of_ten};

    #[test]
    fn ticks_are_round_numbers() {
        let labels = |from, to| -> Vec<String> {
            linear(from, to, 5).into_iter().map(|t| t.label).collect()
        };
        assert_eq!(labels(0.0, 10.0), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(labels(-0.3, 0.9), ["−0.2", "0", "0.2", "0.4", "0.6", "0.8"]);
        let tiny = ["0", "0.5×10⁻⁹", "1.0×10⁻⁹", "1.5×10⁻⁹", "2.0×10⁻⁹", "2.5×10⁻⁹"];
        assert_eq!(labels(0.0, 2.5e-9), tiny);
        assert_eq!(labels(0.0, 1e6)[1], "0.2×10⁶");
    }

    #[test]
    fn powers_are_thinned_out() {
        let labels: Vec<String> =
            powers_of_ten(-12.5, 1.2, 6).into_iter().map(|t| t.label).collect();
        assert_eq!(labels, ["10⁻¹²", "10⁻⁹", "10⁻⁶", "10⁻³", "1"]);
    }

    #[test]
    fn less_than_a_decade_has_marks_too() {
        let labels = |from: f64, to: f64| -> Vec<String> {
            logarithmic(from.log10(), to.log10(), 5).into_iter().map(|t| t.label).collect()
        };
        assert_eq!(labels(0.3, 6.0), ["0.5", "1", "2", "5"]);
        assert_eq!(labels(2.1, 3.0), ["2.2", "2.4", "2.6", "2.8", "3.0"]);
        assert_eq!(labels(1.0, 100.0), ["1", "10", "10²"]);
        assert_eq!(labels(150.0, 600.0), ["200", "500"]);
    }

    #[test]
    fn numbers_in_a_text() {
        assert_eq!(in_words(0.0, 2), "0.0");
        assert_eq!(in_words(-0.0341, 2), "−0.034");
        assert_eq!(in_words(2.14e-9, 2), "2.1×10⁻⁹");
        assert_eq!(in_words(1234.5, 3), "1234");
    }
}

//! Numbers and tables for a terminal.

use std::fmt::Write as _;

/// A number to about six digits, in the shortest form.
pub fn number(x: f64) -> String {
    match x.abs() {
        0.0 => "0".into(),
        a if !a.is_finite() => match x {
            f64::INFINITY => "∞".into(),
            f64::NEG_INFINITY => "−∞".into(),
            _ => "NaN".into(),
        },
        1e-4..1e6 => {
            let decimals = (5 - x.abs().log10().floor() as i32).max(0) as usize;
            let text = format!("{x:.decimals$}");
            match text.contains('.') {
                true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
                false => text,
            }
        }
        _ => {
            let text = format!("{x:.5e}");
            match text.split_once('e') {
                Some((digits, power)) if digits.contains('.') => {
                    let digits = digits.trim_end_matches('0').trim_end_matches('.');
                    format!("{digits}e{power}")
                }
                _ => text,
            }
        }
    }
}

/// A number with this many decimals; a number that rounds to zero has no sign.
pub fn fixed(x: f64, decimals: usize) -> String {
    let text = format!("{x:.decimals$}");
    match text.strip_prefix('-') {
        Some(digits) if digits.chars().all(|c| matches!(c, '0' | '.')) => digits.to_owned(),
        _ => text,
    }
}

/// To three digits.
pub fn rounded(x: f64) -> f64 {
    format!("{x:.2e}").parse().unwrap_or(x)
}

/// A name as a CSV cell.
pub fn csv_cell(name: &str) -> String {
    match name.contains([',', '"', '\n']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.to_owned(),
    }
}

/// `1 window`, `2 windows`.
pub fn several(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// `(1, 2.5, 0)`.
pub fn tuple(numbers: &[f64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(|x| number(*x)).collect();
    format!("({})", numbers.join(", "))
}

/// How a column is aligned with its head.
#[derive(Clone, Copy, PartialEq)]
pub enum Align {
    /// Under the head's first letter.
    Left,
    /// Under its last.
    Right,
}

/// Rows under a head, in columns, indented by two.
pub struct Table {
    align: Vec<Align>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// With this head; an empty head of all columns is left out.
    pub fn new(columns: &[(&str, Align)]) -> Self {
        let head: Vec<String> = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
        let rows = if head.iter().all(String::is_empty) { vec![] } else { vec![head] };
        Table { align: columns.iter().map(|(_, align)| *align).collect(), rows }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The table alone.
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    /// Writes it to the end of `out`.
    pub fn write(&self, out: &mut String) {
        let width = |k: usize| self.rows.iter().map(|row| width(&row[k])).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.align.len()).map(width).collect();
        for row in &self.rows {
            let mut line = String::new();
            for ((cell, align), width) in row.iter().zip(&self.align).zip(&widths) {
                let _ = match align {
                    Align::Left => write!(line, "  {cell:<width$}"),
                    Align::Right => write!(line, "  {cell:>width$}"),
                };
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
}

/// Width of a text in columns: one for each character, which holds for all our texts.
pub fn width(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::{fixed, number};

    #[test]
    fn what_rounds_to_zero_has_no_sign() {
        for (x, text) in [(-1e-9, "0.00"), (-0.0, "0.00"), (-0.004, "0.00"), (-0.006, "-0.01")] {
            assert_eq!(fixed(x, 2), text);
        }
        assert_eq!(fixed(-0.4, 0), "0");
    }

    #[test]
    fn numbers_are_short_and_keep_six_digits() {
        for (x, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (3.0, "3"),
            (100_000.0, "100000"),
            (25.433, "25.433"),
            (-9.81, "-9.81"),
            (1.0 / 3.0, "0.333333"),
            (0.000_123_456_78, "0.000123457"),
            (1e-9, "1e-9"),
            (6.02214076e23, "6.02214e23"),
            (f64::NEG_INFINITY, "−∞"),
        ] {
            assert_eq!(number(x), text);
        }
    }
}

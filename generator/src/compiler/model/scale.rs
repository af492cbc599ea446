//! Decimals that travel as integers: the value times ten to the power of the scale.

/// The integer on the wire for a value. Decimal places beyond the scale stay as a fraction.
pub(crate) fn to_wire(value: &str, scale: u8) -> String {
    let (sign, digits) = signed(value);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let places = usize::from(scale);
    let fraction = format!("{fraction:0<places$}");
    let (moved, rest) = fraction.split_at(places);
    join(sign, &[whole, moved].concat(), rest)
}

/// The value of an integer on the wire.
pub(crate) fn to_value(wire: &str, scale: u8) -> String {
    let (sign, digits) = signed(wire);
    let (whole, rest) = digits.split_once('.').unwrap_or((digits, ""));
    let whole = format!("{whole:0>width$}", width = usize::from(scale) + 1);
    let (whole, moved) = whole.split_at(whole.len() - usize::from(scale));
    join(sign, whole, &[moved, rest].concat())
}

fn signed(text: &str) -> (&str, &str) {
    text.strip_prefix('-').map_or(("", text), |digits| ("-", digits))
}

fn join(sign: &str, whole: &str, fraction: &str) -> String {
    let whole = Some(whole.trim_start_matches('0')).filter(|whole| !whole.is_empty()).unwrap_or("0");
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_decimal_point_moves() {
        for (value, wire) in [("64000.5", "640005000"), ("0.0001", "1"), ("-1.5", "-15000"), ("0", "0"), ("7", "70000")]
        {
            assert_eq!((to_wire(value, 4).as_str(), to_value(wire, 4).as_str()), (wire, value));
        }
        assert_eq!(to_wire("1.00005", 4), "10000.5");
        assert_eq!(to_value("10000.5", 4), "1.00005");
    }
}

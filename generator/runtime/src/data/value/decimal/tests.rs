//! Decimals: what is read, compared, calculated and printed.

use std::collections::HashSet;

use proptest::prelude::*;

use super::*;

type Tested = Result<(), InvalidDecimal>;

#[test]
fn accepts_only_numbers() {
    for text in ["0", "-0", "+1.5", ".5", "5.", "0E-8", "1.5e3", "1e+1000", "12345678901234567890123456789012345.6"] {
        assert!(text.parse::<Decimal>().is_ok(), "{text}");
    }
    for text in ["", "-", ".", "e5", "1e", "1e1001", "1e-1001", "1e99999999999", "1.2.3", "0x1", "1 ", "٣", "NaN"] {
        assert!(text.parse::<Decimal>().is_err(), "{text}");
    }
}

#[test]
fn keeps_its_text() -> Tested {
    let number: Decimal = "0E-8".parse()?;
    assert_eq!((number.as_str(), number.to_string()), ("0E-8", "0E-8".to_owned()));
    assert_eq!(format!("{number:?}"), "0E-8");
    Ok(())
}

/// The text of a number is never cut: a precision is a number of decimal places.
#[test]
fn is_formatted_as_a_number() -> Tested {
    let of = |text: &str| text.parse::<Decimal>();
    let price = of("64000.37")?;
    for (shown, expected) in [
        (format!("{price:.2}"), "64000.37"),
        (format!("{price:.1}"), "64000.3"),
        (format!("{price:.0}"), "64000"),
        (format!("{price:.4}"), "64000.3700"),
        (format!("{price:12.1}|"), "     64000.3|"),
        (format!("{price:<10}|"), "64000.37  |"),
        (format!("{price:^12}|"), "  64000.37  |"),
        (format!("{price:*>10}|"), "**64000.37|"),
        (format!("{price:3}|"), "64000.37|"),
        (format!("{price:+}"), "+64000.37"),
        (format!("{price:012.3}"), "00064000.370"),
        (format!("{:.0}", of("-0.5")?), "0"),
        (format!("{:.0}", of("-1.5")?), "-1"),
        (format!("{:+.2}", of("-0.5")?), "-0.50"),
        (format!("{:08.2}", of("-0.5")?), "-0000.50"),
        (format!("{:.1}", of("1e3")?), "1000.0"),
        (format!("{:.3}", of("0E-8")?), "0.000"),
        (format!("{:8}|", of("0E-8")?), "    0E-8|"),
        (format!("{:.1}", of(".5")?), "0.5"),
        (format!("{}", of("+5")?), "+5"),
        (
            format!("{:.2}", of("1234567890123456789012345678901234567.899")?),
            "1234567890123456789012345678901234567.89",
        ),
        (format!("{:.1}", crate::data::value::Scaled::<4>::from(price.clone())), "64000.3"),
    ] {
        assert_eq!(shown, expected);
    }
    Ok(())
}

/// A number that is rounded to a step is a multiple of it, or an error, also beside the greatest one that is rounded.
#[test]
fn nothing_is_rounded_off_a_multiple() -> Tested {
    let most: Decimal = "79228162514264337593543950335".parse()?;
    for step in ["0.3", "0.7", "1"] {
        let step: Decimal = step.parse()?;
        if let Ok(multiple) = most.floor_to(&step) {
            assert_eq!(multiple.is_multiple_of(&step), Some(true), "{step}: {multiple}");
        }
    }
    Ok(())
}

/// negative-zero: a zero has a sign only in the text that it was read from.
#[test]
fn no_operation_gives_a_negative_zero() -> Tested {
    let of = |text: &str| text.parse::<Decimal>();
    for zero in ["0", "-0", "0.000", "-0.0", "0E-8", "-0e5"] {
        let zero = of(zero)?;
        for (step, expected) in [("0.1", "0.0"), ("1", "0"), ("0.25", "0.00"), ("25", "0"), ("1e-3", "0.000")] {
            let step = of(step)?;
            for multiple in [zero.floor_to(&step)?, zero.ceil_to(&step)?, zero.round_to(&step)?] {
                assert_eq!(multiple.as_str(), expected, "{zero:?} to {step}");
            }
        }
        for shown in [format!("{zero:.2}"), format!("{:.2}", -&zero), format!("{:.2}", zero.abs())] {
            assert_eq!(shown, "0.00", "{zero:?}");
        }
        assert!(!zero.to_plain().starts_with('-') && !(-&zero).is_sign_negative(), "{zero:?}");
        assert!(!zero.shifted(-4).is_sign_negative() && !zero.shifted(4).is_sign_negative(), "{zero:?}");
        assert!(!Decimal::from(-zero.to_rust_decimal()?).is_sign_negative(), "{zero:?}");
        assert!(!zero.text(&mut Scratch::new()).contains('-'), "{zero:?}");
    }
    // Numbers that round to zero from below, and equal numbers of which one is subtracted.
    let (step, below) = (of("0.1")?, of("-0.04")?);
    assert_eq!([below.ceil_to(&step)?, below.round_to(&step)?].map(|zero| zero.to_string()), ["0.0", "0.0"]);
    assert_eq!([format!("{below:.1}"), format!("{below:.0}"), format!("{below:+.1}")], ["0.0", "0", "+0.0"]);
    assert_eq!((&below - &below).as_str(), "0.00");
    assert_eq!((&below * Decimal::default()).as_str(), "0.00");
    let fifth = below.to_rust_decimal()?;
    assert_eq!(Decimal::from(fifth - fifth).as_str(), "0.00");
    assert_eq!(Decimal::from((fifth).round_dp(1)).as_str(), "0.0");
    Ok(())
}

#[test]
fn zeros_at_the_end_need_no_room() -> Tested {
    let one: Decimal = format!("1.{}", "0".repeat(35)).parse()?;
    assert_eq!(one.to_rust_decimal()?, rust_decimal::Decimal::ONE);
    assert_eq!(&one + &one, Decimal::from(2_u8));
    assert_eq!(one.floor_to(&"0.1".parse()?)?.as_str(), "1.0");
    assert!("1.00000000000000000000000000000000001".parse::<Decimal>()?.to_rust_decimal().is_err());
    // Places that fit are kept, because they show a precision.
    assert_eq!("1.500".parse::<Decimal>()?.to_rust_decimal()?.to_string(), "1.500");
    Ok(())
}

#[test]
fn has_the_functions_of_a_number() -> Tested {
    let of = |text: &str| text.parse::<Decimal>();
    assert_eq!(Decimal::default(), of("0")?);
    assert_eq!(Decimal::from(u128::MAX).as_str(), u128::MAX.to_string());
    assert_eq!((Decimal::from(7_usize), Decimal::from(i128::MIN)), (of("7")?, of(&i128::MIN.to_string())?));
    for (text, signs) in
        [("0.01", (true, false)), ("-3", (false, true)), ("0E-8", (false, false)), ("-0", (false, false))]
    {
        assert_eq!((of(text)?.is_positive(), of(text)?.is_negative()), signs, "{text}");
    }
    Ok(())
}

#[test]
fn is_written_plainly() -> Tested {
    let cases = [
        ("0E-8", "0.00000000"),
        ("1.5e3", "1500"),
        ("-1.5E-3", "-0.0015"),
        ("12.345e1", "123.45"),
        ("12.345e2", "1234.5"),
        ("+7", "7"),
        ("007.10", "7.10"),
        (".5", "0.5"),
        ("5.", "5"),
        ("-0", "0"),
        ("-0.00", "0.00"),
        ("-0e-2", "0.00"),
    ];
    for (text, plain) in cases {
        assert_eq!(text.parse::<Decimal>()?.to_plain(), plain, "{text}");
    }
    Ok(())
}

#[test]
fn compares_by_value() -> Tested {
    let equal = [("1.50", "1.5"), ("0E-8", "0"), ("-0", "0"), ("100", "1e2"), ("0.001", "1e-3"), ("+1", "01.0")];
    for (left, right) in equal {
        let (left, right): (Decimal, Decimal) = (left.parse()?, right.parse()?);
        assert_eq!(left, right);
        assert_eq!(HashSet::from([left, right]).len(), 1);
    }
    let ascending = ["-1e3", "-2", "-1.9", "-1e-9", "0", "1e-9", "0.1", "0.11", "1", "9.99", "10", "1e1000"];
    for (index, left) in ascending.iter().enumerate() {
        for right in &ascending[index + 1..] {
            assert!(left.parse::<Decimal>()? < right.parse::<Decimal>()?, "{left} {right}");
        }
    }
    Ok(())
}

#[test]
fn converts_to_rust_decimal_only_numbers_that_fit() -> Tested {
    assert_eq!("64000.10".parse::<Decimal>()?.to_rust_decimal()?.to_string(), "64000.10");
    assert_eq!("1.5e3".parse::<Decimal>()?.to_rust_decimal()?.to_string(), "1500");
    assert!("0.1234567890123456789012345678901".parse::<Decimal>()?.to_rust_decimal().is_err());
    assert!("1e40".parse::<Decimal>()?.to_rust_decimal().is_err());
    Ok(())
}

#[test]
fn comes_from_integers() -> Tested {
    assert_eq!(Decimal::from(u64::MAX).as_str(), "18446744073709551615");
    assert_eq!(Decimal::from(-5_i32).as_str(), "-5");
    Ok(())
}

prop_compose! {
    fn rust_decimals()(number: i64, scale in 0_u32..28) -> rust_decimal::Decimal {
        rust_decimal::Decimal::new(number, scale)
    }
}

proptest! {
    #[test]
    fn agrees_with_rust_decimal(left in rust_decimals(), right in rust_decimals()) {
        let (mine, other) = (Decimal::from(left), Decimal::from(right));
        prop_assert_eq!(mine.cmp(&other), left.cmp(&right));
        prop_assert_eq!(mine.to_rust_decimal()?, left);
        prop_assert_eq!(mine.is_zero(), left.is_zero());
    }

    #[test]
    fn the_text_of_a_rust_decimal_equals_its_display(
        number in prop_oneof![Just(0), any::<i64>().prop_map(i128::from), -(1_i128 << 96) + 1..1_i128 << 96],
        scale in 0_u32..=28,
        negated: bool,
    ) {
        let mut number = rust_decimal::Decimal::from_i128_with_scale(number, scale);
        number.set_sign_negative(negated);
        let decimal = Decimal::from(number);
        // A zero loses its sign.
        let shown = number.to_string();
        prop_assert_eq!(decimal.as_str(), if number.is_zero() { shown.trim_start_matches('-') } else { &shown });
    }

    #[test]
    fn plain_notation_means_the_same(text in "[-+]?[0-9]{1,30}(\\.[0-9]{0,30})?([eE][-+]?[0-9]{1,2})?") {
        let number: Decimal = text.parse()?;
        let plain: Decimal = number.to_plain().parse()?;
        prop_assert_eq!(&plain, &number);
        prop_assert_eq!(plain.to_plain(), plain.as_str());
        let json = serde_json::from_str::<serde_json::Value>(plain.as_str());
        prop_assert!(json.is_ok(), "{} is not a JSON number", plain);
    }

    #[test]
    fn never_panics(text in ".*") {
        let _ = text.parse::<Decimal>();
    }
}

#[test]
fn multiples_are_exact() -> Tested {
    let cases = [
        ("64000.3", "0.1", Some(true)),
        ("64000.35", "0.1", Some(false)),
        ("64000.5", "0.5", Some(true)),
        ("0E-8", "0.5", Some(true)),
        ("1e3", "250", Some(true)),
        ("1e3", "300", Some(false)),
        ("-7.5", "2.5", Some(true)),
        ("250", "1e3", Some(false)),
        ("12345678901234567890123456789012345678901234567890", "10", Some(true)),
        ("12345678901234567890123456789012345678901234567891", "10", Some(false)),
        ("1", "0", None),
        ("1", "-1", None),
        ("1", "1234567890123456789012345678901234567.1", None),
    ];
    for (number, step, expected) in cases {
        assert_eq!(number.parse::<Decimal>()?.is_multiple_of(&step.parse()?), expected, "{number} of {step}");
    }
    Ok(())
}

#[test]
fn significant_digits_are_without_zeros_at_either_end() -> Tested {
    for (text, digits) in [("0", 0), ("100.00", 1), ("0.01050", 3), ("10.01", 4), ("-120e5", 2), ("00.5e-3", 1)] {
        assert_eq!(text.parse::<Decimal>()?.significant_digits(), digits, "{text}");
    }
    Ok(())
}

#[test]
fn places_are_those_that_are_needed() -> Tested {
    for (number, places) in [("0", 0), ("0.00", 0), ("1.50", 1), ("1e3", 0), ("1.5e-3", 4), ("0.0010", 3), ("120", 0)] {
        assert_eq!(number.parse::<Decimal>()?.places(), places, "{number}");
    }
    Ok(())
}

proptest! {
    /// Whatever the steps and the digits, the result is a multiple, and less than a step away.
    #[test]
    fn floors_are_multiples(whole: i64, places in 0_u32..12, step in 1_u64..100_000, ten in 0_u32..12) {
        let number = Decimal::from_str(&format!("{whole}e-{places}"))?;
        let step = Decimal::from_str(&format!("{step}e-{ten}"))?;
        if let Ok(floor) = number.floor_to(&step) {
            prop_assert_eq!(floor.is_multiple_of(&step), Some(true), "{} of {}", floor, step);
            let rest = &number - &floor;
            prop_assert!(!rest.is_sign_negative() && rest < step, "{} above {}", rest, floor);
        }
    }

    #[test]
    fn multiples_agree_with_integers(a in -1_000_000i64..1_000_000, b in 1i64..5_000, ten in 0u32..4) {
        let shifted = |n: i64| Decimal::from_str(&format!("{n}e-{ten}"));
        let (number, step, product) = (shifted(a), shifted(b), shifted(a * b));
        prop_assert_eq!(number.ok().zip(step.clone().ok()).and_then(|(n, step)| n.is_multiple_of(&step)), Some(a % b == 0));
        prop_assert_eq!(product.ok().zip(step.ok()).and_then(|(n, step)| n.is_multiple_of(&step)), Some(true));
    }
}

/// Returns hostile numbers: exponents at the ends of every integer, thousands of digits, and mixtures.
fn hostile_numbers() -> impl Strategy<Value = String> {
    let digits = prop_oneof!["[0-9]{0,40}", "0{0,3000}", "9{0,3000}", "[0-9]{0,3000}"];
    let fraction = prop_oneof![Just(String::new()), "\\.[0-9]{0,40}", "\\.0{0,3000}[0-9]?", "\\.9{0,3000}"];
    let ends = prop::sample::select(vec![
        i128::from(i8::MIN),
        i128::from(i16::MIN),
        i128::from(i32::MIN),
        i128::from(i32::MAX),
        i128::from(u32::MAX),
        i128::from(i64::MIN),
        i128::from(i64::MAX),
        i128::from(u64::MAX),
        i128::MIN + 2,
        -1000,
        1000,
        0,
    ]);
    let ends = (ends, -2_i128..=2).prop_map(|(end, off)| format!("e{}", end + off));
    let exponent = prop_oneof![Just(String::new()), ends, "[eE][-+]?[0-9]{0,25}", "e-?0{0,40}[0-9]{1,4}"];
    ("[-+]?", digits, fraction, exponent)
        .prop_map(|(sign, digits, fraction, exponent)| sign + &digits + &fraction + &exponent)
}

fn hash_of(number: &Decimal) -> u64 {
    use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
    BuildHasherDefault::<DefaultHasher>::default().hash_one(number)
}

#[test]
fn the_ends_of_exponents_are_refused() {
    for text in ["1e-2147483648", "1E-2147483648", "-0.1e-2147483648", "1e2147483647", "1e-9223372036854775808"] {
        assert!(text.parse::<Decimal>().is_err(), "{text}");
        assert!(crate::data::json::read_json::<Decimal>(text).is_err(), "{text}");
        assert!(crate::data::json::read_json::<Option<Decimal>>(&format!("{text:?}")).is_err(), "{text}");
    }
}

proptest! {
    /// Whatever number is read, no function of it overflows or makes a text that is much longer.
    #[test]
    fn no_number_costs_more_than_its_length(left in hostile_numbers(), right in hostile_numbers()) {
        let longest = |number: &Decimal| number.as_str().len() + 1_010;
        let (Ok(left), Ok(right)) = (left.parse::<Decimal>(), right.parse::<Decimal>()) else { return Ok(()) };
        for number in [&left, &right] {
            let plain: Decimal = number.to_plain().parse()?;
            prop_assert!(plain.as_str().len() <= longest(number));
            let digits = plain.as_str().bytes().filter(u8::is_ascii_digit).count();
            prop_assert_eq!(number.has_more_digits_than(64), digits > 64);
            prop_assert_eq!(plain.has_more_digits_than(64), digits > 64);
            prop_assert!(number.places() as usize <= longest(number));
            prop_assert_eq!(&plain, number);
            prop_assert_eq!(hash_of(&plain), hash_of(number));
            prop_assert_eq!(number.to_string(), number.as_str());
            if let Ok(exact) = number.to_rust_decimal() {
                prop_assert_eq!(&Decimal::from(exact), number);
            }
        }
        prop_assert_eq!(left.cmp(&right), right.cmp(&left).reverse());
        prop_assert_eq!(left == right, hash_of(&left) == hash_of(&right));
        let _ = (left.is_multiple_of(&right), right.is_multiple_of(&left), left.is_zero());
    }
}

#[test]
fn a_multiple_of_a_step_is_exact() {
    let to = |number: &str, step: &str| {
        let (number, step): (Decimal, Decimal) = (number.parse().ok()?, step.parse().ok()?);
        let both = [number.floor_to(&step).ok()?, number.round_to(&step).ok()?];
        Some(both.map(|multiple| multiple.as_str().to_owned()))
    };
    let is = |below: &str, nearest: &str| Some([below.to_owned(), nearest.to_owned()]);
    assert_eq!(to("64000.37", "0.1"), is("64000.3", "64000.4"));
    assert_eq!(to("64000.25", "0.5"), is("64000.0", "64000.5"));
    assert_eq!(to("-0.25", "0.5"), is("-0.5", "-0.5"));
    assert_eq!(to("-0.2", "0.5"), is("-0.5", "0.0"));
    assert_eq!(to("7", "2.50"), is("5.0", "7.5"));
    assert_eq!(to("0.30", "0.1"), is("0.3", "0.3"));
    assert_eq!(to("1", "0"), None);
    assert_eq!(to("1", "-1"), None);
    assert_eq!(to("79228162514264337593543950336", "1"), None);
}

#[test]
fn literals_are_numbers() {
    assert_eq!(crate::dec!(64_000.10).as_str(), "64000.10");
    assert_eq!([crate::dec!(5), crate::dec!(-0.5)], [Decimal::from(5), Decimal::literal("-.5")]);
}

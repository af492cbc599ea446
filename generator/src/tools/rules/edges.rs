//! Values just outside and just inside a bound of a parameter or a window.

use regex_lite::Regex;
use serde_json::{Value, json};

use super::{Bound, NOW, WindowRule};
use crate::compiler::model::{Family, Identifier, Number, Parameter, Type, Window, alphabet};
use tradeapi_words::ACCESS_TOLERANCE_MS;

/// A value that no enum has.
const STRANGER: &str = "no-such-value";

/// The two ends of a range, if they are given.
pub(super) type Ends = (Option<i64>, Option<i64>);

/// Ranges that only just break a rule about a window, or only just keep it.
pub(super) fn ends_at(window: &Window, rule: WindowRule, breaks: bool) -> Option<Vec<Ends>> {
    let (now, beyond) = (NOW as i64, i64::from(breaks));
    Some(match rule {
        WindowRule::Pair => vec![(Some(now), (!breaks).then_some(now))],
        WindowRule::Order => vec![(Some(now + beyond), Some(now))],
        WindowRule::Span => {
            let from = window.span?.0.shift(now, -1);
            vec![(Some(from), Some(window.span?.0.shift(from, 1) + beyond))]
        }
        WindowRule::Access => {
            let oldest = window.access?.0.shift(now, -1) - ACCESS_TOLERANCE_MS as i64 - beyond;
            let needs_end = window.access_is_of_data() || window.both_or_neither.is_set();
            let at_edge = (Some(oldest), needs_end.then_some(oldest));
            // If the limit applies to the data, an earlier start finds nothing but is allowed.
            let older = oldest - 1;
            let longest = window.span.map_or(now, |(span, _)| span.shift(older, 1).min(now));
            let reaches_back = (Some(older), Some(longest));
            if breaks || !window.access_is_of_data() { vec![at_edge] } else { vec![at_edge, reaches_back] }
        }
    })
}

/// Values just outside or just inside a bound.
pub(super) fn values_at(family: &Family, parameter: &Parameter, bound: &Bound<'_>, breaks: bool) -> Vec<Value> {
    let beyond = i128::from(breaks);
    let number = |text: String| {
        let is_text = parameter.as_text || parameter.shape.single() != Some(Type::Integer);
        let bare = text.parse::<u64>().ok().filter(|_| !is_text);
        vec![bare.map_or(json!(text), |number| json!(number))]
    };
    let wire = |bound: &str| parameter.shape.single().map_or_else(|| bound.to_owned(), |ty| ty.wire_of_value(bound));
    let moved = |bound: &str, by| Number::parse(&wire(bound)).and_then(|at| at.moved(by)).map_or_else(Vec::new, number);
    match bound {
        Bound::Values(known) if breaks => {
            let all = family.enum_of(&parameter.shape);
            let others = all.into_iter().flat_map(|all| all.wires()).filter(|wire| !known.contains(wire));
            others.chain([STRANGER]).map(|value| json!(value)).collect()
        }
        Bound::Values(known) => known.iter().map(|value| json!(value)).collect(),
        Bound::Shape(identifier) => texts_at(identifier, breaks),
        Bound::Min(min) => moved(min, -beyond),
        Bound::Max(max) => moved(max, beyond),
        Bound::Scale(_) => {
            let least = parameter.min.as_ref().map_or_else(|| "1".to_owned(), |(min, _)| wire(min));
            number(if breaks { format!("{least}.5") } else { least })
        }
        Bound::Places(most) => {
            let whole = parameter.min.as_ref().map_or("1", |(min, _)| min.split('.').next().unwrap_or("1"));
            let places = *most as usize + usize::from(breaks);
            number(if places == 0 { whole.to_owned() } else { format!("{whole}.{}1", "0".repeat(places - 1)) })
        }
        Bound::SignificantDigits(most) => {
            let digits = "1".repeat(*most as usize + usize::from(breaks));
            let in_places = |places: usize| format!("{}.{}", &digits[..1], &digits[1..places + 1]);
            let fits = parameter.places.is_none_or(|(places, _)| digits.len() - 1 <= places as usize);
            number(if digits.len() > 1 && fits { in_places(digits.len() - 1) } else { digits.clone() })
        }
        Bound::Digits(most) => number("9".repeat(*most as usize + usize::from(breaks))),
        Bound::Length(least, most) => {
            let (shorter, longer) = (least.saturating_sub(1), most + 1);
            let lengths = if breaks { [shorter, longer] } else { [(*least).max(1), *most] };
            lengths.into_iter().filter(|n| *n > 0).map(|n| json!("a".repeat(n as usize))).collect()
        }
        Bound::Pattern(pattern) => {
            let length = parameter.length.map_or(1, |((least, _), _)| least.max(1)) as usize;
            let strangers = ["~", "a", "0", "-"].into_iter().map(|text| text.repeat(length));
            let is_stranger = |text: &String| Regex::new(pattern).is_ok_and(|pattern| !pattern.is_match(text));
            strangers.filter(is_stranger).take(1).map(|text| json!(text)).collect()
        }
        Bound::Edit(delete) if breaks => vec![json!(format!("{delete}.0"))],
        Bound::Edit(delete) => vec![json!(delete), json!(format!("{delete}.5"))],
        Bound::MinItems(_) | Bound::MaxItems(_) => Vec::new(),
    }
}

/// Texts just outside or just inside the constraints of an identifier, for each length and each character at the edge.
fn texts_at(identifier: &Identifier, breaks: bool) -> Vec<Value> {
    let alphabet = identifier.alphabet.as_ref().map(|(alphabet, _)| alphabet.as_str());
    let pieces: Vec<(char, char)> = alphabet.and_then(|alphabet| alphabet::ranges(alphabet).ok()).unwrap_or_default();
    let is_of = |c: char| pieces.is_empty() || pieces.iter().any(|(first, last)| (*first..=*last).contains(&c));
    let letter = pieces.iter().map(|(first, _)| *first).find(char::is_ascii_alphanumeric).unwrap_or('a');
    let (least, most) = identifier.length.unwrap_or((1, 64));
    let of_length = |n: u32| letter.to_string().repeat(n as usize);
    let padded = |c: char| format!("{}{c}", of_length(least.max(2) - 1));
    let mut texts = Vec::new();
    if breaks {
        texts.extend(identifier.length.map(|_| of_length(most + 1)));
        texts.extend((least > 1).then(|| of_length(least - 1)));
        texts.extend((' '..='~').filter(|c| !is_of(*c)).map(padded));
    } else {
        texts.extend(identifier.length.map(|_| of_length(most)));
        texts.push(of_length(least));
        texts.extend(pieces.iter().flat_map(|(first, last)| [padded(*first), padded(*last)]));
    }
    texts.into_iter().map(|text| json!(text)).collect()
}

//! Which texts of a response may be reported: those that are spelled like a name. Others may be personal data.

/// The maximum length of a name, in characters.
const LONGEST: usize = 48;

/// The maximum number of digits in a name: ids and amounts have more.
const DIGITS: usize = 4;

/// The maximum length of an error code, in characters: ids are longer.
const LONGEST_CODE: usize = 12;

/// `text`, if it is spelled like the name of a field or like a value of an enum: it begins with a letter, has few
/// digits, and little else than letters.
pub(super) fn name(text: &str) -> Option<Box<str>> {
    let (mut digits, mut spaces) = (0, 0);
    for byte in text.bytes() {
        match byte {
            b'0'..=b'9' => digits += 1,
            b' ' => spaces += 1,
            b'_' | b'-' | b'.' | b'a'..=b'z' | b'A'..=b'Z' => {}
            _ => return None,
        }
    }
    let begins = text.starts_with(|first: char| first.is_ascii_alphabetic());
    (begins && text.len() <= LONGEST && digits <= DIGITS && spaces <= 2).then(|| text.into())
}

/// `text`, if it is spelled like an error code.
pub(super) fn code(text: &str) -> Option<Box<str>> {
    let is_code = (1..=LONGEST_CODE).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_code.then(|| text.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kept() {
        for kept in ["newField", "price24hPcnt", "tp_sl_2", "USDT-FUTURES", "post only", "v", "a.b"] {
            assert_eq!(name(kept).as_deref(), Some(kept));
        }
        assert_eq!(code("40010").as_deref(), Some("40010"));
    }

    #[test]
    fn ids_amounts_and_sentences_are_not_reported() {
        let long = "x".repeat(LONGEST + 1);
        for kept in ["", "1461937205548810241", "0.5", "-5", "desk-1:0001", "a-2024-11-21", "Mr. X owes 5 to Y", "grün"]
        {
            assert_eq!(name(kept), None, "{kept}");
        }
        assert_eq!(name(&long), None);
        for kept in ["", "1461937205548810241", "no such order", "a:b"] {
            assert_eq!(code(kept), None, "{kept}");
        }
    }
}

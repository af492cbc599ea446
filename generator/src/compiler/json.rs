//! JSON with the place of each value, with numbers as they were written and members in their order.

use std::fmt;

/// A value and the byte offset at which it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) offset: usize,
    pub(crate) value: Value,
}

/// The content of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Null,
    Boolean(bool),
    Number(String),
    Text(String),
    List(Vec<Node>),
    Object(Vec<Member>),
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) offset: usize,
    pub(crate) name: String,
    pub(crate) value: Node,
}

impl Node {
    /// Returns the kind, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Boolean(_) => "a boolean",
            Value::Number(_) => "a JSON number",
            Value::Text(_) => "a JSON string",
            Value::List(_) => "a list",
            Value::Object(_) => "an object",
        }
    }
}

impl Value {
    /// Creates an object that was not read, so that nothing in it has a place.
    pub(crate) fn object(members: impl IntoIterator<Item = (impl Into<String>, Value)>) -> Self {
        let members = members.into_iter().map(|(name, value)| (name.into(), placeless(value)));
        Self::Object(members.map(|(name, value)| Member { offset: 0, name, value }).collect())
    }

    /// Creates a list that was not read.
    pub(crate) fn list(items: impl IntoIterator<Item = Value>) -> Self {
        Self::List(items.into_iter().map(placeless).collect())
    }

    /// Returns the items, if it is a list.
    pub(crate) fn items(&self) -> Option<&[Node]> {
        if let Self::List(items) = self { Some(items) } else { None }
    }

    /// Returns the members, if it is an object.
    pub(crate) fn members(&self) -> Option<&[Member]> {
        if let Self::Object(members) = self { Some(members) } else { None }
    }
}

fn placeless(value: Value) -> Node {
    Node { offset: 0, value }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Self::Number(number.to_string())
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// Writes it as JSON in one line, without spaces.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Boolean(value) => write!(f, "{value}"),
            Self::Number(number) => f.write_str(number),
            Self::Text(text) => quote(f, text),
            Self::List(items) => {
                f.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { "," })?;
                    item.value.fmt(f)?;
                }
                f.write_str("]")
            }
            Self::Object(members) => {
                f.write_str("{")?;
                for (index, member) in members.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { "," })?;
                    quote(f, &member.name)?;
                    f.write_str(":")?;
                    member.value.value.fmt(f)?;
                }
                f.write_str("}")
            }
        }
    }
}

fn quote(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\u{8}' => f.write_str("\\b")?,
            '\u{c}' => f.write_str("\\f")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            '\0'..='\u{1f}' => write!(f, "\\u{:04x}", u32::from(c))?,
            c => write!(f, "{c}")?,
        }
    }
    f.write_str("\"")
}

/// The depth to which values may nest. Readers of deeper ones could run out of stack.
const DEEPEST: usize = 127;

/// The value that was read, or the byte offset of a mistake and the reason.
type Result<T> = std::result::Result<T, (usize, &'static str)>;

/// Parses a text.
pub(crate) fn parse(text: &str) -> Result<Node> {
    let mut reader = Reader { text, at: 0, depth: 0 };
    let node = reader.node()?;
    match reader.peek() {
        None => Ok(node),
        Some(_) => reader.fail("trailing characters"),
    }
}

/// Returns the quoted text, the number or the punctuation mark at the beginning of a text.
pub(crate) fn word(text: &str) -> &str {
    let end = match text.as_bytes().first() {
        Some(b'"') => text.get(1..).and_then(|rest| rest.find('"')).map_or(1, |at| at + 2),
        _ => text.find(|c: char| c.is_whitespace() || ",:[]{}".contains(c)).unwrap_or(text.len()),
    };
    // A mark, such as a bracket, is one character.
    text.get(..end.max(1)).unwrap_or_default()
}
struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    /// Returns an error at the next character; at the end of the text, at the last one.
    fn fail<T>(&self, why: &'static str) -> Result<T> {
        let last = self.text.len().saturating_sub(1).min(self.text.trim_end().len());
        Err((if self.at < self.text.len() { self.at } else { last }, why))
    }

    /// Returns an error at the character that was taken last.
    fn fail_before<T>(&self, why: &'static str) -> Result<T> {
        Err((self.at.saturating_sub(1), why))
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Skips a byte if it is the next one.
    fn takes(&mut self, byte: u8) -> bool {
        let is_here = self.byte() == Some(byte);
        self.at += usize::from(is_here);
        is_here
    }

    /// Returns the next byte that is not white space.
    fn peek(&mut self) -> Option<u8> {
        while matches!(self.byte(), Some(b' ' | b'\n' | b'\t' | b'\r')) {
            self.at += 1;
        }
        self.byte()
    }

    fn node(&mut self) -> Result<Node> {
        let first = self.peek();
        let offset = self.at;
        let value = match first {
            Some(b'{') => self.nested(Self::members).map(Value::Object),
            Some(b'[') => self.nested(Self::items).map(Value::List),
            Some(b'"') => self.string().map(Value::Text),
            Some(b'-' | b'0'..=b'9') => self.number().map(Value::Number),
            Some(b'n') => self.literal("null", Value::Null),
            Some(b't') => self.literal("true", Value::Boolean(true)),
            Some(b'f') => self.literal("false", Value::Boolean(false)),
            Some(_) => self.fail("expected value"),
            None => self.fail("EOF while parsing a value"),
        };
        Ok(Node { offset, value: value? })
    }

    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == DEEPEST {
            return self.fail("recursion limit exceeded");
        }
        self.depth += 1;
        self.at += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    fn items(&mut self) -> Result<Vec<Node>> {
        let mut items = Vec::new();
        loop {
            match self.peek() {
                Some(b']') => break self.at += 1,
                Some(b',') if !items.is_empty() => {
                    self.at += 1;
                    if self.peek() == Some(b']') {
                        return self.fail("trailing comma");
                    }
                }
                Some(_) if items.is_empty() => {}
                Some(_) => return self.fail("expected `,` or `]`"),
                None => return self.fail("EOF while parsing a list"),
            }
            items.push(self.node()?);
        }
        Ok(items)
    }

    fn members(&mut self) -> Result<Vec<Member>> {
        let mut members = Vec::new();
        loop {
            match self.peek() {
                Some(b'}') => break self.at += 1,
                Some(b',') if !members.is_empty() => self.at += 1,
                Some(_) if members.is_empty() => {}
                Some(_) => return self.fail("expected `,` or `}`"),
                None => return self.fail("EOF while parsing an object"),
            }
            match self.peek() {
                Some(b'"') => members.push(self.member()?),
                Some(b'}') => return self.fail("trailing comma"),
                Some(_) => return self.fail("key must be a string"),
                None => return self.fail("EOF while parsing a value"),
            }
        }
        Ok(members)
    }

    fn member(&mut self) -> Result<Member> {
        let offset = self.at;
        let name = self.string()?;
        match self.peek() {
            Some(b':') => self.at += 1,
            Some(_) => return self.fail("expected `:`"),
            None => return self.fail("EOF while parsing an object"),
        }
        Ok(Member { offset, name, value: self.node()? })
    }

    fn literal(&mut self, word: &str, value: Value) -> Result<Value> {
        for byte in word.bytes() {
            if self.byte().is_none() {
                return self.fail("EOF while parsing a value");
            }
            if !self.takes(byte) {
                return self.fail("expected ident");
            }
        }
        Ok(value)
    }

    fn number(&mut self) -> Result<String> {
        let start = self.at;
        self.takes(b'-');
        let starts_with_zero = self.takes(b'0');
        if starts_with_zero && matches!(self.byte(), Some(b'0'..=b'9')) {
            return self.fail("invalid number");
        }
        if !starts_with_zero {
            self.digits()?;
        }
        if self.takes(b'.') {
            self.digits()?;
        }
        if self.takes(b'e') || self.takes(b'E') {
            let _ = self.takes(b'+') || self.takes(b'-');
            self.digits()?;
        }
        let number = self.text.get(start..self.at).unwrap_or_default();
        if number.parse::<f64>().is_ok_and(f64::is_infinite) {
            return self.fail_before("number out of range");
        }
        Ok(number.to_owned())
    }

    /// Skips digits, of which there must be one.
    fn digits(&mut self) -> Result<()> {
        match self.byte() {
            Some(b'0'..=b'9') => {}
            Some(_) => return self.fail("invalid number"),
            None => return self.fail("EOF while parsing a value"),
        }
        while matches!(self.byte(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        Ok(())
    }

    fn string(&mut self) -> Result<String> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let start = self.at;
            while self.byte().is_some_and(|byte| byte >= b' ' && byte != b'"' && byte != b'\\') {
                self.at += 1;
            }
            text.push_str(self.text.get(start..self.at).unwrap_or_default());
            match self.byte() {
                Some(b'"') => break self.at += 1,
                Some(b'\\') => text.push(self.escaped()?),
                Some(_) => {
                    return self.fail("control character (\\u0000-\\u001F) found while parsing a string");
                }
                None => return self.fail("EOF while parsing a string"),
            }
        }
        Ok(text)
    }

    /// Returns a character that is written with a backslash.
    fn escaped(&mut self) -> Result<char> {
        self.at += 1;
        let Some(byte) = self.byte() else { return self.fail("EOF while parsing a string") };
        let character = match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode(),
            _ => return self.fail("invalid escape"),
        };
        self.at += 1;
        Ok(character)
    }

    /// Returns a character by its code point; those above U+FFFF take two escapes.
    fn unicode(&mut self) -> Result<char> {
        let first = self.hexadecimal()?;
        let number = match first {
            0xD800..=0xDBFF => {
                for byte in *b"\\u" {
                    if self.byte().is_none() {
                        return self.fail("EOF while parsing a string");
                    }
                    if self.byte() != Some(byte) {
                        return self.fail("unexpected end of hex escape");
                    }
                    self.at += usize::from(byte == b'\\');
                }
                let second = self.hexadecimal()?;
                let low = second.checked_sub(0xDC00).filter(|low| *low < 0x400);
                low.map(|low| 0x10000 + ((first - 0xD800) << 10) + low)
            }
            first => Some(first),
        };
        match number.and_then(char::from_u32) {
            Some(character) => Ok(character),
            None => self.fail_before("lone leading surrogate in hex escape"),
        }
    }

    /// Returns the four digits behind a `u`.
    fn hexadecimal(&mut self) -> Result<u32> {
        let Some(digits) = self.text.as_bytes().get(self.at + 1..self.at + 5) else {
            self.at = self.text.len();
            return self.fail("EOF while parsing a string");
        };
        self.at += 5;
        let number = digits.iter().try_fold(0, |number, digit| Some(number * 16 + char::from(*digit).to_digit(16)?));
        number.map_or_else(|| self.fail_before("invalid escape"), Ok)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn keeps_places_and_digits() {
        let text = "{\n \"a\\\"é\": [1.10, \"\\\\\", {}],\n \"b\": null }";
        let Ok(Node { value: Value::Object(members), .. }) = parse(text) else { return assert_eq!(text, "an object") };
        let names: Vec<_> = members.iter().map(|member| (member.name.as_str(), member.offset)).collect();
        assert_eq!(names, [("a\"é", 3), ("b", text.find("\"b\"").unwrap_or_default())]);
        let Value::List(nodes) = &members[0].value.value else { return assert_eq!(text, "a list") };
        assert!(matches!(&nodes[0].value, Value::Number(number) if number == "1.10"));
        assert!(matches!(&nodes[1].value, Value::Text(text) if text == "\\"));
        assert_eq!(nodes.len(), 3);
    }

    #[test]
    fn reports_where_json_is_malformed() {
        for (text, offset) in [("{\"a\": }", 6), ("{\"a\": 1\n \"b\": 2}", 9), ("", 0), ("[1, 2", 4)] {
            assert_eq!(parse(text).map(|_| ()).map_err(|(offset, _)| offset), Err(offset), "{text}");
        }
        assert!(parse(&"[".repeat(100_000)).is_err());
    }

    /// Returns what `serde_json` makes of a text: the value, or the place and reason of the mistake. It counts a line
    /// break to the next line, before its first column.
    fn peer(text: &str) -> std::result::Result<serde_json::Value, (usize, String)> {
        serde_json::from_str::<serde_json::Value>(text).map_err(|error| {
            let line: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
            let offset = (line + error.column()).saturating_sub(1);
            // Only an end of the text is placed before the white space there.
            let offset = if error.is_eof() { offset.min(text.trim_end().len()) } else { offset };
            (offset, error.to_string().split(" at line ").next().unwrap_or_default().to_owned())
        })
    }

    fn agrees(text: &str) -> std::result::Result<(), TestCaseError> {
        let read = parse(text).map_err(|(offset, why)| (offset, why.to_owned()));
        match (&read, peer(text)) {
            (Ok(read), Ok(value)) => {
                let written = read.value.to_string();
                prop_assert_eq!(peer(&written), Ok(value), "{} was read as {}", text, written);
            }
            // The peer keeps numbers of any size; other readers of an example do not.
            (Err((end, why)), _) if why == "number out of range" => {
                let read = text.get(..=*end).unwrap_or_default();
                let mut numbers = read.char_indices().filter_map(|(start, _)| read.get(start..)?.parse::<f64>().ok());
                prop_assert!(numbers.any(f64::is_infinite), "{}", text);
            }
            (read, peer) => prop_assert_eq!(read.as_ref().err().cloned(), peer.err(), "{}", text),
        }
        Ok(())
    }

    #[test]
    fn a_line_break_within_a_text_is_the_mistake() {
        assert!(agrees("\"\\\" \n").is_ok());
    }

    #[test]
    fn reads_to_the_depth_of_other_readers() {
        for depth in [126, 127, 128, 129] {
            for text in ["[".repeat(depth), "[".repeat(depth) + &"]".repeat(depth), "{\"a\":".repeat(depth)] {
                assert!(agrees(&text).is_ok(), "{depth}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
       fn agrees_with_a_peer(parts in prop::collection::vec(
            prop_oneof![
                "[\\[\\]{},: \n]{1,3}",
                "-?[0-9.eE+-]{1,6}",
                prop::sample::select(vec![
                    "null", "true", "fals", "nulL", "\"a\":", "\"\\ud83d\\ude00\"", "\"\\ud83d\"", "\"\\udc00\"",
                    "\"\\ud83d\\u0041\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\x\"", "\"\\", "\"\t\"", "1e999", "-0", "é",
                    "{\"a\": 1, \"b\": [1, {}, \"é\\n\\u0001\"]}", "[1, 2.50, -3e2]",
                ]).prop_map(str::to_owned),
                "\"[a-z\\\\\"/\u{1}é]{0,4}\"",
            ],
            0..8,
        )) {
            agrees(&parts.concat())?;
        }

        #[test]
       fn agrees_with_a_peer_on_damaged_texts(at: prop::sample::Index, cut: prop::sample::Index, with in "[\\[\\]{},:\"\\\\0-9eu \n]{0,2}") {
            let whole = "{\"a\\\"b\": [1.10, -2e3, true, null],\n \"c\": {\"d\": \"\\u00e9\\ud83d\\ude00\", \"e\": []}}";
            let (a, b) = (at.index(whole.len() + 1), cut.index(4));
            agrees(&format!("{}{with}{}", &whole[..a], &whole[(a + b).min(whole.len())..]))?;
        }
    }
}

//! JSON with places, and with numbers as written.

/// A value and the byte offset at which it begins.
pub(super) struct Node {
    pub(super) offset: usize,
    pub(super) value: Value,
}

/// The content of a node.
pub(super) enum Value {
    Null,
    Boolean,
    Number(String),
    Text(String),
    List(Vec<Node>),
    Object(Vec<Member>),
}

/// A member of an object.
pub(super) struct Member {
    pub(super) offset: usize,
    pub(super) name: String,
    pub(super) value: Node,
}

impl Node {
    /// Its kind, for messages.
    pub(super) fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Boolean => "a boolean",
            Value::Number(_) => "a JSON number",
            Value::Text(_) => "a JSON string",
            Value::List(_) => "a list",
            Value::Object(_) => "an object",
        }
    }
}

/// Parses a text; an error has the byte offset and the reason.
pub(super) fn parse(text: &str) -> Result<Node, (usize, String)> {
    // serde_json decides whether it is JSON and how deep it may nest, but keeps no places and rounds numbers.
    if let Err(error) = serde_json::from_str::<serde_json::Value>(text) {
        let line_start: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
        let offset = line_start + error.column().saturating_sub(1);
        let why = error.to_string();
        let why = why.split(" at line ").next().unwrap_or_default().to_owned();
        return Err((offset.min(text.trim_end().len()), why));
    }
    Ok(Reader { text, at: 0 }.node())
}

/// The quoted text, the number or the punctuation mark at the beginning of a text.
pub(super) fn word(text: &str) -> &str {
    let end = match text.as_bytes().first() {
        Some(b'"') => text.get(1..).and_then(|rest| rest.find('"')).map_or(1, |at| at + 2),
        _ => text.find(|c: char| c.is_whitespace() || ",:[]{}".contains(c)).unwrap_or(text.len()),
    };
    // A mark, such as a bracket, is one character.
    text.get(..end.max(1)).unwrap_or_default()
}

/// Reads a text that is known to be JSON.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Skips a character if it is the next one.
    fn takes(&mut self, character: char) -> bool {
        self.skip_space();
        let is_here = self.rest().starts_with(character);
        self.at += usize::from(is_here);
        is_here
    }

    fn node(&mut self) -> Node {
        self.skip_space();
        let offset = self.at;
        let value = match self.rest().as_bytes().first() {
            Some(b'{') => Value::Object(self.members()),
            Some(b'[') => Value::List(self.nodes()),
            Some(b'"') => Value::Text(self.string()),
            _ => self.word(),
        };
        Node { offset, value }
    }

    fn nodes(&mut self) -> Vec<Node> {
        self.takes('[');
        let mut nodes = Vec::new();
        while !self.takes(']') && !self.rest().is_empty() {
            nodes.push(self.node());
            self.takes(',');
        }
        nodes
    }

    fn members(&mut self) -> Vec<Member> {
        self.takes('{');
        let mut members = Vec::new();
        while !self.takes('}') && !self.rest().is_empty() {
            let offset = self.at;
            let name = self.string();
            self.takes(':');
            members.push(Member { offset, name, value: self.node() });
            self.takes(',');
        }
        members
    }

    fn string(&mut self) -> String {
        let rest = self.rest();
        let mut escaped = true;
        let end = rest.bytes().position(|byte| {
            let is_end = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            is_end
        });
        let quoted = rest.get(..end.map_or(rest.len(), |end| end + 1)).unwrap_or_default();
        self.at += quoted.len();
        serde_json::from_str(quoted).unwrap_or_default()
    }

    fn word(&mut self) -> Value {
        let rest = self.rest();
        let end = rest.find(|c: char| c.is_whitespace() || ",]}".contains(c)).unwrap_or(rest.len());
        let word = rest.get(..end).unwrap_or_default();
        self.at += word.len().max(1);
        match word {
            "null" => Value::Null,
            "true" | "false" => Value::Boolean,
            number => Value::Number(number.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
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
}

//! The kinds of mistakes. Each has a code that never changes its meaning, and a page in `explain/`.

use std::fmt;

use super::{Diagnostics, did_you_mean};
use crate::json::Value;

macro_rules! codes {
    ($($name:ident = $code:literal, $what:literal;)*) => {
        /// The kind of a mistake. Codes are stable: a code that is retired is not used again.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $(#[doc = $what] $name,)* }

        impl Code {
            /// All kinds, in the order of their codes.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// The code as it is printed.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => $code,)* }
            }

            /// The kind of mistake in a few words.
            pub fn what(self) -> &'static str {
                match self { $(Code::$name => $what,)* }
            }

            /// A full explanation of the mistake, with an example and its correction, as Markdown.
            pub fn explanation(self) -> &'static str {
                match self { $(Code::$name => include_str!(concat!("explain/", $code, ".md")),)* }
            }
        }
    };
}

codes! {
    CannotRead = "E0001", "Cannot read a file or folder.";
    NotUtf8 = "E0002", "Invalid UTF-8.";
    ByteOrderMark = "E0003", "Byte-order mark.";
    CarriageReturn = "E0004", "CRLF line ends.";
    EmptyFile = "E0005", "Empty file.";
    MissingFile = "E0006", "Missing file.";
    StrayFile = "E0007", "Unexpected file or folder.";
    CannotWrite = "E0008", "Cannot write a file or folder.";
    NoRevision = "E0009", "Cannot read a revision of the schema.";
    BrokenYaml = "E0101", "Invalid YAML.";
    DuplicateKey = "E0102", "Duplicate key.";
    Alias = "E0103", "Anchor, alias, tag, merge key or directive.";
    TooDeep = "E0104", "YAML nested too deeply.";
    SeveralDocuments = "E0105", "More than one YAML document.";
    InvisibleCharacter = "E0106", "Invisible character.";
    WrongType = "E0201", "Wrong type.";
    UnknownKey = "E0202", "Unknown key.";
    UnknownWord = "E0203", "Unknown value.";
    MissingKey = "E0204", "Missing key.";
    Misplaced = "E0205", "Misplaced key.";
    UndefinedType = "E0301", "Unknown type.";
    UndefinedName = "E0302", "Unknown name.";
    DefinedTwice = "E0303", "Duplicate definition.";
    NameCollision = "E0304", "Two names that become the same in Rust.";
    NotAnIdentifier = "E0305", "Invalid Rust name.";
    ReservedName = "E0306", "Reserved name.";
    WrongName = "E0307", "Invalid name of a file or folder.";
    Circular = "E0308", "Circular definition.";
    Unused = "E0309", "Unused definition.";
    BadPath = "E0401", "Invalid HTTP method or path.";
    BadRate = "E0402", "Invalid rate limit.";
    BadDuration = "E0403", "Invalid duration.";
    BadNumber = "E0404", "Invalid number.";
    BadDefault = "E0405", "Invalid default.";
    BadValue = "E0406", "Invalid value.";
    BadChoice = "E0407", "Invalid choice.";
    BadWindow = "E0408", "Invalid window.";
    BadRule = "E0409", "Invalid rule.";
    BadLifecycle = "E0410", "Invalid lifecycle.";
    BadResponse = "E0411", "Invalid response.";
    BadExample = "E0412", "Example does not match the schema.";
    BadAlphabet = "E0413", "Invalid alphabet or length.";
    BadHeader = "E0414", "Invalid header name.";
    BadIntent = "E0415", "Invalid intent.";
    BadOutcome = "E0416", "Invalid outcome.";
    DoubtfulEffect = "E0417", "Doubtful effect.";
    BadSources = "E0418", "Invalid sources.";
    Unfinished = "E0501", "Unfinished draft.";
    OtherLanguage = "E0502", "Unsupported version of the schema language.";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Code {
    /// The kind with this code, in lower or upper case.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str().eq_ignore_ascii_case(text))
    }

    /// The code and its explanation as a JSON object.
    pub fn as_json(self) -> String {
        let members = [("code", self.as_str()), ("what", self.what()), ("explanation", self.explanation())];
        Value::object(members.map(|(name, text)| (name, text.into()))).to_string()
    }

    /// Whether a text is written like a code, such as `E9999`.
    pub fn is_written_like(text: &str) -> bool {
        text.strip_prefix(['E', 'e'])
            .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
    }

    /// The mistake of asking for a code that does not exist.
    pub fn unknown(text: &str) -> Diagnostics {
        let known = Self::ALL.iter().map(|code| code.as_str());
        let near = did_you_mean(text, known);
        let [first, last] = [Self::ALL.first(), Self::ALL.last()].map(|code| code.map_or("", |code| code.as_str()));
        let mut to = Diagnostics::default();
        to.whole(Self::UndefinedName, format!("unknown code `{text}`"))
            .help(near.unwrap_or_else(|| format!("the codes are {first} to {last}; a message shows its own").into()));
        to
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_ascending() {
        let codes: Vec<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        assert!(codes.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn every_page_begins_with_its_code() {
        for code in Code::ALL {
            let heading = format!("# {code}: {}\n", code.what().trim_end_matches('.'));
            assert!(code.explanation().starts_with(&heading), "{code}.md does not begin with {heading:?}");
        }
    }
}

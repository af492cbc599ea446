//! The kinds of mistakes. Each has a code that never changes its meaning, and a page in `explain/`.

use std::fmt;

use super::{Diagnostics, did_you_mean};
use crate::compiler::json::Value;

/// A part of the schema that must have been read before a mistake of some kind can be reported.
#[derive(Clone, Copy)]
pub(super) enum Dependence {
    /// Only its own text.
    Nothing,
    /// The types of its family.
    Types,
    /// The names in its file, and in all files that this one depends on. Whether an operation can be named may follow
    /// from its words, such as its effect.
    Names,
    /// The whole file, and all files that this one depends on.
    Everything,
}

/// Declares the kinds of mistakes: the code, the kind in a few words, and what must have been read before.
macro_rules! codes {
    ($($name:ident = $code:literal, $what:literal after $dependence:ident;)*) => {
        /// The kind of a mistake. Codes are stable: a code that is retired is not used again.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $(#[doc = $what] $name,)* }

        impl Code {
            /// All kinds, in the order of their codes.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// Returns the code as it is printed.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => $code,)* }
            }

            /// Returns the kind of mistake in a few words.
            pub fn what(self) -> &'static str {
                match self { $(Code::$name => $what,)* }
            }

            /// Returns what must have been read before a mistake of the kind can be reported.
            pub(super) fn depends_on(self) -> Dependence {
                match self { $(Code::$name => Dependence::$dependence,)* }
            }

            /// Returns a full explanation of the mistake, with an example and its correction, as Markdown.
            pub fn explanation(self) -> &'static str {
                match self { $(Code::$name => include_str!(concat!("explain/", $code, ".md")),)* }
            }
        }
    };
}

codes! {
    CannotRead = "E0001", "Cannot read a file or folder." after Everything;
    NotUtf8 = "E0002", "Invalid UTF-8." after Everything;
    ByteOrderMark = "E0003", "Byte-order mark." after Everything;
    CarriageReturn = "E0004", "CRLF line ends." after Everything;
    EmptyFile = "E0005", "Empty file." after Everything;
    MissingFile = "E0006", "Missing file." after Everything;
    StrayFile = "E0007", "Unexpected file or folder." after Everything;
    CannotWrite = "E0008", "Cannot write a file or folder." after Everything;
    NoRevision = "E0009", "Cannot read a revision of the schema." after Everything;
    BrokenYaml = "E0101", "Invalid YAML." after Everything;
    DuplicateKey = "E0102", "Duplicate key." after Everything;
    Alias = "E0103", "Anchor, alias, tag, merge key or directive." after Everything;
    TooDeep = "E0104", "YAML nested too deeply." after Everything;
    SeveralDocuments = "E0105", "More than one YAML document." after Everything;
    InvisibleCharacter = "E0106", "Invisible character." after Everything;
    WrongType = "E0201", "Wrong type." after Types;
    UnknownKey = "E0202", "Unknown key." after Everything;
    UnknownWord = "E0203", "Unknown value." after Everything;
    MissingKey = "E0204", "Missing key." after Nothing;
    Misplaced = "E0205", "Misplaced key." after Everything;
    UndefinedType = "E0301", "Unknown type." after Types;
    UndefinedName = "E0302", "Unknown name." after Names;
    DefinedTwice = "E0303", "Duplicate definition." after Names;
    NameCollision = "E0304", "Two names that become the same in Rust." after Names;
    NotAnIdentifier = "E0305", "Invalid Rust name." after Nothing;
    ReservedName = "E0306", "Reserved name." after Names;
    WrongName = "E0307", "Invalid name of a file or folder." after Nothing;
    Circular = "E0308", "Circular definition." after Nothing;
    Unused = "E0309", "Unused definition." after Everything;
    BadPath = "E0401", "Invalid HTTP method or path." after Nothing;
    BadRate = "E0402", "Invalid rate limit." after Nothing;
    BadDuration = "E0403", "Invalid duration." after Nothing;
    BadNumber = "E0404", "Invalid number." after Nothing;
    BadDefault = "E0405", "Invalid default." after Types;
    BadValue = "E0406", "Invalid value." after Everything;
    BadChoice = "E0407", "Invalid choice." after Names;
    BadWindow = "E0408", "Invalid window." after Names;
    BadRule = "E0409", "Invalid rule." after Names;
    BadLifecycle = "E0410", "Invalid lifecycle." after Everything;
    BadResponse = "E0411", "Invalid response." after Names;
    BadExample = "E0412", "Example does not match the schema." after Everything;
    BadAlphabet = "E0413", "Invalid alphabet or length." after Nothing;
    BadHeader = "E0414", "Invalid header name." after Nothing;
    BadIntent = "E0415", "Invalid intent." after Everything;
    BadOutcome = "E0416", "Invalid outcome." after Everything;
    DoubtfulEffect = "E0417", "Doubtful effect." after Everything;
    BadSources = "E0418", "Invalid sources." after Nothing;
    BadDate = "E0419", "Invalid date." after Nothing;
    BadCounterpart = "E0420", "Invalid counterpart." after Everything;
    Unfinished = "E0501", "Unfinished draft." after Nothing;
    OtherLanguage = "E0502", "Unsupported version of the schema language." after Everything;
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Code {
    /// Returns the kind with this code, in lower or upper case.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str().eq_ignore_ascii_case(text))
    }

    /// Returns the code and its explanation as a JSON object.
    pub fn as_json(self) -> String {
        let members = [("code", self.as_str()), ("what", self.what()), ("explanation", self.explanation())];
        Value::object(members.map(|(name, text)| (name, text.into()))).to_string()
    }

    /// Returns whether a text is written like a code, such as `E9999`.
    pub fn is_written_like(text: &str) -> bool {
        text.strip_prefix(['E', 'e'])
            .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
    }

    /// Returns the mistake of asking for a code that does not exist.
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

//! The kinds of mistakes. Each has a code that never changes its meaning, and a page in `explain/`.

use std::fmt;

macro_rules! codes {
    ($($name:ident = $code:literal, $what:literal;)*) => {
        /// The kind of a mistake. Codes are stable: a code that goes is not given out again.
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

            /// What the mistake is at length, with an example of it and how it is fixed, as Markdown.
            pub fn explanation(self) -> &'static str {
                match self { $(Code::$name => include_str!(concat!("explain/", $code, ".md")),)* }
            }
        }
    };
}

codes! {
    CannotRead = "E0001", "A file or folder cannot be read.";
    NotUtf8 = "E0002", "A file is not UTF-8.";
    ByteOrderMark = "E0003", "A file starts with a byte-order mark.";
    CarriageReturn = "E0004", "A file has CRLF line ends.";
    EmptyFile = "E0005", "A file holds nothing.";
    MissingFile = "E0006", "A file that every schema has is missing.";
    StrayFile = "E0007", "A file or folder is not where the schema language puts one.";
    CannotWrite = "E0008", "An output file or folder cannot be written.";
    NoRevision = "E0009", "A revision of the schema cannot be read.";
    BrokenYaml = "E0101", "The YAML cannot be parsed.";
    DuplicateKey = "E0102", "A key is written twice.";
    Alias = "E0103", "An anchor, an alias, a tag or a merge key is used.";
    TooDeep = "E0104", "The YAML is nested too deeply.";
    SeveralDocuments = "E0105", "A file holds more than one YAML document.";
    InvisibleCharacter = "E0106", "A text holds a character that nobody sees.";
    WrongType = "E0201", "A value has the wrong type.";
    UnknownKey = "E0202", "A key is not one of the schema language.";
    UnknownWord = "E0203", "A word is not one of those allowed here.";
    MissingKey = "E0204", "A key that must be there is missing.";
    Misplaced = "E0205", "A key does not go with the others.";
    UndefinedType = "E0301", "A type is named that is defined nowhere.";
    UndefinedName = "E0302", "Something is named that is not there.";
    DefinedTwice = "E0303", "The same thing is defined twice.";
    NameCollision = "E0304", "Two names become the same in Rust.";
    NotAnIdentifier = "E0305", "A name does not make a Rust identifier.";
    ReservedName = "E0306", "A name is taken by the emitted code.";
    WrongName = "E0307", "A name differs from that of its file or folder, or is none for a file.";
    Circular = "E0308", "A definition refers to itself.";
    BadPath = "E0401", "An HTTP method or path is none.";
    BadRate = "E0402", "A rate limit is none.";
    BadDuration = "E0403", "A duration is none.";
    BadNumber = "E0404", "A number is none, or out of its bounds.";
    BadDefault = "E0405", "A default is not a value that is allowed.";
    BadValue = "E0406", "A value is not one that its type has.";
    BadChoice = "E0407", "A choice is not one.";
    BadWindow = "E0408", "A window is not one.";
    BadRule = "E0409", "A rule is not one.";
    BadLifecycle = "E0410", "A lifecycle is not one.";
    BadResponse = "E0411", "A response is not one.";
    BadExample = "E0412", "An example is not what the schema says.";
    BadAlphabet = "E0413", "An alphabet or a length is none.";
    BadHeader = "E0414", "A header name is none.";
    BadIntent = "E0415", "An intent is not one.";
    BadOutcome = "E0416", "What becomes of requests is not told, or cannot be so.";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Code {
    /// The kind with this code, small letters or capitals.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str().eq_ignore_ascii_case(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_rising() {
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

//! The mistakes in the JSON of an account.

use std::error::Error;
use std::path::PathBuf;
use std::{fmt, io};

use crate::data::json::ReadError;

/// Why an account cannot be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum AccountFileError {
    /// The file cannot be read.
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        why: io::Error,
    },
    /// The text has mistakes.
    Mistakes {
        /// The file; `None` for a text.
        path: Option<PathBuf>,
        /// All mistakes, in the order of the text; at least one.
        mistakes: Vec<AccountMistake>,
    },
}

/// A mistake in the JSON of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AccountMistake {
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1 in characters.
    pub column: usize,
    /// The path to the value: `properties.positionMode`. It is empty if the text as a whole is invalid.
    pub path: String,
    /// The mistake.
    pub what: String,
}

impl AccountMistake {
    /// The mistake at the byte `offset` of `text`.
    pub(super) fn at(text: &str, offset: usize, what: String) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|character| *character != '\n').count() + 1;
        let error = ReadError::new(offset, what).located(text);
        Self { line, column, path: error.path().to_owned(), what: error.what().to_owned() }
    }
}

/// Without the line: `properties.positionMode: expected a word`.
impl fmt::Display for AccountMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.what)
    }
}

impl fmt::Display for AccountFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, .. } => write!(f, "{} cannot be read", path.display()),
            Self::Mistakes { path, mistakes } => {
                f.write_str("the account cannot be read:")?;
                mistakes.iter().try_for_each(|mistake| {
                    let AccountMistake { line, column, .. } = mistake;
                    match path {
                        Some(path) => write!(f, "\n{}:{line}:{column}: {mistake}", path.display()),
                        None => write!(f, "\nline {line}, column {column}: {mistake}"),
                    }
                })
            }
        }
    }
}

impl Error for AccountFileError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Io { why, .. } => Some(why),
            Self::Mistakes { .. } => None,
        }
    }
}

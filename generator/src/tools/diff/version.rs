//! The version that a difference needs.

use std::fmt;

use serde::Serialize;

use super::Class;

/// The part of the version number that has to increase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Bump {
    /// None: nothing differs.
    None,
    /// The last number.
    Patch,
    /// The number in the middle.
    Minor,
    /// The first number.
    Major,
}

impl Class {
    /// All classes, most serious first.
    pub const ALL: [Self; 4] = [Self::Breaking, Self::Behaviour, Self::Additive, Self::Documentation];

    /// The class as a word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Breaking => "breaking",
            Self::Behaviour => "behaviour",
            Self::Additive => "additive",
            Self::Documentation => "documentation",
        }
    }

    /// The part of the version number that has to increase for it.
    pub fn bump(self) -> Bump {
        match self {
            Self::Breaking => Bump::Major,
            Self::Behaviour | Self::Additive => Bump::Minor,
            Self::Documentation => Bump::Patch,
        }
    }
}

impl Bump {
    /// The bump as a word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Patch => "patch",
            Self::Minor => "minor",
            Self::Major => "major",
        }
    }

    /// Returns the effect on a version, also below 1.0, where cargo treats the middle number as the first.
    pub fn example(self) -> &'static str {
        match self {
            Self::None => "the version stays",
            Self::Patch => "1.4.2 becomes 1.4.3; below 1.0, 0.4.2 becomes 0.4.3",
            Self::Minor => "1.4.2 becomes 1.5.0; below 1.0, 0.4.2 becomes 0.4.3",
            Self::Major => "1.4.2 becomes 2.0.0; below 1.0, 0.4.2 becomes 0.5.0",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Display for Bump {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

//! Everything that a test prints, to be searched for secrets.

use std::error::Error as StdError;
use std::fmt::{Debug, Display};

/// The printed text.
#[derive(Default)]
pub(crate) struct Printed(Vec<String>);

impl Printed {
    pub(crate) fn debug(&mut self, value: &impl Debug) {
        self.0.push(format!("{value:?}"));
        self.0.push(format!("{value:#?}"));
    }

    pub(crate) fn error(&mut self, error: &(dyn StdError + 'static)) {
        self.0.push(error.to_string());
        self.debug(&error);
        if let Some(source) = error.source() {
            self.error(source);
        }
    }

    pub(crate) fn display(&mut self, value: &impl Display) {
        self.0.push(value.to_string());
    }

    /// Checks that it contains no canary in any form that `Debug` could write.
    pub(crate) fn shows_none_of(&self, canaries: &[&str]) {
        for printed in &self.0 {
            for canary in canaries {
                let bytes = format!("{:?}", canary.as_bytes());
                let hex: String = canary.bytes().map(|byte| format!("{byte:02x}")).collect();
                let flat = printed.split_whitespace().collect::<String>();
                for form in [canary, bytes.replace(' ', "").trim_matches(['[', ']']), &hex] {
                    assert!(!flat.contains(form), "{form} is in {printed}");
                }
            }
        }
    }
}

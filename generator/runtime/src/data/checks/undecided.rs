//! The facts that a check asks for and is not told.

use std::cell::RefCell;

use crate::data::tables::Rule;

/// A rule that a request may break, which depends on a property that is not stated.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Undecided {
    /// The id of the rule.
    pub rule: &'static str,
    /// The property.
    pub property: String,
    /// The instrument whose property it is; `None` if it is one of the account.
    pub instrument: Option<String>,
}

/// The properties that a check asked for in vain.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    instruments: Vec<String>,
    undecided: Vec<Undecided>,
}

impl Asked {
    /// Returns what is undecided, each once.
    pub(crate) fn undecided(self) -> Vec<Undecided> {
        self.undecided
    }
}

/// Where a check notes what it asks for in vain, and the instrument that it is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Notes<'a> {
    asked: &'a RefCell<Asked>,
    instrument: Option<usize>,
}

impl<'a> Notes<'a> {
    pub(super) fn new(asked: &'a RefCell<Asked>) -> Self {
        Self { asked, instrument: None }
    }

    /// Notes the instrument that the check is about from now on.
    pub(super) fn about(&mut self, instrument: Option<&str>) {
        self.instrument = instrument.map(|instrument| {
            let known = &mut self.asked.borrow_mut().instruments;
            known.push(instrument.to_owned());
            known.len() - 1
        });
    }

    /// Notes a property of the account.
    pub(super) fn lacks(self, rule: &Rule, property: &str) {
        self.note(rule, property, None);
    }

    /// Notes a property of the instrument.
    pub(super) fn instrument_lacks(self, rule: &Rule, property: &str) {
        let name = self.instrument.and_then(|at| self.asked.borrow().instruments.get(at).cloned());
        self.note(rule, property, name);
    }

    /// Notes a flag of the instrument of this name.
    pub(super) fn lacks_flag(self, rule: &Rule, flag: &str, instrument: &str) {
        self.note(rule, flag, Some(instrument.to_owned()));
    }

    fn note(self, rule: &Rule, property: &str, instrument: Option<String>) {
        let undecided = Undecided { rule: rule.id, property: property.to_owned(), instrument };
        let all = &mut self.asked.borrow_mut().undecided;
        if !all.contains(&undecided) {
            all.push(undecided);
        }
    }
}

//! The choices in which worlds differ: a sequence of choices, each by its point in the run.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Mutex;

use crate::lock;

/// The first option of each point is what happens in a kind world.
const KIND: usize = 0;

/// A choice that was made in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Where: what it is about, and the how manieth of its kind that is.
    pub point: String,
    /// The possible options.
    pub options: Vec<&'static str>,
    /// The number of the option that was chosen.
    pub chosen: usize,
}

impl Choice {
    /// Returns whether this is not what happens in a kind world.
    pub fn is_deviation(&self) -> bool {
        self.chosen != KIND
    }
}

/// The choices that differ from those of a kind world, by the place of their point in the run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Deviations(Vec<(usize, usize)>);

impl Deviations {
    /// Returns how many there are.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns the worlds that differ from this one by one more choice, made after all others.
    pub(crate) fn and_one<'a>(&'a self, made: &'a [Choice]) -> impl Iterator<Item = Self> + 'a {
        let begin = self.0.last().map_or(0, |(place, _)| place + 1);
        made.iter().enumerate().skip(begin).flat_map(move |(place, choice)| {
            (KIND + 1..choice.options.len())
                .map(move |option| Self(self.0.iter().copied().chain([(place, option)]).collect()))
        })
    }
}

/// The words of the choices that differ from those of a kind world: `point = option`, separated by semicolons.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words(BTreeMap<String, String>);

impl Words {
    /// Returns the deviations of a run.
    pub fn of(made: &[Choice]) -> Self {
        let deviations = made.iter().filter(|choice| choice.is_deviation());
        Self(deviations.map(|choice| (choice.point.clone(), choice.options[choice.chosen].to_owned())).collect())
    }

    /// Reads them as they are printed.
    ///
    /// # Errors
    ///
    /// Returns the part that is not of the form `point = option`.
    pub fn read(text: &str) -> Result<Self, String> {
        let parts = text.split(';').map(str::trim).filter(|part| !part.is_empty());
        parts
            .map(|part| match part.split_once('=') {
                Some((point, option)) => Ok((point.trim().to_owned(), option.trim().to_owned())),
                None => Err(part.to_owned()),
            })
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Returns the points at which a run did not make the choice that these words ask for.
    pub fn missed_by(&self, made: &[Choice]) -> Vec<String> {
        let is_made = |point: &str, option: &str| {
            made.iter().any(|choice| choice.point == point && choice.options[choice.chosen] == option)
        };
        self.0.iter().filter(|(point, option)| !is_made(point, option)).map(|(point, _)| point.clone()).collect()
    }
}

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().enumerate().try_for_each(|(number, (point, option))| {
            let separator = if number == 0 { "" } else { "; " };
            write!(f, "{separator}{point} = {option}")
        })
    }
}

/// The decisions at the points of a run.
pub(crate) enum Script {
    Deviations(Deviations),
    Words(Words),
}

/// The choices of a run under way.
pub(crate) struct Choices {
    script: Script,
    made: Mutex<Vec<Choice>>,
}

impl Choices {
    pub(crate) fn new(script: Script) -> Self {
        Self { script, made: Mutex::default() }
    }

    /// Chooses one of `options`, the first of which is that of a kind world. Without another one there is no point.
    pub(crate) fn choose(&self, point: impl FnOnce() -> String, options: Vec<&'static str>) -> &'static str {
        if options.len() < 2 {
            return options.first().copied().unwrap_or_default();
        }
        let mut made = lock(&self.made);
        let (place, point) = (made.len(), point());
        let chosen = match &self.script {
            Script::Deviations(Deviations(all)) => {
                all.iter().find(|(other, _)| *other == place).map_or(KIND, |(_, option)| *option)
            }
            Script::Words(Words(all)) => {
                all.get(&point).and_then(|wanted| options.iter().position(|option| option == wanted)).unwrap_or(KIND)
            }
        };
        let option = options[chosen];
        made.push(Choice { point, options, chosen });
        option
    }

    pub(crate) fn take(&self) -> Vec<Choice> {
        std::mem::take(&mut *lock(&self.made))
    }
}

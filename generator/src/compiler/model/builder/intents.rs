//! The key `intents` of an operation file.

use super::{FamilyBuilder, placed, placed_list, text_of};
use crate::compiler::diagnostics::{Code, Place};
use crate::compiler::load::{Named, Spanned, Text, raw};
use crate::compiler::model::{Intent, Setting, field_name};

impl FamilyBuilder<'_, '_> {
    pub(super) fn intents(&mut self, raw: &[Spanned<raw::Intent>]) -> Vec<Intent> {
        raw.iter().map(|raw| self.intent(raw)).collect()
    }

    fn intent(&mut self, raw: &Spanned<raw::Intent>) -> Intent {
        let id = self.builder.need(&raw.id, "id", raw.place);
        let place = raw.id.as_ref().map_or(raw.place, |id| id.place);
        let set = raw.set.as_ref().map(|set| settings(set)).unwrap_or_default();
        let is_unread = raw.set.is_some() && self.builder.to.mistaken_files().contains(&place.file);
        if set.is_empty() && !is_unread {
            self.builder
                .to
                .at(place, Code::BadIntent, "the intent sets nothing")
                .help("add the values it sends, such as `set: { side: buy }`");
        }
        let mut call = settings(&raw.call);
        call.iter_mut().for_each(|setting| self.name_argument(setting));
        Intent {
            rust: self.builder.rust_name(&raw.rust, &id, place, "intent", field_name),
            id,
            place,
            says: self.builder.need(&raw.says, "says", raw.place),
            at: text_of(&raw.at),
            within: raw.r#in.as_ref().map(placed_list),
            set,
            take: raw.take.iter().map(placed).collect(),
            call,
        }
    }

    /// Makes the Rust name of an argument.
    fn name_argument(&mut self, setting: &mut Setting) {
        setting.text = field_name(&setting.text).unwrap_or_else(|_| {
            self.builder
                .to
                .at(setting.text_place, Code::NotAnIdentifier, format!("invalid Rust name `{}`", setting.text))
                .help("use ASCII letters, digits and underscores, and do not start with a digit");
            String::new()
        });
    }
}

fn settings(raw: &Named<Text>) -> Vec<Setting> {
    let setting = |(name, text): &(Text, Text)| {
        let (place, text_place): (Place, Place) = (name.place, text.place);
        Setting { name: name.value.clone(), place, text: text.value.clone(), text_place }
    };
    raw.iter().map(setting).collect()
}

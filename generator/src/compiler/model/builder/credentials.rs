//! The credentials, and the properties of the account.

use super::{Builder, FamilyBuilder, dates, placed, statements, text_of};
use crate::compiler::diagnostics::{Code, Place};
use crate::compiler::load::{Named, Spanned, Text, WordOr, raw};
use crate::compiler::model::{
    Account, Calls, Carried, Class, Content, Credentials, Dates, Either, Encoding, EnumValue, Hash, Instrument,
    InstrumentProperty, Name, NonceForm, Pairs, Part, PartKind, Property, PropertyKind, PropertyType, SecretForm,
    Signature, SignedPart, TimestampForm, Token, Within, field_name, type_name, variant_name,
};
use crate::compiler::words::{Algorithm, PairOrder};

type Parts = [Spanned<raw::SignedText>];

impl Builder<'_> {
    pub(super) fn credentials(&mut self, raw: &Spanned<raw::Credentials>) -> Credentials {
        let mut carried = Vec::new();
        let places = [
            (Within::Header, &raw.headers),
            (Within::Parameters, &raw.parameters),
            (Within::After, &raw.after_parameters),
            (Within::Query, &raw.query),
        ];
        for (within, names) in places {
            carried.extend(self.carried(within, names));
        }
        if let Some(parts) = &raw.authorization {
            let within = Within::Header;
            let name = "Authorization".to_owned();
            carried.push(Carried { within, name, parts: self.parts(parts), place: parts.place });
        }
        let window = self.duration(raw.window.as_deref());
        if let (Some(text), None) = (&raw.window, window) {
            self.to.note_unread(text.place.file, "window");
        }
        Credentials {
            carried,
            signature: self.signature(raw),
            signed_query: raw.signed_query.as_ref().map(|word| (word.value, word.place)),
            timestamp: raw.timestamp_as.as_ref().map_or(TimestampForm::Milliseconds, |form| form.value),
            nonce: raw.nonce_as.as_ref().map_or(NonceForm::Number, |form| form.value),
            keeps_body: raw.sends_body.as_ref().filter(|sends| !sends.value).map(|sends| sends.place),
            window,
            window_set_by: raw.window_set_by.as_ref().map(|name| (name.value.clone(), name.place)),
            place: raw.place,
        }
    }

    pub(super) fn calls(&mut self, raw: &Spanned<raw::Calls>) -> Calls {
        let mut named = |name: &Option<Text>, key| name.as_ref().map(|text| self.need(name, key, text.place));
        let (method, id, params) = (named(&raw.method, "method"), named(&raw.id, "id"), named(&raw.params, "params"));
        if method.is_none() && (id.is_some() || params.is_some()) {
            self.missing("method", raw.place);
        }
        Calls { id, method, params, place: Some(raw.place) }
    }

    fn carried(&mut self, within: Within, names: &Spanned<raw::CredentialNames>) -> Vec<Carried> {
        let all = [
            (SignedPart::Key, &names.key),
            (SignedPart::Passphrase, &names.passphrase),
            (SignedPart::Timestamp, &names.timestamp),
            (SignedPart::Nonce, &names.nonce),
            (SignedPart::Expires, &names.expires),
            (SignedPart::Signature, &names.signature),
        ];
        let what = match within {
            Within::Header => "two headers of the credentials",
            Within::Parameters | Within::After | Within::Query => "two parameters of the credentials",
        };
        let others: Vec<_> = names.others.iter().map(|(name, _)| Some(name.clone())).collect();
        let every: Vec<_> = all.iter().map(|(_, name)| *name).chain(&others).collect();
        self.refuse_twice(&every, Code::BadHeader, what);
        let mut carried: Vec<_> = all
            .into_iter()
            .filter_map(|(word, name)| {
                let place = name.as_ref()?.place;
                let text = self.need(name, word.as_str(), place);
                if within == Within::Header {
                    self.check_header(&text, place);
                }
                Some(Carried { within, name: text, parts: vec![Part { kind: PartKind::Word(word), place }], place })
            })
            .collect();
        for (name, parts) in names.others.iter() {
            if within == Within::Header {
                self.check_header(&name.value, name.place);
            }
            if parts.value.is_empty() {
                self.at(parts.place, Code::BadValue, format!("`{}` has no parts", name.value))
                    .help("write what it consists of, such as `[{ text: \"2\" }]`");
            }
            let parts = self.parts(&parts.value);
            carried.push(Carried { within, name: name.value.clone(), parts, place: name.place });
        }
        carried
    }

    /// Returns what is signed and how; `None` if no key of it is there.
    fn signature(&mut self, raw: &Spanned<raw::Credentials>) -> Option<Signature> {
        let is_carried = [&raw.headers, &raw.parameters, &raw.after_parameters, &raw.query]
            .iter()
            .any(|names| names.signature.is_some());
        let has_content = !raw.signed_text.is_empty() || raw.token.is_some();
        if !is_carried && !has_content && raw.algorithm.is_none() {
            return None;
        }
        self.need_keys(&[("signed_text", has_content), ("algorithm", raw.algorithm.is_some())], raw.place);
        if let (Some(token), Some(first)) = (&raw.token, raw.signed_text.first()) {
            self.at(token.place, Code::Misplaced, "`token` and `signed_text` exclude each other")
                .related(first.place, "the signed text")
                .help("remove one of them");
        }
        if let (Some(token), Some(encoding)) = (&raw.token, &raw.encoding) {
            self.at(encoding.place, Code::Misplaced, "`encoding` and `token` exclude each other")
                .related(token.place, "a token is always written in the same way")
                .help("remove it");
        }
        let encoding = raw.encoding.as_ref().map_or(Encoding::Base64, |encoding| encoding.value);
        let mut algorithms: Vec<_> = raw.algorithm.iter().map(|first| (first.value, encoding)).collect();
        for (name, encoding) in raw.also.iter() {
            algorithms.extend(self.algorithm(name, &algorithms).map(|algorithm| (algorithm, encoding.value)));
        }
        let content = match &raw.token {
            Some(token) => Content::Token(Token {
                header: self.members(&token.header),
                claims: self.members(&token.claims),
                lasts: self.duration(token.lasts.as_deref()),
            }),
            None => Content::Text(self.parts(&raw.signed_text)),
        };
        let secret = raw.secret.as_ref().map_or(SecretForm::Text, |form| form.value);
        Some(Signature { content, algorithms, secret })
    }

    fn algorithm(&mut self, name: &Text, known: &[(Algorithm, Encoding)]) -> Option<Algorithm> {
        let Some(algorithm) = Algorithm::parse(&name.value) else {
            let words = Algorithm::WORDS.join(", ");
            self.at(name.place, Code::UndefinedName, format!("unknown algorithm `{}`", name.value))
                .help(format!("write one of: {words}"));
            return None;
        };
        if known.iter().any(|(other, _)| *other == algorithm) {
            self.at(name.place, Code::DefinedTwice, format!("duplicate algorithm `{}`", name.value))
                .help("remove one of them");
        }
        Some(algorithm)
    }

    fn members(&mut self, raw: &Named<Vec<Spanned<raw::SignedText>>>) -> Vec<(String, Vec<Part>)> {
        raw.iter().map(|(name, parts)| (name.value.clone(), self.parts(parts))).collect()
    }

    fn parts(&mut self, raw: &Parts) -> Vec<Part> {
        raw.iter().filter_map(|part| self.part(part)).collect()
    }

    fn part(&mut self, raw: &Spanned<raw::SignedText>) -> Option<Part> {
        let kind = match &raw.value {
            WordOr::Word(word) => PartKind::Word(*word),
            WordOr::Mapping(mapping) => self.mapped_part(mapping, raw.place)?,
        };
        Some(Part { kind, place: raw.place })
    }

    fn mapped_part(&mut self, raw: &raw::SignedMapping, place: Place) -> Option<PartKind> {
        let encoding = raw.r#as.as_ref().map(|encoding| encoding.value);
        let digests = [
            (Hash::Sha256, &raw.sha256),
            (Hash::Sha384, &raw.sha384),
            (Hash::Sha512, &raw.sha512),
            (Hash::Md5, &raw.md5),
        ];
        let mut kinds = Vec::new();
        kinds.extend(raw.text.as_ref().map(|text| PartKind::Text(text.value.clone())));
        kinds.extend(raw.header.as_ref().map(|name| PartKind::Header(name.value.clone())));
        for (hash, parts) in digests {
            kinds.extend(parts.as_ref().map(|parts| PartKind::Digest(hash, encoding, self.parts(parts))));
        }
        kinds.extend(raw.base64.as_ref().map(|parts| PartKind::Base64(self.parts(parts))));
        kinds.extend(raw.signed.as_ref().map(|parts| PartKind::Signed(self.parts(parts))));
        kinds.extend(raw.pairs.as_ref().map(|order| PartKind::Pairs(pairs(raw, order.value))));
        if raw.when.is_some() || raw.then.is_some() {
            kinds.push(PartKind::When(self.either(raw, place)));
        }
        let [_] = kinds.as_slice() else {
            self.at(
                    place,
                    Code::BadValue,
                    "a part of a text needs one of `text`, `header`, `sha256`, `sha384`, `sha512`, `md5`, `base64`, `signed`, \
                     `pairs`, `when`",
                )
                .help("write a word such as `timestamp`, or a mapping with one of these keys");
            return None;
        };
        let kind = kinds.pop()?;
        if let (Some(encoding), false) = (&raw.r#as, matches!(kind, PartKind::Digest(..))) {
            self.at(encoding.place, Code::Misplaced, "`as` without a digest")
                .help("remove it; only a digest is encoded");
        }
        for (name, text) in [("equals", &raw.equals), ("between", &raw.between)] {
            if let (Some(text), false) = (text, matches!(kind, PartKind::Pairs(_))) {
                self.at(text.place, Code::Misplaced, format!("`{name}` without `pairs`")).help("remove it");
            }
        }
        if let (Some(first), false) =
            (raw.otherwise.as_ref().and_then(|parts| parts.first()), matches!(kind, PartKind::When(_)))
        {
            self.at(first.place, Code::Misplaced, "`otherwise` without `when`").help("remove it");
        }
        Some(kind)
    }

    fn either(&mut self, raw: &raw::SignedMapping, place: Place) -> Either {
        let has = |parts: &Option<Vec<_>>| parts.as_ref().is_some_and(|parts| !parts.is_empty());
        self.need_keys(&[("when", has(&raw.when)), ("then", has(&raw.then))], place);
        let mut parts = |parts: &Option<Vec<Spanned<raw::SignedText>>>| {
            parts.as_ref().map(|parts| self.parts(parts)).unwrap_or_default()
        };
        Either { when: parts(&raw.when), then: parts(&raw.then), otherwise: parts(&raw.otherwise) }
    }
}

fn pairs(raw: &raw::SignedMapping, order: PairOrder) -> Pairs {
    let text = |text: &Option<Spanned<String>>, usual: &str| {
        text.as_ref().map_or_else(|| usual.to_owned(), |text| text.value.clone())
    };
    Pairs { order, equals: text(&raw.equals, "="), between: text(&raw.between, "&") }
}

impl Builder<'_> {
    pub(super) fn account(&mut self, raw: &Spanned<raw::Account>) -> Account {
        Account {
            doc: self.need(&raw.doc, "doc", raw.place),
            properties: raw.properties.iter().map(|(name, property)| self.property(name, property)).collect(),
            instrument: raw.instrument.as_ref().map(|instrument| self.instrument(instrument)),
        }
    }

    fn property(&mut self, name: &Text, raw: &Spanned<raw::Property>) -> Property {
        let kind = match (&raw.r#type, raw.values.has_none()) {
            (Some(kind), true) => match kind.value {
                PropertyType::Flag => PropertyKind::Flag,
                PropertyType::Time => PropertyKind::Time,
                PropertyType::Names => PropertyKind::Names,
            },
            (None, false) => self.words(name, raw),
            (Some(kind), false) => {
                self.at(kind.place, Code::Misplaced, "expected either `type` or `values`").help("remove one of them");
                self.words(name, raw)
            }
            (None, true) => {
                self.missing("type", raw.place);
                PropertyKind::Flag
            }
        };
        Property {
            name: self.property_name(name, &raw.rust),
            doc: self.need(&raw.doc, "doc", raw.place),
            kind,
            shown_as: raw.shown_as.iter().map(placed).collect(),
            denied_by: raw.denied_by.iter().map(placed).collect(),
        }
    }

    fn words(&mut self, name: &Text, raw: &Spanned<raw::Property>) -> PropertyKind {
        let rust = self.rust_name(&None, &name.value, name.place, "property", type_name);
        let values = raw.values.iter().map(|(wire, value)| {
            let keys = [
                ("also", value.also.first().map(|also| also.place)),
                ("sources", value.sources.as_ref().map(|sources| sources.place)),
                ("deprecated", value.deprecated.as_ref().map(|deprecated| deprecated.place)),
                ("from", value.from.as_ref().map(|from| from.place)),
                ("until", value.until.as_ref().map(|until| until.place)),
            ];
            self.refuse_keys(&keys, "is only allowed for a value of an enum");
            let rust = self.rust_name(&value.rust, &wire.value, wire.place, "value", variant_name);
            EnumValue::new(Name { rust, wire: wire.value.clone(), place: wire.place }, text_of(&value.doc))
        });
        let values = values.collect();
        PropertyKind::Words(Name { wire: name.value.clone(), rust, place: name.place }, values)
    }

    fn instrument(&mut self, raw: &Spanned<raw::Instrument>) -> Instrument {
        let property = |this: &mut Self, name: &Text, property: &raw::InstrumentProperty| InstrumentProperty {
            name: this.property_name(name, &property.rust),
            doc: text_of(&property.doc),
            is_flag: this.is_flag(property.r#type.as_ref()),
            denied_by: property.denied_by.iter().map(placed).collect(),
        };
        Instrument {
            doc: self.need(&raw.doc, "doc", raw.place),
            properties: raw.properties.iter().map(|(name, raw)| property(self, name, raw)).collect(),
        }
    }

    /// Returns whether a property of an instrument is a flag; times and names are properties of accounts only.
    fn is_flag(&mut self, kind: Option<&Spanned<PropertyType>>) -> bool {
        let Some(kind) = kind else { return false };
        if kind.value != PropertyType::Flag {
            self.at(kind.place, Code::Misplaced, "a property of an instrument is a number or a flag")
                .help("write `type: flag`, or leave `type` out for a number");
        }
        kind.value == PropertyType::Flag
    }

    fn property_name(&mut self, name: &Text, rust: &Option<Text>) -> Name {
        self.refuse_empty(name, "property");
        let rust = self.rust_name(rust, &name.value, name.place, "property", field_name);
        Name { wire: name.value.clone(), rust, place: name.place }
    }
}

impl FamilyBuilder<'_, '_> {
    pub(super) fn classes(&mut self) -> Vec<Class> {
        let classes = &self.family.family.classes;
        classes
            .iter()
            .map(|(name, raw)| {
                if raw.when.is_none() {
                    self.builder.missing("when", raw.place);
                }
                let (name, place) = placed(name);
                Class {
                    name,
                    place,
                    doc: self.builder.need(&raw.doc, "doc", raw.place),
                    when: statements::conditions(raw.when.as_ref()),
                    sources: self.builder.sources(raw.sources.as_ref(), None),
                    dates: Dates {
                        by: self.builder.dated_by(raw.dated_by.as_ref()),
                        ..dates(raw.from.as_ref(), raw.until.as_ref())
                    },
                }
            })
            .collect()
    }
}

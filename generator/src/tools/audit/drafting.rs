//! Drafts a file from what the readers find about an operation that the schema does not have.

mod answers;

use super::claims::Claims;
use super::document::{Block, Document, Section};
use super::findings::{Basis, FactKey, FactKind, Findings, Statement};
use super::readers::{self, Drafted};
use super::text::{Span, overlaps};
use super::wording::{likeness, stems};
use super::{Documents, open_questions, unread};
use crate::compiler::diagnostics::{Code, Diagnostics, did_you_mean};
use crate::compiler::model::{Api, Choice, Family, Need};
use crate::tools::draft::{Answer, Data, Draft, DraftAccess, DraftField, JsonKind, OneOf, Rule, name_of_path};

/// The minimum similarity of a phrase to a record.
const ALIKE: usize = 400;

/// Drafts the operation that a section of the documents describes.
///
/// # Errors
/// Fails if no such section describes an operation, or if the schema already has the operation.
pub(crate) fn draft(api: &Api, family: &Family, documents: &Documents, title: &str) -> Result<Draft, Diagnostics> {
    let own = family.source.as_ref().map(|source| source.document());
    let mut ids: Vec<&str> = api.documents.iter().map(|known| known.id.as_str()).collect();
    ids.sort_by_key(|id| Some(*id) != own);
    let parsed: Vec<Document> = ids.iter().filter_map(|id| documents.parse(id)).collect();
    let describes = |document: &Document, section: &Section| readers::endpoint::find(document, section).is_some();
    let found = parsed.iter().find_map(|document| {
        let mut sections = document.sections.iter();
        let section = sections
            .find(|section| section.heading.eq_ignore_ascii_case(title.trim()) && describes(document, section))?;
        Some((document, section))
    });
    let Some((document, section)) = found else {
        let described = parsed.iter().flat_map(|document| {
            document.sections.iter().filter(|section| describes(document, section)).map(|section| &section.heading)
        });
        let mut to = Diagnostics::default();
        let help = did_you_mean(title, described.map(String::as_str));
        to.whole(Code::UndefinedName, format!("no section `{title}` of the documents describes an operation"))
            .help(help.unwrap_or_else(|| "use the heading of a section with a method and a path".into()));
        return Err(to);
    };
    let claims = Claims::of(api, &document.id);
    if let Some(known) = claims.operations.iter().find(|known| document.is_section(known.heading, section)) {
        let mut to = Diagnostics::default();
        let id = &known.operation.id;
        to.at(known.operation.place, Code::DefinedTwice, format!("the operation `{id}` already has this section"))
            .help("name a section that no operation has; `audit` lists them");
        return Err(to);
    }
    Ok(Drafting::of(&claims, family, document, section).draft())
}

/// Returns whether a clause states a time, such as `Unix ms`.
fn is_time(said: &str) -> bool {
    said.split(['(', ')', ',', ';', '|']).any(|clause| ["Unix ms", "Unix milliseconds"].contains(&clause.trim()))
}

struct Drafting<'a> {
    claims: &'a Claims<'a>,
    family: &'a Family,
    document: &'a Document,
    section: &'a Section,
    name: String,
    id: String,
    found: Findings,
}

impl<'a> Drafting<'a> {
    fn of(claims: &'a Claims<'a>, family: &'a Family, document: &'a Document, section: &'a Section) -> Self {
        let endpoint = readers::endpoint::find(document, section);
        let path = endpoint.as_ref().map_or("", |(_, path)| path.text);
        // Another operation may have the path, with another method; what is said of it is not said of this one.
        let usual = name_of_path(path);
        let is_taken = claims.operation_by_id(&format!("{}.{usual}", family.name)).is_some();
        let method = endpoint.as_ref().map_or(String::new(), |(method, _)| method.text.to_lowercase());
        let name = if is_taken { format!("{method}-{usual}") } else { usual };
        let id = format!("{}.{name}", family.name);
        let drafted = Drafted { id: &id, heading: &section.heading };
        let found = readers::read(document, claims, Some(&drafted));
        Self { claims, family, document, section, name, found, id }
    }

    fn draft(&self) -> Draft {
        let (method, path) = readers::endpoint::find(self.document, self.section)
            .map_or((String::new(), String::new()), |(method, path)| (method.text.to_owned(), path.text.to_owned()));
        let heading = self.section.heading.clone();
        let rates = self.rates();
        let is_public = self.value(FactKind::Permission, &[]).is_some_and(|text| text.starts_with("none"));
        Draft {
            name: self.name.clone(),
            title: heading.clone(),
            effect_seen: vec![method.clone(), path.clone(), heading.clone()],
            source: Some((self.document.id.clone(), heading)),
            method,
            path,
            access: if is_public { DraftAccess::Public } else { DraftAccess::Signed },
            permission: self.value(FactKind::Permission, &[]).map(str::to_owned),
            is_whitelisted: self.value(FactKind::Whitelisted, &[]).is_some(),
            is_deprecated: self.value(FactKind::Deprecated, &[]).is_some(),
            headers: self.names_below(FactKind::HeaderOn, &[]),
            rates: (!rates.is_empty()).then_some(rates),
            request: Some(self.fields("")),
            choices: self.choices(),
            window: self.window(),
            is_both_or_neither: self.value(FactKind::Both, &[]).is_some(),
            response: self.response(),
            rules: self.rules(),
            not_shown: self.not_shown(),
            about: vec![format!(
                "From {}, line {}: {}.",
                self.document.file,
                self.document.line(self.section.at.start),
                self.section.heading
            )],
            unread: self.unread(),
            ..Draft::default()
        }
    }

    /// The statements about the operation itself, without those about a namesake.
    fn own(&self, kind: FactKind) -> impl Iterator<Item = &Statement> {
        let is_own = move |statement: &&Statement| {
            statement.key.kind == kind && statement.key.owner() == Some(&self.id) && statement.force != Basis::Namesake
        };
        self.found.statements.iter().filter(is_own)
    }

    fn key(&self, kind: FactKind, names: &[&str]) -> FactKey {
        let names = std::iter::once(self.id.as_str()).chain(names.iter().copied()).map(str::to_owned).collect();
        FactKey { kind, names }
    }

    /// The first value stated under a key.
    fn value(&self, kind: FactKind, names: &[&str]) -> Option<&str> {
        let of = self.key(kind, names);
        self.own(kind).find(|statement| statement.key == of).map(|statement| statement.value.as_str())
    }

    /// The last names of the keys with these first names, in the order of the document.
    fn names_below(&self, kind: FactKind, names: &[&str]) -> Vec<String> {
        let of = self.key(kind, names);
        let mut found: Vec<String> = Vec::new();
        for statement in self.own(kind).filter(|statement| statement.key.starts_with(&of)) {
            let name = statement.key.names.get(of.names.len());
            found.extend(name.filter(|name| !found.contains(name)).cloned());
        }
        found
    }

    /// The rates in the form of the schema.
    fn rates(&self) -> Vec<String> {
        let mut rates: Vec<String> = Vec::new();
        for statement in self.own(FactKind::Rate).filter(|statement| !self.is_of_unknown_class(statement)) {
            let rate = match statement.key.name().map(String::as_str) {
                Some("default") | None => statement.value.clone(),
                Some(class) => format!("{} for {class}", statement.value),
            };
            if !rates.contains(&rate) {
                rates.push(rate);
            }
        }
        rates
    }

    /// Returns whether a rate applies to some callers only, whose class the schema does not have: `2/s/UID for night
    /// robots`.
    fn is_of_unknown_class(&self, statement: &Statement) -> bool {
        statement.key.name().is_some_and(|class| class == "default") && self.phrase(statement.at).contains(" for ")
    }

    /// The words from a byte to the end of their clause.
    fn phrase(&self, at: usize) -> &str {
        let rest = &self.document.text[at..];
        let ends = |(at, c): &(usize, char)| {
            ",;|\n".contains(*c) || *c == '.' && !rest[at + 1..].starts_with(char::is_numeric)
        };
        rest.char_indices().find(ends).map_or(rest, |(end, _)| &rest[..end]).trim()
    }

    fn rates_of_unknown_classes(&self) -> Vec<Rule> {
        let mut rules: Vec<Rule> = Vec::new();
        for statement in self.own(FactKind::Rate).filter(|statement| self.is_of_unknown_class(statement)) {
            let says = format!("The rate is {}.", self.phrase(statement.at));
            if rules.iter().all(|rule| rule.says != says) {
                let remark = format!("line {}; add a class to family.yaml", self.document.line(statement.at));
                rules.push(Rule { at: self.section.heading.clone(), says, any_of: None, remark });
            }
        }
        rules
    }

    /// The parameters of the request, or of the items of a list.
    fn fields(&self, prefix: &str) -> Vec<DraftField> {
        let names = self.names_below(FactKind::Parameter, &[]);
        let own = names
            .iter()
            .filter(|name| name.strip_prefix(prefix).is_some_and(|rest| !rest.contains("[].")) && !name.is_empty());
        own.map(|path| self.field(path, prefix)).collect()
    }

    fn field(&self, path: &str, prefix: &str) -> DraftField {
        let value = |kind: FactKind| self.value(kind, &[path]).map(str::to_owned);
        let of_items = if path == "[]" { "[].".to_owned() } else { format!("{path}[].") };
        let fields = if path.starts_with(&of_items) { Vec::new() } else { self.fields(&of_items) };
        let edit = value(FactKind::Edit).map(|said| {
            let deletes = said.strip_prefix("keeps, ").and_then(|rest| rest.strip_suffix(" deletes"));
            deletes.map(str::to_owned)
        });
        let said = self.source_text(&self.key(FactKind::Parameter, &[path]));
        let is_list = !fields.is_empty() || value(FactKind::Type).as_deref() == Some("array");
        let unit = value(FactKind::Unit).filter(|unit| !unit.contains(" or "));
        DraftField {
            name: path.strip_prefix(prefix).unwrap_or(path).to_owned(),
            need: value(FactKind::Parameter).map(|need| match need.as_str() {
                "yes" => Need::Always,
                "conditional" => Need::Conditional,
                "no" => Need::No,
                _ => Need::Unstated,
            }),
            kind: match value(FactKind::Type).as_deref() {
                _ if is_list => JsonKind::List,
                Some("number") => JsonKind::Number,
                Some("boolean") => JsonKind::Boolean,
                _ if said.as_deref().is_some_and(is_time) => JsonKind::Time,
                _ => JsonKind::Unknown,
            },
            values: self.names_below(FactKind::ParameterValue, &[path]),
            default: value(FactKind::ParameterDefault),
            min: value(FactKind::ParameterMin),
            max: value(FactKind::ParameterMax),
            digits: value(FactKind::Digits),
            unit,
            edit,
            is_deprecated: value(FactKind::Deprecated).is_some(),
            fields,
            remarks: said.into_iter().collect(),
            ..DraftField::default()
        }
    }

    /// The text of the document about a parameter, with its line: a row, or a part of a list.
    fn source_text(&self, key: &FactKey) -> Option<String> {
        let at = self.found.about(key).find(|statement| self.section.body.contains(&statement.at))?.at;
        let here = |range: std::ops::Range<usize>| range.contains(&at).then(|| self.quoted(range));
        self.section.blocks.iter().find_map(|block| match block {
            Block::Table { rows, .. } => rows.iter().find_map(|row| here(row.first()?.start..row.last()?.end)),
            Block::Text(range) | Block::Item { text: range, .. } => {
                let sentences = self.document.span(range).sentences();
                let sentence = sentences.into_iter().find(|sentence| sentence.range().contains(&at))?;
                let list = sentence.label().map_or(sentence, |(_, list)| list);
                let groups = list.split(&[";"]);
                let parts = if groups.len() > 1 { groups } else { list.split(&[","]) };
                parts.into_iter().find_map(|part| here(part.range())).or_else(|| here(sentence.range()))
            }
        })
    }

    /// The sentence that states something about the operation, with its line.
    fn sentence_of(&self, kind: FactKind) -> Option<String> {
        let at = self.own(kind).next()?.at;
        let sentences = self.section.texts(self.document).flat_map(Span::sentences);
        let sentence = sentences.map(Span::range).find(|range| range.contains(&at))?;
        Some(self.quoted(sentence))
    }

    fn quoted(&self, range: std::ops::Range<usize>) -> String {
        format!("line {}: {}", self.document.line(range.start), self.document.quote(&range).trim_end_matches('.'))
    }

    fn choices(&self) -> Vec<OneOf> {
        let wins = self.own(FactKind::Wins).next().map(|statement| statement.value.clone());
        let stated = self.own(FactKind::OneOf).filter(|statement| !self.is_at_least(statement));
        let stated = stated.filter_map(|statement| statement.key.name());
        let mut choices: Vec<OneOf> = Vec::new();
        for members in stated {
            let members: Vec<String> = members.split(',').map(str::to_owned).collect();
            if choices.iter().all(|known| known.members != members) {
                let wins = wins.clone().filter(|wins| members.contains(wins));
                choices.push(OneOf { members, wins, need: Need::Always });
            }
        }
        // Even if no parameter is required, one may win over another.
        if let Some(wins) = wins.filter(|wins| choices.iter().all(|choice| !choice.members.contains(wins))) {
            choices.extend(self.won_by(&wins));
        }
        choices
    }

    /// The choice of the family in which a parameter wins, if all of its members are parameters here.
    fn won_by(&self, wins: &str) -> Option<OneOf> {
        let names = self.names_below(FactKind::Parameter, &[]);
        let (prefix, bare) = wins.rsplit_once("[].").map_or(("", wins), |(list, bare)| (list, bare));
        let prefix = if wins.contains("[].") { format!("{prefix}[].") } else { String::new() };
        let won = self.family.choices.iter().filter(|choice| choice.wins() == Some(bare));
        let known = won.filter_map(Choice::alternatives).find_map(|alternatives| {
            let members: Vec<String> = alternatives.iter().map(|one| format!("{prefix}{}", one.name.wire)).collect();
            members.iter().all(|member| names.contains(member)).then_some(members)
        });
        let members = known?;
        let is_unstated = self.value(FactKind::Parameter, &[members.first()?]) == Some("unstated");
        let need = if is_unstated { Need::Unstated } else { Need::No };
        Some(OneOf { members, wins: Some(wins.to_owned()), need })
    }

    /// Returns whether the text says `at least one of` rather than `one of`.
    fn is_at_least(&self, statement: &Statement) -> bool {
        self.document.text[statement.at..].starts_with("at least")
    }

    /// `At least one of a or b`, which is a rule because a choice allows only one.
    fn at_least_one(&self) -> Vec<Rule> {
        let stated = self.own(FactKind::OneOf).filter(|statement| self.is_at_least(statement));
        let rule = |statement: &Statement| {
            let members = statement.key.name()?;
            let list = members.split_once("[].").map(|(list, _)| format!("{list}[]"));
            let prefix = list.as_ref().map(|list| format!("{list}.")).unwrap_or_default();
            let list =
                list.map(|list| list.strip_suffix("[]").filter(|name| !name.is_empty()).unwrap_or("[]").to_owned());
            let names: Vec<String> =
                members.split(',').map(|name| name.trim_start_matches(&prefix).to_owned()).collect();
            Some(Rule {
                at: format!("{}, parameters", self.section.heading),
                says: format!("At least one of {} is sent.", names.join(" and ")),
                any_of: Some((list, names)),
                remark: format!("line {}", self.document.line(statement.at)),
            })
        };
        stated.filter_map(rule).collect()
    }

    fn window(&self) -> Vec<(&'static str, String)> {
        let bounds = ["span", "access", "default"];
        let bound =
            |bound: &'static str| self.value(FactKind::Window, &[bound]).map(|length| (bound, length.to_owned()));
        bounds.into_iter().filter_map(bound).collect()
    }

    fn response(&self) -> Answer {
        let Some(shape) = self.value(FactKind::ResponseShape, &[]) else {
            return self.answer_table().map_or_else(Answer::default, |table| self.answer_of(&table));
        };
        let mut remarks: Vec<String> = self.sentence_of(FactKind::ResponseShape).into_iter().collect();
        let phrases = self.found.answers.iter().filter(|(id, _)| *id == self.id).map(|(_, phrase)| phrase);
        let mut records: Vec<String> = phrases.flat_map(|phrase| self.records(phrase)).collect();
        let names = self.names_below(FactKind::ResponseField, &[]);
        if let Some(cursor) = shape.strip_prefix("list+") {
            let next = readers::next_parameter(&self.found, self.claims, &self.id, cursor);
            if records.is_empty() {
                records = self.records(&self.section.heading);
                remarks.push("The record is a guess from the names of the sections.".to_owned());
            }
            let list = names.iter().find(|name| *name != cursor).cloned().unwrap_or_default();
            let data = Data { records, remarks, ..Data::default() };
            return Answer::Page { list, cursor: cursor.to_owned(), next, data };
        }
        let prefix = if shape == "array" { "[]." } else { "" };
        let field = |path: &String| DraftField {
            name: path.strip_prefix(prefix).unwrap_or(path).to_owned(),
            kind: match self.value(FactKind::ResponseField, &[path]) {
                Some("string") => JsonKind::Text,
                Some("boolean") => JsonKind::Boolean,
                Some("number") => JsonKind::Number,
                Some("array") => JsonKind::List,
                _ => JsonKind::Unknown,
            },
            ..DraftField::default()
        };
        let data = Data { fields: names.iter().map(field).collect(), records, remarks, ..Data::default() };
        if shape == "array" { Answer::Array(data) } else { Answer::Object(data) }
    }

    /// The records that a phrase such as `order list items` may refer to, the most similar first. Among equally similar
    /// ones, those with a name similar to the operation's come first.
    fn records(&self, phrase: &str) -> Vec<String> {
        let filler = ["array", "list", "record", "object", "items", "item"];
        let words: Vec<String> = stems(phrase).into_iter().filter(|word| !filler.contains(&word.as_str())).collect();
        let title = stems(&self.section.heading);
        let own = self.claims.records.iter().filter(|known| known.family.name == self.family.name);
        let scored = own.map(|known| {
            let names = [stems(&known.record.name.wire), stems(known.section)];
            let alike = names.iter().map(|names| likeness(names, &words)).max().unwrap_or(0);
            (alike, likeness(&names[0], &title), known.record.name.wire.clone())
        });
        let mut scored: Vec<_> = scored.filter(|(alike, ..)| *alike >= ALIKE).collect();
        scored.sort_by_key(|(alike, titled, _)| std::cmp::Reverse((*alike, *titled)));
        scored.into_iter().map(|(.., name)| name).collect()
    }

    /// Numbered items, and the sentences of a paragraph that begins with `Rules:`.
    fn rules(&self) -> Vec<Rule> {
        let heading = &self.section.heading;
        let rule = |at: String, text: Span<'_>| Rule {
            at,
            says: format!("{}.", text.text.trim_end_matches('.')),
            any_of: None,
            remark: format!("line {}", self.document.line(text.at)),
        };
        let mut rules = self.at_least_one();
        rules.extend(self.rates_of_unknown_classes());
        for block in &self.section.blocks {
            match block {
                Block::Item { number: Some(number), text, .. } => {
                    rules.push(rule(format!("{heading}, rule {number}"), self.document.span(text).trim()));
                }
                Block::Text(range) => rules.extend(
                    self.paragraph_of_rules(range).into_iter().map(|text| rule(format!("{heading}, rules"), text)),
                ),
                Block::Item { number: None, .. } | Block::Table { .. } => {}
            }
        }
        rules
    }

    fn paragraph_of_rules(&self, range: &std::ops::Range<usize>) -> Vec<Span<'a>> {
        let text = self.document.span(range).trim();
        let label = "Rules:";
        if !text.text.starts_with(label) || text.text.len() == label.len() {
            return Vec::new();
        }
        text.after(text.at + label.len()).trim().sentences()
    }

    fn not_shown(&self) -> Vec<String> {
        let clauses = open_questions::clauses(self.document.span(&self.section.body));
        clauses.into_iter().map(|clause| clause.text.to_owned()).collect()
    }

    /// The text that no reader understood, except the rules.
    fn unread(&self) -> Vec<String> {
        let mut taken: Vec<std::ops::Range<usize>> = Vec::new();
        for block in &self.section.blocks {
            match block {
                Block::Item { number: Some(_), text, .. } => taken.push(text.clone()),
                Block::Text(range) => taken.extend(self.paragraph_of_rules(range).into_iter().map(Span::range)),
                Block::Item { number: None, .. } | Block::Table { .. } => {}
            }
        }
        let units = unread::units(self.document, &self.found).into_iter();
        let own = units.filter(|(unit, is_read)| !is_read && self.section.body.contains(&unit.start));
        let rest = own.filter(|(unit, _)| !taken.iter().any(|taken| overlaps(taken, unit)));
        let own = rest.map(|(unit, _)| self.quoted(unit)).filter(|said| !said.ends_with(": Rules:"));
        own.chain(self.subsections()).collect()
    }

    /// The sections within this one, which are not read.
    fn subsections(&self) -> impl Iterator<Item = String> {
        let is_stated = self.value(FactKind::ResponseShape, &[]).is_some();
        let table = self.answer_table().filter(|_| !is_stated).map(|table| table.section.at.start);
        self.within().flat_map(move |section| {
            if Some(section.at.start) != table {
                return vec![format!("line {}: the section {}", self.document.line(section.at.start), section.heading)];
            }
            // Of the section with the table, what is beside it.
            let is_first = |block: &Block| matches!(block, Block::Table { .. });
            let read = section.blocks.iter().position(is_first);
            let others = section.blocks.iter().enumerate().filter(|(index, _)| Some(*index) != read);
            let text = |block: &Block| match block {
                Block::Text(range) | Block::Item { text: range, .. } => Some(self.quoted(range.clone())),
                Block::Table { head, rows } => {
                    let end = rows.iter().flatten().chain(head).map(|cell| cell.end).max()?;
                    Some(self.quoted(head.first()?.start..end))
                }
            };
            others.filter_map(|(_, block)| text(block)).collect()
        })
    }
}

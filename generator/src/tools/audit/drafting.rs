//! Drafts a file from what the readers find about an operation that the schema does not have.

mod answers;
mod sections;

use std::collections::BTreeSet;

use answers::Table;
use sections::{address, described, free_name, general, no_section, take_calls, without_address};

use super::claims::{Claims, KnownOperation};
use super::document::{Block, Document, Section};
use super::findings::{Basis, FactKey, FactKind, Findings, Statement};
use super::operations::Drafted;
use super::readers;
use super::text::{Span, overlaps};
use super::{Documents, findings, open_questions};
use crate::compiler::diagnostics::{Code, Diagnostics};
use crate::compiler::model::{Api, Choice, Envelope, Family, Need, Number};
use crate::tools::draft::{Draft, DraftAccess, DraftField, JsonKind, OneOf, Rule, Source, Tally};

/// The number of characters of a text that was not read in a comment, which may be a long sample.
const LONGEST_QUOTE: usize = 400;

/// Drafts the operation that a section of the documents describes, or every one that the schema does not have.
///
/// # Errors
/// Fails if no such section describes an operation, or if the schema already has the operation.
pub(crate) fn drafts(
    api: &Api,
    family: &Family,
    documents: &Documents,
    title: Option<&str>,
) -> Result<Source, Diagnostics> {
    let own = family.source.as_ref().map(|source| source.document());
    let (mut parsed, elsewhere) = documents.folded(api);
    parsed.sort_by_key(|document| Some(document.id.as_str()) != own);
    let mut all: Vec<(&Document, &Section)> = parsed.iter().flat_map(described).collect();
    if let Some(title) = title {
        let is_wanted = |(_, section): &(&Document, &Section)| section.heading.eq_ignore_ascii_case(title.trim());
        let Some(wanted) = all.iter().copied().find(is_wanted) else { return Err(no_section(title, &all)) };
        all = vec![wanted];
    }
    let left_out = if title.is_none() { take_calls(&mut all) } else { Vec::new() };
    let mut source = Source { tally: Some(Tally::default()), left_out, ..Source::default() };
    if title.is_none() {
        source.sections = general(api, &parsed);
        source.left_out.extend(without_address(&parsed));
    }
    let mut taken: BTreeSet<String> = family.operations.iter().map(|known| known.name.clone()).collect();
    for document in &parsed {
        let claims = Claims::of(api, &document.id);
        let mut drafted = Vec::new();
        for (_, section) in all.iter().filter(|(of, _)| of.id == document.id) {
            let heading = &section.heading;
            match claims.operations.iter().find(|known| document.is_section(known.heading, section)) {
                Some(known) if title.is_some() => return Err(already(known)),
                Some(known) => source.left_out.push(format!("{heading}: the schema has it as {}", known.operation.id)),
                None if !document.is_section(heading, section) => {
                    let line = document.line(section.at.start);
                    source
                        .left_out
                        .push(format!("line {line} of {}: another section is called {heading}", document.file));
                }
                None => {
                    let name = free_name(document, section, &taken);
                    drafted.push(Drafted { id: format!("{}.{name}", family.name), section });
                    taken.insert(name);
                }
            }
        }
        if drafted.is_empty() {
            continue;
        }
        let found = readers::read(document, &claims, &drafted, &elsewhere, &|_, _| true);
        for Drafted { id, section } in &drafted {
            let drafting = Drafting {
                claims: &claims,
                family,
                envelope: api.envelope.as_ref(),
                document,
                section,
                id,
                found: &found,
            };
            drafting.count(source.tally.get_or_insert_default());
            source.drafts.push(drafting.draft());
        }
    }
    Ok(source)
}

fn already(known: &KnownOperation<'_>) -> Diagnostics {
    let mut to = Diagnostics::default();
    let id = &known.operation.id;
    to.at(known.operation.place, Code::DefinedTwice, format!("the operation `{id}` already has this section"))
        .help("name a section that no operation has; `audit` lists them");
    to
}

/// Returns whether a clause states a time, such as `Unix ms`.
fn is_time(said: &str) -> bool {
    said.split(['(', ')', ',', ';', '|']).any(|clause| ["Unix ms", "Unix milliseconds"].contains(&clause.trim()))
}

/// Returns whether a row has a type of whole numbers.
fn is_whole(said: &str) -> bool {
    let words = said.split(|c: char| !c.is_ascii_alphanumeric());
    words.into_iter().any(|word| ["int", "integer", "long", "int32", "int64"].contains(&word.to_lowercase().as_str()))
}

/// Returns whether a row may name values: it has codes or examples.
fn names_values(said: &str) -> bool {
    let words = said.split(|c: char| c.is_whitespace() || ",;()".contains(c));
    let is_example = |word: &str| ["e.g.", "e.g", "like", "such", "etc", "etc.", "example"].contains(&word);
    let announces = ["one of", "One of", "values:", "options:"].iter().any(|words| said.contains(words));
    ["`", "<code>", "<tt>"].iter().any(|mark| said.contains(mark)) || announces || words.into_iter().any(is_example)
}

/// Returns whether the words of a rate do not state by what calls are counted.
fn names_no_scope(said: &str) -> bool {
    let words = said.to_lowercase();
    !["uid", "user", "ip", "account", "key"].iter().any(|scope| words.contains(scope))
}

struct Drafting<'a> {
    claims: &'a Claims<'a>,
    family: &'a Family,
    envelope: Option<&'a Envelope>,
    document: &'a Document,
    section: &'a Section,
    id: &'a str,
    found: &'a Findings,
}

/// The keys of an operation, each with the kind of fact that it is drafted from.
const KEYS: [(&str, FactKind); 9] = [
    ("rate_limit", FactKind::Rate),
    ("rate_limit", FactKind::Weight),
    ("permission", FactKind::Permission),
    ("whitelisted", FactKind::Whitelisted),
    ("headers", FactKind::HeaderOn),
    ("window", FactKind::Window),
    ("window", FactKind::Both),
    ("history", FactKind::Window),
    ("deprecated", FactKind::Deprecated),
];

/// Words beside a rate that several operations share, or that is counted by something else than a user or an address.
const SHARED: [&str; 8] = ["+", "across", "altogether", "combined", "shared", "together", "total", "whole"];

impl<'a> Drafting<'a> {
    fn draft(&self) -> Draft {
        let (method, path) = address(self.document, self.section).unwrap_or_default();
        let fields = self.fields("");
        let has_none = self.found.without_parameters.contains(self.id);
        let heading = self.section.heading.clone();
        let rates = self.rates();
        let is_public = self.value(FactKind::Permission, &[]).is_some_and(|text| text.starts_with("none"));
        Draft {
            name: self.id.rsplit('.').next().unwrap_or_default().to_owned(),
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
            request: (!fields.is_empty() || has_none).then_some(fields),
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
            said: self.said(),
            reviewed: true,
            unread: self.unread(),
            ..Draft::default()
        }
    }

    /// Returns the statements about the operation itself, without those about a namesake.
    fn own(&self, kind: FactKind) -> impl Iterator<Item = &'a Statement> {
        let id = self.id;
        let is_own = move |statement: &&Statement| {
            statement.key.kind == kind
                && statement.key.owner().is_some_and(|own| own == id)
                && statement.force != Basis::Namesake
        };
        self.found.statements.iter().filter(is_own)
    }

    fn key(&self, kind: FactKind, names: &[&str]) -> FactKey {
        let names = std::iter::once(self.id).chain(names.iter().copied()).map(str::to_owned).collect();
        FactKey { kind, names }
    }

    /// Returns the value stated under a key; `None` if the document states several, which hold in cases of their own.
    fn value(&self, kind: FactKind, names: &[&str]) -> Option<&str> {
        let of = self.key(kind, names);
        let mut values =
            self.own(kind).filter(|statement| statement.key == of).map(|statement| statement.value.as_str());
        let first = values.next()?;
        values.all(|other| other == first).then_some(first)
    }

    /// Returns the last names of the keys with these first names, in the order of the document.
    fn names_below(&self, kind: FactKind, names: &[&str]) -> Vec<String> {
        let of = self.key(kind, names);
        let mut found: Vec<String> = Vec::new();
        for statement in self.own(kind).filter(|statement| statement.key.starts_with(&of)) {
            let name = statement.key.names.get(of.names.len());
            found.extend(name.filter(|name| !found.contains(name)).cloned());
        }
        found
    }

    /// Returns the rates in the form of the schema.
    fn rates(&self) -> Vec<String> {
        let weights = self.own(FactKind::Weight);
        let mut rates: Vec<String> =
            weights.filter_map(|weight| Some(format!("{} of {}", weight.value, weight.key.name()?))).collect();
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
        let is_default = |one: &Statement| one.key.name().is_some_and(|class| class == "default");
        let unit = |one: &Statement| one.value.split_once('/').map(|(_, per)| per.to_owned());
        // Of two rates in one window, each is that of some callers, or one of them holds no more.
        let is_for_some = |one: &Statement| self.phrase(one.at).contains(" for ");
        let mut others = self.own(FactKind::Rate).filter(|other| is_default(other) && !is_for_some(other));
        let is_one_of_two = others.any(|other| unit(other) == unit(statement) && other.value != statement.value);
        let words = self.words_at(statement.at).unwrap_or_default().to_lowercase();
        let is_shared = words.split(|c: char| !c.is_alphanumeric() && c != '+').any(|word| SHARED.contains(&word));
        is_default(statement) && (is_one_of_two || is_shared || is_for_some(statement))
    }

    /// Returns the words from a byte to the end of their clause.
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

    /// Returns the parameters of the request, or of the items of a list.
    fn fields(&self, prefix: &str) -> Vec<DraftField> {
        let names = self.names_below(FactKind::Parameter, &[]);
        let own = names
            .iter()
            .filter(|name| name.strip_prefix(prefix).is_some_and(|rest| !rest.contains("[].")) && !name.is_empty());
        own.map(|path| self.field(path, prefix)).collect()
    }

    /// Returns the need of a parameter; `None` if the marks of other parameters leave it open.
    fn need(&self, path: &str) -> Option<Need> {
        Some(match self.value(FactKind::Parameter, &[path])? {
            "open" => return None,
            "yes" => Need::Always,
            "conditional" => Need::Conditional,
            "no" => Need::No,
            _ => Need::Unstated,
        })
    }

    /// Returns whether a text is a number, because the document bounds it or states its unit.
    fn is_number(&self, path: &str) -> bool {
        let of_numbers = [FactKind::ParameterMin, FactKind::ParameterMax, FactKind::Digits, FactKind::Unit];
        let default = self.value(FactKind::ParameterDefault, &[path]);
        of_numbers.into_iter().any(|kind| self.value(kind, &[path]).is_some())
            || default.is_some_and(|default| Number::parse(default).is_some())
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
        let is_enum = self.found.enums.contains(&self.key(FactKind::Type, &[path]));
        let has_unread_values = is_enum || said.as_deref().is_some_and(names_values);
        let unit = value(FactKind::Unit).filter(|unit| !unit.contains(" or "));
        DraftField {
            name: path.strip_prefix(prefix).unwrap_or(path).to_owned(),
            need: self.need(path),
            kind: match value(FactKind::Type).as_deref() {
                _ if is_list => JsonKind::List,
                Some("number") if said.as_deref().is_some_and(is_whole) => JsonKind::Signed,
                Some("number") => JsonKind::Number,
                Some("boolean") => JsonKind::Boolean,
                _ if said.as_deref().is_some_and(is_time) => JsonKind::Time,
                Some("string") if !has_unread_values && !self.is_number(path) => JsonKind::Text,
                _ => JsonKind::Unknown,
            },
            has_unread_values,
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

    /// Returns the text of the document about a parameter, with its line: a row, or a part of a list.
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

    /// Returns the sentences and rows that the keys of the operation are drafted from, with their lines.
    fn said(&self) -> Vec<(&'static str, String)> {
        let mut all = Vec::new();
        for (key, kind) in KEYS {
            let is_of_operation = |of: &FactKey| kind != FactKind::Deprecated || of.names.len() == 1;
            for statement in self.own(kind).filter(|statement| is_of_operation(&statement.key)) {
                let said =
                    self.words_at(statement.at).map(|said| match kind == FactKind::Rate && names_no_scope(&said) {
                        true => (key, format!("{said} (per UID where it does not say per what)")),
                        false => (key, said),
                    });
                all.extend(said.filter(|said| !all.contains(said)));
            }
        }
        all
    }

    /// Returns the sentence or row with a byte, with its line.
    fn words_at(&self, at: usize) -> Option<String> {
        let mut units = findings::units(self.document, self.found).into_iter();
        units.find(|(unit, _)| unit.contains(&at)).map(|(unit, _)| self.quoted(unit))
    }

    /// Returns the sentence that states something about the operation, with its line.
    fn sentence_of(&self, kind: FactKind) -> Option<String> {
        self.words_at(self.own(kind).next()?.at)
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

    /// Returns the choice of the family in which a parameter wins, if all of its members are parameters here.
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

    /// Returns `At least one of a or b`, which is a rule because a choice allows only one.
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

    /// Returns numbered items, and the sentences of a paragraph that begins with `Rules:`.
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

    /// Returns the text that no reader understood, except the rules.
    fn unread(&self) -> Vec<String> {
        let shown = |unit: std::ops::Range<usize>| {
            let said = self.quoted(unit);
            let end = said.char_indices().nth(LONGEST_QUOTE).map(|(end, _)| end);
            end.map_or(said.clone(), |end| format!("{} ..", &said[..end]))
        };
        self.counted().into_iter().filter(|(_, fate)| *fate == Fate::NotRead).map(|(unit, _)| shown(unit)).collect()
    }

    /// Adds the sentences and rows of the section by what became of them.
    fn count(&self, to: &mut Tally) {
        for (_, fate) in self.counted() {
            *match fate {
                Fate::Read => &mut to.read,
                Fate::LeftEmpty => &mut to.left_empty,
                Fate::NotRead => &mut to.not_read,
            } += 1;
        }
    }

    /// Returns each sentence and row of the section, and what became of it.
    fn counted(&self) -> Vec<(std::ops::Range<usize>, Fate)> {
        let mut rules: Vec<std::ops::Range<usize>> = Vec::new();
        for block in &self.section.blocks {
            match block {
                Block::Item { number: Some(_), text, .. } => rules.push(text.clone()),
                Block::Text(range) => rules.extend(self.paragraph_of_rules(range).into_iter().map(Span::range)),
                Block::Item { number: None, .. } | Block::Table { .. } => {}
            }
        }
        let answer = self.value(FactKind::ResponseShape, &[]).is_none().then(|| self.answer_table()).flatten();
        let answer: Vec<_> = answer.iter().flat_map(Table::ranges).collect();
        let is_in = |all: &[std::ops::Range<usize>], unit: &std::ops::Range<usize>| {
            all.iter().any(|range| overlaps(range, unit))
        };
        let is_label = |unit: &std::ops::Range<usize>| self.document.span(unit).text == "Rules:";
        let own = findings::units(self.document, self.found).into_iter();
        let own = own.filter(|(unit, _)| self.section.body.contains(&unit.start));
        own.map(|(unit, is_read)| {
            let fate = if is_in(&rules, &unit) {
                Fate::LeftEmpty
            } else if is_label(&unit)
                || is_in(&answer, &unit)
                || is_read && findings::is_whole(self.document, self.found, &unit)
            {
                Fate::Read
            } else if is_read {
                Fate::LeftEmpty
            } else {
                Fate::NotRead
            };
            (unit, fate)
        })
        .collect()
    }
}

/// The use that the draft made of a sentence or a row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Read,
    /// Read in part, with the rest in the comment beside a key, or a rule to decide.
    LeftEmpty,
    NotRead,
}

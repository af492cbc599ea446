//! `METHOD /path`, rates, and access.

use super::super::document::{Document, Section, Table};
use super::super::findings::{Basis, FactKind, key};
use super::super::measures;
use super::super::measures::{Rate, date_in, number};
use super::super::text::{Span, overlaps};
use super::super::wording::{deprecated, have_same_stem, is_parameter_list, plain, stems};
use super::Reader;
use crate::compiler::model::{Method, Scope};

/// Words of a heading that names the part of an operation with its address rather than the operation.
const OF_ADDRESS: [&str; 12] =
    ["http", "https", "request", "requests", "endpoint", "url", "uri", "path", "method", "api", "rest", "curl"];

/// Returns whether a text is the heading of an address: `HTTP Request`.
pub(in super::super) fn is_label(text: &str) -> bool {
    plain(text).split(' ').all(|word| OF_ADDRESS.contains(&word))
}

/// Returns the method and the path of a section: `GET /path` at the start of a sentence or after a label, in a call of
/// `curl`, in a tag or in a table with a column for each.
pub(in super::super) fn find<'a>(document: &'a Document, section: &'a Section) -> Option<(Span<'a>, Span<'a>)> {
    let mut sentences = section.texts(document).flat_map(Span::sentences);
    let in_prose = sentences.find_map(in_sentence);
    in_prose.or_else(|| section.tables(document).find_map(|table| in_table(&table))).or_else(|| {
        let texts = || section.texts(document);
        Some((
            texts().find_map(|text| labelled(text, &["method"], method_of))?,
            texts().find_map(|text| labelled(text, &OF_PATH, address))?,
        ))
    })
}

/// Returns whether a section names a method in a sentence of its own or at its start: `POST` in a tag, a call or a label.
pub(in super::super) fn names_a_method(document: &Document, section: &Section) -> bool {
    let mut sentences = section.texts(document).flat_map(Span::sentences);
    sentences.any(|sentence| {
        let first = sentence.words().into_iter().find(|word| word.text != "Method" && word.text != ":");
        is_call(sentence) || first.is_some_and(is_method)
    })
}

/// Returns whether a section shows its method and path in a call of `curl` only, as a guide to signatures does.
pub(in super::super) fn is_in_a_call(document: &Document, section: &Section) -> bool {
    let mut sentences = section.texts(document).flat_map(Span::sentences);
    sentences.find(|sentence| in_sentence(*sentence).is_some()).is_some_and(is_call)
}

/// Returns the method and the path in a sentence that is a tag with both, as `POST /path`.
pub(in super::super) fn in_tag(sentence: Span<'_>) -> Option<String> {
    let is_tag = sentence.text.starts_with('<') && sentence.text.ends_with("/>");
    let (method, path) = in_sentence(sentence).filter(|_| is_tag)?;
    Some(format!("{} {}", method.text, path.text))
}

fn is_call(sentence: Span<'_>) -> bool {
    sentence.words().first().is_some_and(|word| word.text == "curl")
}

fn in_sentence(sentence: Span<'_>) -> Option<(Span<'_>, Span<'_>)> {
    let first = sentence.words().first().copied()?;
    if is_call(sentence) || sentence.text.starts_with('<') {
        let method = sentence.words().into_iter().find(|word| is_method(*word));
        let sends = sentence.texts().iter().any(|word| word.starts_with("-d") || word.starts_with("--data"));
        let usual = Span::new(if sends { "POST" } else { "GET" }, first.at);
        let method = method.or_else(|| is_call(sentence).then_some(usual))?;
        let place = |word: &Span<'_>| address(sentence.after(word.at)).filter(|path| path.text.len() > 1);
        return sentence.words().iter().filter(|word| word.text != "/>").find_map(place).map(|path| (method, path));
    }
    let labelled = sentence.label().filter(|(label, rest)| !label.text.contains('/') && !rest.text.starts_with("//"));
    let sentence = labelled.map_or(sentence, |(_, rest)| rest);
    let method = sentence.words().first().copied().filter(|word| is_method(*word))?;
    let rest = sentence.after(method.at + method.text.len());
    Some((method, address(rest.after(rest.words().first()?.at))?))
}

/// Titles and labels of paths.
const OF_PATH: [&str; 4] = ["path", "url", "uri", "endpoint"];

/// Returns what follows one of these labels: `Method: POST`.
fn labelled<'a>(text: Span<'a>, labels: &[&str], read: fn(Span<'a>) -> Option<Span<'a>>) -> Option<Span<'a>> {
    let behind = |word: Span<'a>| {
        let rest = text.after(word.at + word.text.trim_end_matches(':').len());
        let value = rest.text.trim_start_matches(['*', ' ']).strip_prefix(':')?.trim_start_matches(['*', ' ', '`']);
        read(text.after(text.at + text.text.len() - value.len()))
    };
    let is_label = |word: &Span<'_>| labels.contains(&word.text.trim_end_matches(':').to_lowercase().as_str());
    text.words().into_iter().filter(is_label).find_map(behind)
}

fn method_of(text: Span<'_>) -> Option<Span<'_>> {
    text.words().first().copied().filter(|word| is_method(*word))
}

/// Returns the first row of a table with a column of methods and one of paths.
fn in_table<'a>(table: &Table<'a>) -> Option<(Span<'a>, Span<'a>)> {
    let path = OF_PATH.iter().find_map(|title| table.column(title))?;
    let (method, rows) = (table.column("method")?, &table.rows);
    rows.iter().find_map(|row| {
        let method = row.get(method)?.single().filter(|word| is_method(*word))?;
        Some((method, address(row.get(path)?.trim())?))
    })
}

fn is_method(word: Span<'_>) -> bool {
    Method::ALL.iter().any(|known| known.as_str() == word.text)
}

/// Returns the path of the address that a text begins with, without its query. A quotation mark, and a placeholder for
/// the host or the host itself may precede it, as in `{base_url}/path`.
fn address(text: Span<'_>) -> Option<Span<'_>> {
    let text = text.after(text.at + text.text.len() - text.text.trim_start_matches(['"', '\'']).len());
    let ends = |c: char| c.is_whitespace() || "\"'`|,;()?*".contains(c);
    let address = text.before(text.at + text.text.find(ends).unwrap_or(text.text.len()));
    let scheme = ["https://", "http://"].iter().find(|scheme| address.text.starts_with(**scheme));
    let host = scheme.map_or(0, |scheme| scheme.len());
    let start = host + address.text[host..].find('/')?;
    let is_host = |host: &str| host.is_empty() || host.starts_with('{') && host.ends_with('}');
    let path = address.after(address.at + start);
    let path = path.before(path.at + path.text.trim_end_matches(['.', '!', '/', ':']).len());
    (scheme.is_some() || is_host(&address.text[..start]))
        .then_some(path)
        .filter(|path| path.text.starts_with('/') && !path.text.starts_with("//") && !has_sample(path.text))
}

/// Returns whether a path has the value of a parameter in it, as that of a call does: `/orders/17`. A version may be a
/// number at its start.
fn has_sample(path: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    path.split('/').skip(2).any(is_number)
}

/// Returns a path with its parameters in braces, which documents also write as `:id` and `<id>`.
pub(in super::super) fn template(path: Span<'_>) -> String {
    let part = |part: &str| {
        let name = part.strip_prefix(':').or_else(|| part.strip_prefix('<')?.strip_suffix('>'));
        name.map_or_else(|| part.to_owned(), |name| format!("{{{name}}}"))
    };
    path.text.split('/').map(part).collect::<Vec<_>>().join("/")
}

/// Words before *deprecated* that speak of the operation as a whole.
const OF_OPERATION: [&str; 17] = [
    "this",
    "the",
    "it",
    "is",
    "are",
    "has",
    "been",
    "was",
    "will",
    "be",
    "now",
    "operation",
    "endpoint",
    "interface",
    "method",
    "api",
    "note",
];

/// Returns whether a sentence says that the operation it stands with is deprecated, rather than a part of it or another
/// one, and does not deny it.
fn deprecates_all(sentence: Span<'_>) -> bool {
    let words: Vec<String> = sentence.texts().into_iter().map(str::to_lowercase).collect();
    let at = words.iter().position(|word| word == "deprecated");
    at.is_some_and(|at| words[..at].iter().all(|word| OF_OPERATION.contains(&word.trim_end_matches(':'))))
}

/// Words of sentences about what no longer holds.
const FORMERLY: [&str; 4] = ["was", "were", "previously", "formerly"];

/// A rate in a text.
pub(super) struct RatePhrase<'a> {
    pub(super) value: String,
    pub(super) window: String,
    pub(super) at: Span<'a>,
    /// The words around it that may state to whom it applies.
    pub(super) context: Vec<String>,
    /// The words that state to whom a rate beside others of a sentence applies: `for market makers`.
    for_whom: Vec<String>,
}

/// Words after *for* that name no class of callers.
const FOR_ALL: [&str; 14] = [
    "account", "all", "any", "call", "each", "every", "everyone", "ip", "key", "order", "pair", "request", "symbol",
    "user",
];

/// Marks of notes, beside `[^1]`.
const NOTES: [char; 6] = ['*', '†', '‡', '¹', '²', '³'];

/// Words before the day from which, and until which, a rate holds.
const BEGINNING: [&str; 6] = ["from", "on", "after", "starting", "effective", "beginning"];
const ENDING: [&str; 3] = ["until", "till", "before"];

/// Returns whether a rate of a sentence holds from a day on, rather than now: `from 2027-01-01, 10/s`.
fn is_of_a_day(sentence: Span<'_>, segment: Span<'_>, at: Span<'_>) -> bool {
    let Some((_, date)) = date_in(sentence) else { return false };
    let mark = sentence.before(date.at).words().last().map(|word| word.text.to_lowercase()).unwrap_or_default();
    let (begins, ends) = (BEGINNING.contains(&mark.as_str()), ENDING.contains(&mark.as_str()));
    let is_later = at.at > date.at;
    (begins || ends) && is_later || begins && overlaps(&segment.range(), &date.range())
}

/// Returns a sentence without an aside about what no longer holds: `20/s (formerly 10/s)`.
fn without_former(sentence: Span<'_>) -> Span<'_> {
    let asides = sentence.text.match_indices(['(', ',']).map(|(at, _)| sentence.after(sentence.at + at + 1));
    let is_former = |aside: &Span<'_>| {
        let words = aside.words();
        words.iter().take(2).any(|word| FORMERLY.contains(&word.text.to_lowercase().as_str()))
    };
    asides.filter(is_former).map(|aside| sentence.before(aside.at - 1)).next().unwrap_or(sentence)
}

/// Returns the rates in a text such as `10/s/UID; 1/s/UID for elite traders` or `1 per second per user`.
pub(super) fn rates<'a>(text: Span<'a>) -> Vec<RatePhrase<'a>> {
    let mut found = Vec::new();
    let is_former = |sentence: &Span<'_>| sentence.texts().iter().any(|word| FORMERLY.contains(word));
    for sentence in text.sentences().into_iter().map(without_former).filter(|sentence| !is_former(sentence)) {
        // A label behind the first rate is that of another one: `10/s; VIP 1: 20/s`.
        let has_rate = |texts: &[&str]| (0..texts.len()).any(|at| measures::rate(&texts[at..]).is_some());
        let of_all = |label: &Span<'_>| !has_rate(&label.texts());
        let label = sentence.label().map(|(label, _)| label).filter(of_all);
        let subject = label.map(|label| stems(label.text)).unwrap_or_default();
        for segment in sentence.split(&[",", ";"]) {
            let words = segment.words();
            let texts = segment.texts();
            let mut at = 0;
            while at < words.len() {
                let Some((rate, count)) = measures::rate(&texts[at..]) else {
                    at += 1;
                    continue;
                };
                let place = words[at];
                at += count;
                if is_of_a_day(sentence, segment, place) {
                    continue;
                }
                let context = subject.iter().cloned().chain(stems(segment.text)).collect();
                let is_note = sentence.text.starts_with("[^") || sentence.text.starts_with(NOTES);
                let is_beside =
                    is_note || found.last().is_some_and(|one: &RatePhrase<'_>| sentence.range().contains(&one.at.at));
                let whom = segment.after(place.at).text.split_once(" for ").map(|(_, whom)| stems(whom));
                let label = segment.before(place.at).text.trim_end().strip_suffix(':');
                let label = label.filter(|_| !found.is_empty()).map(|label| {
                    let (_, label) = label.rsplit_once('(').unwrap_or(("", label));
                    stems(label)
                });
                let is_class = |whom: &Vec<String>| {
                    whom.first().is_some_and(|first| !FOR_ALL.iter().any(|all| have_same_stem(first, all)))
                };
                let for_whom = whom.filter(|_| is_beside).or(label).filter(is_class).unwrap_or_default();
                found.push(RatePhrase {
                    value: value(&rate),
                    window: rate.every.window(),
                    at: place,
                    context,
                    for_whom,
                });
            }
        }
    }
    found
}

/// Returns a rate in the form of the schema. If a text does not state to whom it applies, it applies to a user.
fn value(rate: &Rate) -> String {
    format!("{}/{} per {}", rate.calls, rate.every.window(), rate.scope.as_deref().unwrap_or("UID"))
}

impl<'a> Reader<'a> {
    pub(super) fn endpoint(&mut self, section: &'a Section, id: &str) {
        if let Some((method, path)) = find(self.document, section) {
            self.found.read(method);
            let labels = section.texts(self.document).filter(|text| is_label(text.text));
            self.found.read.extend(labels.map(Span::range));
            self.found.state(key(FactKind::Endpoint, [id]), format!("{} {}", method.text, template(path)), path);
        }
    }

    pub(super) fn rates(&mut self, text: Span<'a>, id: &str) {
        for rate in rates(text) {
            let class = self.class_of(&rate, id);
            self.found.state(self.claims.rate_key(id, &class, &rate.window), rate.value, rate.at);
        }
        for sentence in text.sentences() {
            if sentence.text.contains("rates as above") {
                self.rates_as_above(sentence, id);
            }
        }
    }

    /// Reads `Weight: 20`, the number of calls that a call counts as in a pool of the schema.
    pub(super) fn weight(&mut self, text: Span<'a>, id: &str) {
        for sentence in text.sentences() {
            let Some((label, said)) = sentence.label() else { continue };
            let words = stems(label.text);
            let is_said = |word: &str| words.iter().any(|own| have_same_stem(own, word));
            let weight = said.single().and_then(|word| number(word.text)).filter(|_| is_said("weight"));
            let scopes = Scope::WORDS.iter().filter(|scope| is_said(&scope.to_lowercase()));
            let (scope, pools) = (scopes.copied().next(), self.claims.pools.iter());
            let mut pools = pools.filter(|pool| scope.is_none_or(|scope| scope == pool.rate.scope.as_str()));
            if let (Some(weight), Some(pool), None) = (weight, pools.next(), pools.next()) {
                self.found.state(key(FactKind::Weight, [id, &pool.name]), weight.to_string(), sentence);
            }
        }
    }

    /// Returns the class of callers that a rate of an operation is for, which the schema may lack.
    pub(super) fn class_of(&self, rate: &RatePhrase<'a>, id: &str) -> String {
        let class = self.class(&rate.context);
        let is_of_class = |word: &String| class.split('-').any(|part| have_same_stem(part, word));
        let is_known = self.claims.operation_by_id(id).is_none() || rate.for_whom.iter().any(is_of_class);
        if is_known || rate.for_whom.is_empty() { class } else { rate.for_whom.join("-") }
    }

    /// Returns the class of callers that the words refer to; `default` is everyone.
    pub(super) fn class(&self, context: &[String]) -> String {
        let classes = self.claims.below(FactKind::Rate, []).filter_map(|key| key.name());
        let is_named =
            |class: &&String| class.split('-').all(|part| context.iter().any(|word| have_same_stem(part, word)));
        let best = classes.filter(is_named).max_by_key(|class| class.split('-').count());
        best.cloned().unwrap_or_else(|| "default".to_owned())
    }

    fn rates_as_above(&mut self, sentence: Span<'a>, id: &str) {
        let words = stems(sentence.text);
        let speaks_of = |class: &str| class.split('-').any(|part| words.iter().any(|word| have_same_stem(part, word)));
        let mut latest = std::collections::BTreeMap::new();
        for statement in &self.found.statements {
            if let [of, class] = statement.key.names.as_slice()
                && statement.key.kind == FactKind::Rate
                && of != id
                && speaks_of(class)
            {
                latest.insert(class.clone(), statement.clone());
            }
        }
        self.found.read(sentence);
        for (class, above) in latest {
            let force = Basis::By(above.key);
            self.found.state_with(key(FactKind::Rate, [id, &class]), above.value, above.at, force);
        }
    }

    /// Reads that the operation as a whole is deprecated: `Deprecated; use Batch Order.`
    pub(super) fn deprecated(&mut self, text: Span<'a>, id: &str) {
        let speaks = |sentence: &Span<'a>| {
            let is_list = sentence.label().is_some_and(|(label, _)| is_parameter_list(label));
            !is_list && deprecates_all(*sentence)
        };
        if let Some(sentence) = text.sentences().into_iter().find(speaks)
            // The replacement may be stated in a sentence of its own.
            && let Some(says) = deprecated(text.after(sentence.at).text)
        {
            self.found.state(key(FactKind::Deprecated, [id]), says, sentence);
        }
    }

    pub(super) fn whitelisted(&mut self, text: Span<'a>, id: &str) {
        for sentence in text.sentences() {
            let is_first_word = sentence.words().first().is_some_and(|word| have_same_stem(word.text, "whitelisted"));
            if is_first_word {
                self.found.state(key(FactKind::Whitelisted, [id]), "yes", sentence);
            }
        }
    }

    /// Reads `at most 20 orders per request`, or `fewer than 21`, if the operation has one list.
    pub(super) fn batch_maximum(&mut self, text: Span<'a>, id: &str) {
        let Some(list) = self.list_parameter(id) else { return };
        for clause in text.clauses() {
            let texts = clause.texts();
            let is_bound = |pair: &[&str]| matches!(pair, ["at", "most"] | ["fewer" | "less", "than"]);
            if let Some(at) = texts.windows(2).position(is_bound) {
                let is_of_items = texts.contains(&"per");
                let least_too_many = u64::from(texts[at] != "at");
                let n = texts.get(at + 2).and_then(|word| number(word)).and_then(|n| n.checked_sub(least_too_many));
                if let Some(n) = n.filter(|_| is_of_items) {
                    self.found.state(key(FactKind::ParameterMax, [id, &list]), n.to_string(), clause);
                }
            }
        }
    }

    /// Returns the list parameter of an operation, if there is one.
    pub(super) fn list_parameter(&self, id: &str) -> Option<String> {
        let lists = self
            .claims
            .below(FactKind::Type, [id])
            .filter(|key| self.claims.get(key).iter().any(|claim| claim.value == "array"));
        let known = lists.filter_map(|key| key.name().cloned()).next();
        known.or_else(|| self.list_that_was_read(id).filter(|_| self.claims.operation_by_id(id).is_none()))
    }

    /// Returns the list of an operation that the schema does not have.
    fn list_that_was_read(&self, id: &str) -> Option<String> {
        let own = |statement: &&super::super::findings::Statement| {
            let key = &statement.key;
            let is_body = key.kind == FactKind::Parameter && key.name().is_some_and(|name| name == "[]");
            key.owner().is_some_and(|owner| owner == id)
                && (is_body || key.kind == FactKind::Type && statement.value == "array")
        };
        self.found.statements.iter().find(own).and_then(|statement| statement.key.name().cloned())
    }
}

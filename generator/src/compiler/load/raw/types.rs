//! `types.yaml`: the types of parameters and of fields of records.

use super::Reviewed;
use super::Source;
use super::operation::EnumCounterpart;
use crate::compiler::diagnostics::Place;
use crate::compiler::load::declared::{Placed, Prose, declared};
use crate::compiler::load::shapes::{Formed, Named, NumberForm, Rare, Short, ShortForm, Spanned, Text, Texts, placed};
use crate::compiler::load::typed::{Expected, NodeReader, Read, ReadError};
use crate::compiler::values::Day;
use crate::compiler::words::{In, Keep, MayBe, Required, Times, Travels, Unstated};

mappings! {
    /// `types.yaml`: what the operations of a family share.
    Types {
        /// Sets of values.
        enums: Named<Spanned<Enum>>,
        /// Newtypes over text.
        identifiers: Named<Spanned<Identifier>>,
        /// Parameters that are allowed only in certain combinations.
        choices: Named<Spanned<Choice>>,
        /// Objects that the exchange returns.
        records: Named<Spanned<Record>>,
        /// The sections of documents that the file was last checked against, each with its digest; `audit` keeps it.
        reviewed: Reviewed,
    }

    /// A set of values.
    Enum {
        /// The subject of the values.
        @required doc: Option<Text>,
        /// The Rust name, if the wire name cannot be used.
        rust: Option<Text>,
        /// The values, each with its meaning.
        @required values: Named<Short<EnumValue>>,
        /// Which value is true and which is false.
        truth: Named<Spanned<bool>>,
        /// The enums of other families whose values mean the same.
        counterpart: Option<EnumCounterpart>,
    }

    /// A value of an enum.
    EnumValue {
        /// The meaning.
        @required doc: Option<Text>,
        /// The Rust name, if the wire name cannot be used.
        rust: Option<Text>,
        /// Other spellings that a decoder accepts.
        also: Vec<Text>,
        /// Who has seen the value, if no document has it.
        sources: Option<Spanned<Vec<Text>>>,
        /// Set if the document advises against its use.
        deprecated: Option<Deprecated>,
        /// The day from which on the exchange takes it, such as `2026-08-18`.
        from: Option<Spanned<Day>>,
        /// The day on which it ends.
        until: Option<Spanned<Day>>,
        /// Who states these days: a document, such as `shop-v1, Changes`, or at least two who have seen them. Required beside
        /// them, unless `sources` names who has seen the value.
        dated_by: Option<Spanned<Vec<Text>>>,
    }

    /// A newtype over text.
    Identifier {
        /// The thing that the id names.
        @required doc: Option<Text>,
        /// The Rust name, if the wire name cannot be used.
        rust: Option<Text>,
        /// The minimum and the maximum number of characters.
        length: Option<Spanned<Vec<Spanned<u32>>>>,
        /// The allowed characters, as in a bracket expression.
        alphabet: Option<Text>,
        /// Forms that distinguish kinds of texts: how such a text begins and ends, with `*` between.
        forms: Named<Short<Form>>,
        /// True if the client makes new ones.
        mint: Option<Spanned<bool>>,
    }

    /// A form of texts: a pattern such as `a*z`.
    Form {
        /// The beginning and the end of such a text, with `*` between.
        @required pattern: Option<Text>,
        /// Another spelling, with the same text between; other texts may be written so, too.
        also: Option<Text>,
        /// With `also`: the flag of the instrument with that name, which decides whether a text in that spelling has the
        /// form.
        decided_by: Option<Text>,
    }

    /// Parameters that are allowed only in certain combinations.
    Choice {
        /// The thing that is chosen.
        @required doc: Option<Text>,
        /// The Rust name, if the wire name cannot be used.
        rust: Option<Text>,
        /// The alternatives; exactly one is sent.
        one_of: Named<Spanned<Field>>,
        /// The alternative that the exchange takes when several are sent.
        wins: Option<Text>,
        /// The parameter that decides which others go with it.
        choose_by: Option<Text>,
        /// The enum of the deciding parameter.
        r#type: Option<Text>,
        /// For each value of that enum, the parameters that go with it.
        cases: Named<Spanned<Named<Spanned<Field>>>>,
    }

    /// An object that the exchange returns.
    Record {
        /// A short description.
        @required doc: Option<Text>,
        /// The Rust name, if the wire name cannot be used.
        rust: Option<Text>,
        /// Where a document describes it.
        source: Option<Source>,
        /// A record whose fields come first.
        includes: Option<Text>,
        /// True if the type is only there to be included.
        r#abstract: Option<bool>,
        /// True if it was seen on the wire and is in no document.
        observed: Option<bool>,
        /// True if it travels as an array, in which its fields are identified by their places.
        by_position: Option<bool>,
        /// True if it travels as the value of its only field.
        as_value: Option<Spanned<bool>>,
        /// If lists of it are objects on the wire: the field for the name of each record there.
        key: Option<Text>,
        /// Instead of `fields`: it is one of these records, each with what tells it from the others: with `choose_by` the
        /// values of that member, otherwise members of which only that record has any. `[]` is the record of what no
        /// other fits: of objects, or of a text or a list with `as_value` or `by_position`.
        one_of: Option<Spanned<Named<Texts>>>,
        /// With `one_of`: the member that decides; each of the records has a field of that name.
        choose_by: Option<Text>,
        /// The fields, in the document's order; `{}` when there are none.
        fields: Option<Named<Spanned<Field>>>,
    }

    /// A field of a record, a request or a choice.
    @listed Field {
        /// A built-in type such as `decimal`, or a name from types.yaml; a choice may be the type of a request parameter
        /// only.
        r#type: Option<Text>,
        /// Instead of `type`: a list of that type or record.
        list: Option<Text>,
        /// Instead of `type`: an object whose names are values, such as pairs, each with a value of that type, or in a
        /// record of that record. In a request, it travels in JSON.
        map: Option<Text>,
        /// In a request: with `item`: a list of objects with these fields, e.g. `orderList: { item: OrderItem, fields:
        /// {..}, max_items: 50 }`.
        fields: Option<Named<Spanned<Field>>>,
        /// In a request: the Rust name of such an object.
        item: Rare<Text>,
        /// In a request: instead of `item`: `fields` are those of a single object with this Rust name, which may hold
        /// others. Rules cannot speak of its members.
        object: Rare<Text>,
        /// In a request: `header`: it travels as a header with the parameter's name; a text, number, time, boolean,
        /// enum or identifier of the request itself, or a list of them with commas between its values. `query`: the
        /// same in the query of a request whose other parameters are in a body, with lists as `lists` says.
        r#in: Rare<Spanned<In>>,
        /// In a request: with `in`: its name there, where another parameter of the request has that name. Its own is
        /// yours to choose: requests as objects, rules and other keys have it.
        sent_as: Rare<Text>,
        /// In a request: `always` / `conditional` (under a condition that a rule states) / `unstated` (the document
        /// does not state it); left out: optional.
        required: Option<Spanned<Required>>,
        /// The only value, of a text, a number, a boolean or an enum. Every request sends it without being asked, so that it
        /// needs no `required`; an answer with another value is read, and drift reports it.
        fixed: Rare<Text>,
        /// In a request: what the exchange assumes when it is not sent, so it cannot be `required: always`; the client
        /// never sends it.
        default: Rare<Text>,
        /// In a request: a default that is not one value.
        default_note: Rare<Text>,
        /// In a request: the least value of a number.
        min: Rare<Formed<NumberForm>>,
        /// In a request: the greatest value of a number.
        max: Rare<Formed<NumberForm>>,
        /// In a request: maximum number of items.
        max_items: Rare<Spanned<u64>>,
        /// In a request: minimum number of items, 1 when left out: an empty list is seldom meant, and most forms of a
        /// query have no place for it. 0 only where the list is JSON.
        min_items: Rare<Spanned<u64>>,
        /// In a request: maximum number of decimal digits of an integer.
        digits: Rare<Spanned<u32>>,
        /// In a request: maximum number of decimal places of a decimal; zeros at the end do not count.
        places: Rare<Spanned<u32>>,
        /// In a request: maximum number of significant digits of a decimal: all but the zeros at both ends.
        significant_digits: Rare<Spanned<u32>>,
        /// In a request: the shortest and the longest length of a text, or of each text of a list, in characters.
        length: Rare<Spanned<Vec<Spanned<u32>>>>,
        /// In a request: a regular expression that a text, or each text of a list, matches: anywhere, unless `^` and
        /// `$` say otherwise, in the syntax of the crate regex-lite. Clients need the feature `pattern` of the runtime.
        pattern: Rare<Text>,
        /// The values of the enum that are allowed or listed here.
        only: Rare<Spanned<Vec<Text>>>,
        /// In a request: `{ keep: left_out, delete: "0" }`: leaving it out keeps the value, the given text deletes it.
        /// Without `delete`: it cannot be deleted.
        edit: Rare<Edit>,
        /// In a request: `left_out`: by the document, an empty text means the same as leaving it out; elsewhere an
        /// empty text in a stored request is an error.
        blank: Rare<Spanned<Keep>>,
        /// In a request: `unstated`: the document does not state here which alternative of the choice wins.
        wins: Rare<Spanned<Unstated>>,
        /// A text, or a list of `{ when: {param: value or [values]}, is: unit }` closed by `{ otherwise: unit }`.
        unit: Rare<Spanned<Units>>,
        /// `text` / `number`: how the number travels, where it differs from the family; of an enum, `number` where its
        /// values are JSON numbers; of a boolean, in quotes or as 1 and 0; of a text or an identifier in an answer,
        /// `number` where it is one.
        json: Rare<Spanned<Travels>>,
        /// The form in which the time travels, where it differs from the family.
        times: Rare<Spanned<Times>>,
        /// For a decimal that travels as an integer, the value times ten to the power of `scale`: with `scale: 4`, 12.5
        /// travels as `125000`. `min`, `max`, `default` and rules apply to the value; examples have the integer. A
        /// value with more decimal places is refused.
        scale: Rare<Spanned<u64>>,
        /// `null`: of a record: the document states, or captured answers show, that it can be null. Of a request in JSON: `null`
        /// clears the value, and leaving it out keeps it.
        may_be: Rare<Spanned<MayBe>>,
        /// In a record: a condition in words, where the document names one: `for futures`; without it, drift reports a
        /// field that never arrives.
        comes_only: Rare<Text>,
        /// In a record: who has seen the field, if no document has it; a drift report does not miss it.
        sources: Rare<Spanned<Vec<Text>>>,
        /// In a request: `place-order.price`: all keys of that parameter of that operation; other keys override.
        r#as: Rare<Text>,
        /// `{ since: v2, use: newPrice }`, as documented; `{}` where the document states no more. `use` names another
        /// parameter or field. The compiler warns of the setter or the field.
        deprecated: Rare<Deprecated>,
        /// The meaning of the parameter; that of the type when left out.
        doc: Option<Text>,
        /// Other words that people search for a parameter by.
        called: Rare<Spanned<Vec<Text>>>,
        /// The Rust name, if the wire name cannot be used.
        rust: Option<Text>,
    }

    /// A unit under a condition.
    Unit {
        /// The parameters and their values under which it holds.
        when: Option<Named<Texts>>,
        /// The unit then.
        is: Option<Text>,
        /// The unit in all other cases; closes the list.
        otherwise: Option<Text>,
    }
}

declared! {
    /// A document's advice against using something; `{}` if there are no details.
    part Deprecated {
        /// The version or the day since when, as the document writes it.
        since: Option<(Prose, Place)>,
        /// The replacement that the document recommends: another parameter, field or value, or an operation by its
        /// title or name.
        r#use: Option<(Prose, Place)>,
    }

    /// The effect of leaving a parameter out, or of a special text, on an existing value.
    part Edit {
        /// The form in which the value is kept.
        keep: (Keep, Place),
        /// The text that deletes it.
        delete: Option<Placed>,
    }
}

placed! {
    [] Edit: edit => Some(edit.place);
    [] Deprecated: deprecated => Some(deprecated.place);
}

impl ShortForm for Form {
    fn short(from: NodeReader<'_>) -> Result<Self, ReadError> {
        Ok(Self { pattern: Some(Spanned::read(from)?), ..Self::default() })
    }
}

impl ShortForm for EnumValue {
    fn short(from: NodeReader<'_>) -> Result<Self, ReadError> {
        Ok(Self { doc: Some(Spanned::read(from)?), ..Self::default() })
    }
}

/// A unit, or several under conditions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Units(pub(crate) Vec<Unit>);

impl Read for Units {
    fn read(from: NodeReader<'_>) -> Result<Self, ReadError> {
        if from.is_text() {
            let unit = Spanned::read(from)?;
            return Ok(Self(vec![Unit { otherwise: Some(unit), ..Unit::default() }]));
        }
        if !from.is_list() {
            return Err(from.expected(Expected::Form("a unit, or a list of units with their conditions")));
        }
        Vec::read(from).map(Self)
    }
}

//! `family.yaml`: what applies to every operation of a family.

use super::Reviewed;
use super::api::Observation;
use super::{Contradiction, OpenQuestion, Rule, Source};
use crate::compiler::load::declared::{Change, Names, NamesWithin, Pair, Placed, declared};
use crate::compiler::load::shapes::{Conditions, Formed, JsonForm, Named, Short, ShortForm, Spanned, Text, Texts};
use crate::compiler::load::typed::{NodeReader, Read, ReadError};
use crate::compiler::references::{
    Cancels, Closes, Creates, EnumParameter, FieldOfNamed, NameOf, QuantityParameter, Reads, TextParameter,
};
use crate::compiler::values::Day;
use crate::compiler::words::{CodeProof, CredentialCause, Lists, Numbers, Objects, Sends, Stage, Times};

mappings! {
    /// `family.yaml`: a part of the API with conventions of its own.
    Family {
        /// The folder's name.
        @required family: Option<Text>,
        /// The name of the family in headings.
        title: Option<Text>,
        /// The operations that the family covers.
        @required doc: Option<Text>,
        /// Where a document describes it.
        source: Option<Source>,
        /// Who has seen its operations on the wire, at least two, if no document describes the family.
        sources: Option<Spanned<Vec<Text>>>,
        /// The form in which numbers and times travel: `text` as JSON strings, `json` as JSON numbers.
        @required numbers: Option<Numbers>,
        /// The form in which times travel; `milliseconds` when left out.
        times: Option<Times>,
        /// Where requests with a body have their parameters; `json` when left out.
        sends: Option<Spanned<Sends>>,
        /// The form of lists in a query or a form; `json` when left out.
        lists: Option<Spanned<Lists>>,
        /// The form of objects in a query or a form; `json` when left out.
        objects: Option<Spanned<Objects>>,
        /// The error codes and what they mean.
        errors: Named<Spanned<ErrorCode>>,
        /// Ceilings that are not a rate and belong to no single operation.
        limits: Vec<Spanned<Ceiling>>,
        /// The parameters that name the instrument of a request.
        instrument: Option<InstrumentNames>,
        /// The classes that rates are for, and who is in them.
        classes: Named<Spanned<Class>>,
        /// Whose accounts its operations are about, if not those of the family itself: the beginning of their paths, and
        /// the family.
        serves: Named<Text>,
        /// The query that checks whether the credentials are accepted.
        probe: Option<Spanned<Probe>>,
        /// The way the account becomes flat: what cancels all orders and closes all positions.
        flat: Option<Flat>,
        /// The states of an enum and their transitions.
        lifecycle: Option<Spanned<Lifecycle>>,
        /// The binding sentences of the document.
        rules: Vec<Spanned<Rule>>,
        /// Facts that the document leaves open, explicitly or by omission.
        not_shown: Vec<Short<OpenQuestion>>,
        /// Statements of the document that cannot all hold.
        contradictions: Vec<Spanned<Contradiction>>,
        /// Facts seen on the wire that are in no document.
        observed: Vec<Spanned<Observation>>,
        /// The sections of documents that the file was last checked against, each with its digest; `audit` keeps it.
        reviewed: Reviewed,
    }

    /// The query that checks whether the credentials are accepted.
    Probe {
        /// The operation: it only reads, and is signed.
        @required operation: Option<Text>,
        /// The request as wire JSON; `{}` when left out.
        request: Option<Formed<JsonForm>>,
    }

    /// A class of accounts or requests that has rate limits of its own.
    Class {
        /// Who is in it.
        @required doc: Option<Text>,
        /// The condition under which a call belongs to it, written like that of a rule.
        @required when: Option<Spanned<Conditions>>,
        /// Who has seen it, at least two, if no document describes it. Its rates are observed, too.
        sources: Option<Spanned<Vec<Text>>>,
        /// The day from which on the exchange knows it, such as `2026-08-18`.
        from: Option<Spanned<Day>>,
        /// The day on which it ends.
        until: Option<Spanned<Day>>,
        /// Who states these days: a document, such as `shop-v1, Changes`, or at least two who have seen them. Required beside
        /// them, unless `sources` names who has seen the class.
        dated_by: Option<Spanned<Vec<Text>>>,
    }

    /// A ceiling that is not a rate.
    Ceiling {
        /// An id, in lower case with hyphens.
        @required id: Option<Text>,
        /// The ceiling.
        @required n: Option<Spanned<u64>>,
        /// The values of one enum that count towards it; all of them when left out.
        over: Option<Spanned<Named<Texts>>>,
        /// The subject.
        doc: Option<Text>,
        /// Where a document describes it.
        source: Option<Source>,
    }

    /// An error code.
    ErrorCode {
        /// The message as the document shows it.
        @required text: Option<Text>,
        /// The meaning of the code, and what to do.
        doc: Option<Text>,
        /// The Rust name, if the message cannot be used.
        rust: Option<Text>,
        /// The proof that the code gives about the request that it answers; `not_done` when left out.
        proves: Option<Spanned<CodeProof>>,
        /// The stage that the request reached. Left out: `gateway` for a timestamp, credentials and a rate, `trading`
        /// otherwise.
        stage: Option<Spanned<Stage>>,
        /// With `proves: credentials`: the likely cause.
        cause: Option<Spanned<CredentialCause>>,
        /// True if every copy of a request is refused with it, because the request alone decides: not a balance, a
        /// limit or the time. At the stage `parameters`, that is so without it.
        alike: Option<Spanned<bool>>,
        /// With `proves: credentials`: whether it comes before the signature is looked at, so that it says nothing about
        /// key, secret and passphrase.
        before_signature: Option<Spanned<bool>>,
        /// True if it is the code of success.
        success: Option<bool>,
        /// Where a document describes it.
        source: Option<Source>,
    }

    /// States and transitions.
    Lifecycle {
        /// The enum whose values are the states.
        @required r#enum: Option<Text>,
        /// Where a document describes it.
        source: Option<Source>,
        /// The states, by their values.
        states: Named<Short<State>>,
        /// The ways from one state to another.
        transitions: Vec<Spanned<Transition>>,
        /// Transitions that the document rules out, directly and through other states.
        never: Vec<Spanned<ExcludedTransition>>,
        /// The records that show a state.
        records: Vec<Spanned<Tracked>>,
    }

    /// A state.
    State {
        /// The meaning.
        doc: Option<Text>,
        /// True if no state follows it.
        terminal: Option<bool>,
    }

    /// A change of state.
    Transition {
        /// The states it leads from, or `any`.
        @required from: Texts,
        /// The cause of the transition: names of operations, or words of the document for other causes.
        @required trigger: Texts,
        /// The state it leads to, or `unchanged`, or `rejected`.
        @required to: Option<Text>,
        /// When it happens.
        condition: Option<Text>,
        /// Further remarks.
        doc: Option<Text>,
    }

    /// A transition that the document rules out: that one state follows another, or that an operation takes effect.
    ExcludedTransition {
        /// The states that never follow.
        @required from: Texts,
        /// The states that they never become.
        to: Texts,
        /// The operations that never take effect there.
        trigger: Texts,
        /// The place in the document.
        at: Option<Text>,
        /// Why it is ruled out.
        @required why: Option<Text>,
    }

    /// A record that shows a state.
    Tracked {
        /// The record.
        @required record: Option<Text>,
        /// The field with the exchange's id.
        id: Option<Text>,
        /// The field with the caller's id.
        client_id: Option<Text>,
        /// The field with the state.
        @required state: Option<Text>,
        /// The field with the time of the last change.
        at: Option<Text>,
    }
}

impl ShortForm for State {
    fn short(from: NodeReader<'_>) -> Result<Self, ReadError> {
        Ok(Self { doc: Some(Spanned::read(from)?), ..Self::default() })
    }
}

declared! {
    /// The parameters that name the instrument of a request.
    part InstrumentNames {
        /// The parameter with the business line.
        line: Placed,
        /// The parameter with the name of the instrument.
        symbol: Placed,
        /// The coin of the prices of a business line. Of a line that is not listed, the symbol ends with the coin.
        quotes: Vec<Pair>,
    }

    /// The way the account becomes flat. What is left out is not known.
    element Flat {
        /// The operation that cancels all orders of a business line.
        cancel: Option<FlatCancel> => Change::Behaviour("how the account becomes flat"),
        /// The operation that closes all positions of a business line.
        close: Option<FlatClose> => Change::Behaviour("how the account becomes flat"),
        /// The operation that shows what all positions are worth.
        value: Option<FlatValue> => Change::Behaviour("how the account becomes flat"),
        /// The orders that close positions, if no operation closes all.
        reduce: Option<FlatReduce> => Change::Behaviour("how the account becomes flat"),
    }

    /// The operation that cancels all orders of a business line.
    part FlatCancel {
        /// The operation.
        operation: NameOf<Cancels>,
        /// The parameter with the business line, an enum, each of whose values is sent.
        over: NameOf<EnumParameter>,
    }

    /// The operation that closes all positions of a business line.
    part FlatClose {
        /// The operation.
        operation: NameOf<Closes>,
        /// The parameter with the business line, an enum, each of whose values is sent.
        over: NameOf<EnumParameter>,
        /// The list of the positions that are closed, in its answer.
        closed: NameOf<FieldOfNamed>,
        /// The list of those that cannot be closed.
        failed: NameOf<FieldOfNamed>,
        /// The codes of a refusal because there is no position.
        nothing: Names,
    }

    /// The operation that shows what all positions are worth.
    part FlatValue {
        /// The operation.
        operation: NameOf<Reads>,
        /// The field of its answer; zero if there is no position.
        field: NameOf<FieldOfNamed>,
    }

    /// The orders that close positions. The positions follow from the fills of the family.
    part FlatReduce {
        /// The operation that places an order.
        operation: NameOf<Creates>,
        /// The parameter with the business line.
        line: NameOf<EnumParameter>,
        /// The values of that whose trades are positions. Those of contracts that count in an unknown way are reported,
        /// and not closed.
        lines: Names,
        /// The parameter with the instrument.
        instrument: NameOf<TextParameter>,
        /// The parameter with the quantity.
        quantity: NameOf<QuantityParameter>,
        /// The parameters that keep an order from opening a position, whatever the position mode of the account:
        /// parameters, each with the value or values that do.
        closes_with: Vec<NamesWithin>,
        /// The other parameters of an order that can only reduce a long position. If an order is refused, one with the
        /// next set is sent. Each set has one of `closes_with`.
        long: Vec<Vec<Pair>>,
        /// The same for a short position.
        short: Vec<Vec<Pair>>,
        /// The statement of past orders about the side of a position.
        side: Option<FlatSide>,
    }

    /// The side of a position in the record of an order.
    part FlatSide {
        /// The field.
        field: Placed,
        /// The value for a long position.
        long: Placed,
        /// The value for a short position.
        short: Placed,
    }
}

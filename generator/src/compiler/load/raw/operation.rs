//! Operation files: one for each operation.

use super::Reviewed;
use super::api::Observation;
use super::types::{Deprecated, Field};
use super::{Contradiction, OpenQuestion, Rule, Source};
use crate::compiler::diagnostics::Place;
use crate::compiler::load::declared::{
    Alternatives, Change, Defaulted, Flag, Names, NamesWithin, Pair, Placed, Prose, declared,
};
use crate::compiler::load::shapes::{
    DurationForm, Formed, HttpForm, JsonForm, Named, Rare, RateForm, Short, Spanned, Text, Texts, WordOr,
};
use crate::compiler::references::{
    Bound, CancelsOne, CountOfAnswer, CursorParameter, DecimalOfItems, EnumOfItems, EnumParameter, FamilyOfInstruments,
    FlagOfAnswer, IntegerParameter, ListOfAnswer, ListOfItems, NameOf, PlainParameter, Query, RepeatKey, TextOfItems,
    TimeOfQuery,
};
use crate::compiler::values::{Duration, UtcOffset};
use crate::compiler::words::{
    Access, AccessOf, AnswerForm, Effect, Harmless, Lists, Objects, PageOrder, PagesBy, Sends, Shown,
};

mappings! {
    /// An operation; the file is named after it.
    Operation {
        /// The name of the operation and of its file, usually the last segment of the path: its id is `family.name`.
        @required operation: Option<Text>,
        /// The heading in the document; Rust names come from it.
        title: Option<Text>,
        /// The Rust name, if the heading cannot be used.
        rust: Option<Text>,
        /// Where a document describes it.
        source: Option<Source>,
        /// Who has seen it on the wire, at least two, if no document describes it; those of the family when left out.
        sources: Option<Spanned<Vec<Text>>>,
        /// The method and the path, such as `GET /api/v1/orders`; a parameter in the path is in braces.
        @required http: Option<Formed<HttpForm>>,
        /// The method of JSON-RPC 2.0, such as `private/buy`: the body is a call of it with the parameters.
        call: Option<Text>,
        /// A description of the effect.
        @required doc: Option<Text>,
        /// Other words that people search for it by; the first is what a user wants, such as `cancel everything`.
        called: Vec<Text>,
        /// The effect of a repeat of the call; with a reason where its name says something else, as in `{ is: read,
        /// why: .. }`.
        @required effect: Option<Spanned<WordOr<Effect, ReasonedEffect>>>,
        /// Who may call; `signed` when left out.
        access: Option<Access>,
        /// True if only user ids on the exchange's white list may call.
        whitelisted: Option<Spanned<bool>>,
        /// Set if the document advises against its use.
        deprecated: Option<Deprecated>,
        /// The permission of the key. Left out: the document does not say.
        permission: Option<Text>,
        /// The headers that it carries in addition to those of every call.
        headers: Vec<Text>,
        /// The allowed number of calls, and for whom: `10/s per UID`, `600/1m per IP`, `5/s per UID for members`.
        rate_limit: Vec<Formed<RateForm>>,
        /// The parameters in the document's order; `{}` when there are none; `"[]"` is a body that is an array,
        /// beside which others are in the path, the query or headers.
        @required request: Option<Spanned<Named<Spanned<Field>>>>,
        /// Where the parameters are, if not in the query of a GET or DELETE and in the JSON body of others.
        sends: Option<Spanned<Sends>>,
        /// The form of lists in a query or a form; `json` when left out there and in the family.
        lists: Option<Spanned<Lists>>,
        /// The form of objects in a query or a form; `json` when left out there and in the family.
        objects: Option<Spanned<Objects>>,
        /// For an operation that amends: how many amendments of one thing may be under way.
        in_flight: Option<InFlight>,
        /// The parameter with the caller's own id, of the request or of its items, also in an object there: `order.id`.
        client_id: Option<Text>,
        /// The queries that confirm that a request, or each of its items, had its effect.
        confirm: Option<Confirm>,
        /// Members of the answer, each with the parameters of the request that it may repeat.
        echoes: Option<Spanned<Named<Texts>>>,
        /// The same if the document leaves open which of the ids the answer repeats: it is enough that one agrees.
        echoes_one_of: Option<Spanned<Named<Texts>>>,
        /// Members of the answer that repeat other values of the request, which identify nothing: one that differs shows
        /// that the answer is that of another request, or that something else was done.
        echoes_also: Option<Spanned<Named<Texts>>>,
        /// Parameters of the request, each with the members of the answer of which one repeats it, depending on other
        /// settings: if none agrees, the answer is that of another request, or something else was done.
        echoed_by: Option<Spanned<Named<Texts>>>,
        /// Set if a request does several things, and one may be done although another is refused.
        compound: Option<Compound>,
        /// The most that its orders are worth, for budgets. An operation that creates or amends something and has none
        /// is refused by a client with a budget.
        worth: Option<Worth>,
        /// The operation of another family that does the same, and the parameters of its request.
        counterpart: Option<Counterpart>,
        /// Set if a repeat of a request does no harm, and why.
        repeat: Option<Repeat>,
        /// The pair of times that bounds the query.
        window: Option<Window>,
        /// The time that the answer reaches back if no parameter determines it, such as `3 months`.
        history: Option<Formed<DurationForm>>,
        /// The data that comes back.
        @required response: Option<Spanned<Response>>,
        /// Constructors for documented purposes.
        intents: Vec<Spanned<Intent>>,
        /// Wire JSON of calls, with values of your own; at least one.
        @required examples: Vec<Spanned<Example>>,
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

    /// An effect that the name of the operation seems to contradict.
    ReasonedEffect {
        /// The effect.
        @required is: Option<Effect>,
        /// The reason that its name misleads.
        @required why: Option<Text>,
    }

    /// A constructor for a documented purpose, and what it sends.
    Intent {
        /// The function's name, in lower case with hyphens.
        @required id: Option<Text>,
        /// The Rust name, if the id cannot be used.
        rust: Option<Text>,
        /// The list whose items it makes; `"[]"` when the body is an array.
        r#in: Option<Text>,
        /// The purpose.
        @required says: Option<Text>,
        /// The place in the document.
        at: Option<Text>,
        /// Values of enums; for a choice, a value without further parameters.
        set: Option<Spanned<Named<Text>>>,
        /// Optional parameters that become arguments.
        take: Texts,
        /// Other names for arguments, such as one with a unit.
        call: Named<Text>,
    }

    /// The data that comes back: one of `object`, `array` and `page`.
    Response {
        /// The member of the envelope with the data, if it differs from that of the API.
        data: Option<Text>,
        /// `text`: a success is a text instead of JSON, the value of an object with `as_value`. `bytes`: it is neither,
        /// and `reply.raw` has it; the object has no fields. Left out: JSON.
        body: Option<Spanned<AnswerForm>>,
        /// The record that the whole body of a refusal is, where it has fields beside a code and a message.
        refusal: Option<Text>,
        /// The record whose fields are headers of a success, under their names.
        headers: Option<Text>,
        /// Data is this record.
        object: Option<Text>,
        /// Data is a list of this record.
        array: Option<Text>,
        /// With `array`: the list was also seen inside this member.
        observed_under: Option<Text>,
        /// Data holds a list under this name, and a cursor.
        page: Option<Text>,
        /// With `page`: the record of the list.
        of: Option<Text>,
        /// With `page`: the member that carries the cursor.
        cursor: Option<Text>,
        /// With `page`: the parameter that takes the cursor.
        next: Option<NameOf<CursorParameter>>,
        /// With `object`: its field with the records, where the answer is a listing without `pages`.
        list: Option<NameOf<ListOfAnswer>>,
        /// With `object` or `array`: how the next page of the list is requested.
        pages: Rare<Pages>,
        /// With `page` or `pages`: the field that identifies an item.
        id: Option<NameOf<TextOfItems>>,
        /// With `page` or `pages`: an enum that need not be sent; the listing is whole only when queried once for each
        /// of its values.
        each: Option<NameOf<EnumParameter>>,
        /// With `page` or `pages`: what the listing shows of an account, which is compared with a journal. With `array`,
        /// or `object` and `list`: the open positions.
        shows: Option<Shows>,
        /// With `array`: the records are instruments, whose steps and bounds the rules of a family use.
        instruments: Option<ListedInstruments>,
        /// With `array`: the records show the last prices of instruments, which bound what a market order pays.
        prices: Option<ListedPrices>,
        /// With `object` or `array`: what the answer says about each item of a list that was sent.
        items: Rare<Batch>,
    }

    /// Wire JSON of one call.
    Example {
        /// The subject.
        about: Option<Text>,
        /// The body, or the JSON object of the parameters of a query.
        @required request: Option<Formed<JsonForm>>,
        /// The whole body of the answer.
        @required response: Option<Formed<JsonForm>>,
    }
}

/// The context that decides the effect of a change of a [`Window`].
#[derive(Clone, Copy, Debug)]
pub(crate) enum WindowContext {
    /// A range of which one call can set both ends, or only one.
    End,
}

/// The context that decides the effect of a change of a [`Batch`].
#[derive(Clone, Copy, Debug)]
pub(crate) enum BatchContext {
    /// The type of the items that are sent.
    Sent,
    /// The type of the answer for an item.
    Done,
}

/// The context that decides the effect of a change of a [`Confirm`].
#[derive(Clone, Copy, Debug)]
pub(crate) enum ConfirmContext {
    /// The types of the query and of its record.
    Query,
}

declared! {
    /// A pair of times that bounds a query.
    element Window(WindowContext) {
        /// The parameter it begins with.
        from: NameOf<Bound> => Change::InContext(WindowContext::End),
        /// The parameter it ends with.
        to: NameOf<Bound> => Change::InContext(WindowContext::End),
        /// The longest time from first to last, such as `30 days`.
        span: Option<(Duration, Place)> => Change::Behaviour("checked before sending"),
        /// The time that a query may reach back, such as `90 days`.
        access: Option<(Duration, Place)> => Change::Behaviour("checked before sending"),
        /// `start`: an older start is refused; `data`: it finds nothing older. `start` when left out.
        access_of: Defaulted<AccessOf> => Change::Behaviour("checked before sending"),
        /// The length of time that is assumed when neither is sent, such as `1 day`.
        default: Option<(Duration, Place)> => Change::Behaviour("the exchange assumes another time without it"),
        /// True if neither may be sent without the other.
        both_or_neither: Flag => Change::Behaviour("checked before sending"),
        /// The time zone of the days, such as `UTC+8`, if the data covers whole days.
        days: Option<(UtcOffset, Place)> => Change::Behaviour("its days begin at another time"),
    }

    /// The way the next page of a listing is requested.
    part Pages {
        /// `cursor`: by a member or a header of the answer; `link`: by the header `Link` with the relation `next`;
        /// `last`: by the id or the time of the last item; `number`: by the number of the page; `offset`: by the number
        /// of items before it.
        by: (PagesBy, Place),
        /// `newest_first` or `oldest_first`.
        order: (PageOrder, Place),
        /// With `object`: the field with the list.
        list: Option<NameOf<ListOfAnswer>>,
        /// The parameter that says where the page begins; left out for the first page.
        next: NameOf<PlainParameter>,
        /// With `last`: the field of the item; with `cursor`: the field of the object.
        field: Option<Placed>,
        /// With `cursor`, instead of `field`: the header of the answer with the cursor.
        header: Option<Placed>,
        /// With `last`: whether the next page includes the item that is named, or begins after it.
        includes: Option<(bool, Place)>,
        /// With `number` or `offset`: the number or offset of the first page; 1 and 0 when left out.
        first: Option<(u64, Place)>,
        /// The parameter with the number of items on a page, where a shorter page is the last one.
        size: Option<NameOf<IntegerParameter>>,
        /// With `object`: the boolean field that says whether another page follows.
        more: Option<NameOf<FlagOfAnswer>>,
        /// With `object`, and with `number` or `offset`: the field with the number of items of all pages.
        total: Option<NameOf<CountOfAnswer>>,
    }

    /// The results that an answer states for the items of a list that was sent.
    element Batch(BatchContext) {
        /// The list that was sent, or `[]` if it is the body; left out where the request has none, such as a
        /// cancellation of all orders.
        of: Option<Placed> => Change::InContext(BatchContext::Sent),
        /// The names that identify an item and its result; the first takes precedence.
        id: Names => Change::Behaviour("by which id an item finds its result"),
        /// With `object`: the field with the list of answers for the items.
        list: Option<NameOf<ListOfAnswer>> => Change::InContext(BatchContext::Done),
        /// The place of an array that is parallel to that list, with the code of each item: a path in the body, such as
        /// `info.list`.
        results: Option<Placed> => Change::Behaviour("how the result of each item is read"),
        /// With `object`: the list of what succeeded.
        done: Option<NameOf<ListOfAnswer>> => Change::InContext(BatchContext::Done),
        /// With `object`: the list of what failed.
        failed: Option<NameOf<ListOfAnswer>> => Change::Behaviour("how the result of each item is read"),
        /// With `object`: the boolean that says whether all succeeded.
        all_done: Option<NameOf<FlagOfAnswer>> => Change::Behaviour("how the result of each item is read"),
        /// With one list of results: the boolean that says whether the item succeeded, or the object that only a
        /// success has.
        succeeded: Option<Placed> => Change::Behaviour("how the result of each item is read"),
        /// The field of a failed result that has the code; with `array` or `results`, a code other than that of success
        /// makes it one.
        code: Option<Placed> => Change::Behaviour("how the result of each item is read"),
        /// The field of a failed result that has the message.
        message: Option<Placed> => Change::Behaviour("how the result of each item is read"),
        /// With `array` or `results`: results come in the order of the items.
        by_place: Flag => Change::Behaviour("how the result of each item is read"),
    }

    /// The number of amendments of one thing that may be under way.
    element InFlight {
        /// The required parameter, of the request or of its items, that identifies the thing.
        per: Placed => Change::Behaviour("how many amendments the gate admits"),
        /// The number.
        n: (u64, Place) => Change::Behaviour("how many amendments the gate admits"),
    }

    /// The queries that confirm that a request had its effect.
    element Confirm(ConfirmContext) {
        /// The operation that is the query.
        by: NameOf<Query> => Change::InContext(ConfirmContext::Query),
        /// The query for records that the first one no longer shows; it is sent with the same parameters.
        then: Option<NameOf<Query>> => Change::Behaviour("which query follows when the first one finds nothing"),
        /// The parameters of the query that identify the record: the parameters of the request with the ids.
        ids: Vec<Pair> => Change::Behaviour("what the query looks for"),
        /// Fields of the record: the parameters of the request that they equal. Left out: as in `ids`.
        find: Vec<Pair> => Change::Behaviour("what an answer proves"),
        /// Parameters of both that the query copies.
        with: Names => Change::Behaviour("what the query looks for"),
        /// Parameters of the query: the parameters of the request that they copy.
        with_as: Vec<Pair> => Change::Behaviour("what the query looks for"),
        /// Parameters of the query with fixed values: their values.
        set: Vec<Pair> => Change::Behaviour("what the query looks for"),
        /// The parameter of a listing for the earliest time of creation of its records.
        since: Option<Placed> => Change::Behaviour("what the query looks for"),
        /// Fields of the record: the parameters that they equal once the request had its effect.
        matches: Vec<Pair> => Change::Behaviour("what an answer proves"),
        /// Parameters of the request: fields of the record. If the record has any of these fields and none agrees with
        /// the parameter, it is of another request with the same id.
        agrees: Vec<NamesWithin> => Change::Behaviour("what an answer proves"),
        /// Parameters of the request that cannot be compared.
        beside: Names => Change::Behaviour("what an answer proves"),
        /// The field with the time of its creation, also of other records of the family that have a state.
        created: Option<NameOf<TimeOfQuery>> => Change::Behaviour("what an answer proves"),
        /// One of these parameters is in each request that creates something; left out if every request creates
        /// something.
        creates_with: Names => Change::Behaviour("which requests create something"),
        /// The field with the time of its last change.
        changed: Option<NameOf<TimeOfQuery>> => Change::Behaviour("what an answer proves"),
        /// Fields of the record: the values with which only such a request changes the record.
        changed_while: Vec<NamesWithin> => Change::Behaviour("what an answer proves"),
        /// The parameter of the request with the time after which the exchange refuses it.
        expires: Option<Placed> => Change::Behaviour("what an answer proves"),
        /// The minimum time for which it can be queried, such as `2 hours`.
        kept: Option<(Duration, Place)> => Change::Behaviour("what an answer proves"),
    }

    /// The several things that a request does.
    part Compound {
        /// A parameter and the value with which a request does several things; left out if every request does.
        when: Option<Pair>,
        /// A description of the effect.
        why: (Prose, Place),
    }

    /// The most that an order is worth: its quantity, times the worst price that it can get if the unit of the quantity
    /// is the base coin. The names are those of the request or, with `in`, of an item and of the request around it.
    element Worth {
        /// The list of orders, or `[]` if it is the body. Left out: the request is one order.
        r#in: Option<Placed> => Change::Behaviour("what a budget counts"),
        /// The parameter with the quantity, whose `unit` is `base coin` or `quote coin`.
        quantity: Option<Placed> => Change::Behaviour("what a budget counts"),
        /// The parameter with the price.
        price: Option<Placed> => Change::Behaviour("what a budget counts"),
        /// Parameters with the values, or `account.property` with its values, with which nothing worse than `price` is
        /// paid or received; `[]` is for a parameter that is left out. One of the sets has to hold, and all of it; of
        /// an amendment, also one of the order that it amends. In other cases, the last price counts if it is worse.
        at_price: Alternatives => Change::Behaviour("what a budget counts"),
        /// The same for requests of which the worth is known; left out: all. A budget refuses others.
        known_when: Alternatives => Change::Behaviour("what a budget counts"),
        /// The same for orders that can only reduce a position, which a budget does not count.
        reduces: Alternatives => Change::Behaviour("what a budget counts"),
        /// `true`: no request opens or enlarges a position, so that a budget counts none.
        only_reduces: Flag => Change::Behaviour("what a budget counts"),
    }

    /// The effect of a repeat of an operation that changes something.
    element Repeat {
        /// The effect of the repeat.
        is: (Harmless, Place) => Change::Behaviour("what a repeat does"),
        /// The parameter by which the exchange recognizes a repeat; it has the same value each time.
        by_key: Option<NameOf<RepeatKey>> => Change::Behaviour("which parameter has to be the same in a repeat"),
        /// With `by_key`: the minimum time for which the exchange remembers a value, such as `1 day`. Left out: forever.
        kept: Option<(Duration, Place)> => Change::Behaviour("how late it can be repeated"),
        /// The reason.
        why: (Prose, Place) => Change::Prose,
    }

    /// The part of an account that a listing shows.
    part Shows {
        /// `open_orders`, `past_orders`, `fills`, or of an answer without pages `positions`, which are read but not
        /// compared.
        what: (Shown, Place),
        /// An enum parameter: the account is what the listing shows for all of its values together.
        over: Option<NameOf<EnumParameter>>,
        /// With `open_orders`: the operation that cancels one of them.
        cancel: Option<NameOf<CancelsOne>>,
        /// With `cancel`: the fields of an order that are parameters of that operation; one may be the parameter in
        /// `over`.
        by: Names,
        /// With `fills`: the field with the exchange's id of the order.
        order: Option<NameOf<TextOfItems>>,
        /// With `fills`: the field with the caller's id of the order.
        client_id: Option<NameOf<TextOfItems>>,
        /// With `fills`: the field with the filled quantity.
        quantity: Option<NameOf<DecimalOfItems>>,
        /// With `fills`: the fields by which a fill changes a position, for ledgers.
        trade: Option<Trade>,
    }

    /// The instruments that a listing has.
    part ListedInstruments {
        /// The family whose requests name them.
        of: NameOf<FamilyOfInstruments>,
        /// The enum parameter with the business line.
        over: NameOf<EnumParameter>,
        /// The values of `over` that are requested one by one; all of them when left out.
        lines: Names,
        /// The field with the symbol.
        symbol: NameOf<TextOfItems>,
        /// Properties of an instrument, as in `account` of `api.yaml`, each with the field that has it.
        properties: Vec<Pair>,
        /// The fields that count units of the last decimal place, each with the field that has the number of places.
        in_last_place: Vec<Pair>,
    }

    /// The last prices that a listing shows.
    part ListedPrices {
        /// The family whose requests name the instruments.
        of: NameOf<FamilyOfInstruments>,
        /// The enum parameter with the business line.
        over: NameOf<EnumParameter>,
        /// The field with the symbol.
        symbol: NameOf<TextOfItems>,
        /// The field with the price of the latest trade.
        price: NameOf<DecimalOfItems>,
    }

    /// The fields by which a fill changes a position.
    part Trade {
        /// The field that identifies the fill; the later of two has the higher number.
        id: NameOf<TextOfItems>,
        /// The field with the instrument.
        instrument: NameOf<TextOfItems>,
        /// The enum field with the direction.
        side: NameOf<EnumOfItems>,
        /// The value of `side` for a buy; every other one sells.
        buy: Placed,
        /// The field with the price.
        price: NameOf<DecimalOfItems>,
        /// The values of the parameter in `over` with which a profit is a difference of prices, times the quantity.
        /// Without it, that holds for all that are not in `inverse`.
        linear: Names,
        /// The values of the parameter in `over` with which quantities and profits are in the base coin: a profit is a
        /// difference of prices, times the quantity, divided by the price that closes.
        inverse: Names,
        /// The field with the profit of the fill.
        profit: Option<NameOf<DecimalOfItems>>,
        /// The fees.
        fees: Option<TradeFees>,
        /// Where an instrument can have a long and a short position: what the fill did to them.
        position: Option<TradePosition>,
        /// Where `position` does not state the effect of a fill: what tells the long position of an instrument from the short one, and
        /// both from the only one.
        sides: Option<TradeSides>,
    }

    /// The fees of a fill.
    part TradeFees {
        /// The field with a list of them.
        list: NameOf<ListOfItems>,
        /// The field of each with the coin.
        coin: Placed,
        /// The field with the amount of each fee, which is negative if it was paid.
        amount: Placed,
        /// `true`: what was paid is written with either sign, so that each amount counts as paid.
        any_sign: Flag,
    }

    /// The effect of a fill on the long or the short position of its instrument. With any other value, that is unknown.
    part TradePosition {
        /// The enum field that states it.
        field: NameOf<EnumOfItems>,
        /// The values for opening: a buy the long position, a sell the short one.
        open: Names,
        /// The values for closing, where the side is the side that opened the position.
        close: Names,
        /// The values for closing the long position.
        close_long: Names,
        /// The values for closing the short position.
        close_short: Names,
        /// The values where there is one position.
        net: Names,
    }

    /// The position that a fill changes, of an instrument that has a long and a short one in some accounts. A buy is added
    /// to either of them, and a sell taken away.
    part TradeSides {
        /// The enum field with the side of the position. Fills may be without it.
        field: NameOf<EnumOfItems>,
        /// The value for the long position.
        long: Placed,
        /// The value for the short position.
        short: Placed,
        /// The values of the parameter in `over` whose instruments can have both.
        lines: Names,
        /// The property of the account that tells whether they have, for fills without a side.
        property: Placed,
        /// The value where an instrument has one position. Where it is another one or not stated, a fill without a side
        /// that closes is an error of the ledger.
        net: Placed,
    }
}

declared! {
    /// The operation of another family, or of another version of the API, that does the same, and the parameters of its
    /// request. Each parameter of the operation itself stands in `same`, `left_out`, `refused` or a case of `decided`.
    element Counterpart {
        /// That operation, as `family.operation`. Left out: there is none, and `none` says why.
        operation: Option<Placed> => Change::Behaviour("what a request is converted to"),
        /// Without `operation`: the reason that no operation does the same.
        none: Option<(Prose, Place)> => Change::Prose,
        /// A list of objects, and the list of that operation that has an item for each: `{ orderList: "[]" }`. The names
        /// of all keys are then those of an item or of the request around it.
        items: Option<Pair> => Change::Behaviour("what a request is converted to"),
        /// Parameters, each with the parameter of that operation that has the same value. The values of two enums
        /// correspond as `counterpart` of the enum states, and otherwise by their spelling.
        same: Vec<Pair> => Change::Behaviour("what a request is converted to"),
        /// Parameters that are left out of the conversion, each with the reason that nothing is lost.
        left_out: Vec<Pair> => Change::Behaviour("what a request is converted to"),
        /// Parameters to which nothing corresponds, each with the reason: a request that has one is not converted.
        refused: Vec<Pair> => Change::Behaviour("what a request is converted to"),
        /// Values that are decided by others. Of the cases of each entry, exactly one fits a request.
        decided: Vec<CounterpartDecision> => Change::Behaviour("what a request is converted to"),
        /// Differences that remain between the two operations, such as other ids or more records in the answer.
        differs: Names => Change::Prose,
    }

    /// Values that are decided by others.
    part CounterpartDecision {
        /// The cases. Whatever values the named parameters have, one case fits and no other.
        cases: Vec<CounterpartCase>,
    }

    /// A case of a decision.
    part CounterpartCase {
        /// Parameters with the values that they have, or `account.property` with its values: `[]` is for a parameter that
        /// is left out, `given` for one that is not an enum and has a value, and `zero` and `not_zero` for numbers. A
        /// parameter that the case does not name can have any value, or none.
        when: Vec<NamesWithin>,
        /// The values of parameters of the other operation.
        then: Vec<Pair>,
        /// Parameters, each with the parameter of the other operation that has the same value in this case. They stand
        /// in each case of the decision, but for those that are refused or in which they are left out.
        same: Vec<Pair>,
        /// Instead of `then` and `same`: the reason that such a request is not converted.
        refused: Option<(Prose, Place)>,
    }

    /// The enums of other families whose values mean the same. Values with the same spelling correspond without being
    /// listed.
    element EnumCounterpart {
        /// These enums, as `family.Enum`.
        of: Names => Change::Behaviour("what a request is converted to"),
        /// Values, each with the value there that means the same.
        values: Vec<Pair> => Change::Behaviour("what a request is converted to"),
        /// Values to which none corresponds, each with the reason: a request that has one is not converted.
        refused: Vec<Pair> => Change::Behaviour("what a request is converted to"),
    }
}

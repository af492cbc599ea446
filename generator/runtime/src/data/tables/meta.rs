//! The properties of an operation: its path and method, its rules, where values stand in its response, what its orders
//! are worth, and its counterpart.

use std::time::Duration;

use super::{ClientId, Compound, Confirm, Echoes, Effect, KnownError, Length, Window};

#[doc(inline)]
pub use tradeapi_words::Severity;
#[doc(inline)]
pub use tradeapi_words::{Access, CountedIn, Lists, Method, Objects, Scope, Sends};

/// The form of the body of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerForm {
    /// JSON.
    Json,
    /// A text, which is the value of a record.
    Text,
    /// Any bytes, which only [`Reply::raw`](crate::network::wire::Reply::raw) has.
    Bytes,
}

/// The properties of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Meta {
    /// The id: the family and the last segment of the path.
    pub id: &'static str,
    /// The family of operations it belongs to.
    pub family: &'static str,
    /// The title in the document.
    pub title: &'static str,
    /// A description of the effect.
    pub doc: &'static str,
    /// The document that describes it.
    pub document: &'static str,
    /// The section of the document.
    pub section: &'static str,
    /// The HTTP method.
    pub method: Method,
    /// The family whose accounts it is about, if not its own.
    pub serves: Option<&'static str>,
    /// The path, with `{name}` where a parameter goes into it.
    pub path: &'static str,
    /// The method of JSON-RPC 2.0, if the body is a call of it with the parameters.
    pub call: Option<&'static str>,
    /// The form in which the parameters travel.
    pub style: ParameterStyle,
    /// True if some of them travel in the query, beside a body with the others.
    pub query_beside_body: bool,
    /// The thing that the operation changes, from which follows what a repeat would do.
    pub effect: Effect,
    /// True if it must be signed.
    pub access: Access,
    /// True if only accounts on a list may call it.
    pub whitelisted: bool,
    /// The permission the key must have.
    pub permission: Option<&'static str>,
    /// The headers that it takes, of those that only some operations take.
    pub headers: &'static [&'static str],
    /// The rate limits.
    pub limits: &'static [RateLimit],
    /// The rules of its time range.
    pub window: Option<Window>,
    /// The time that the answer reaches back, without a parameter for it.
    pub history: Option<Length>,
    /// The values that the exchange assumes for parameters of the request that are left out; for information only.
    pub defaults: &'static [(&'static str, &'static str)],
    /// The rules that are checked. The other rules of the document are documentation.
    pub rules: &'static [Rule],
    /// True if some of them depend on the current time.
    pub rules_of_time: bool,
    /// The parameters that the document says it does not support.
    pub unsupported: &'static [Unsupported],
    /// The codes that it can respond with.
    pub errors: &'static [KnownError],
    /// Where the data is, if that differs from other operations.
    pub data: Option<Path>,
    /// The form of a success.
    pub answer_form: AnswerForm,
    /// The member with the list, if the data may be an object around a list.
    pub list_member: Option<&'static str>,
    /// Where the next page of a listing begins, if a header of the response says so.
    pub next_page: Option<NextPage>,
    /// The parameter with the client id.
    pub client_id: Option<ClientId>,
    /// The queries for the effect.
    pub confirm: Option<Confirm>,
    /// The values of the request that its response repeats.
    pub echoes: Option<Echoes>,
    /// The content of the data of a success.
    pub shows: Shows,
    /// The things that it does, if it does more than one.
    pub compound: Option<Compound>,
    /// The most that its orders are worth. A budget refuses what creates or amends something and has none.
    pub worth: Option<Worth>,
    /// The last prices that its answer shows.
    pub prices: Option<Prices>,
    /// The reason why it is safe to repeat although it changes something.
    pub repeat: Option<&'static str>,
    /// The parameter that makes a repeat safe, if each attempt must carry the same value.
    pub repeat_key: Option<RepeatKey>,
    /// The parameter by which ceilings of open orders count created orders.
    pub order_kind: Option<&'static str>,
    /// Which orders it amends, where the family has a lifecycle of orders.
    pub amends: Option<Amends>,
}

impl Meta {
    /// A signed read without further properties; for the fields that a table leaves out.
    pub const DEFAULT: Self = Self {
        id: "",
        family: "",
        title: "",
        doc: "",
        document: "",
        section: "",
        method: Method::Get,
        path: "",
        serves: None,
        call: None,
        style: ParameterStyle::DEFAULT,
        query_beside_body: false,
        effect: Effect::Read,
        access: Access::Signed,
        whitelisted: false,
        permission: None,
        headers: &[],
        limits: &[],
        window: None,
        history: None,
        defaults: &[],
        rules: &[],
        rules_of_time: false,
        unsupported: &[],
        errors: &[],
        data: None,
        answer_form: AnswerForm::Json,
        list_member: None,
        next_page: None,
        client_id: None,
        confirm: None,
        echoes: None,
        shows: Shows::Nothing,
        compound: None,
        worth: None,
        prices: None,
        repeat: None,
        repeat_key: None,
        order_kind: None,
        amends: None,
    };

    /// Returns where its parameters are.
    pub const fn sends(&self) -> Sends {
        match self.style.sends {
            Some(sends) => sends,
            None if self.method.has_query() => Sends::Query,
            None => Sends::Json,
        }
    }

    /// Returns the family whose accounts it is about: a key of an account of another kind is refused.
    pub const fn account_family(&self) -> &'static str {
        match self.serves {
            Some(family) => family,
            None => self.family,
        }
    }

    /// Returns the document and the section: `unified-v3, Place Order`; empty if no document describes the operation.
    pub fn source(&self) -> String {
        if self.section.is_empty() { self.document.to_owned() } else { self.within_document(self.section) }
    }

    /// Returns a place in the document, after its name if there is one.
    pub(crate) fn within_document(&self, place: &str) -> String {
        if self.document.is_empty() { place.to_owned() } else { format!("{}, {place}", self.document) }
    }

    /// Returns what the documents say about an error code.
    pub fn error(&self, code: &str) -> Option<&'static KnownError> {
        self.errors.iter().find(|known| known.code == code)
    }
}

/// The content of the data of a success. Data that shows less is not the data of the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// Nothing: no member is documented.
    Nothing,
    /// A list, which may be empty: there is data, even if it is `null`.
    List,
    /// One of these members, which are all that a record has.
    OneOf(&'static [&'static str]),
    /// Each of these members, which are lists.
    Each(&'static [&'static str]),
}

/// A parameter by which the exchange recognizes a repeat of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RepeatKey {
    /// The name.
    pub parameter: &'static str,
    /// The time for which the exchange remembers the key, in milliseconds; `None` if it never forgets one.
    pub kept_ms: Option<u64>,
}

/// The header of a response that says where the next page of a listing begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextPage {
    /// This one has the cursor.
    Header(&'static str),
    /// `Link` (RFC 8288): the target of the relation `next` has the cursor as this parameter of its query.
    Link(&'static str),
}

/// A rate limit of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// The number of calls.
    pub calls: u32,
    /// The length of the window in milliseconds.
    pub per_millis: u32,
    /// Whose calls are counted.
    pub scope: Scope,
    /// The calls that the limit applies to: `default`, or a class of accounts or pairs.
    pub class: &'static str,
    /// The pool that it limits, if several operations are counted together.
    pub pool: Option<&'static str>,
    /// The number of calls that one call counts as; at least one.
    pub weight: u32,
    /// Which calls have this weight. Of several rows for one pool, the heaviest one that applies counts.
    pub when: WeightCondition,
}

/// Which calls of an operation have a weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightCondition {
    /// All of them.
    Always,
    /// Calls that leave this parameter out.
    Without(&'static str),
    /// Calls that have this parameter.
    With(&'static str),
    /// Calls in which this parameter, or its default, is greater than the number.
    Over(&'static str, u64),
}

impl RateLimit {
    /// Creates a limit of this many calls a second for each user.
    pub const fn per_uid(calls: u32) -> Self {
        Self {
            calls,
            per_millis: 1000,
            scope: Scope::Uid,
            class: "default",
            pool: None,
            weight: 1,
            when: WeightCondition::Always,
        }
    }

    /// Creates a limit of this many calls a second for each address.
    pub const fn per_ip(calls: u32) -> Self {
        Self { scope: Scope::Ip, ..Self::per_uid(calls) }
    }

    /// Returns the same number of calls, in a window of this many seconds.
    #[must_use]
    pub const fn every(self, seconds: u32) -> Self {
        self.every_millis(seconds.saturating_mul(1000))
    }

    /// Returns the same number of calls, in a window of this many milliseconds.
    #[must_use]
    pub const fn every_millis(self, millis: u32) -> Self {
        Self { per_millis: millis, ..self }
    }

    /// Returns the length of the window.
    pub const fn window(&self) -> Duration {
        Duration::from_millis(self.per_millis as u64)
    }

    /// Returns the same limit, for a class of accounts or pairs.
    #[must_use]
    pub const fn class(self, class: &'static str) -> Self {
        Self { class, ..self }
    }

    /// Returns the same limit for all operations that share `pool`; a call takes `weight` of it.
    #[must_use]
    pub const fn pool(self, pool: &'static str, weight: u32) -> Self {
        Self { pool: Some(pool), weight, ..self }
    }

    /// Returns the same limit, for some calls only.
    #[must_use]
    pub const fn when(self, when: WeightCondition) -> Self {
        Self { when, ..self }
    }
}

/// The orders that a request amends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amends {
    /// The parameter with a list of amendments; `[]` where it is the whole body, `None` for a request with one
    /// amendment.
    pub list: Option<&'static str>,
    /// The parameters with ids of the order.
    pub ids: &'static [&'static str],
    /// The maximum number of amendments of one order under way, this one included.
    pub in_flight: Option<u32>,
}

/// The form in which the parameters of a request travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterStyle {
    /// Where they are; `None` for the usual place of its method.
    pub sends: Option<Sends>,
    /// The form of a list in a query or a form.
    pub lists: Lists,
    /// The form of an object in a query or a form.
    pub objects: Objects,
}

impl ParameterStyle {
    /// In the usual place of the method; lists and objects are JSON.
    pub const DEFAULT: Self = Self { sends: None, lists: Lists::Json, objects: Objects::Json };

    /// Returns whether a list of objects is written member by member.
    pub(crate) const fn spreads_items(self) -> bool {
        matches!(self.lists, Lists::Brackets | Lists::Indexed) && !matches!(self.objects, Objects::Json)
    }
}

/// A rule the documents state, which is checked before a request is sent.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The id, unique in its operation.
    pub id: &'static str,
    /// The place in the document.
    pub at: &'static str,
    /// The treatment of a request that breaks the rule.
    pub severity: Severity,
    /// The text, in words of the schema.
    pub says: &'static str,
    /// The properties of the account and the instrument that it depends on. Without them it is not checked.
    pub depends_on: &'static [&'static str],
    /// Advice for a request that breaks the rule.
    pub hint: &'static str,
}

impl Rule {
    /// A rule without a text that refuses requests; for the fields that a table leaves out.
    pub const DEFAULT: Self = Self { id: "", at: "", severity: Severity::Refuse, says: "", depends_on: &[], hint: "" };
}

/// A parameter that an operation does not support, although others of its family do. No request of the emitted types has
/// it; one that is read is refused by this rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The path, without the place in a list: `reduceOnly`, `[].reduceOnly`, `orders[].reduceOnly`.
    pub path: &'static str,
    /// The id of the rule that says so.
    pub rule: &'static str,
    /// The place of the rule in the document.
    pub at: &'static str,
    /// The text of the rule, in words of the schema.
    pub says: &'static str,
}

impl Unsupported {
    /// A row without a text; for the fields that a table leaves out.
    pub const DEFAULT: Self = Self { path: "", rule: "", at: "", says: "" };
}

/// A ceiling that is not a rate and belongs to no single operation, such as a number of open orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ceiling {
    /// The id.
    pub id: &'static str,
    /// The maximum.
    pub n: u64,
    /// The values of an enum of the API that are counted; empty for all.
    pub over: &'static [&'static str],
    /// The thing that is counted.
    pub doc: &'static str,
}

/// The path to a value within a response.
pub type Path = &'static [Step];

/// A step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the member of an object.
    Member(&'static str),
    /// To the item of an array, counted from 0.
    Item(usize),
}

/// The most that each order of a request is worth: its quantity, times the worst price that it can get if the quantity
/// counts the base coin.
#[derive(Clone, Copy, Debug)]
pub struct Worth {
    /// The parameter with the list of orders; `[]` where it is the whole body, `None` for a request with one order.
    pub list: Option<&'static str>,
    /// The parameter with the business line.
    pub line: &'static str,
    /// The parameter with the symbol.
    pub symbol: &'static str,
    /// Business lines, each with the coin of its prices. The symbols of other lines end with the coin.
    pub quotes: &'static [(&'static str, &'static str)],
    /// The parameter with the quantity; `None` if no request opens or enlarges a position.
    pub quantity: Option<&'static str>,
    /// The coin that the quantity counts, by the conditions that have to hold together; the first row that fits.
    pub counts: &'static [(&'static [WorthCondition], CountedIn)],
    /// The parameter with the price.
    pub price: Option<&'static str>,
    /// Sets of conditions of which one has to hold so that nothing worse than the price is paid or received.
    pub at_price: &'static [&'static [WorthCondition]],
    /// Sets of conditions of which one has to hold so that the worth is known; without any, it always is.
    pub known_when: &'static [&'static [WorthCondition]],
    /// Sets of conditions of which one has to hold so that the order can only reduce a position.
    pub reduces: &'static [&'static [WorthCondition]],
}

impl Worth {
    /// Opens and enlarges no position; for the fields that a table leaves out.
    pub const DEFAULT: Self = Self {
        list: None,
        line: "",
        symbol: "",
        quotes: &[],
        quantity: None,
        counts: &[],
        price: None,
        at_price: &[],
        known_when: &[],
        reduces: &[],
    };
}

/// A condition about a parameter, or about a property of the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorthCondition {
    /// True for a property of the account, which has to be stated.
    pub of_account: bool,
    /// The name.
    pub name: &'static str,
    /// The values with which it holds.
    pub values: &'static [&'static str],
    /// True if it also holds without the parameter.
    pub or_absent: bool,
}

impl WorthCondition {
    /// Creates the condition that the parameter has one of these values.
    pub const fn is(name: &'static str, values: &'static [&'static str]) -> Self {
        Self { of_account: false, name, values, or_absent: false }
    }

    /// Creates the condition that the property of the account is stated to have one of these values.
    pub const fn account(name: &'static str, values: &'static [&'static str]) -> Self {
        Self { of_account: true, ..Self::is(name, values) }
    }

    /// Returns the same, or the parameter is left out.
    #[must_use]
    pub const fn or_absent(self) -> Self {
        Self { or_absent: true, ..self }
    }
}

/// The last prices that the list in an answer shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prices {
    /// The family whose requests name the instruments.
    pub family: &'static str,
    /// The parameter with the business line.
    pub line: &'static str,
    /// The field with the symbol.
    pub symbol: &'static str,
    /// The field with the price of the latest trade.
    pub price: &'static str,
}

/// The parameters of a request, each with what it becomes. Parameters that are in none of the lists are left out.
#[derive(Clone, Copy, Debug)]
pub struct Counterpart {
    /// The list of the request, and the list of the other one that has an item for each; `[]` where it is the whole
    /// body.
    pub items: Option<(&'static str, &'static str)>,
    /// Parameters, each with the one of the other request, or of its items, that has the same value.
    pub same: &'static [(&'static str, &'static str)],
    /// With `items`: the same for parameters around the items.
    pub around: &'static [(&'static str, &'static str)],
    /// Values of parameters, each with the one of the other request that spells it in another way or does not have it.
    pub values: &'static [((&'static str, &'static str), &'static str, Becomes)],
    /// Lists of cases, of each of which exactly one fits.
    pub decided: &'static [&'static [Case]],
    /// Parameters to which nothing corresponds, each with the reason.
    pub refused: &'static [(&'static str, &'static str)],
}

impl Counterpart {
    /// Leaves everything out; for the fields that a table leaves out.
    pub const DEFAULT: Self = Self { items: None, same: &[], around: &[], values: &[], decided: &[], refused: &[] };
}

/// The thing that a value becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Becomes {
    /// This value.
    Value(&'static str),
    /// Nothing, for this reason.
    Nothing(&'static str),
}

/// A case, and the values that the other request has then.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The conditions, all of which have to hold.
    pub when: &'static [When],
    /// Parameters of the other request, each with its value.
    pub then: &'static [(&'static str, &'static str)],
    /// Parameters, each with the one of the other request that has the same value.
    pub same: &'static [(&'static str, &'static str)],
    /// The reason that nothing corresponds to such a request, if so.
    pub refused: Option<&'static str>,
}

impl Case {
    /// Always fits and sets nothing; for the fields that a table leaves out.
    pub const DEFAULT: Self = Self { when: &[], then: &[], same: &[], refused: None };
}

/// A condition of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// The parameter has one of these values.
    Is(&'static str, &'static [&'static str]),
    /// The parameter has one of these values, of which one is assumed if it is left out.
    IsByDefault(&'static str, &'static [&'static str]),
    /// The parameter has a value.
    Given(&'static str),
    /// The parameter is a number, which is zero.
    Zero(&'static str),
    /// The parameter is a number, which is not zero.
    NotZero(&'static str),
    /// The parameter is left out.
    LeftOut(&'static str),
    /// The property of the account has one of these values.
    Account(&'static str, &'static [&'static str]),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_follows_the_document_if_there_is_one() {
        let meta = Meta { document: "guide", section: "Borrow", ..Meta::DEFAULT };
        assert_eq!(meta.source(), "guide, Borrow");
        assert_eq!(meta.within_document("Borrow, table"), "guide, Borrow, table");
        assert_eq!(Meta { section: "", ..meta }.source(), "guide");
        assert_eq!(Meta::DEFAULT.within_document("Borrow, table"), "Borrow, table");
        assert_eq!(Meta::DEFAULT.source(), "");
    }
}

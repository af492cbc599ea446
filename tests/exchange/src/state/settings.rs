//! The settings of an exchange, and its decisions where the documents are silent.

use std::str::FromStr;
use std::time::Duration;

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::state::dice::Seed;
use crate::state::instruments::Coin;

/// The behaviour of the exchange where the documents leave a choice, and what tests can switch off.
///
/// [`DECISIONS`](crate::DECISIONS) lists the choices.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[must_use]
#[non_exhaustive]
pub struct Settings {
    /// The seed of prices and of other participants' orders.
    pub seed: Seed,
    /// True if other participants move prices and trade by themselves. Otherwise they only quote around the price that
    /// [`Exchange::set_price`](crate::Exchange::set_price) sets.
    pub lively: bool,
    /// True if calls beyond the documented rates are refused.
    pub rate_limits: bool,
    /// True if more than the documented number of open orders is refused.
    pub ceilings: bool,
    /// True if a clientOid can be used only once, as long as its order is kept.
    pub unique_client_ids: bool,
    /// True if a clientOid of several orders names the first of them instead of the latest.
    pub first_of_client_id: bool,
    /// True if candles begin after `startTime`: that of the time itself is not among them.
    pub candles_after_start: bool,
    /// True if changes take a value that has ended by the clock, because the documents still have it.
    pub takes_ended_values: bool,
    /// True if positions are closed when their margin is used up.
    pub liquidation: bool,
    /// True if positions pay and receive funding.
    pub funding: bool,
    /// The time that the classic family takes to create the order that replaces a modified one.
    #[serde(with = "crate::state::values::millis")]
    pub replacement_delay: Duration,
    /// The time for which a modification of the unified family is in progress.
    #[serde(with = "crate::state::values::millis")]
    pub modification_delay: Duration,
    /// True if a modification with autoCancel also cancels its order if it is refused because others are in progress.
    pub auto_cancel_in_progress: bool,
    /// The HTTP status of refusals; success has 200.
    pub refusal_status: u16,
    /// True if it takes what real exchanges take beyond the documents: it ignores parameters that no document lists,
    /// reads values in other letters, and numbers in either form of JSON, accepts either text of a signed query, and
    /// answers as observed where the documents describe another form. The program is tolerant unless it is called with
    /// `--strict`, or its setup file says `tolerant: false`.
    #[serde(default = "tolerant")]
    pub tolerant: bool,
    /// Which text of a query its signature is verified over; `None` for the one that the schema states, or
    /// either if it is tolerant.
    pub signed_query: Option<SignedQuery>,
    /// True if a [journal](crate::Exchange::journal) is kept.
    pub journal: bool,
    /// The length of each history: of the cancelled orders of the unified family, of all other orders that ended, of
    /// conditional orders that ended, and of each account's fills, payments of funding and closed positions. What is
    /// older is deleted before its time.
    pub history: usize,
}

impl Settings {
    /// Refuses what cannot be set.
    pub(crate) fn check(&self) -> Result<(), String> {
        let status = self.refusal_status;
        if (200..=599).contains(&status) {
            return Ok(());
        }
        Err(format!("refusal_status {status}: expected a status from 200 to 599"))
    }
}

/// Returns whether an exchange is tolerant whose setup file does not say it.
fn tolerant() -> bool {
    true
}

/// Which text of a query its signature is verified over. The two differ only where there are percent-escapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignedQuery {
    /// The query as it was sent.
    Sent,
    /// The query without its escapes.
    Decoded,
}

impl FromStr for SignedQuery {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "sent" => Ok(Self::Sent),
            "decoded" => Ok(Self::Decoded),
            _ => Err("expected `sent` or `decoded`".to_owned()),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            seed: Seed(0),
            lively: false,
            rate_limits: true,
            ceilings: true,
            unique_client_ids: true,
            first_of_client_id: false,
            candles_after_start: false,
            takes_ended_values: true,
            liquidation: true,
            funding: true,
            replacement_delay: Duration::from_millis(20),
            modification_delay: Duration::ZERO,
            auto_cancel_in_progress: false,
            refusal_status: 400,
            tolerant: false,
            signed_query: None,
            journal: false,
            history: 100_000,
        }
    }
}

/// The taker fee, as a fraction of the value.
pub(crate) const TAKER_FEE: Decimal = Decimal::from_parts(6, 0, 0, false, 4);

/// The maker fee.
pub(crate) const MAKER_FEE: Decimal = Decimal::from_parts(2, 0, 0, false, 4);

/// The part of a position's value below which its margin must not fall.
pub(crate) const MAINTENANCE: Decimal = Decimal::from_parts(5, 0, 0, false, 3);

/// The leverage of a contract until it is set, and the greatest one.
pub(crate) const LEVERAGE: u32 = 10;

pub(crate) const MAX_LEVERAGE: u32 = 100;

/// The fraction of their value that long positions pay to short ones, and the hours between payments.
pub(crate) const FUNDING_RATE: Decimal = Decimal::from_parts(1, 0, 0, false, 4);

pub(crate) const FUNDING_HOURS: u64 = 8;

/// The distance that a price may have on the far side of the market: ten percent.
pub(crate) const BAND: u64 = 10;

/// Coins that can be borrowed.
pub(crate) const BORROWABLE: &[Coin] = &["USDT", "USDC", "BTC", "ETH"];

/// A question that the documents leave open, with the answer of this exchange.
#[derive(Clone, Copy, Debug)]
pub struct Decision {
    /// The question.
    pub question: &'static str,
    /// The decision of this exchange.
    pub decision: &'static str,
    /// The reason.
    pub why: &'static str,
    /// The setting that changes it, where both readings are plausible.
    pub setting: Option<&'static str>,
}

/// Returns the setting of a row, if it has one.
const fn first(settings: &[&'static str]) -> Option<&'static str> {
    match settings {
        [setting, ..] => Some(*setting),
        [] => None,
    }
}

/// Declares the table, and the same table as documentation.
macro_rules! decisions {
    ($($question:literal, $decision:literal, $why:literal $(, setting $setting:literal)?;)*) => {
        /// Every decision.
        ///
        /// | question | decision | why | setting |
        /// |---|---|---|---|
        $(#[doc = concat!("| ", $question, " | ", $decision, " | ", $why, " | ", $("`", $setting, "`",)? " |")])*
        pub const DECISIONS: &[Decision] = &[$(Decision {
            question: $question,
            decision: $decision,
            why: $why,
            setting: first(&[$($setting)?]),
        }),*];
    };
}

decisions! {
    "Does one key serve both families?", "No: a user has a unified or a classic account, and the operations of the other family are refused. A user with both is possible on request.", "On the wire, an account belongs to one family.";
    "Which permission does an operation need for which none is named?", "Any for a query, and one that does not only read for a change.", "The document of the classic family names none.";
    "How is a request signed?", "As the schema states it, from public clients.", "Several independent sources agree.";
    "Is a query signed with its percent-escapes?", "As the schema states it: without them.", "Clients that signed them were refused.", setting "signed_query";
    "Which HTTP status does a refusal have?", "400, unless the schema names another.", "Observed: 400 as well as 200.", setting "refusal_status";
    "Which code does a refusal have that no document lists?", "The one in the schema's `refusals`.", "Clients know these codes.";
    "Can a clientOid be reused?", "Not while its order is kept.", "Observed; the documents do not say.", setting "unique_client_ids";
    "Which state does an unfilled order of the unified family have?", "`live`", "Observed; the documents do not distinguish `live` from `new`.";
    "What happens to a post-only order that would trade?", "It is accepted and cancelled at once.", "Its id is in the answer, and a query shows the cancellation.";
    "What happens to a close order larger than the position?", "It is reduced to the position.", "It never opens the other side.";
    "Hedge mode: what happens to a limit close order larger than the free part of a position?", "It is refused. If waiting orders occupy the whole position, it replaces them.", "The documents describe only the second case.";
    "Do the hedge-mode rules of closing apply to the unified family?", "Yes.", "Only the classic document states them, and nothing contradicts them.";
    "One-way mode: what does a reversal with a size do?", "It closes that size and opens the same size on the other side, netted.", "It is the hedge-mode rule applied to one position.";
    "One-way mode: what does the posSide of a unified order do?", "Nothing, also on a strict exchange.", "The document requires it in hedge mode, and forbids it nowhere.";
    "One-way mode: what does the posSide of a strategy order do?", "For a plan order nothing, as for an ordinary one. A take-profit or stop-loss that names the side of which nothing is open is refused.", "No document has strategy orders. Unlike an order with a side, a take-profit or stop-loss that ignored it would close a position it was not meant for, often at once.";
    "Hedge mode: what is a reduceOnly order of the unified family whose side and posSide open a position?", "A mistake: it is refused. With a side and a posSide that close, reduceOnly says nothing more.", "The document gives both meanings. An order that may only reduce would add.";
    "Hedge mode: what does a reversal without a size do?", "It reverses the whole position.", "As in one-way mode.";
    "What does tradeSide do in a reversal?", "Nothing.", "The side alone identifies the position.";
    "Which order is in the answer to a reversal?", "The one that opens.", "It has the clientOid of the request.";
    "Which order is in the answer to a modification of size and price?", "The old orderId and the newClientOid.", "The new orderId does not exist yet.";
    "Which margin mode does an order have that names none?", "That of the position that it adds to, or else the one that the contract is set to: at first, crossed.", "The document says crossed; the setting is observed, and would otherwise be shown and do nothing.";
    "What becomes of an order that would add to a position of another margin mode?", "It is refused. One that closes is taken.", "Clients name one mode in all orders; a position cannot have two.";
    "What does a tolerant exchange do with a parameter of a conditional order in an ordinary one?", "It refuses the order.", "Clients send them, believing in a condition, and the order would be executed at once.";
    "What does a symbol in cancel-all-orders do?", "It limits the call to that pair, if the exchange is tolerant.", "Clients send it to cancel no more than that.";
    "What is an empty text as the value of a parameter?", "A parameter that is left out, where a document says so. Elsewhere a tolerant exchange takes it for that in placements and amendments, and in a cancellation for the id of an order that the other one names.", "Programs send them, as pages of the vendor do. In other cancellations and in listings, more would be meant.", setting "tolerant";
    "Is a symbol in small letters one in capitals?", "Yes, if the exchange is tolerant. An unknown symbol is refused by every operation.", "An empty listing would hide positions and orders.";
    "Is a number such as `1E-2`, `+0.01`, `.01`, `01` or `50000.` the one that it means?", "Yes, if the exchange is tolerant.", "Clients write them; what the exchange does is not known.";
    "What does newClientOid do when only take-profit and stop-loss change?", "Nothing: the order keeps its clientOid, which is in the answer.", "By the table of transitions, the order is unchanged.";
    "When is the order created that replaces a modified one?", "20 milliseconds later.", "The documents say later, without a time.", setting "replacement_delay";
    "How long is a modification in progress?", "It is applied at once.", "Tests of the limits on modifications in progress set a delay.", setting "modification_delay";
    "Which refusals of a modification cancel its order with autoCancel?", "Those that depend on the order, the pair or the account: a price out of range, a wrong step, a quantity below the filled one, missing funds. A request that breaks a rule of its parameters cancels nothing, nor does one for a reduce-only order in a batch.", "The document names a modification that is rejected of an order that can be modified. A request that is not valid modifies no order.";
    "Does autoCancel cancel an order whose modification is refused because others are in progress?", "No.", "The refusal concerns the number of requests, and those in progress can still succeed. The table of transitions can also be read as any refusal.", setting "auto_cancel_in_progress";
    "What happens to modifications in progress when autoCancel cancels their order?", "They are refused when it is their turn, without an answer, because their requests were accepted.", "The document says that further modifications are rejected.";
    "Where does the requestId of a rejected modification come back?", "In the message of the refusal, if it had autoCancel.", "The documented data of the answer have no such field.";
    "Does an amended order keep its place in the queue?", "Only if its quantity is reduced.", "Common practice.";
    "Which modifications does a suspended pair take?", "None. Orders stay as they are, and can be cancelled.", "The documents mention closes only, and a replacement could not be placed.";
    "How much margin does an order need?", "Its value divided by the leverage, plus the taker fee. Closing needs none: waiting orders share the position that they close, the oldest first, and those for which too little of it is left reserve the funds then or are cancelled.", "The documents give no formula.";
    "What is the leverage?", "Ten, until an observed operation sets another one, from 1 to 100.", "No documented operation sets it.";
    "What does a change of leverage do?", "It changes the margin of positions and what open orders reserve, and is refused if the funds do not suffice.", "The documents do not mention it.";
    "When can modes of positions be changed?", "While the account has neither positions nor open orders in futures.", "Both would have to be converted otherwise.";
    "What is paid for funding?", "Every eight hours, at 0, 8 and 16 o'clock in UTC, long positions pay 0.01 percent of their value at the mark price to short ones. What an account cannot pay, the insurance account does.", "The documents do not mention it.", setting "funding";
    "What does a limit of 0 get?", "A refusal.", "A page without items would look like the end of a listing. Of another listing, a client was seen to be told that the limit begins at 1.";
    "What are candles made of?", "Of the latest prices, by the minute, for a week. Candles of mark and index prices are the same, without volume.", "There is no index.";
    "Is the candle that begins at startTime among those of a request?", "Yes.", "A single source, which has read the exchange, says that it is not. The last candle is not closed yet.", setting "candles_after_start";
    "What are the fees?", "0.06 percent for the taker and 0.02 for the maker, on spot in the received coin.", "The documents give none.";
    "How are fees and funding rounded?", "To eight decimal places, from the middle to the even neighbour.", "Coins have eight.";
    "What happens to a take-profit and a stop-loss when an order turns a position to the other side?", "They end with the position. The new one has those of the order.", "They would close it at once.";
    "What happens to a spot order for which a loss leaves too little?", "It is cancelled, the newest first.", "No balance falls below zero.";
    "How wide is the limit range of prices?", "Ten percent beyond the market price, on the side that would trade.", "The documents give no range.";
    "Does the range apply to the classic family?", "Yes.", "Both families share one book.";
    "Which coins can be borrowed?", "USDT, USDC, BTC and ETH, in any amount.", "The documents list neither coins nor limits.";
    "When is a debt paid back?", "From funds of the same coin as soon as they are received by a fill or released by an order that ends.", "No documented operation pays it back.";
    "Does unrealised profit count as available?", "No.", "The documents give no formula.";
    "When is a position liquidated?", "Once its margin and profit at the mark price fall below 0.5 percent of its value: of an isolated position by itself, of crossed ones together with the balance. Its open orders are cancelled, and it is closed at market.", "The documents give no maintenance margin.", setting "liquidation";
    "When do the presets of an order apply to its position?", "At once if the position exists, otherwise from the first fill.", "The document of the classic batch says so; nothing contradicts it elsewhere.";
    "What do the presets of a spot order apply to?", "What it has traded, from when it ends. They place the opposite order, within what is available.", "A spot account has no position.";
    "What does a triggered take-profit or stop-loss do?", "It closes the whole position at market or at its limit price, removes the other one, and cancels the orders that wait to close a part.", "Not documented. A stop-loss that leaves a part open would protect nothing.";
    "What becomes of a take-profit or stop-loss that cannot be placed when it is triggered?", "It is kept as a cancelled order. A limit beyond the range of prices is moved into it.", "Otherwise nothing would show that it was triggered.";
    "What does a take-profit or stop-loss of 0 mean in a placement?", "It is refused, as is one that is not a multiple of the price step.", "Left out, there is none; only a modification deletes by 0.";
    "What is a limit take-profit or stop-loss of an order without an execution price?", "A mistake: it is refused with its order.", "A limit order has a price. At the market, it would do more than was asked.";
    "What becomes of a take-profit or stop-loss of an order on the wrong side of the price?", "The order is refused with it, if the price that triggers it has reached it, and for a limit order also the order's own price.", "The codes of two sources name the latest and the mark price. Which price counts for an order that waits, no source says, so only what is wrong by both is refused.";
    "Which orders does the end of a countdown cancel?", "Every open order of the unified account, in all business lines. Conditional orders stay.", "The sources speak of the orders of the account.";
    "What becomes of a take-profit or stop-loss of a whole position that is set again?", "It is changed, and keeps its id.", "A bot that sets them saw it on the wire.";
    "What does a conditional order reserve?", "Nothing. Funds and the range of prices are those of the moment when it is triggered; an order that is refused then has failed.", "No source shows anything reserved.";
    "What becomes of a take-profit or stop-loss when its position is closed?", "It is cancelled.", "It would close the next position.";
    "What becomes of a take-profit or stop-loss whose price is reached already?", "It is refused.", "It would close the position at once.";
    "From which side does the price reach the trigger of a plan?", "From where it is when the order is placed or its trigger changed.", "The request does not say so.";
    "How does a trailing order follow the price?", "From when its trigger is reached, it remembers the best price, and its order is placed when the price has turned back by the ratio.", "The names of its parameters.";
    "Which price is compared with a trigger?", "That of the latest trade, or the quoted price if it is newer. The mark price is the quoted price.", "There is no index.";
    "How long are orders kept?", "Cancelled ones of the unified family for two hours, as documented; others as long as a listing reaches. Of both, only the latest hundred thousand are kept.", "The access windows are documented; a long run would take all memory otherwise.", setting "history";
    "How long are fills kept?", "Twice the longest range of a listing of fills, and of an account only the latest hundred thousand.", "The documents limit the range, not how long ago it begins.", setting "history";
    "Which time does the range of a listing compare?", "That of the creation of an order, and that of a fill. Both ends are inclusive.", "Not documented.";
    "What is the cursor of a page?", "The id of its last item. In the unified family a page that is not full has none.", "Clients return it unchanged.";
    "Which cursors does a listing take?", "Every number: what has smaller ids follows. Anything else is refused.", "Ids grow over all listings.";
    "What does a limit of 0 mean?", "It is refused.", "An empty page without a cursor is the end of a listing.";
    "What does a listing that lags show?", "Orders as they were: one that has just ended is open, and not yet among the ended ones.", "Another reading would hide it from both listings.";
    "What is a documented field that has no value?", "An empty text, or `null` where the documents allow it. The price of a market order is 0 in the unified family, and empty in the classic one, as is the average price of an open order there before a fill.", "Observed; by the documents, all fields are strings.";
    "Which cancelReason does an order have that self-trade prevention cancelled?", "`stp_cancel` in the classic family, `normal_cancel` in the unified one.", "The document of the latter lists no other.";
    "Which fills does Get Reality Fills list?", "The last thousand of the pair.", "The platform is this exchange.";
    "When do rates and values begin and end that have dates?", "By the exchange's clock; within a day of the date, the higher rates hold. A value that has ended is still taken.", "A date has no time zone, and the documents still have the value.", setting "takes_ended_values";
    "Which days does the report of commissions have?", "Those that begin in the range.", "Ranges that follow each other then have each day once.";
    "Which insider trades and commissions exist?", "Those that the setup states, or generated ones that follow from the seed.", "The operations only read.";
    "What do other participants do?", "They quote around a price. In a lively market, every 250 milliseconds the price moves and someone may trade.", "A limit order near the price is filled within seconds.", setting "lively";
}

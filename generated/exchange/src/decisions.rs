//! What the documents do not show, and what this exchange does.

/// A question that the documents leave open, with the answer of this exchange.
#[derive(Clone, Copy, Debug)]
pub struct Decision {
    /// The question.
    pub question: &'static str,
    /// What this exchange does.
    pub decision: &'static str,
    /// Why.
    pub why: &'static str,
    /// The setting that changes it, where both readings are plausible.
    pub setting: Option<&'static str>,
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
            setting: { #[allow(unused_mut, unused_assignments, reason = "most rows have no setting")] { let mut setting = None; $(setting = Some($setting);)? setting } },
        }),*];
    };
}

decisions! {
    "Does one key serve both families?", "A user has a classic and a unified account behind one key.", "Trying out both takes one start; on the wire an account is of one kind.";
    "How is a request signed?", "As `schema/api.yaml` has it from public clients.", "Several independent sources agree.";
    "Which status has a refusal?", "400; 429 beyond a rate limit, 404 for an unknown path.", "Seen on the wire: 400 as well as 200.", setting "refusal_status";
    "Which code has a refusal that no document lists?", "One that `schema/codes.yaml` observed.", "Clients know them.";
    "Can a clientOid be used twice?", "No, as long as its order is remembered.", "Seen on the wire; the documents are silent.", setting "unique_client_ids";
    "Which state has an unfilled order of the unified family?", "live", "Seen on the wire; what tells live from new is not shown.";
    "What becomes of a post-only order that would trade?", "It is taken and cancelled at once.", "Its id is in the answer, and a query shows why it is gone.";
    "What becomes of a close order beyond the position?", "It shrinks to the position.", "It never opens the other side.";
    "Hedge mode: a limit close order beyond the free part of a position?", "It is refused, unless orders occupy the whole position, which it then replaces.", "The documents describe only the second case.";
    "Do the hedge-mode rules of closing hold in the unified family?", "Yes.", "Only the classic document has them, and nothing contradicts it.";
    "One-way mode: a reversal with a size?", "Closes that size and opens as much on the other side, against the one position.", "It is the hedge-mode rule, netted.";
    "Reversal in hedge mode without a size?", "The whole position is reversed.", "As in one-way mode.";
    "What does tradeSide do to a reversal?", "Nothing.", "The side alone says which position is meant.";
    "Which order does the answer to a reversal name?", "The one that opens.", "It has the clientOid of the request.";
    "Which order does the answer to a modification with size and price name?", "The old orderId and the newClientOid.", "The new orderId is not known yet.";
    "How late is the order that replaces a modified one?", "20 milliseconds.", "The documents say later, not when.", setting "replacement_delay";
    "How long is a modification in progress?", "Not at all.", "Tests of the limits on modifications in progress set a time.", setting "modification_delay";
    "Does an amended order keep its place?", "When only its quantity goes down.", "As exchanges do.";
    "How much margin does an order need?", "Its value divided by the leverage, and the fee of a taker; what closes needs none.", "The documents give no formula.";
    "Which leverage?", "Ten.", "No operation of the documents sets it.";
    "Which fees?", "0.06 percent for the taker, 0.02 for the maker; on spot in the coin received.", "The documents give none.";
    "How far is the limit range of prices?", "Ten percent beyond the price of the market, on the side that would trade.", "The documents give no range.";
    "Which orders may the classic family place at any price?", "None: the range holds there too.", "One book serves both families.";
    "Which coins can be borrowed?", "USDT, USDC, BTC and ETH, in any amount; debts are not paid back by themselves.", "The documents give no list and no limit.";
    "Do profits that are not realised count as available?", "No.", "The documents give no formula.";
    "Are positions liquidated?", "No.", "The documents give no maintenance margin.";
    "When does a preset of an order guard a position?", "At once where the position is there, otherwise from the first fill; of futures only.", "The classic batch says so, and nothing contradicts it elsewhere.";
    "What does a triggered take-profit or stop-loss do?", "It closes the whole position, at the market or at its limit price; the other one is gone.", "Not shown.";
    "Which price triggers?", "That of the latest trade, or the one around which others quote; the mark price is always the latter.", "There is no index to mark by.";
    "How long are orders kept?", "Cancelled ones of the unified family two hours, as documented; all others 90 days.", "The access windows are 90 days.";
    "Which time does a range of a listing mean?", "When the order was created, or the fill happened; both ends belong to it.", "Not shown.";
    "What is the end of a page?", "The id of its last item; a page that is not full has none in the unified family.", "Clients hand it back as it came.";
    "Which fills does Get Reality Fills show?", "The last thousand of the pair.", "The platform is this exchange.";
    "Which insider trades and commissions are there?", "Invented ones, which follow from the seed.", "The operations only read.";
    "What do other participants do?", "Quote around a price; in a lively market every 250 milliseconds the price moves and someone may trade.", "A limit order near the price is filled in seconds.", setting "lively";
}

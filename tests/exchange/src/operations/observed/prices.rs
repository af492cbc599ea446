//! Market data: tickers, books, candles, trades and funding.

use rust_decimal::Decimal;
use tradeapi::observed::{
    Candle, CandleType, ContractDepth, ContractOpenInterest, ContractOpenInterests, ContractPastFunding,
    ContractPastTrade, ContractPrice, ContractTicker, ContractTrade, FundingRate, FundingTime, GetCandles,
    GetContractCandles, GetContractDepth, GetContractFundingHistory, GetContractFundingRate, GetContractFundingTime,
    GetContractHistoryCandles, GetContractIndexCandles, GetContractMarkCandles, GetContractOpenInterest,
    GetContractPrice, GetContractRecentTrades, GetContractTicker, GetContractTickers, GetContractTrades,
    GetFundingHistory, GetFundingRate, GetHistoryCandles, GetOpenInterest, GetOrderBook, GetRecentTrades, GetTickers,
    Interval, Level, OpenInterest, OpenInterests, OrderBook, PastFunding, PastFundings, PastSide, Side as Taker,
    Ticker, Trade,
};
use tradeapi::{List, Timestamp};

use super::now;
use crate::operations::reading::wire;
use crate::operations::routes::{Desk, Serve};
use crate::state::core::{Core, FUNDING};
use crate::state::instruments::{Instrument, quotient};
use crate::state::market::{self, PublicFill};
use crate::state::refusal::{Reason, Refusal};
use crate::state::settings::{FUNDING_HOURS, FUNDING_RATE};
use crate::state::words::{Line, Side};

const DAY: u64 = 24 * 60 * 60 * 1000;

/// The number of levels, candles and trades, if a request does not state it, and the most.
const LEVELS: usize = 100;
const ITEMS: usize = 100;
const MAX_ITEMS: usize = 1_000;
/// The number of past payments of funding, if a request does not state it.
const PAYMENTS: usize = 20;

fn limit(given: Option<u64>, usual: usize) -> usize {
    given.map_or(usual, |limit| usize::try_from(limit).unwrap_or(MAX_ITEMS)).min(MAX_ITEMS)
}

/// Returns the pairs of a line, or one of them, with other participants.
fn pairs(at: &mut Desk<'_>, line: &str, symbol: Option<&str>) -> Result<Vec<usize>, Refusal> {
    if let Some(symbol) = symbol {
        return at.pair(line, symbol).map(|index| vec![index]).map_err(|reason| at.refusal(reason));
    }
    let line = if line == Line::Margin.as_str() { Line::Spot.as_str() } else { line };
    let family = at.family;
    let listed = |index: &usize| {
        let pair = &at.core.pairs[*index];
        pair.line.as_str() == line && pair.is_listed(family)
    };
    let pairs: Vec<usize> = (0..at.core.pairs.len()).filter(listed).collect();
    pairs.iter().for_each(|index| at.core.wake(*index));
    Ok(pairs)
}

/// The summary that a ticker states.
struct Summary {
    last: Decimal,
    mark: Decimal,
    open: Decimal,
    high: Decimal,
    low: Decimal,
    change: Decimal,
    base: Decimal,
    value: Decimal,
    /// The best price of buyers and of sellers, with the quantity there.
    best: [Option<(Decimal, Decimal)>; 2],
    /// The open positions, in the base coin.
    open_interest: Decimal,
}

impl Summary {
    fn of(core: &Core, index: usize) -> Self {
        let (pair, market) = (&core.pairs[index], &core.markets[index]);
        let price = |ticks| pair.price(ticks);
        let day = market.candles.since(core.now.saturating_sub(DAY));
        let of_day = |of: fn(&market::Candle) -> u64| price(day.as_ref().map_or(market.last, of));
        let (last, open) = (price(market.last), of_day(|day| day.open));
        let best = [Side::Buy, Side::Sell].map(|side| {
            let level = core.books[index].best_levels(side, 1).first().copied();
            level.map(|(ticks, lots)| (price(ticks), pair.base_qty(ticks, lots)))
        });
        let held = core.held.range((index, 0, crate::state::words::PositionSide::Net)..);
        let held = held.take_while(|(of, _, _)| *of == index);
        let open_interest = held.map(|(_, account, pos)| {
            let position = core.accounts[*account].position(index, *pos);
            if position.side == Side::Buy { pair.base_qty(market.mark(), position.lots) } else { Decimal::ZERO }
        });
        Self {
            last,
            mark: price(market.mark()),
            open,
            high: of_day(|day| day.high),
            low: of_day(|day| day.low),
            change: quotient(last - open, open).round_dp(8),
            base: day.map(|day| day.base).unwrap_or_default(),
            value: day.map(|day| day.value).unwrap_or_default(),
            best,
            open_interest: open_interest.sum(),
        }
    }
}

impl Serve for GetTickers {
    fn serve(self, at: &mut Desk<'_>) -> Result<List<Ticker>, Refusal> {
        let line = self.category.as_str();
        let pairs = pairs(at, line, self.symbol.as_ref().map(|symbol| symbol.as_str()))?;
        let core = &*at.core;
        let ticker = |index: usize| {
            let (pair, summary) = (&core.pairs[index], Summary::of(core, index));
            let mut shown = Ticker::default();
            shown.category = line.parse().ok();
            shown.symbol = Some(pair.symbol.into());
            shown.time = now(core);
            shown.last_price = Some(wire(summary.last));
            shown.open_price_24h = Some(wire(summary.open));
            (shown.high_price_24h, shown.low_price_24h) = (Some(wire(summary.high)), Some(wire(summary.low)));
            let [bid, ask] = summary.best;
            (shown.bid_price, shown.bid_size) = (bid.map(|bid| wire(bid.0)), bid.map(|bid| wire(bid.1)));
            (shown.ask_price, shown.ask_size) = (ask.map(|ask| wire(ask.0)), ask.map(|ask| wire(ask.1)));
            shown.change_24h = Some(wire(summary.change));
            (shown.volume_24h, shown.turnover_24h) = (Some(wire(summary.base)), Some(wire(summary.value)));
            shown.platform_turnover_24h = pair.is_reality().then(|| wire(summary.value));
            if pair.line.is_futures() {
                (shown.index_price, shown.mark_price) = (Some(wire(summary.mark)), Some(wire(summary.mark)));
                shown.funding_rate = Some(wire(FUNDING_RATE));
                shown.open_interest = Some(wire(summary.open_interest));
                shown.delivery_status = Some(String::new());
            }
            shown
        };
        Ok(pairs.into_iter().map(ticker).collect::<Vec<_>>().into())
    }
}

fn contract_tickers(at: &mut Desk<'_>, line: &str, symbol: Option<&str>) -> Result<List<ContractTicker>, Refusal> {
    let pairs = pairs(at, line, symbol)?;
    let core = &*at.core;
    let ticker = |index: usize| {
        let summary = Summary::of(core, index);
        let mut shown = ContractTicker::default();
        shown.symbol = Some(core.pairs[index].symbol.into());
        shown.time = now(core);
        shown.last_price = Some(wire(summary.last));
        shown.open_24h = Some(wire(summary.open));
        (shown.high_24h, shown.low_24h) = (Some(wire(summary.high)), Some(wire(summary.low)));
        let [bid, ask] = summary.best;
        (shown.bid_price, shown.bid_size) = (bid.map(|bid| wire(bid.0)), bid.map(|bid| wire(bid.1)));
        (shown.ask_price, shown.ask_size) = (ask.map(|ask| wire(ask.0)), ask.map(|ask| wire(ask.1)));
        shown.change_24h = Some(wire(summary.change));
        (shown.base_volume, shown.quote_volume) = (Some(wire(summary.base)), Some(wire(summary.value)));
        (shown.index_price, shown.mark_price) = (Some(wire(summary.mark)), Some(wire(summary.mark)));
        shown.funding_rate = Some(wire(FUNDING_RATE));
        shown.holding_amount = Some(wire(summary.open_interest));
        let in_usdt = quotient(core.price_of(core.pairs[index].quote), core.price_of("USDT"));
        shown.usdt_volume = Some(wire(summary.value * in_usdt));
        let (market, midnight) = (&core.markets[index], core.now - core.now % DAY);
        let today = market.candles.since(midnight);
        let open = today.map_or(summary.last, |today| core.pairs[index].price(today.open));
        shown.open_utc = Some(wire(open));
        shown.change_utc = Some(wire(quotient(summary.last - open, open).round_dp(8)));
        shown.delivery_status = Some(String::new());
        shown
    };
    Ok(pairs.into_iter().map(ticker).collect::<Vec<_>>().into())
}

impl Serve for GetContractTicker {
    fn serve(self, at: &mut Desk<'_>) -> Result<List<ContractTicker>, Refusal> {
        contract_tickers(at, self.product_type.as_str(), Some(self.symbol.as_str()))
    }
}

impl Serve for GetContractTickers {
    fn serve(self, at: &mut Desk<'_>) -> Result<List<ContractTicker>, Refusal> {
        contract_tickers(at, self.product_type.as_str(), None)
    }
}

/// Returns the best levels of both sides of a book: those of sellers, and those of buyers.
fn depth(at: &mut Desk<'_>, line: &str, symbol: &str, limit: usize) -> Result<[List<Level>; 2], Refusal> {
    let index = at.pair(line, symbol).map_err(|reason| at.refusal(reason))?;
    let (pair, book) = (&at.core.pairs[index], &at.core.books[index]);
    Ok([Side::Sell, Side::Buy].map(|side| {
        let level = |(ticks, lots)| {
            let mut level = Level::default();
            (level.price, level.size) = (Some(wire(pair.price(ticks))), Some(wire(pair.base_qty(ticks, lots))));
            level
        };
        book.best_levels(side, limit).into_iter().map(level).collect::<Vec<_>>().into()
    }))
}

impl Serve for GetOrderBook {
    fn serve(self, at: &mut Desk<'_>) -> Result<OrderBook, Refusal> {
        let most = limit(self.limit, LEVELS);
        let [asks, bids] = depth(at, self.category.as_str(), self.symbol.as_str(), most)?;
        let mut answer = OrderBook::default();
        (answer.asks, answer.bids, answer.time) = (asks, bids, now(at.core));
        Ok(answer)
    }
}

impl Serve for GetContractDepth {
    fn serve(self, at: &mut Desk<'_>) -> Result<ContractDepth, Refusal> {
        let given = self.limit.as_ref().map(|limit| limit.parse().unwrap_or(u64::MAX));
        let [asks, bids] = depth(at, self.product_type.as_str(), self.symbol.as_str(), limit(given, LEVELS))?;
        let index = at.pair(self.product_type.as_str(), self.symbol.as_str()).map_err(|reason| at.refusal(reason))?;
        let mut answer = ContractDepth::default();
        (answer.asks, answer.bids, answer.time) = (asks, bids, now(at.core));
        // Prices are not merged, whatever the request says.
        answer.scale = Some(wire(at.core.pairs[index].tick));
        (answer.precision, answer.is_max_precision) = (Some("scale0".to_owned()), Some("YES".to_owned()));
        Ok(answer)
    }
}

/// A request for candles, in the form of both families.
struct CandleQuery<'a> {
    line: &'a str,
    symbol: &'a str,
    interval: &'a Interval,
    range: [Option<Timestamp>; 2],
    price: Option<&'a CandleType>,
    limit: Option<u64>,
}

impl CandleQuery<'_> {
    fn answer(&self, at: &mut Desk<'_>) -> Result<List<Candle>, Refusal> {
        let index = at.pair(self.line, self.symbol).map_err(|reason| at.refusal(reason))?;
        let interval = market::Interval::of(self.interval.as_str());
        let interval =
            interval.ok_or_else(|| at.refusal(Reason::value(["interval", "values"], "no candle lasts that long")))?;
        if self.price == Some(&CandleType::Premium) {
            return Err(at.refusal(Reason::value(["type", "values"], "this exchange has no premium over an index")));
        }
        let (pair, market) = (&at.core.pairs[index], &at.core.markets[index]);
        let [from, to] = self.range.map(|time| time.map(Timestamp::as_millis));
        let is_after = at.core.settings.candles_after_start;
        let from = from.map(|from| if is_after { interval.start(interval.number(from) + 1) } else { from });
        let to = to.unwrap_or(at.core.now).min(at.core.now);
        let has_volume = self.price.is_none_or(|price| *price == CandleType::Market);
        let list = market.candles.list(interval, from.unwrap_or_default(), to, limit(self.limit, ITEMS));
        let shown = list.into_iter().map(|candle| {
            let mut shown = Candle::default();
            shown.start = Some(Timestamp::from_millis(candle.start));
            let price = |ticks| Some(wire(pair.price(ticks)));
            (shown.open, shown.close) = (price(candle.open), price(candle.close));
            (shown.high, shown.low) = (price(candle.high), price(candle.low));
            let (base, value) = if has_volume { (candle.base, candle.value) } else { Default::default() };
            (shown.volume, shown.turnover) = (Some(wire(base)), Some(wire(value)));
            shown
        });
        Ok(shown.collect::<Vec<_>>().into())
    }
}

/// Serves requests for candles.
macro_rules! candles {
    ($($operation:ident: $line:ident, $interval:ident, $price:expr;)*) => {$(
        impl Serve for $operation {
            fn serve(self, at: &mut Desk<'_>) -> Result<List<Candle>, Refusal> {
                let price: fn(&Self) -> Option<&CandleType> = $price;
                let query = CandleQuery {
                    line: self.$line.as_str(),
                    symbol: self.symbol.as_str(),
                    interval: &self.$interval,
                    range: [self.start_time, self.end_time],
                    price: price(&self),
                    limit: self.limit,
                };
                query.answer(at)
            }
        }
    )*};
}

candles! {
    GetCandles: category, interval, |request| request.price.as_ref();
    GetHistoryCandles: category, interval, |request| request.price.as_ref();
    GetContractCandles: product_type, granularity, |request| request.price.as_ref();
    GetContractHistoryCandles: product_type, granularity, |request| request.price.as_ref();
    GetContractMarkCandles: product_type, granularity, |_| Some(&CandleType::Mark);
    GetContractIndexCandles: product_type, granularity, |_| Some(&CandleType::Index);
}

/// Returns the latest public trades of a pair, the newest first.
fn trades<T>(
    at: &mut Desk<'_>,
    [line, symbol]: [&str; 2],
    limit: usize,
    shows: impl Fn(&PublicFill) -> bool,
    record: impl Fn(&Core, usize, &PublicFill) -> T,
) -> Result<Vec<T>, Refusal> {
    let index = at.pair(line, symbol).map_err(|reason| at.refusal(reason))?;
    let core = &*at.core;
    let fills = core.markets[index].fills.iter().rev().filter(|fill| shows(fill));
    Ok(fills.take(limit).map(|fill| record(core, index, fill)).collect())
}

impl Serve for GetRecentTrades {
    fn serve(self, at: &mut Desk<'_>) -> Result<List<Trade>, Refusal> {
        let record = |core: &Core, index: usize, fill: &PublicFill| {
            let pair = &core.pairs[index];
            let mut shown = Trade::default();
            shown.exec_id = Some(fill.id.to_string().into());
            (shown.exec_link_id, shown.is_rpi) = (Some(fill.id.to_string().into()), Some("NO".to_owned()));
            shown.price = Some(wire(pair.price(fill.ticks)));
            shown.size = Some(wire(pair.base_qty(fill.ticks, fill.lots)));
            shown.side = fill.side.as_str().parse().ok();
            shown.time = Some(Timestamp::from_millis(fill.at));
            shown
        };
        let names = [self.category.as_str(), self.symbol.as_str()];
        trades(at, names, limit(self.limit, ITEMS), |_| true, record).map(Into::into)
    }
}

/// Makes the record of a trade of a contract.
macro_rules! contract_trade {
    ($record:ident, $side:ident) => {
        |core: &Core, index: usize, fill: &PublicFill| {
            let pair = &core.pairs[index];
            let mut shown = $record::default();
            shown.trade_id = Some(fill.id.to_string().into());
            shown.symbol = Some(pair.symbol.into());
            shown.price = Some(wire(pair.price(fill.ticks)));
            shown.size = Some(wire(pair.base_qty(fill.ticks, fill.lots)));
            shown.side = Some(if fill.side == Side::Buy { $side::Buy } else { $side::Sell });
            shown.time = Some(Timestamp::from_millis(fill.at));
            shown
        }
    };
}

impl Serve for GetContractRecentTrades {
    fn serve(self, at: &mut Desk<'_>) -> Result<List<ContractTrade>, Refusal> {
        let names = [self.product_type.as_str(), self.symbol.as_str()];
        trades(at, names, limit(self.limit, ITEMS), |_| true, contract_trade!(ContractTrade, Taker)).map(Into::into)
    }
}

impl Serve for GetContractTrades {
    fn serve(self, at: &mut Desk<'_>) -> Result<List<ContractPastTrade>, Refusal> {
        let default = at.meta.window.and_then(|window| window.default);
        let is_open = self.start_time.is_none() && self.end_time.is_none();
        let default =
            default.filter(|_| is_open).and_then(|default| default.before(Timestamp::from_millis(at.core.now)));
        let [from, to] = [self.start_time.or(default), self.end_time].map(|time| time.map(Timestamp::as_millis));
        let before = self.id_less_than.as_ref().and_then(|id| id.as_str().parse().ok()).unwrap_or(u64::MAX);
        let range = from.unwrap_or_default()..=to.unwrap_or(u64::MAX);
        let shows = |fill: &PublicFill| fill.id < before && range.contains(&fill.at);
        let names = [self.product_type.as_str(), self.symbol.as_str()];
        trades(at, names, limit(self.limit, MAX_ITEMS), shows, contract_trade!(ContractPastTrade, PastSide))
            .map(Into::into)
    }
}

fn funding_rate(core: &Core, index: usize) -> FundingRate {
    let mut shown = FundingRate::default();
    shown.symbol = Some(core.pairs[index].symbol.into());
    shown.funding_rate = Some(wire(FUNDING_RATE));
    shown.funding_rate_interval = Some(FUNDING_HOURS);
    shown.next_update = Some(Timestamp::from_millis(core.next_funding));
    (shown.min_funding_rate, shown.max_funding_rate) = (Some(wire(FUNDING_RATE)), Some(wire(FUNDING_RATE)));
    shown
}

impl Serve for GetFundingRate {
    fn serve(self, at: &mut Desk<'_>) -> Result<List<FundingRate>, Refusal> {
        let (core, family) = (&*at.core, at.family);
        let is_meant = |pair: &Instrument| {
            let is_of_line = self.category.as_ref().is_none_or(|line| line.as_str() == pair.line.as_str());
            let is_named = self.symbol.as_ref().is_none_or(|symbol| pair.symbol == symbol.as_str());
            pair.line.is_futures() && pair.is_listed(family) && is_of_line && is_named
        };
        let meant = core.pairs.iter().enumerate().filter(|(_, pair)| is_meant(pair));
        let rates: Vec<_> = meant.map(|(index, _)| funding_rate(core, index)).collect();
        if rates.is_empty() && self.symbol.is_some() {
            return Err(at.refusal(Reason::UnknownSymbol));
        }
        Ok(rates.into())
    }
}

impl Serve for GetContractFundingRate {
    fn serve(self, at: &mut Desk<'_>) -> Result<List<FundingRate>, Refusal> {
        let pairs = pairs(at, self.product_type.as_str(), self.symbol.as_ref().map(|symbol| symbol.as_str()))?;
        let core = &*at.core;
        Ok(pairs.into_iter().map(|index| funding_rate(core, index)).collect::<Vec<_>>().into())
    }
}

impl Serve for GetContractPrice {
    fn serve(self, at: &mut Desk<'_>) -> Result<List<ContractPrice>, Refusal> {
        let index = at.pair(self.product_type.as_str(), self.symbol.as_str()).map_err(|reason| at.refusal(reason))?;
        let (pair, market) = (&at.core.pairs[index], &at.core.markets[index]);
        let mut shown = ContractPrice::default();
        shown.symbol = Some(pair.symbol.into());
        shown.last_price = Some(wire(pair.price(market.last)));
        let mark = Some(wire(pair.price(market.mark())));
        (shown.index_price, shown.mark_price, shown.time) = (mark.clone(), mark, now(at.core));
        Ok(vec![shown].into())
    }
}

impl Serve for GetContractFundingTime {
    fn serve(self, at: &mut Desk<'_>) -> Result<List<FundingTime>, Refusal> {
        let index = at.pair(self.product_type.as_str(), self.symbol.as_str()).map_err(|reason| at.refusal(reason))?;
        let mut shown = FundingTime::default();
        shown.symbol = Some(at.core.pairs[index].symbol.into());
        shown.next_funding_time = Some(Timestamp::from_millis(at.core.next_funding));
        shown.rate_period = Some(FUNDING_HOURS);
        Ok(vec![shown].into())
    }
}

/// Returns the times of past payments of funding, the newest first, on a page of a number. The rate never changes, and
/// is that of the time before the exchange began, too.
fn past_fundings(at: &Desk<'_>, page: Option<u64>, size: Option<u64>) -> impl Iterator<Item = Timestamp> {
    let size = limit(size, PAYMENTS).min(ITEMS);
    let skipped = usize::try_from(page.unwrap_or(1).saturating_sub(1)).unwrap_or(usize::MAX).saturating_mul(size);
    let next = at.core.next_funding;
    let past = (1..).map_while(move |back: u64| next.checked_sub(back.checked_mul(FUNDING)?));
    past.skip(skipped).take(size).map(Timestamp::from_millis)
}

impl Serve for GetContractFundingHistory {
    fn serve(self, at: &mut Desk<'_>) -> Result<List<ContractPastFunding>, Refusal> {
        let index = at.pair(self.product_type.as_str(), self.symbol.as_str()).map_err(|reason| at.refusal(reason))?;
        let shown = past_fundings(at, self.page_no, self.page_size).map(|time| {
            let mut shown = ContractPastFunding::default();
            shown.symbol = Some(at.core.pairs[index].symbol.into());
            (shown.funding_rate, shown.funding_time) = (Some(wire(FUNDING_RATE)), Some(time));
            shown
        });
        Ok(shown.collect::<Vec<_>>().into())
    }
}

impl Serve for GetFundingHistory {
    fn serve(self, at: &mut Desk<'_>) -> Result<PastFundings, Refusal> {
        let index = at.pair(self.category.as_str(), self.symbol.as_str()).map_err(|reason| at.refusal(reason))?;
        let shown = past_fundings(at, self.cursor, self.limit).map(|time| {
            let mut shown = PastFunding::default();
            shown.symbol = Some(at.core.pairs[index].symbol.into());
            (shown.funding_rate, shown.funding_time) = (Some(wire(FUNDING_RATE)), Some(time));
            shown
        });
        let mut answer = PastFundings::default();
        answer.payments = shown.collect::<Vec<_>>().into();
        Ok(answer)
    }
}

impl Serve for GetContractOpenInterest {
    fn serve(self, at: &mut Desk<'_>) -> Result<ContractOpenInterests, Refusal> {
        let index = at.pair(self.product_type.as_str(), self.symbol.as_str()).map_err(|reason| at.refusal(reason))?;
        let mut shown = ContractOpenInterest::default();
        shown.symbol = Some(at.core.pairs[index].symbol.into());
        shown.size = Some(wire(Summary::of(at.core, index).open_interest));
        let mut answer = ContractOpenInterests::default();
        (answer.list, answer.time) = (vec![shown].into(), now(at.core));
        Ok(answer)
    }
}

impl Serve for GetOpenInterest {
    fn serve(self, at: &mut Desk<'_>) -> Result<OpenInterests, Refusal> {
        let pairs = pairs(at, self.category.as_str(), self.symbol.as_ref().map(|symbol| symbol.as_str()))?;
        let shown = pairs.into_iter().map(|index| {
            let mut shown = OpenInterest::default();
            shown.symbol = Some(at.core.pairs[index].symbol.into());
            shown.open_interest = Some(wire(Summary::of(at.core, index).open_interest));
            shown
        });
        let mut answer = OpenInterests::default();
        (answer.list, answer.time) = (shown.collect::<Vec<_>>().into(), now(at.core));
        Ok(answer)
    }
}

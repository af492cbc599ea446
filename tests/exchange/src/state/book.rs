//! The order book of a pair, by price and time.

use std::collections::BTreeMap;

use crate::state::words::Side;

/// A resting order. Quotes of other participants have no order behind them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Resting {
    pub(crate) order: Option<u64>,
    pub(crate) lots: u64,
}

/// The place of a resting order: its side, price and position in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) side: Side,
    pub(crate) ticks: u64,
    pub(crate) place: u64,
}

type Level = BTreeMap<u64, Resting>;

/// Both sides of a book.
#[derive(Clone, Debug, Default)]
pub(crate) struct Book {
    bids: BTreeMap<u64, Level>,
    asks: BTreeMap<u64, Level>,
    places: u64,
}

impl Book {
    /// Adds an order to the end of the queue at its price.
    pub(crate) fn rest(&mut self, side: Side, ticks: u64, order: Resting) -> Spot {
        self.places += 1;
        let place = self.places;
        self.side_mut(side).entry(ticks).or_default().insert(place, order);
        Spot { side, ticks, place }
    }

    /// Removes an order.
    pub(crate) fn remove(&mut self, spot: Spot) {
        self.reduce(spot, u64::MAX);
    }

    /// Removes some lots of an order, or all.
    pub(crate) fn reduce(&mut self, spot: Spot, lots: u64) {
        let levels = self.side_mut(spot.side);
        let Some(level) = levels.get_mut(&spot.ticks) else { return };
        let Some(resting) = level.get_mut(&spot.place) else { return };
        resting.lots = resting.lots.saturating_sub(lots);
        if resting.lots == 0 {
            level.remove(&spot.place);
        }
        if level.is_empty() {
            levels.remove(&spot.ticks);
        }
    }

    /// Returns the lots of a resting order.
    pub(crate) fn lots_at(&self, spot: Spot) -> u64 {
        let level = self.side(spot.side).get(&spot.ticks);
        level.and_then(|level| level.get(&spot.place)).map_or(0, |resting| resting.lots)
    }

    /// Returns the best price of a side.
    pub(crate) fn best_price(&self, side: Side) -> Option<u64> {
        match side {
            Side::Buy => self.bids.keys().next_back(),
            Side::Sell => self.asks.keys().next(),
        }
        .copied()
    }

    /// Returns the order that trades first.
    pub(crate) fn best(&self, side: Side) -> Option<(Spot, Resting)> {
        let ticks = self.best_price(side)?;
        let (place, resting) = self.side(side).get(&ticks)?.first_key_value()?;
        Some((Spot { side, ticks, place: *place }, *resting))
    }

    /// Returns the orders of a side that match an order of the other side with this limit, or without a limit, in
    /// matching order.
    pub(crate) fn crossing(&self, side: Side, limit: Option<u64>) -> impl Iterator<Item = (u64, Resting)> {
        let levels: Box<dyn Iterator<Item = (&u64, &Level)>> = match side {
            Side::Buy => Box::new(self.bids.iter().rev()),
            Side::Sell => Box::new(self.asks.iter()),
        };
        levels
            .take_while(move |(ticks, _)| limit.is_none_or(|limit| crosses(side.opposite(), limit, **ticks)))
            .flat_map(|(ticks, level)| level.values().map(|resting| (*ticks, *resting)))
    }

    /// Returns both sides, the best prices first: price and lots.
    pub(crate) fn depth(&self, side: Side) -> Vec<(u64, u64)> {
        let mut depth: Vec<(u64, u64)> =
            self.side(side).iter().map(|(ticks, level)| (*ticks, level.values().map(|r| r.lots).sum())).collect();
        if side == Side::Buy {
            depth.reverse();
        }
        depth
    }

    /// Returns the best levels of a side: price and lots.
    pub(crate) fn best_levels(&self, side: Side, most: usize) -> Vec<(u64, u64)> {
        let lots = |(ticks, level): (&u64, &Level)| (*ticks, level.values().map(|resting| resting.lots).sum());
        match side {
            Side::Buy => self.bids.iter().rev().take(most).map(lots).collect(),
            Side::Sell => self.asks.iter().take(most).map(lots).collect(),
        }
    }

    /// Returns the lots of users' orders at a price.
    pub(crate) fn lots_of_orders(&self, side: Side, ticks: u64) -> u64 {
        let level = self.side(side).get(&ticks).into_iter().flat_map(BTreeMap::values);
        level.filter(|resting| resting.order.is_some()).map(|resting| resting.lots).sum()
    }

    fn side(&self, side: Side) -> &BTreeMap<u64, Level> {
        match side {
            Side::Buy => &self.bids,
            Side::Sell => &self.asks,
        }
    }

    fn side_mut(&mut self, side: Side) -> &mut BTreeMap<u64, Level> {
        match side {
            Side::Buy => &mut self.bids,
            Side::Sell => &mut self.asks,
        }
    }
}

/// Returns whether an order of `side` with this limit trades at `ticks`.
pub(crate) fn crosses(side: Side, limit: u64, ticks: u64) -> bool {
    match side {
        Side::Buy => ticks <= limit,
        Side::Sell => ticks >= limit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn price_goes_before_time() {
        let mut book = Book::default();
        let resting = |order| Resting { order: Some(order), lots: 5 };
        let first = book.rest(Side::Buy, 100, resting(1));
        book.rest(Side::Buy, 100, resting(2));
        book.rest(Side::Buy, 101, resting(3));
        let order = |book: &Book| book.best(Side::Buy).and_then(|(_, resting)| resting.order);
        assert_eq!(order(&book), Some(3));
        let crossing: Vec<_> = book.crossing(Side::Buy, Some(100)).filter_map(|(_, resting)| resting.order).collect();
        assert_eq!(crossing, [3, 1, 2]);
        assert_eq!(book.crossing(Side::Buy, Some(101)).count(), 1);
        if let Some((best, _)) = book.best(Side::Buy) {
            book.remove(best);
        }
        book.reduce(first, 2);
        assert_eq!((order(&book), book.depth(Side::Buy)), (Some(1), vec![(100, 8)]));
        book.reduce(first, 3);
        assert_eq!(order(&book), Some(2));
    }
}

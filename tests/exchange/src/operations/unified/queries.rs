//! Queries of the unified account for orders and fills.

use tradeapi::unified::{
    GetFillHistory, GetFillHistoryPage, GetOpenOrders, GetOpenOrdersPage, GetOrderDetails, GetOrderHistory,
    GetOrderHistoryPage, GetRealityFills, RealityFill,
};
use tradeapi::{List, Operation, Timestamp};

use super::records::{fill_record, record};
use crate::operations::pages::{Kind, PageQuery, query};
use crate::operations::reading::{Wanted, wire};
use crate::operations::routes::{Desk, Serve};
use crate::state::orders::Name;
use crate::state::refusal::{Reason, Refusal};
use crate::state::words::{Family, Line};

impl Serve for GetOrderDetails {
    fn serve(self, at: &mut Desk<'_>) -> Result<tradeapi::unified::Order, Refusal> {
        let order = at.shown(&Name::from(&self.order));
        order.map(|order| record(at.core, &order)).ok_or_else(|| at.refusal(Reason::NoSuchOrder))
    }
}

impl Serve for GetOpenOrders {
    fn serve(self, at: &mut Desk<'_>) -> Result<GetOpenOrdersPage, Refusal> {
        let line = self.category.as_ref().map(|category| category.as_str());
        let query = query!(self, cursor, line: line, symbol: self.symbol.as_ref().map(|symbol| symbol.as_str()));
        let found = at.orders(Kind::Open, &query, |_| true, record)?;
        let mut answer = GetOpenOrdersPage::default();
        (answer.cursor, answer.list) = (found.next().map(Into::into), found.items.into());
        Ok(answer)
    }
}

impl Serve for GetOrderHistory {
    fn serve(self, at: &mut Desk<'_>) -> Result<GetOrderHistoryPage, Refusal> {
        let line = Some(self.category.as_str());
        let query = query!(self, cursor, line: line, symbol: self.symbol.as_ref().map(|symbol| symbol.as_str()));
        let found = at.orders(Kind::Closed, &query, |_| true, record)?;
        let mut answer = GetOrderHistoryPage::default();
        (answer.cursor, answer.list) = (found.next().map(Into::into), found.items.into());
        Ok(answer)
    }
}

impl Serve for GetFillHistory {
    fn serve(self, at: &mut Desk<'_>) -> Result<GetFillHistoryPage, Refusal> {
        let line = self.category.as_ref().map(|category| category.as_str());
        let query = query!(self, cursor, line: line, symbol: None);
        let found = at.fills(&query, self.order_id.as_ref().map(|id| id.as_str()), fill_record)?;
        let mut answer = GetFillHistoryPage::default();
        (answer.cursor, answer.list) = (found.next().map(Into::into), found.items.into());
        Ok(answer)
    }
}

impl Serve for GetRealityFills {
    fn serve(self, at: &mut Desk<'_>) -> Result<List<RealityFill>, Refusal> {
        let index = at.core.pair(Family::Unified, Line::Spot, self.symbol.as_str());
        let index = index.filter(|index| at.core.pairs[*index].is_reality());
        let index = index.ok_or_else(|| at.refusal(Reason::UnknownSymbol))?;
        let limit = at.page_size(self.limit)?;
        let reach = Self::META.history.and_then(|history| history.before(Timestamp::from_millis(at.core.now)));
        let oldest = reach.map_or(0, Timestamp::as_millis);
        let pair = &at.core.pairs[index];
        let recent = at.core.markets[index].fills.iter().rev().take_while(|fill| fill.at >= oldest);
        let fills = recent.take(limit).map(|fill| {
            let mut record = RealityFill::default();
            record.exec_id = Some(fill.id.to_string().into());
            record.price = Some(wire(pair.price(fill.ticks)));
            record.size = Some(wire(pair.qty(fill.lots)));
            record.side = fill.side.as_str().parse().ok();
            record.time = Some(Timestamp::from_millis(fill.at));
            record
        });
        Ok(fills.collect::<Vec<_>>().into())
    }
}

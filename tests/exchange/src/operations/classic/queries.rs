//! Queries of the classic account for orders and fills.

use tradeapi::classic::{
    GetHistoricalTransactionDetails, GetHistoricalTransactionDetailsPage, GetHistoryOrder, GetHistoryOrderPage,
    GetOrderDetail, GetOrderFillDetails, GetOrderFillDetailsPage, GetPendingOrders, GetPendingOrdersPage,
    Order as Record, OrderRef, OrderState,
};

use super::records::{fill_record, historical, pending, record, source, state};
use crate::operations::pages::{Kind, PageQuery, query};
use crate::operations::reading::Wanted;
use crate::operations::routes::{Desk, Serve};
use crate::state::core::Core;
use crate::state::orders::{Fill, Name, Order};
use crate::state::refusal::{Reason, Refusal};

impl Serve for GetOrderDetail {
    fn serve(self, at: &mut Desk<'_>) -> Result<Record, Refusal> {
        let wanted = Wanted::of(self.product_type.as_str(), self.symbol.as_str());
        let order = at.shown(&Name::from(&self.order)).filter(|order| wanted.is(at.core, order));
        order.map(|order| record(at.core, &order)).ok_or_else(|| at.refusal(Reason::NoSuchOrder))
    }
}

impl Serve for GetPendingOrders {
    fn serve(self, at: &mut Desk<'_>) -> Result<GetPendingOrdersPage, Refusal> {
        let status = self.status.as_ref().unwrap_or(&OrderState::Live);
        let is_meant = |order: &Order| is_named(order, self.order.as_ref()) && state(order) == *status;
        let symbol = self.symbol.as_ref().map(|symbol| symbol.as_str());
        let query = query!(self, id_less_than, line: Some(self.product_type.as_str()), symbol: symbol);
        let found = at.orders(Kind::Open, &query, is_meant, pending)?;
        let mut answer = GetPendingOrdersPage::default();
        (answer.end_id, answer.entrusted_list) = (found.last.map(Into::into), found.items.into());
        Ok(answer)
    }
}

impl Serve for GetHistoryOrder {
    fn serve(self, at: &mut Desk<'_>) -> Result<GetHistoryOrderPage, Refusal> {
        let is_from = |order: &Order| self.order_source.as_ref().is_none_or(|wanted| wanted.as_str() == source(order));
        let is_meant = |order: &Order| is_named(order, self.order.as_ref()) && is_from(order);
        let symbol = self.symbol.as_ref().map(|symbol| symbol.as_str());
        let query = query!(self, id_less_than, line: Some(self.product_type.as_str()), symbol: symbol);
        let found = at.orders(Kind::Closed, &query, is_meant, historical)?;
        let mut answer = GetHistoryOrderPage::default();
        (answer.end_id, answer.entrusted_list) = (found.last.map(Into::into), found.items.into());
        Ok(answer)
    }
}

fn is_named(order: &Order, named: Option<&OrderRef>) -> bool {
    named.is_none_or(|named| match Name::from(named) {
        Name::Id(id) => order.id.to_string() == id,
        Name::Client(id) => order.client() == Some(&id),
    })
}

impl Serve for GetOrderFillDetails {
    fn serve(self, at: &mut Desk<'_>) -> Result<GetOrderFillDetailsPage, Refusal> {
        let symbol = self.symbol.as_ref().map(|symbol| symbol.as_str());
        let query = query!(self, id_less_than, line: Some(self.product_type.as_str()), symbol: symbol);
        let mode = at.core.accounts[at.account].mode;
        let record = |core: &Core, fill: &Fill| fill_record(core, fill, mode);
        let found = at.fills(&query, self.order_id.as_ref().map(|id| id.as_str()), record)?;
        let mut answer = GetOrderFillDetailsPage::default();
        // Clients read a text here, also of an empty page.
        answer.end_id = Some(found.last.unwrap_or_default().into());
        answer.fill_list = found.items.into();
        Ok(answer)
    }
}

impl Serve for GetHistoricalTransactionDetails {
    fn serve(self, at: &mut Desk<'_>) -> Result<GetHistoricalTransactionDetailsPage, Refusal> {
        let symbol = self.symbol.as_ref().map(|symbol| symbol.as_str());
        let query = query!(self, id_less_than, line: Some(self.product_type.as_str()), symbol: symbol);
        let mode = at.core.accounts[at.account].mode;
        let with_coin = |core: &Core, fill: &Fill| {
            let mut record = fill_record(core, fill, mode);
            record.margin_coin = Some(core.pairs[fill.pair].settle().into());
            record
        };
        let found = at.fills(&query, self.order_id.as_ref().map(|id| id.as_str()), with_coin)?;
        let mut answer = GetHistoricalTransactionDetailsPage::default();
        // Clients read a text here, also of an empty page.
        answer.end_id = Some(found.last.unwrap_or_default().into());
        answer.fill_list = found.items.into();
        Ok(answer)
    }
}

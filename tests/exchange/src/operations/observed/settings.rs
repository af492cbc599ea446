//! Setting leverage, margin modes and position modes.

use tradeapi::observed::{
    ContractSettings, Done, PositionMode, PositionModeSet, PositionSide, SetContractLeverage, SetHoldMode, SetLeverage,
    SetMarginMode, SetPositionMode,
};

use crate::operations::routes::{Desk, Serve};
use crate::state::refusal::{Reason, Refusal, missing};
use crate::state::words::{Line, Margin, Mode};

fn done() -> Done {
    let mut done = Done::default();
    done.result = Some("success".to_owned());
    done
}

fn set_mode(at: &mut Desk<'_>, mode: &PositionMode) -> Result<(), Refusal> {
    let mode = Mode::of(mode.as_str()).ok_or(Reason::Parameter);
    mode.and_then(|mode| at.core.set_position_mode(at.account, mode)).map_err(|reason| at.refusal(reason))
}

impl Serve for SetHoldMode {
    fn serve(self, at: &mut Desk<'_>) -> Result<Done, Refusal> {
        set_mode(at, &self.hold_mode)?;
        Ok(done())
    }
}

impl Serve for SetPositionMode {
    fn serve(self, at: &mut Desk<'_>) -> Result<PositionModeSet, Refusal> {
        set_mode(at, &self.pos_mode)?;
        let mut answer = PositionModeSet::default();
        answer.pos_mode = Some(self.pos_mode);
        Ok(answer)
    }
}

/// The leverage of long and of short positions that a request sets: of one direction, or of both.
fn both(leverage: Option<u64>, direction: Option<&PositionSide>) -> [Option<u64>; 2] {
    match direction {
        Some(PositionSide::Long) => [leverage, None],
        Some(PositionSide::Short) => [None, leverage],
        _ => [leverage, leverage],
    }
}

impl Serve for SetLeverage {
    fn serve(self, at: &mut Desk<'_>) -> Result<Done, Refusal> {
        set_leverage(&self, at).map_err(|reason| at.refusal(reason))?;
        Ok(done())
    }
}

fn set_leverage(request: &SetLeverage, at: &mut Desk<'_>) -> Result<(), Reason> {
    let line = request.category.as_str();
    if line == Line::Margin.as_str() {
        // Borrowing is not limited.
        return Ok(());
    }
    let symbol = request.symbol.as_ref().ok_or(missing("symbol"))?;
    let index = at.pair(line, symbol.as_str())?;
    let margin = request.margin_mode.as_ref().and_then(|mode| Margin::of(mode.as_str()));
    let is_fixed = |margin: &Margin| at.core.is_margin_fixed(at.account, index, *margin);
    if margin.as_ref().is_some_and(is_fixed) {
        return Err(Reason::SettingsFixed);
    }
    at.core.set_leverage(at.account, index, both(Some(request.leverage), request.pos_side.as_ref()))?;
    margin.map_or(Ok(()), |margin| at.core.set_margin_mode(at.account, index, margin))
}

/// Returns how a contract is set.
fn settings_of(at: &Desk<'_>, index: usize) -> ContractSettings {
    let settings = at.core.accounts[at.account].contract_settings(index);
    let [long, short] = settings.leverage;
    let mut shown = ContractSettings::default();
    shown.symbol = Some(at.core.pairs[index].symbol.into());
    shown.margin_coin = Some(at.core.pairs[index].settle().into());
    (shown.long_leverage, shown.short_leverage) = (Some(long.into()), Some(short.into()));
    shown.cross_margin_leverage = Some(long.into());
    shown.margin_mode = settings.margin.as_str().parse().ok();
    shown
}

impl Serve for SetContractLeverage {
    fn serve(self, at: &mut Desk<'_>) -> Result<ContractSettings, Refusal> {
        let [long, short] = both(self.leverage, self.hold_side.as_ref());
        let new = [self.long_leverage.or(long), self.short_leverage.or(short)];
        let contract = at.contract(self.product_type.as_str(), self.symbol.as_str(), self.margin_coin.as_str());
        let set = contract.and_then(|index| {
            if new == [None, None] {
                return Err(missing("leverage"));
            }
            at.core.set_leverage(at.account, index, new).map(|()| index)
        });
        set.map(|index| settings_of(at, index)).map_err(|reason| at.refusal(reason))
    }
}

impl Serve for SetMarginMode {
    fn serve(self, at: &mut Desk<'_>) -> Result<ContractSettings, Refusal> {
        let contract = at.contract(self.product_type.as_str(), self.symbol.as_str(), self.margin_coin.as_str());
        let set = contract.and_then(|index| {
            let margin = Margin::of(self.margin_mode.as_str()).ok_or(Reason::Parameter)?;
            at.core.set_margin_mode(at.account, index, margin).map(|()| index)
        });
        set.map(|index| settings_of(at, index)).map_err(|reason| at.refusal(reason))
    }
}

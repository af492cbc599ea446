//! The settings of an account: the leverage of contracts, the margin mode, and how positions are kept.

use std::time::Duration;

use rust_decimal::Decimal;
use tradeapi::runtime::account::PropertyValue;

use crate::state::accounts::ContractSettings;
use crate::state::core::{Core, Task};
use crate::state::events::Event;
use crate::state::faults::ShownValue;
use crate::state::instruments::quotient;
use crate::state::orders::{Order, State};
use crate::state::refusal::Reason;
use crate::state::settings::MAX_LEVERAGE;
use crate::state::words::{Cancelled, Margin, Mode, PositionSide};

/// A setting whose value is in the answer to the request that sets it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Setting {
    /// The leverage of long and of short positions of a contract; `None` leaves one as it is.
    Leverage(usize, [Option<u64>; 2]),
    /// The margin mode of a contract.
    Margin(usize, Margin),
    /// The way in which positions are kept.
    Mode(Mode),
}

impl Core {
    /// Sets something, and returns what `show` reads of it: afterwards, or before, if that is the fault.
    pub(crate) fn set_and_show<T>(
        &mut self,
        account: usize,
        setting: Setting,
        show: impl Fn(&Self) -> T,
    ) -> Result<T, Reason> {
        let before = self.shown_value.map(|_| show(self));
        // The value of before cannot be told from the requested one if they are the same.
        self.is_kept = self.shown_value == Some(ShownValue::Kept) && !self.has(account, setting);
        if !self.is_kept {
            let (setting, value) = self.set(account, setting)?;
            self.publish(Event::Set { setting, value });
        }
        Ok(before.unwrap_or_else(|| show(self)))
    }

    /// Returns whether a setting has its value already.
    fn has(&self, account: usize, setting: Setting) -> bool {
        let account = &self.accounts[account];
        match setting {
            Setting::Leverage(index, new) => {
                let leverage = account.contract_settings(index).leverage;
                new.into_iter().zip(leverage).all(|(new, leverage)| new.is_none_or(|new| new == u64::from(leverage)))
            }
            Setting::Margin(index, margin) => account.contract_settings(index).margin == margin,
            Setting::Mode(mode) => account.mode == mode,
        }
    }

    /// Sets something, and returns the name of the setting and the value.
    fn set(&mut self, account: usize, setting: Setting) -> Result<(String, String), Reason> {
        Ok(match setting {
            Setting::Leverage(index, new) => {
                self.set_leverage(account, index, new)?;
                let [long, short] = new.map(|new| new.map_or("none".to_owned(), |new| new.to_string()));
                (format!("leverage of {}", self.pairs[index].symbol), format!("{long} and {short}"))
            }
            Setting::Margin(index, margin) => {
                self.set_margin_mode(account, index, margin)?;
                (format!("margin mode of {}", self.pairs[index].symbol), margin.as_str().to_owned())
            }
            Setting::Mode(mode) => {
                self.set_position_mode(account, mode)?;
                ("position mode".to_owned(), mode.as_str().to_owned())
            }
        })
    }

    /// Sets the leverage of long and of short positions of a contract. The margin of positions and what open orders
    /// reserve change with it.
    pub(crate) fn set_leverage(&mut self, account: usize, index: usize, new: [Option<u64>; 2]) -> Result<(), Reason> {
        let before = self.accounts[account].contract_settings(index);
        let mut leverage = before.leverage;
        for (leverage, new) in leverage.iter_mut().zip(new) {
            let Some(new) = new else { continue };
            let allowed = u32::try_from(new).ok().filter(|new| (1..=MAX_LEVERAGE).contains(new));
            *leverage = allowed.ok_or(Reason::value(["leverage", "max"], "the contracts here take 1 to 100"))?;
        }
        self.accounts[account].contract_settings.insert(index, ContractSettings { leverage, ..before });
        let (margins, frozen) = (self.new_margins(account, index), self.new_reserves(account, index));
        let more: Decimal = margins.iter().map(|(_, _, more)| more).chain(frozen.iter().map(|(_, _, more)| more)).sum();
        let coin = self.pairs[index].settle();
        if more > self.accounts[account].available(coin) && more > Decimal::ZERO {
            self.accounts[account].contract_settings.insert(index, before);
            return Err(Reason::Funds);
        }
        for (pos, margin, more) in margins {
            let account = &mut self.accounts[account];
            if let Some(position) = account.positions.get_mut(&(index, pos)) {
                position.margin = margin;
            }
            account.balance(coin).margin += more;
        }
        for (id, needed, more) in frozen {
            if let Some(order) = self.orders.get_mut(&id) {
                order.frozen = needed;
            }
            self.accounts[account].balance(coin).frozen += more;
        }
        self.changed.insert(account);
        Ok(())
    }

    /// Returns the margins of an account's positions of a contract by their leverage, and how much more that is.
    fn new_margins(&self, account: usize, index: usize) -> Vec<(PositionSide, Decimal, Decimal)> {
        let (pair, account) = (&self.pairs[index], &self.accounts[account]);
        let positions = account.positions.iter().filter(|((of, _), position)| *of == index && position.lots > 0);
        positions
            .map(|((_, pos), position)| {
                let leverage = Decimal::from(account.leverage(index, *pos, position.side));
                let margin = quotient(pair.entry_value(position.cost, position.lots), leverage);
                (*pos, margin, margin - position.margin)
            })
            .collect()
    }

    /// Returns what an account's open orders of a contract reserve by the leverage, and how much more that is.
    fn new_reserves(&self, account: usize, index: usize) -> Vec<(u64, Decimal, Decimal)> {
        let open = self.accounts[account].open.iter().filter_map(|id| self.orders.get(id));
        let opening = open.filter(|order| order.ticket.pair == index && !order.frozen.is_zero());
        let reserve = |order: &Order| {
            let (_, needed) =
                self.funds_for(index, &order.ticket, order.ticks, order.remaining(), order.netted).ok()?;
            Some((order.id, needed, needed - order.frozen))
        };
        opening.filter_map(reserve).collect()
    }

    /// Returns whether a contract has another margin mode, which cannot be changed while there are positions or orders
    /// of it.
    pub(crate) fn is_margin_fixed(&self, account: usize, index: usize, margin: Margin) -> bool {
        let account = &self.accounts[account];
        let mut open = account.open.iter().filter_map(|id| self.orders.get(id));
        account.contract_settings(index).margin != margin
            && (account.positions.keys().any(|(of, _)| *of == index) || open.any(|order| order.ticket.pair == index))
    }

    /// Sets which margin backs new positions of a contract.
    pub(crate) fn set_margin_mode(&mut self, account: usize, index: usize, margin: Margin) -> Result<(), Reason> {
        if self.is_margin_fixed(account, index, margin) {
            return Err(Reason::SettingsFixed);
        }
        let settings = self.accounts[account].contract_settings(index);
        self.accounts[account].contract_settings.insert(index, ContractSettings { margin, ..settings });
        Ok(())
    }

    /// Returns whether an account has another mode of positions, which cannot be changed now.
    pub(crate) fn is_mode_fixed(&self, account: usize, mode: Mode) -> bool {
        let waits = self.waiting_plans(account).next().is_some();
        let account = &self.accounts[account];
        account.mode != mode && (waits || account.waiting[1] > 0 || !account.positions.is_empty())
    }

    /// Starts a countdown, at the end of which every order of the account is cancelled; zero ends the one that runs.
    pub(crate) fn count_down(&mut self, account: usize, delay: Duration) {
        let millis = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        self.accounts[account].countdown = (millis > 0).then(|| self.now.saturating_add(millis));
        if millis > 0 {
            self.later(delay, Task::CancelAll(account));
        }
    }

    /// Cancels every order of an account whose countdown has come to its end. An earlier countdown was started again.
    pub(crate) fn end_countdown(&mut self, account: usize) {
        let of_account = &mut self.accounts[account];
        if of_account.countdown.is_none_or(|at| at > self.now) {
            return;
        }
        of_account.countdown = None;
        for id in of_account.open.clone() {
            self.end_by(id, State::Cancelled(Cancelled::Normal), false);
        }
    }

    /// Sets how positions are kept.
    pub(crate) fn set_position_mode(&mut self, account: usize, mode: Mode) -> Result<(), Reason> {
        if self.is_mode_fixed(account, mode) {
            return Err(Reason::SettingsFixed);
        }
        let account = &mut self.accounts[account];
        account.mode = mode;
        account.properties.set("positionMode", PropertyValue::Word(mode.as_str().into()));
        Ok(())
    }
}

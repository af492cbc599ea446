//! The course of orders and positions: placing, matching, netting, triggers, funding, liquidation, and the other
//! participants of the market.

pub(crate) mod account_settings;
pub(crate) mod actions;
pub(crate) mod amending;
pub(crate) mod closing;
pub(crate) mod conditional;
pub(crate) mod liquidation;
pub(crate) mod matching;
pub(crate) mod participants;
pub(crate) mod placing;
pub(crate) mod shown;

//! Commands: operations with the ways to call them, without their types.

use std::fmt;
use std::sync::Arc;

use tradeapi_runtime::batches::{Batch, ItemsReply};
use tradeapi_runtime::client::Callable;
use tradeapi_runtime::confirm::{Confirmable, ConfirmableItems};
use tradeapi_runtime::json::{Decode, Encode, Form};
use tradeapi_runtime::operation::Repeatable;
use tradeapi_runtime::pages::Paged;
use tradeapi_runtime::parameters::described::Described;
use tradeapi_runtime::tables::Meta;
#[cfg(feature = "mcp")]
use tradeapi_runtime::tables::{Access, Effect};
use tradeapi_runtime::{Operation, Violations};

use crate::calls::{self, CallOf, Called, StopOf};
use crate::dry_run::{self, DryRun, DryRunOf};
use crate::ending::Ended;
use crate::parameter::{self, Parameter};

/// The group of what consists of several operations.
#[cfg(feature = "mcp")]
pub(crate) const EVERYDAY: &str = "everyday";
/// The group of reads that need no keys.
#[cfg(feature = "mcp")]
const PUBLIC: &str = "public";

/// Returns the groups of what a server for assistants has: by their effect, and besides.
#[cfg(feature = "mcp")]
pub(crate) fn groups() -> impl Iterator<Item = &'static str> {
    let effects = [Effect::Read, Effect::Create, Effect::Amend, Effect::Cancel, Effect::Close];
    [EVERYDAY, PUBLIC].into_iter().chain(effects.map(Effect::as_str))
}

/// An operation as a command. Emitted for each, by the function for what its requests can do.
pub struct Command {
    pub(crate) name: &'static str,
    pub(crate) meta: &'static Meta,
    pub(crate) parameters: fn() -> Vec<Parameter>,
    /// Makes a client id.
    pub(crate) mint: Option<fn() -> String>,
    /// True if its answer comes in pages.
    pub(crate) has_pages: bool,
    /// True if it is a read that lists something.
    pub(crate) is_listing: bool,
    /// True if it is a change of several items, each of which is reported, also if its call is told to end.
    pub(crate) has_items: bool,
    pub(crate) dry_run: fn(DryRunOf<'_>) -> Result<DryRun, Violations>,
    call: CallOf,
}

impl Command {
    /// Creates a read whose answer is complete.
    pub const fn read<O>(name: &'static str) -> Self
    where
        O: Described + Repeatable<Response: Encode> + Callable + 'static,
    {
        let command = Self::of::<O>(name, |called| Box::pin(calls::read::<O>(called)));
        Self { is_listing: matches!(<O::Response as Decode>::FORM, Form::List(_)), ..command }
    }

    /// Creates a read whose answer comes in pages.
    pub const fn pages<O>(name: &'static str) -> Self
    where
        O: Described + Paged + 'static,
    {
        let command = Self::of::<O>(name, |called| Box::pin(calls::pages::<O>(called)));
        Self { has_pages: true, is_listing: true, dry_run: dry_run::of_pages::<O>, ..command }
    }

    /// Creates a change that no query confirms.
    pub const fn change<O>(name: &'static str) -> Self
    where
        O: Described + Callable<Response: Encode> + 'static,
    {
        Self::of::<O>(name, |called| Box::pin(calls::change::<O>(called)))
    }

    /// Creates a change that is harmless to repeat.
    pub const fn repeatable<O>(name: &'static str) -> Self
    where
        O: Described + Repeatable<Response: Encode> + Callable + 'static,
    {
        Self::of::<O>(name, |called| Box::pin(calls::repeatable::<O>(called)))
    }

    /// Creates a cancellation that is harmless to repeat, and whose unknown outcome is confirmed by queries.
    pub const fn cancellation<O>(name: &'static str) -> Self
    where
        O: Described + Repeatable<Response: Encode + Sync> + Confirmable + 'static,
    {
        let command = Self::of::<O>(name, |called| Box::pin(calls::cancellation::<O>(called)));
        Self { dry_run: dry_run::of_confirmed::<O>, ..command }
    }

    /// Creates a change whose unknown outcome is confirmed by queries.
    pub const fn confirmed<O>(name: &'static str) -> Self
    where
        O: Described + Confirmable<Response: Encode + Sync> + 'static,
    {
        let command = Self::of::<O>(name, |called| Box::pin(calls::confirmed::<O>(called)));
        Self { dry_run: dry_run::of_confirmed::<O>, ..command }
    }

    /// Creates a change whose answer lists successes and failures.
    pub const fn results<O>(name: &'static str) -> Self
    where
        O: Described + Callable<Response: Encode, Reply = ItemsReply<<O as Operation>::Response>> + 'static,
    {
        Self::of::<O>(name, |called| Box::pin(calls::results::<O>(called)))
    }

    /// Changes of several items, which no query confirms.
    pub const fn batch<O>(name: &'static str) -> Self
    where
        O: Described
            + Batch<Response: Clone + Encode, Item: Send, Done: Encode + Send>
            + Callable<Reply = ItemsReply<<O as Operation>::Response>>
            + 'static,
    {
        let command = Self::of::<O>(name, |called| Box::pin(calls::batch::<O>(called)));
        Self { has_items: true, dry_run: dry_run::of_batch::<O>, ..command }
    }

    /// Changes of several items, each of which is confirmed by queries if its outcome is unknown.
    pub const fn confirmed_batch<O>(name: &'static str) -> Self
    where
        O: Described
            + ConfirmableItems
            + Batch<Response: Clone + Encode, Item: Send, Done: Encode + Send>
            + Callable<Reply = ItemsReply<<O as Operation>::Response>>
            + 'static,
    {
        let command = Self::of::<O>(name, |called| Box::pin(calls::confirmed_batch::<O>(called)));
        Self { has_items: true, dry_run: dry_run::of_confirmed_batch::<O>, ..command }
    }

    const fn of<O: Operation + Described + 'static>(name: &'static str, call: CallOf) -> Self {
        let (meta, parameters) = (O::META, parameter::of::<O>);
        Self {
            name,
            meta,
            parameters,
            mint: None,
            has_pages: false,
            is_listing: false,
            has_items: false,
            dry_run: dry_run::of::<O>,
            call,
        }
    }

    /// Returns the group that it belongs to.
    #[cfg(feature = "mcp")]
    pub(crate) fn group(&self) -> &'static str {
        match (self.meta.effect, self.meta.access) {
            (Effect::Read, Access::Public) => PUBLIC,
            (effect, _) => effect.as_str(),
        }
    }

    /// Calls the operation.
    pub(crate) async fn call(&self, called: Called<'_>) -> Ended {
        let Called { client, json, policy, to, stop: told, goes_on } = called;
        let (client, departed) = client.noting();
        let left = departed.clone();
        let stop: StopOf = Arc::new(move || {
            let (told, left) = (told(), left.clone());
            Box::pin(async move {
                told.await;
                if goes_on && left.at().is_some() {
                    std::future::pending::<()>().await;
                }
            })
        });
        let called = Called { client: &client, json, policy, to, stop: Arc::clone(&stop), goes_on };
        let ended = match self.has_items {
            true => (self.call)(called).await,
            false => calls::unless_stopped(&stop, self.meta.effect, &departed, (self.call)(called)).await,
        };
        ended.unwrap_or_else(|ended| ended.with_request(json))
    }

    /// Makes client ids with this function, for requests without one.
    #[must_use]
    pub const fn minting(self, mint: fn() -> String) -> Self {
        Self { mint: Some(mint), ..self }
    }
}

impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Command").field("operation", &self.meta.id).finish_non_exhaustive()
    }
}

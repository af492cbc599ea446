//! The requests of earlier runs that the journal has. Without them, one order would settle two changes that used its id
//! shortly before and after a restart.

use std::sync::Arc;
use std::time::Duration;

use super::core::ClientCore;
use super::recent::{RIVAL_DISTANCE, RequestFacts};
use crate::data::clock::Moment;
use crate::data::error::JournalError;
use crate::data::parameters::Named;
use crate::data::sorting::sort_by;
use crate::data::tables::Outcome;
use crate::state::journal::{Journal, Selection, SigningTimes, StoredChange, signed_since};

/// Requests that were signed this long before another one, or before the client asks, are remembered: twice as long as
/// they may be taken for it, because the clocks that both were signed by may have been set meanwhile.
const LOOK_BACK: Duration = RIVAL_DISTANCE.saturating_mul(2);

impl ClientCore {
    /// Remembers the changes that the journal has, of earlier runs and forgotten ones, unless that was done.
    pub(crate) async fn recall(&self) -> Result<(), JournalError> {
        let (Some(own), Some(journal)) = (&self.journal, self.bound_journal().await?) else { return Ok(()) };
        if !own.is_recalled() {
            let mut since = self.earliest_now();
            for open in journal.read(Selection::Open).await? {
                since = since.min(open.change.signed().earliest());
            }
            let since = since.checked_sub(LOOK_BACK).unwrap_or_default();
            self.remember_changes(&signed_since(&**journal, since).await?);
            own.set_recalled();
        }
        Ok(())
    }

    /// Remembers a change that the journal has, and those that used one of its ids at about the same time, unless all of
    /// them are remembered.
    pub(crate) async fn recall_around(
        &self,
        journal: &Arc<dyn Journal>,
        stored: &StoredChange,
    ) -> Result<(), JournalError> {
        let StoredChange { number, change, .. } = stored;
        if self.parts.recent.has_all_around(*number, change.signed_at) {
            return Ok(());
        }
        let has_its_id = |other: &StoredChange| {
            other.number == *number || other.change.client_ids.iter().any(|id| change.client_ids.contains(id))
        };
        self.remember_around(journal, change.signed(), &has_its_id).await
    }

    /// Remembers the changes that the journal has with `id` from about the time of a request with it, unless that is
    /// remembered.
    pub(crate) async fn recall_id(&self, id: &str, signed: SigningTimes) -> Result<(), JournalError> {
        match self.bound_journal().await? {
            Some(journal) if !self.parts.recent.remembers(id, signed.signed_at) => {
                let has_id = |other: &StoredChange| other.change.client_ids.iter().any(|one| one == id);
                self.remember_around(journal, signed, &has_id).await
            }
            _ => Ok(()),
        }
    }

    /// Remembers those changes of the journal that are `meant`, from shortly before a time on.
    async fn remember_around(
        &self,
        journal: &Arc<dyn Journal>,
        signed: SigningTimes,
        meant: &(dyn Fn(&StoredChange) -> bool + Sync),
    ) -> Result<(), JournalError> {
        let since = signed.earliest().checked_sub(LOOK_BACK).unwrap_or_default();
        let (now, all) = (self.moment(), signed_since(&**journal, since).await?);
        for other in all.iter().filter(|other| self.is_of_account(other) && meant(other)) {
            self.remember_change(other, now);
        }
        Ok(())
    }

    pub(crate) fn is_of_account(&self, stored: &StoredChange) -> bool {
        stored.change.account.as_deref().unwrap_or_default() == self.account().name()
    }

    /// Remembers those of the changes that another one may be taken for: open ones, those with the id of an open one,
    /// and recent ones.
    fn remember_changes(&self, changes: &[StoredChange]) {
        let now = self.moment();
        let is_of_account = |stored: &&StoredChange| self.is_of_account(stored);
        let mut ids: Vec<&str> = Vec::new();
        for stored in changes.iter().filter(is_of_account) {
            if stored.ending.is_none() {
                ids.extend(stored.change.client_ids.iter().map(String::as_str));
            }
        }
        sort_by(&mut ids, &Ord::cmp);
        for stored in changes.iter().filter(is_of_account) {
            let has_effect = stored.ending.as_ref().is_none_or(|ending| ending.outcome != Outcome::NotDone);
            let has_id_of_open = |id: &String| ids.binary_search(&id.as_str()).is_ok();
            let is_close =
                self.earliest_now().checked_sub(LOOK_BACK).unwrap_or_default() <= stored.change.signed().latest();
            if has_effect && (is_close || stored.change.client_ids.iter().any(has_id_of_open)) {
                self.remember_change(stored, now);
            }
        }
    }

    fn remember_change(&self, stored: &StoredChange, now: Moment) {
        let change = &stored.change;
        let Some(meta) = self.api().queryable.iter().find(|meta| meta.id == change.operation) else { return };
        let Some(confirm) = meta.confirm.as_ref().filter(|confirm| !confirm.cancels()) else { return };
        let key = meta.repeat_key.as_ref();
        let key = key.and_then(|key| self.key_of_repeats(key, &Named::read(&change.request)));
        let (operation, signed) = (meta.id, change.signed());
        let about = RequestFacts { operation, signed, made: now, is_of_earlier_run: true, confirm, key };
        let ended = stored.ending.as_ref().map(|ending| ending.outcome);
        self.parts.recent.remember_change(stored.number, change.request.as_bytes(), about, ended);
    }
}

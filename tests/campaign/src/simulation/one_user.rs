//! Limits of one user, whatever names programs give the account.

use tradeapi::runtime::limits::{Admission, Call, InProcessLimits, Limiter, RateLimitFeedback, Reservation};
use tradeapi::runtime::tables::Scope;

/// A limiter for clients of one user that have several names for its account. A limiter counts each name by itself.
pub(super) struct OneUser(pub(super) InProcessLimits);

impl Limiter for OneUser {
    fn admit<'a>(&'a self, call: Call<'a>, wait: bool) -> Admission<'a> {
        let address = call.counted(Scope::Ip);
        self.0.admit(call.counted_for("", address), wait)
    }

    fn sent(&self, reservation: &mut Reservation) {
        self.0.sent(reservation);
    }

    fn answered(&self, reservation: Reservation, feedback: RateLimitFeedback) {
        self.0.answered(reservation, feedback);
    }

    fn lost(&self, reservation: Reservation) {
        self.0.lost(reservation);
    }

    fn give_back(&self, reservation: Reservation) {
        self.0.give_back(reservation);
    }
}

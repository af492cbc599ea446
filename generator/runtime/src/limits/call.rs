use super::class::{Classes, DEFAULT};
use crate::account::Account;
use crate::operation::Operation;
use crate::tables::{Meta, RateLimit, Scope};

/// A call as a limiter sees it: of which operation, and against whose limits it counts.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    meta: &'static Meta,
    pub(super) uid_class: &'static str,
    pub(super) ip_class: &'static str,
    account: &'a str,
    address: &'a str,
}

impl<'a> Call<'a> {
    /// A call of the operation `meta`, to which the default rows apply, from a nameless account and address.
    #[inline]
    pub fn new(meta: &'static Meta) -> Self {
        Self { meta, uid_class: DEFAULT, ip_class: DEFAULT, account: "", address: "" }
    }

    /// The call of `operation`, to which the rows of its class apply: the one that `classes` name, or else the one
    /// that follows from the request and from what is told about the account.
    pub fn of<O: Operation>(operation: &O, classes: &Classes, account: &Account) -> Self {
        let has_rows = |class: &&str, scope| O::META.limits.iter().any(|row| row.scope == scope && row.class == *class);
        let by_itself = operation.limit_class(account);
        let choose = |scope| {
            let told = classes.choose(O::META.limits, scope, operation);
            told.or(by_itself.filter(|class| has_rows(class, scope))).unwrap_or(DEFAULT)
        };
        Self { uid_class: choose(Scope::Uid), ip_class: choose(Scope::Ip), ..Self::new(O::META) }
    }

    /// The same, counted for the user `account` and the network address `address`.
    #[must_use]
    pub fn counted_for(self, account: &'a str, address: &'a str) -> Self {
        Self { account, address, ..self }
    }

    /// The operation.
    pub fn meta(&self) -> &'static Meta {
        self.meta
    }

    /// The rows that hold for it: all of them must have room.
    pub fn limits(&self) -> impl Iterator<Item = &'static RateLimit> {
        let Self { uid_class, ip_class, .. } = *self;
        self.meta.limits.iter().filter(move |row| {
            row.class
                == match row.scope {
                    Scope::Uid => uid_class,
                    Scope::Ip => ip_class,
                }
        })
    }

    /// Who is counted within `scope`: the account or the address. Empty when it was given no name.
    pub fn counted(&self, scope: Scope) -> &'a str {
        match scope {
            Scope::Uid => self.account,
            Scope::Ip => self.address,
        }
    }
}

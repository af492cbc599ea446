//! The two ways to call: awaited, and blocking the thread.

use proc_macro2::TokenStream;
use quote::quote;

/// How the functions of a client are called. There are two clients, which differ in nothing else.
#[derive(Clone, Copy)]
pub(super) enum Calls {
    Awaited,
    Blocking,
}

impl Calls {
    /// What stands before `fn`.
    pub(super) fn before(self) -> Option<TokenStream> {
        matches!(self, Self::Awaited).then(|| quote!(async))
    }

    /// What stands behind a call.
    pub(super) fn behind(self) -> Option<TokenStream> {
        matches!(self, Self::Awaited).then(|| quote!(.await))
    }

    /// Where the runtime has its types for it.
    pub(super) fn home(self) -> TokenStream {
        match self {
            Self::Awaited => quote!(runtime),
            Self::Blocking => quote!(runtime::blocking),
        }
    }
}

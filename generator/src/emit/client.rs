//! The client and its functions, which differ by how they are called and in nothing else.

use proc_macro2::TokenStream;
use quote::quote;

use super::calls::Calls;
use super::code::{file, ident};
use super::docs::Docs;
use super::module_name;
use super::root::gate;
use crate::generator::Layout;
use crate::model::{Api, Family};

/// `blocking.rs`: the client whose functions block.
pub(super) fn emit_blocking(api: &Api, layout: Layout) -> String {
    let imports = quote! {
        use tradeapi_runtime as runtime;

        use super::API;
    };
    let mut docs = Docs::new("The client for programs without async: every call blocks the thread that makes it.", "");
    docs.markdown(
        "Everything else is as with [`Client`](super::Client). Any number of threads may call at once, and a call may be \
         made within an async runtime too, where it holds up the thread; see [`runtime::blocking`].",
    );
    let mut all = vec![imports];
    all.extend(items(api, layout, Calls::Blocking));
    file(docs.inner(), all)
}

/// The client, and what it is made of.
pub(super) fn items(api: &Api, layout: Layout, calls: Calls) -> Vec<TokenStream> {
    let home = calls.home();
    let docs = match calls {
        Calls::Awaited => Docs::new("Sends operations to an exchange. Clones share their connections.", ""),
        Calls::Blocking => {
            Docs::new("Sends operations to an exchange, and waits for the answers. Clones share their connections.", "")
        }
    };
    let docs = docs.outer();
    let structure = quote! {
        #docs
        #[derive(Clone, Debug)]
        pub struct Client {
            core: #home::ClientCore,
        }
    };
    vec![structure, functions(api, layout, calls), conversion(calls)]
}

fn functions(api: &Api, layout: Layout, calls: Calls) -> TokenStream {
    let (before, behind, home) = (calls.before(), calls.behind(), calls.home());
    let functions = api.families.iter().map(|family| facade(family, layout, calls));
    quote! {
        impl Client {
            /// Begins a client for the exchange at `base_url`, such as `https://api.example.com`.
            pub fn builder(base_url: impl Into<String>) -> runtime::ClientBuilder<Self> {
                runtime::ClientBuilder::new(&API, base_url)
            }

            /// Checks an operation, signs it where it needs to be, sends it once and reads the answer.
            ///
            /// # Errors
            ///
            /// See [`runtime::Error`]. Of a call that changes something, [`runtime::Error::Unknown`] says that nobody knows
            /// whether it did, and every other error that it surely did not.
            pub #before fn call<O: runtime::Operation>(
                &self,
                operation: &O,
            ) -> Result<runtime::Reply<O::Response>, runtime::Error> {
                self.core.call(operation)#behind
            }

            /// The same client, for calls that are repeated when they fail in a way that passes. An operation of which a
            /// repeat could have its effect again does not compile here.
            pub fn retrying<'a>(&'a self, policy: &'a runtime::RetryPolicy) -> #home::Retrying<'a> {
                self.core.retrying(policy)
            }

            /// Checks an operation and signs it, for [`send`](Self::send): what it will be known by can be stored first.
            ///
            /// # Errors
            ///
            /// When the documents forbid it or it cannot be signed.
            pub fn prepare<'a, O: runtime::Operation>(
                &self,
                operation: &'a O,
            ) -> Result<runtime::Prepared<'a, O>, runtime::Error> {
                self.core.prepare(operation)
            }

            /// Sends what was prepared, once, and reads the answer.
            ///
            /// # Errors
            ///
            /// As [`call`](Self::call); also when the signature is too old by now.
            pub #before fn send<O: runtime::Operation>(
                &self,
                prepared: runtime::Prepared<'_, O>,
            ) -> Result<runtime::Reply<O::Response>, runtime::Error> {
                self.core.send(prepared)#behind
            }

            /// Sends an operation, once, and asks what became of it where the answer does not tell; see
            /// [`ClientCore::place_and_confirm`](runtime::ClientCore::place_and_confirm). Of several items,
            /// [`BatchCall::send_and_confirm`](runtime::BatchCall::send_and_confirm) finds out the same for each.
            pub #before fn place_and_confirm<O: runtime::Confirmable>(
                &self,
                operation: &O,
                policy: &runtime::ConfirmPolicy,
            ) -> runtime::Fate<runtime::Reply<O::Response>, O::Record> {
                self.core.place_and_confirm(operation, policy)#behind
            }

            /// Asks once for what an operation made or changed, by the caller's own id.
            ///
            /// # Errors
            ///
            /// When the request carries nothing to ask by, or the question fails.
            pub #before fn locate<O: runtime::Confirmable>(
                &self,
                operation: &O,
            ) -> Result<runtime::Reply<O::Record>, runtime::Error> {
                self.core.locate(operation)#behind
            }

            /// All pages that answer a request, one after the other; nothing is sent until a page is asked for.
            ///
            /// Cursors are followed and long ranges of time are asked for in parts; see [`runtime::Pages`].
            pub fn pages<O: runtime::Paged>(&self, request: O) -> #home::Pages<O> {
                self.core.pages(request)
            }

            /// A batch of any length, in as many calls as it takes, with what became of each item; see
            /// [`runtime::BatchCall`].
            pub fn batch<O: runtime::Batch>(&self, request: O) -> #home::BatchCall<O> {
                self.core.batch(request)
            }

            /// The same client, for calls that are checked against the rules that `policy` names; `false` stands for none.
            ///
            /// It shares connections and limits with this one, and is made for a single call too:
            /// `client.checked_by(CheckPolicy::new().off("limit.max")).call(&request)`.
            #[must_use]
            pub fn checked_by(&self, policy: impl Into<runtime::CheckPolicy>) -> Self {
                Self { core: self.core.checked_by(policy) }
            }

            /// The same client, for calls of an account of which `account` tells; the credentials stay the same.
            #[must_use]
            pub fn told_of(&self, account: impl Into<runtime::Account>) -> Self {
                Self { core: self.core.told_of(account) }
            }

            /// The same client, for calls whose refusals prove what `policy` says: which codes are believed, and who vouches
            /// for them.
            ///
            /// It shares everything with this one, and is made for a single call too.
            #[must_use]
            pub fn believing(&self, policy: runtime::CodePolicy) -> Self {
                Self { core: self.core.believing(policy) }
            }

            /// How far the exchange's clock is from the client's, as far as its answers have told of late.
            pub fn skew(&self) -> Option<runtime::Skew> {
                self.core.skew()
            }

            /// What the client is made of, to build requests or read answers without sending anything.
            pub fn core(&self) -> &#home::ClientCore {
                &self.core
            }

            #(#functions)*
        }
    }
}

/// The function that leads to the operations of a family.
fn facade(family: &Family, layout: Layout, calls: Calls) -> TokenStream {
    let (module, name, gate) = (ident(&module_name(&family.name)), ident(&family.rust), gate(family, layout));
    let docs = Docs::new(&format!("Operations of the family {}.", family.title.trim_end_matches('.')), "").outer();
    let place = match calls {
        Calls::Awaited => quote!(#module),
        Calls::Blocking => quote!(super::#module::blocking),
    };
    quote! {
        #docs
        #gate
        pub fn #module(&self) -> #place::#name<'_> {
            #place::#name::of(self)
        }
    }
}

fn conversion(calls: Calls) -> TokenStream {
    match calls {
        Calls::Awaited => quote! {
            impl From<runtime::ClientCore> for Client {
                fn from(core: runtime::ClientCore) -> Self {
                    Self { core }
                }
            }

            impl AsRef<runtime::ClientCore> for Client {
                fn as_ref(&self) -> &runtime::ClientCore {
                    &self.core
                }
            }
        },
        Calls::Blocking => quote! {
            impl TryFrom<runtime::ClientCore> for Client {
                type Error = runtime::BuildError;

                fn try_from(core: runtime::ClientCore) -> Result<Self, runtime::BuildError> {
                    Ok(Self { core: core.try_into()? })
                }
            }
        },
    }
}

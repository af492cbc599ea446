//! A macro for the type of a family, which has a function for each operation, in an async and a blocking form.

/// Declares the type of a family with a function for each operation, its blocking form in the module `blocking` if the
/// feature `blocking` is on, and what a call of each returns.
///
/// A row is `fn name(Request) -> Response;`, with `as items` after it where the response lists successes and failures.
/// `let probe: Request = request;` at the end declares `check_credentials`, which sends that request.
#[macro_export]
macro_rules! operations {
    (
        $(#[doc = $doc:literal])*
        pub struct $family:ident;
        $($rows:tt)*
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $family<'a> {
            client: &'a super::Client,
        }

        impl<'a> $family<'a> {
            pub(super) fn of(client: &'a super::Client) -> Self {
                Self { client }
            }
        }

        $crate::__replies! { $($rows)* }

        $crate::__operations! { async ["Like [`Client::call`](super::Client::call)."] $family; $($rows)* }

        $crate::with_blocking! {
            /// The operations of the family as functions that block the thread that calls them.
            pub mod blocking {
                use super::*;

                $(#[doc = $doc])*
                #[derive(Clone, Copy, Debug)]
                pub struct $family<'a> {
                    client: &'a super::super::blocking::Client,
                }

                impl<'a> $family<'a> {
                    pub(in super::super) fn of(client: &'a super::super::blocking::Client) -> Self {
                        Self { client }
                    }
                }

                $crate::__operations! {
                    blocking ["Like [`Client::call`](super::super::blocking::Client::call)."] $family; $($rows)*
                }
            }
        }
    };
}

/// The values that calls of the operations of a family return.
#[doc(hidden)]
#[macro_export]
macro_rules! __replies {
    (
        $($(#[$attribute:meta])* fn $function:ident($request:ty) -> $response:ty $(as $items:ident)?;)*
        $(let probe: $probe:ident = $sent:expr;)?
    ) => {
        $(
            impl $crate::client::Callable for $request {
                type Reply = $crate::__reply!($response $(as $items)?);
            }
        )*
    };
}

/// The type that a call returns.
#[doc(hidden)]
#[macro_export]
macro_rules! __reply {
    ($response:ty) => { $crate::Reply<$response> };
    ($response:ty as items) => { $crate::batches::ItemsReply<$response> };
}

/// The functions of a family, whose type holds `client`.
#[doc(hidden)]
#[macro_export]
macro_rules! __operations {
    (
        $calls:ident [$errors:literal] $family:ident;
        $($(#[$attribute:meta])* fn $function:ident($request:ty) -> $response:ty $(as $items:ident)?;)*
        $(let probe: $probe:ident = $sent:expr;)?
    ) => {
        impl $family<'_> {
            $(
                $crate::__operation! {
                    $calls
                    $(#[$attribute])*
                    ///
                    /// # Errors
                    ///
                    #[doc = $errors]
                    fn $function(&self, request: &$request) -> $crate::__reply!($response $(as $items)?) {
                        self.client.call(request)
                    }
                }
            )*

            $(
                $crate::__operation! {
                    $calls
                    /// Checks whether the exchange accepts the credentials.
                    ///
                    #[doc = ::core::concat!("It costs one call of [`", ::core::stringify!($probe), "`].")]
                    ///
                    /// # Errors
                    ///
                    #[doc = $errors]
                    /// If the credentials are refused, it is [`Error::Exchange`](tradeapi_runtime::Error::Exchange),
                    /// whose [`call_result`](tradeapi_runtime::Error::call_result) is
                    /// [`CredentialsRefused`](tradeapi_runtime::tables::CallResult::CredentialsRefused) or
                    /// [`TimestampRefused`](tradeapi_runtime::tables::CallResult::TimestampRefused), and whose text
                    /// names the likely cause.
                    fn check_credentials(&self) -> () { self.client.call(&$sent) }.map(::core::mem::drop)
                }
            )?
        }
    };
}

/// A function that awaits a call or blocks for it.
#[doc(hidden)]
#[macro_export]
macro_rules! __operation {
    (
        async $(#[$attribute:meta])*
        fn $name:ident($($arguments:tt)*) -> $answer:ty { $call:expr }$(.$then:ident($with:path))?
    ) => {
        $(#[$attribute])*
        pub async fn $name($($arguments)*) -> ::core::result::Result<$answer, $crate::Error> {
            $call.await$(.$then($with))?
        }
    };
    (
        blocking $(#[$attribute:meta])*
        fn $name:ident($($arguments:tt)*) -> $answer:ty { $call:expr }$(.$then:ident($with:path))?
    ) => {
        $(#[$attribute])*
        pub fn $name($($arguments)*) -> ::core::result::Result<$answer, $crate::Error> {
            $call$(.$then($with))?
        }
    };
}

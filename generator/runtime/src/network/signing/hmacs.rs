//! Signers with a shared secret.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Sha256, Sha384, Sha512};

use super::Signer;
use crate::data::tables::Algorithm;

macro_rules! hmacs {
    ($($(#[$doc:meta])* $name:ident($hash:ty);)*) => {$(
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $name {
            /// The state after hashing the key. The key itself is not kept.
            keyed: Hmac<$hash>,
        }

        impl $name {
            /// Signs with `secret`, which may have any length.
            pub fn new(secret: impl AsRef<[u8]>) -> Self {
                // HMAC accepts keys of any length, so this does not fail.
                let keyed = Hmac::new_from_slice(secret.as_ref())
                    .unwrap_or_else(|_| Hmac::new(&hmac::digest::Key::<Hmac<$hash>>::default()));
                Self { keyed }
            }
        }

        impl Signer for $name {
            fn sign(&self, text: &[u8]) -> Vec<u8> {
                let mut mac = self.keyed.clone();
                mac.update(text);
                mac.finalize().into_bytes().to_vec()
            }

            fn algorithm(&self) -> Option<Algorithm> {
                Some(Algorithm::$name)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(stringify!($name))
            }
        }
    )*};
}

hmacs! {
    /// Signs with HMAC-SHA256. The key is wiped from memory when this is dropped.
    HmacSha256(Sha256);
    /// Signs with HMAC-SHA384. The key is wiped from memory when this is dropped.
    HmacSha384(Sha384);
    /// Signs with HMAC-SHA512. The key is wiped from memory when this is dropped.
    HmacSha512(Sha512);
}

#[cfg(feature = "md5")]
hmacs! {
    /// Signs with HMAC-MD5. The key is wiped from memory when this is dropped.
    HmacMd5(md5::Md5);
}

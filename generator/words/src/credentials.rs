//! Words about signatures and credentials.

use std::fmt;

crate::words! {
    /// Which text of a query is signed. A character that may stand in a query as it is has an escape only in
    /// [`Escaped`](Self::Escaped); so the others differ only where an escape cannot be avoided.
    pub enum SignedQuery {
        /// The query as it is sent.
        Sent = "sent",
        /// The query without its escapes.
        Decoded = "decoded",
        /// The query as it is sent, in which everything but letters, digits and `-._~` is escaped.
        Escaped = "escaped",
    }

    /// A hash function.
    pub enum Hash {
        /// SHA-256.
        Sha256 = "sha256",
        /// SHA-384.
        Sha384 = "sha384",
        /// SHA-512.
        Sha512 = "sha512",
        /// MD5, which some exchanges still ask for. It proves nothing by itself.
        Md5 = "md5",
    }

    /// The form of the timestamp.
    pub enum TimestampForm {
        /// Unix seconds.
        Seconds = "s",
        /// Unix milliseconds.
        Milliseconds = "ms",
        /// Unix microseconds.
        Microseconds = "us",
        /// Unix nanoseconds.
        Nanoseconds = "ns",
        /// As in ISO 8601, in UTC and to the millisecond: `2020-12-08T09:08:57.715Z`.
        Iso8601 = "iso8601",
        /// As in ISO 8601, in UTC, which is not named, and to the second: `2020-12-08T09:08:57`.
        Iso8601Seconds = "iso8601-seconds",
    }

    /// The form of the nonce.
    pub enum NonceForm {
        /// A number that grows with each request of a client, and is at least the time in milliseconds.
        Number = "number",
        /// A UUID in lower-case letters.
        Uuid = "uuid",
    }

    /// An algorithm of signatures.
    pub enum Algorithm {
        /// HMAC with SHA-256.
        HmacSha256 = "hmac-sha256",
        /// HMAC with SHA-384.
        HmacSha384 = "hmac-sha384",
        /// HMAC with SHA-512.
        HmacSha512 = "hmac-sha512",
        /// HMAC with MD5.
        HmacMd5 = "hmac-md5",
        /// Ed25519.
        Ed25519 = "ed25519",
        /// RSA as in PKCS #1, version 1.5, with SHA-256.
        RsaSha256 = "rsa-sha256",
        /// RSA with SHA-256 and the probabilistic padding of PKCS #1, version 2.1; the salt has the length of the digest.
        RsaPssSha256 = "rsa-pss-sha256",
        /// ECDSA on the curve P-256 with SHA-256, both numbers of a signature with a fixed length.
        EcdsaSha256 = "ecdsa-sha256",
    }

    /// The form of a secret.
    pub enum SecretForm {
        /// The text is the secret.
        Text = "text",
        /// The text is the secret in Base64.
        Base64 = "base64",
        /// The text is the secret in Base64, with the alphabet for addresses.
        Base64Url = "base64url",
    }

    /// The form in which bytes become text.
    pub enum Encoding {
        /// The standard alphabet, padded.
        Base64 = "base64",
        /// The alphabet for addresses, padded.
        Base64Url = "base64url",
        /// Two lower-case hexadecimal digits a byte.
        Hex = "hex",
        /// Two upper-case hexadecimal digits a byte.
        HexCapitals = "hex-capitals",
    }
}

impl fmt::Display for SignedQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sent | Self::Escaped => "as it is sent",
            Self::Decoded => "without its escapes",
        })
    }
}

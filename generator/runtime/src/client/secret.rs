use bytes::Bytes;
use http::HeaderValue;
use zeroize::Zeroizing;

/// A text that nobody is to see. Clones and the headers made of it are the same bytes, which are wiped from memory when
/// the last of them is gone.
///
/// What a transport copies out of a header, to put it on the wire, is beyond reach.
#[derive(Clone)]
pub(super) struct Secret(Bytes);

impl Secret {
    /// Takes over `text`, which is not copied.
    pub(super) fn new(text: String) -> Self {
        Self(Bytes::from_owner(Zeroizing::new(text.into_bytes())))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text itself.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The header with this text, marked so that nobody prints it; `None` when it is none that can be sent.
    pub(super) fn header(&self) -> Option<HeaderValue> {
        let is_plain = |byte: &u8| matches!(byte, b'\t' | b' '..=b'~');
        let mut header = HeaderValue::from_maybe_shared(self.0.clone()).ok()?;
        header.set_sensitive(true);
        header.as_bytes().iter().all(is_plain).then_some(header)
    }
}

#[cfg(test)]
mod tests {
    use hmac::block_api::HmacCore;
    use hmac::digest::block_api::{Buffer, CoreProxy};
    use sha2::Sha256;
    use zeroize::ZeroizeOnDrop;

    use super::*;

    #[test]
    fn a_secret_is_in_memory_once() -> Result<(), &'static str> {
        let text = String::from("canary");
        let at = text.as_ptr();
        let secret = Secret::new(text);
        let (clone, header) = (secret.clone(), secret.header().ok_or("no header")?);
        assert!([secret.0.as_ptr(), clone.0.as_ptr(), header.as_bytes().as_ptr()].iter().all(|other| *other == at));
        assert!(header.is_sensitive() && format!("{header:?}") == "Sensitive");
        // A header outlives the credentials, and its bytes with it.
        drop((secret, clone));
        assert_eq!(header, "canary");
        Ok(())
    }

    #[test]
    fn what_cannot_be_sent_makes_no_header() {
        for text in ["a\nb", "a\r", "\0", "\u{7f}", "\u{e9}", "\u{1f511}"] {
            assert!(Secret::new(text.to_owned()).header().is_none(), "{text:?}");
        }
        assert!(Secret::new("a \t~".to_owned()).header().is_some());
    }

    #[test]
    fn what_holds_a_secret_is_wiped() {
        fn is_wiped<T: ZeroizeOnDrop>() {}
        is_wiped::<Zeroizing<Vec<u8>>>();
        // What an HMAC is made of, and each copy of it that signs something.
        is_wiped::<<Sha256 as CoreProxy>::Core>();
        is_wiped::<Buffer<HmacCore<Sha256>>>();
    }
}

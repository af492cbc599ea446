//! What arrives of an answer: all of it, a part, something else, nothing.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use tradeapi::runtime::tables::{Effect, Meta};

use super::{Treatment, Wrong};
use crate::delivery::{Behind, Delivered};
use crate::dice::Dice;
use crate::state::Core;

impl Treatment {
    /// What arrives of an answer, and what follows it.
    pub(crate) fn deliver(
        &mut self,
        core: &mut Core,
        meta: &'static Meta,
        answer: Response<Bytes>,
    ) -> (Delivered, Option<Behind>) {
        let Some(hostile) = &mut core.hostile else { return (Delivered::Whole(answer), None) };
        let last = (self.wrong == Wrong::None && is_recognizable(meta, &answer)).then(|| answer.clone());
        let mut odd = answer;
        let behind = self.quirk.around(&mut odd, hostile.last.as_ref(), &mut self.dice);
        if last.is_some() {
            hostile.last = last;
        }
        let length = odd.body().len();
        let pause = Duration::from_millis(1 + self.dice.below(4));
        let bare = |status: u16, body: &'static str| {
            let mut bare = Response::new(Bytes::from_static(body.as_bytes()));
            *bare.status_mut() = StatusCode::from_u16(status).unwrap_or_default();
            bare
        };
        let delivered = match self.wrong {
            Wrong::Hang => Delivered::Hang,
            Wrong::Reset => Delivered::Reset,
            Wrong::Close => Delivered::Nothing,
            Wrong::TooManyBare => Delivered::Whole(bare(429, "<html>slow down</html>")),
            Wrong::TooManyCoded => {
                odd.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
                Delivered::Whole(odd)
            }
            Wrong::ServerErrorBare => {
                let status = self.dice.weighted(&[500, 502, 503, 504].map(|status| (status, 1))).unwrap_or(500);
                Delivered::Whole(bare(status, "<html>bad gateway</html>"))
            }
            Wrong::Redirect => {
                let mut redirect = bare(307, "");
                redirect.headers_mut().insert(header::LOCATION, HeaderValue::from_static("http://127.0.0.1:9/"));
                Delivered::Whole(redirect)
            }
            Wrong::HalfBody => Delivered::Half(odd),
            Wrong::ShortLength => {
                let most = u64::try_from(length.saturating_sub(1)).unwrap_or_default();
                Delivered::Misstated(odd, usize::try_from(self.dice.below(most)).unwrap_or_default())
            }
            Wrong::LongLength => Delivered::Misstated(odd, length + 10),
            Wrong::Garbage => Delivered::Whole(odd.map(|body| garbled(&body, &mut self.dice))),
            Wrong::NotHttp => Delivered::Raw(odd.into_body()),
            Wrong::Slow => Delivered::Slow(odd, pause),
            Wrong::LastAnswer => Delivered::Last(odd),
            Wrong::Outage => Delivered::Outage(pause * 20),
            Wrong::None
            | Wrong::Refused
            | Wrong::DoubtfulCode
            | Wrong::OpenCode
            | Wrong::UnlistedCode
            | Wrong::RateCode
            | Wrong::Timestamp
            | Wrong::ServerErrorCoded
            | Wrong::MixedUp
            | Wrong::Partial
            | Wrong::Missing
            | Wrong::Bare
            | Wrong::Hidden
            | Wrong::FalseAbsence
            | Wrong::Overlap
            | Wrong::StuckCursor => Delivered::Whole(odd),
        };
        (delivered, behind)
    }
}

/// Whether a client can distinguish an answer to a change from that to another one: it has every id that such an answer
/// repeats.
fn is_recognizable(meta: &Meta, answer: &Response<Bytes>) -> bool {
    let Some(echoes) = meta.echoes.as_ref().filter(|_| meta.effect != Effect::Read) else { return false };
    let text = String::from_utf8_lossy(answer.body());
    !echoes.members.is_empty() && echoes.members.iter().all(|name| text.contains(&format!("\"{name}\":\"")))
}

/// A body with bytes changed until it is not JSON any more.
fn garbled(body: &[u8], dice: &mut Dice) -> Bytes {
    let mut bytes = body.to_vec();
    // Not read as a `Value`, which refuses numbers that are JSON, but too large for it.
    while !bytes.is_empty() && serde_json::from_slice::<serde::de::IgnoredAny>(&bytes).is_ok() {
        let place = dice.below(u64::try_from(bytes.len()).unwrap_or(1));
        if let (Some(byte), Ok(changed)) =
            (usize::try_from(place).ok().and_then(|place| bytes.get_mut(place)), u8::try_from(dice.below(256)))
        {
            *byte = changed;
        }
    }
    Bytes::from(bytes)
}

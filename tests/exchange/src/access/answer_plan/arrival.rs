//! Delivery of the answers of a hostile exchange.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use tradeapi::runtime::tables::{Effect, Meta};

use super::AnswerPlan;
use crate::state::core::Core;
use crate::state::delivery::{Behind, Delivered};
use crate::state::dice::Dice;
use crate::state::hostile::HostileFault;

impl AnswerPlan {
    /// Returns how an answer is delivered, with unsolicited bytes after it.
    pub(crate) fn deliver(
        &mut self,
        core: &mut Core,
        meta: &'static Meta,
        answer: Response<Bytes>,
    ) -> (Delivered, Option<Behind>) {
        let Some(hostile) = &mut core.hostile else { return (Delivered::Whole(answer), None) };
        let last = (self.fault == HostileFault::None && is_recognizable(meta, &answer)).then(|| answer.clone());
        let mut quirks = answer;
        let behind = self.quirk.around(&mut quirks, hostile.last.as_ref(), &mut self.dice);
        if last.is_some() {
            hostile.last = last;
        }
        let length = quirks.body().len();
        let pause = Duration::from_millis(1 + self.dice.below(4));
        let bare = |status: u16, body: &'static str| {
            let mut bare = Response::new(Bytes::from_static(body.as_bytes()));
            *bare.status_mut() = StatusCode::from_u16(status).unwrap_or_default();
            bare
        };
        let delivered = match self.fault {
            HostileFault::Hang => Delivered::Hang,
            HostileFault::Reset => Delivered::Reset,
            HostileFault::Close => Delivered::Nothing,
            HostileFault::TooManyBare => Delivered::Whole(bare(429, "<html>slow down</html>")),
            HostileFault::TooManyCoded => {
                quirks.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
                Delivered::Whole(quirks)
            }
            HostileFault::ServerErrorBare => {
                let status = self.dice.weighted(&[500, 502, 503, 504].map(|status| (status, 1))).unwrap_or(500);
                Delivered::Whole(bare(status, "<html>bad gateway</html>"))
            }
            HostileFault::Redirect => {
                let mut redirect = bare(307, "");
                redirect.headers_mut().insert(header::LOCATION, HeaderValue::from_static("http://127.0.0.1:9/"));
                Delivered::Whole(redirect)
            }
            HostileFault::HalfBody => Delivered::Half(quirks),
            HostileFault::ShortLength => {
                let most = u64::try_from(length.saturating_sub(1)).unwrap_or_default();
                Delivered::Misstated(quirks, usize::try_from(self.dice.below(most)).unwrap_or_default())
            }
            HostileFault::LongLength => Delivered::Misstated(quirks, length + 10),
            HostileFault::Garbage => Delivered::Whole(quirks.map(|body| garbled(&body, &mut self.dice))),
            HostileFault::NotHttp => Delivered::Raw(quirks.into_body()),
            HostileFault::Slow => Delivered::Slow(quirks, pause),
            HostileFault::LastAnswer => Delivered::Last(quirks),
            HostileFault::Outage => Delivered::Outage(pause * 20),
            HostileFault::None
            | HostileFault::Refused
            | HostileFault::DoubtfulCode
            | HostileFault::OpenCode
            | HostileFault::UnlistedCode
            | HostileFault::RateCode
            | HostileFault::Timestamp
            | HostileFault::ServerErrorCoded
            | HostileFault::MixedUp
            | HostileFault::Partial
            | HostileFault::Missing
            | HostileFault::Bare
            | HostileFault::Hidden
            | HostileFault::FalseAbsence
            | HostileFault::Overlap
            | HostileFault::StuckCursor => Delivered::Whole(quirks),
        };
        (delivered, behind)
    }
}

/// Returns whether a client can recognize an answer as that to another change, because it has every id that such
/// answers repeat.
fn is_recognizable(meta: &Meta, answer: &Response<Bytes>) -> bool {
    let Some(echoes) = meta.echoes.as_ref().filter(|_| meta.effect != Effect::Read) else { return false };
    let text = String::from_utf8_lossy(answer.body());
    !echoes.ids.is_empty() && echoes.ids.iter().all(|echo| text.contains(&format!("\"{}\":\"", echo.member)))
}

/// Damages a body until it is no longer JSON.
fn garbled(body: &[u8], dice: &mut Dice) -> Bytes {
    let mut bytes = body.to_vec();
    // Not as a `Value`, which refuses valid JSON numbers that are too large for it.
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

//! Answers that go wrong.

use serde::de::IgnoredAny;
use serde_json::Value;
use tradeapi_sandbox::Answer;

use crate::codes::Proof;
use crate::dice::Dice;
use crate::fault::Fault;
use crate::operation::Operation;
use crate::telling::Telling;

/// `body` as it is answered when something goes wrong.
pub(crate) fn answer(operation: &Operation, telling: &mut Telling, body: String) -> Answer {
    let server_error = [500, 502, 503, 504][usize::try_from(telling.dice.below(4)).unwrap_or_default()];
    // A refusal can come with status 400 as well.
    let refused = if telling.dice.percent(50) { 200 } else { 400 };
    let length = body.len();
    let pause = telling.pause();
    let fault = telling.fault;
    let mut code = |code: &str| Answer::json(telling.envelope(code, &Value::Null));
    match fault {
        Fault::None | Fault::Partial | Fault::Missing | Fault::Bare | Fault::Hidden | Fault::FalseAbsence => {
            Answer::json(body)
        }
        Fault::Overlap | Fault::StuckCursor => Answer::json(body),
        Fault::Refused => Answer::json(body).status(refused),
        Fault::MixedUp if body.is_empty() => code("45001"),
        Fault::MixedUp => Answer::json(body),
        Fault::Hang => Answer::hang(),
        Fault::Reset => Answer::reset(),
        Fault::Close => Answer::close(),
        Fault::TimedOut => code("40010"),
        Fault::Downstream => code("40725"),
        Fault::UnknownError => code("45001"),
        Fault::Unlisted => code("98765"),
        Fault::DoubtfulCode => Answer::json(telling.refusal(Proof::Doubtful)).status(refused),
        Fault::OpenCode => Answer::json(telling.refusal(Proof::Open)).status(refused),
        Fault::Timestamp => Answer::json(telling.refusal(Proof::Timestamp)).status(refused),
        Fault::RateCode => Answer::json(telling.refusal(Proof::Rate)),
        Fault::TooManyBare => Answer::new(429, "<html>slow down</html>"),
        Fault::TooManyTold => code("429").status(429).header("retry-after", "1"),
        Fault::ServerErrorBare => Answer::new(server_error, "<html>bad gateway</html>"),
        // The documents list no code for a question that fails so.
        Fault::ServerErrorTold => code(if operation.reads() { "98765" } else { "45001" }).status(server_error),
        Fault::Redirect => Answer::new(307, "").header("location", "http://127.0.0.1:9/"),
        Fault::HalfBody => Answer::json(body).cut_off_after(length / 2),
        Fault::ShortLength => Answer::json(body).announcing(length - 1 - telling.dice.place_in(&vec![0; length - 1])),
        Fault::LongLength => Answer::json(body).announcing(length + 10),
        Fault::Garbage => Answer::json(garbled(body, &mut telling.dice)),
        Fault::NotHttp => Answer::raw(body),
        Fault::Slow => Answer::json(body).in_pieces(pause),
        Fault::LastAnswer => Answer::json(body).then_close(),
        Fault::Outage => Answer::outage(pause * 20),
    }
}

/// `body` with bytes changed until it is JSON no more.
fn garbled(body: String, dice: &mut Dice) -> Vec<u8> {
    let mut bytes = body.into_bytes();
    loop {
        let place = dice.place_in(&bytes);
        bytes[place] = (dice.throw() & 0xff) as u8;
        // Not read as a `Value`, which refuses numbers that are JSON, but too large for it.
        if serde_json::from_slice::<IgnoredAny>(&bytes).is_err() {
            return bytes;
        }
    }
}

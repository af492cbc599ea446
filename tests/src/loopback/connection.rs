//! One connection of the server.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

use crate::loopback::answer::{Act, Behind, Parts};
use crate::loopback::request::Request;
use crate::loopback::script::Script;

const END_OF_HEAD: &[u8] = b"\r\n\r\n";

/// The number of bytes in a piece of an answer.
const PIECE: usize = 64;

/// Serves one connection until one side closes it. Outages are sent to `outages`, because they affect all connections.
pub(super) async fn serve(
    mut stream: TcpStream,
    number: usize,
    script: &Script,
    outages: mpsc::Sender<Duration>,
) -> io::Result<()> {
    let mut received = Vec::new();
    let mut behind = None;
    for nth in 0.. {
        if nth > 0 && received.is_empty() && !rest(&mut stream, script, behind.take()).await? {
            break;
        }
        let Some(request) = read_request(&mut stream, &mut received, number).await? else { break };
        tokio::time::sleep(script.connection_rules().delay(number, nth)).await;
        let is_last = request.is_last();
        let goes_on = match script.play(request).0 {
            Act::Reset => return stream.set_zero_linger(),
            Act::Whole(mut parts) => {
                behind = parts.behind.take();
                whole(&mut stream, script, &parts, &mut behind).await?
            }
            Act::Outage(lasts) => {
                // Fails when the server ends, which is an outage, too.
                let _ = outages.send(lasts).await;
                std::future::pending().await
            }
            act => perform(act, &mut stream).await?,
        };
        if is_last || !goes_on {
            break;
        }
    }
    stream.shutdown().await
}

/// Answers in full, with the unsolicited bytes that follow at once.
async fn whole(
    stream: &mut TcpStream,
    script: &Script,
    parts: &Parts,
    behind: &mut Option<Behind>,
) -> io::Result<bool> {
    let mut bytes = parts.bytes(usize::MAX);
    if let Some(behind) = behind.take_if(|behind| behind.pause.is_zero()) {
        bytes.extend(behind.bytes);
        script.connection_rules().note_unsolicited();
    }
    stream.write_all(&bytes).await.map(|()| true)
}

/// Waits until the client sends something. Returns false if the connection was idle for too long.
async fn rest(stream: &mut TcpStream, script: &Script, behind: Option<Behind>) -> io::Result<bool> {
    if let Some(behind) = behind
        && tokio::time::timeout(behind.pause, stream.readable()).await.is_err()
    {
        script.connection_rules().note_unsolicited();
        stream.write_all(&behind.bytes).await?;
    }
    let Some(idle) = script.connection_rules().idle() else { return Ok(true) };
    match tokio::time::timeout(idle, stream.readable()).await {
        Ok(readable) => readable.map(|()| true),
        Err(_) => {
            script.connection_rules().note_idle_close();
            Ok(false)
        }
    }
}

/// Carries out an answer. Returns false if the connection is to be closed.
async fn perform(act: Act, stream: &mut TcpStream) -> io::Result<bool> {
    match act {
        Act::Whole(parts) => stream.write_all(&parts.bytes(usize::MAX)).await.map(|()| true),
        Act::Last(parts, pause) => {
            stream.write_all(&parts.bytes(usize::MAX)).await?;
            tokio::time::sleep(pause).await;
            Ok(false)
        }
        Act::Slow(parts, pause) => {
            for piece in parts.bytes(usize::MAX).chunks(PIECE) {
                stream.write_all(piece).await?;
                tokio::time::sleep(pause).await;
            }
            Ok(true)
        }
        Act::Half(parts, sent) => stream.write_all(&parts.bytes(sent)).await.map(|()| false),
        Act::Raw(bytes) => stream.write_all(&bytes).await.map(|()| false),
        Act::Endless(begins, again, pause) => endlessly(stream, &begins, &again, pause).await,
        Act::Close | Act::Reset | Act::Outage(_) => Ok(false),
        Act::Hang => until_closed(stream).await.map(|()| false),
    }
}

/// Ends only with the error of writing to a closed connection.
async fn endlessly(stream: &mut TcpStream, begins: &[u8], again: &[u8], pause: Duration) -> io::Result<bool> {
    stream.write_all(begins).await?;
    loop {
        tokio::time::sleep(pause).await;
        stream.write_all(again).await?;
    }
}

async fn until_closed(stream: &mut TcpStream) -> io::Result<()> {
    let mut ignored = [0; 1024];
    while stream.read(&mut ignored).await? > 0 {}
    Ok(())
}

/// Returns the next request, or `None` if the client has closed the connection. Further bytes stay in `received`.
async fn read_request(stream: &mut TcpStream, received: &mut Vec<u8>, number: usize) -> io::Result<Option<Request>> {
    let head_end = loop {
        if let Some(at) = received.windows(END_OF_HEAD.len()).position(|bytes| bytes == END_OF_HEAD) {
            break at;
        }
        if stream.read_buf(received).await? == 0 {
            return Ok(None);
        }
    };
    let head = std::str::from_utf8(&received[..head_end]).ok();
    let mut request = head.and_then(|head| Request::of_head(head, number)).ok_or_else(not_understood)?;
    let body_start = head_end + END_OF_HEAD.len();
    let end = body_start + request.announced_length().ok_or_else(not_understood)?;
    while received.len() < end {
        if stream.read_buf(received).await? == 0 {
            return Ok(None);
        }
    }
    request.body = received[body_start..end].to_vec();
    received.drain(..end);
    Ok(Some(request))
}

fn not_understood() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "not a request the server understands")
}

use std::io;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::Answer;
use crate::answer::Act;
use crate::request::Request;
use crate::script::Script;

const END_OF_HEAD: &[u8] = b"\r\n\r\n";

/// Serves one connection until one side closes it.
pub(crate) async fn serve(mut stream: TcpStream, number: usize, script: &Script) -> io::Result<()> {
    let mut received = Vec::new();
    while let Some(request) = read_request(&mut stream, &mut received, number).await? {
        let is_last = request.is_last();
        let goes_on = perform(script.play(request), &mut stream).await?;
        if is_last || !goes_on {
            break;
        }
    }
    stream.shutdown().await
}

/// Does what `answer` says; false when the connection is to be closed then.
async fn perform(answer: Answer, stream: &mut TcpStream) -> io::Result<bool> {
    match answer.0 {
        Act::Whole(parts) => stream.write_all(&parts.bytes(usize::MAX)).await.map(|()| true),
        Act::Half(parts, sent) => stream.write_all(&parts.bytes(sent)).await.map(|()| false),
        Act::Raw(bytes) => stream.write_all(&bytes).await.map(|()| false),
        Act::Close => Ok(false),
        Act::Hang => until_closed(stream).await.map(|()| false),
    }
}

async fn until_closed(stream: &mut TcpStream) -> io::Result<()> {
    let mut ignored = [0; 1024];
    while stream.read(&mut ignored).await? > 0 {}
    Ok(())
}

/// The next request, or `None` when the client has closed the connection. What was read beyond it stays in `received`.
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
    io::Error::new(io::ErrorKind::InvalidData, "not a request the sandbox understands")
}

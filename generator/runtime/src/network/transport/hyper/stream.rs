//! A connection as hyper reads and writes it, with TLS or without.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hyper::rt::{Read, ReadBufCursor, Write};
use tokio::io::{AsyncBufRead, AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::client::TlsStream;

use super::socket::{Socket, SocketState};

/// The number of bytes that are read at once without TLS; a record of TLS is at most as long.
const PART: usize = 16 << 10;

/// A connection to a server.
pub(super) enum Stream {
    /// Without TLS. What is read goes through the buffer, because only unsafe code can hand hyper's own to tokio.
    Plain(Socket, Box<[u8]>),
    Tls(Box<TlsStream<Socket>>),
}

impl Stream {
    pub(super) fn plain(socket: Socket) -> Self {
        Self::Plain(socket, vec![0; PART].into())
    }

    pub(super) fn tls(tls: TlsStream<Socket>) -> Self {
        Self::Tls(Box::new(tls))
    }

    /// The state of the socket below.
    pub(super) fn state(&self) -> SocketState {
        match self {
            Self::Plain(socket, _) => socket.state(),
            Self::Tls(tls) => tls.get_ref().0.state(),
        }
    }

    fn writer(&mut self) -> Pin<&mut (dyn AsyncWrite + Send + Unpin)> {
        match self {
            Self::Plain(socket, _) => Pin::new(socket),
            Self::Tls(tls) => Pin::new(tls.as_mut()),
        }
    }
}

impl Read for Stream {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, mut into: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(socket, buffer) => {
                let fitting = buffer.len().min(into.remaining());
                let mut read = ReadBuf::new(&mut buffer[..fitting]);
                ready!(Pin::new(socket).poll_read(context, &mut read))?;
                into.put_slice(read.filled());
            }
            Self::Tls(tls) => {
                let mut tls = Pin::new(tls.as_mut());
                let read = ready!(tls.as_mut().poll_fill_buf(context))?;
                let fitting = read.len().min(into.remaining());
                into.put_slice(&read[..fitting]);
                tls.consume(fitting);
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl Write for Stream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.writer().poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.writer().poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.writer().poll_shutdown(context)
    }
}

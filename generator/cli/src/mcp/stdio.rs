//! The protocol over standard input and output, which ends when no change is under way.
//!
//! A client that closes the input, or a signal to end, ends the reading of messages at once. Changes under way go on, and
//! their answers are written, before the server ends. A second signal ends it without them.

use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{Stdin, Stdout};
use tokio::sync::watch;

use super::input::Input;
use super::sent::Sent;
use crate::output::say;
use crate::signals::told_to_end;

/// Standard input and output.
pub(super) struct Stdio {
    streams: AsyncRwTransport<RoleServer, Input<Stdin>, Stdout>,
    /// The number of times that the process was told to end.
    told: watch::Receiver<usize>,
    sent: Arc<Sent>,
    /// Set when no further message is read: after so many signals, changes under way are left.
    last_signal: Option<usize>,
}

impl Stdio {
    pub(super) async fn new(sent: Arc<Sent>) -> Self {
        let (input, output) = rmcp::transport::stdio();
        let (count, told) = watch::channel(0);
        // A signal between two messages is noticed, too.
        tokio::spawn(async move {
            loop {
                told_to_end().await;
                count.send_modify(|count| *count += 1);
            }
        });
        // It hears signals before the first message is answered.
        tokio::task::yield_now().await;
        Self { streams: AsyncRwTransport::new_server(Input::new(input), output), told, sent, last_signal: None }
    }

    /// Waits until the process was told to end so many times.
    async fn told(&self, times: usize) {
        if self.told.clone().wait_for(|count| *count >= times).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl Transport<RoleServer> for Stdio {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        self.streams.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        if self.last_signal.is_none() {
            let mut told = self.told.clone();
            let message = tokio::select! {
                message = self.streams.receive() => message,
                _ = told.wait_for(|count| *count > 0) => None,
            };
            if message.is_some() {
                return message;
            }
            let under_way = self.sent.under_way();
            if !under_way.is_empty() {
                say(&format!("waiting for the end of what is under way:\n{}", under_way.join("\n")));
            }
        }
        let last_signal = *self.last_signal.get_or_insert(*self.told.borrow() + 1);
        tokio::select! {
            () = self.sent.all_ended() => {}
            () = self.told(last_signal) => {}
        }
        None
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.streams.close().await
    }
}

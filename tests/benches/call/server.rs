//! A server that answers every request alike, on its own threads.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Barrier};
use std::thread;

/// The answer.
pub(crate) const ANSWER: &str = r#"{"code":"00000","msg":"success","requestTime":1788912000123,"data":{"orderId":"1461937205548810241","clientOid":"desk-7:eth/open.001"}}"#;

/// Starts a server that answers once a number of requests wait, each on its own connection.
pub(crate) fn serve(together: usize) -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = listener.local_addr()?;
    let all = Arc::new(Barrier::new(together));
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            let all = Arc::clone(&all);
            // A connection ends when its client does.
            let answers = thread::Builder::new().stack_size(64 * 1024);
            let _ = answers.spawn(move || answer(connection, &all));
        }
    });
    Ok(address)
}

fn answer(mut connection: TcpStream, all: &Barrier) -> std::io::Result<()> {
    connection.set_nodelay(true)?;
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{ANSWER}",
        ANSWER.len()
    );
    let mut received = Vec::new();
    let mut part = [0; 4096];
    loop {
        let count = connection.read(&mut part)?;
        if count == 0 {
            return Ok(());
        }
        received.extend_from_slice(&part[..count]);
        // The body is a flat object, so its end is easy to find.
        if received.ends_with(b"}") {
            received.clear();
            all.wait();
            connection.write_all(answer.as_bytes())?;
        }
    }
}

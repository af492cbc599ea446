#!/bin/sh
# redis 8.1.0 (PyPI, redis-py): a push whose answer is lost is sent again without being asked.
#
# The server takes RPUSH and the connection ends before its answer. A client that is made without any option about
# retries connects anew and repeats the command: one call, two items in the list. The commands that are not idempotent
# are repeated like the others, so a worker that reads orders from the list does the second one as well.
#
# Seen: one call of rpush gave 2; the server took RPUSH orders "buy 1" 2 times
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check redis==8.1.0
"$dir/venv/bin/python" - <<'END'
import socket, sys, threading
import redis

listener = socket.create_server(("127.0.0.1", 0))
pushed = []

def serve(connection):
    stream = connection.makefile("rb")
    while line := stream.readline():
        words = []
        for _ in range(int(line[1:])):
            length = int(stream.readline()[1:])
            words.append(stream.read(length).decode())
            stream.read(2)
        if words[0] == "RPUSH":
            pushed.append(words[1:])
            if len(pushed) == 1:
                connection.shutdown(socket.SHUT_RDWR)
                return
            connection.sendall(b":%d\r\n" % len(pushed))
        elif words[0] == "HELLO":
            connection.sendall(b"%1\r\n$5\r\nproto\r\n:3\r\n")
        elif words[:2] == ["CLIENT", "SETINFO"]:
            connection.sendall(b"+OK\r\n")
        else:
            connection.sendall(b"-ERR unknown command\r\n")

def accept():
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

threading.Thread(target=accept, daemon=True).start()
length = redis.Redis(port=listener.getsockname()[1]).rpush("orders", "buy 1")
print(f'one call of rpush gave {length}; the server took RPUSH orders "buy 1" {len(pushed)} times')
sys.exit(not (length == 2 and pushed == [["orders", "buy 1"]] * 2))
END

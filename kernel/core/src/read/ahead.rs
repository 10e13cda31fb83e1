//! Reads a stream on a thread of its own, a few pieces ahead.

use std::io::{self, Read};
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use crate::known::Known;
use crate::memory;

/// The size of a piece, and how many wait for the reader.
const PIECE: usize = 1 << 18;
const PIECES: usize = 4;

type AheadStream = Box<dyn Read + Send>;

/// A stream whose next pieces another thread reads. Dropping it ends and joins the thread.
pub(super) struct Ahead {
    pieces: Option<Receiver<io::Result<Vec<u8>>>>,
    used: Sender<Vec<u8>>,
    thread: Option<JoinHandle<()>>,
    piece: Vec<u8>,
    at: usize,
}

impl Ahead {
    /// The same stream; read by the caller if the system has no thread.
    pub(super) fn of(stream: AheadStream) -> AheadStream {
        // The thread takes the stream when it starts, so that it is not lost with a thread that cannot.
        let waiting = Arc::new(Mutex::new(Some(stream)));
        let take = |waiting: &Mutex<Option<AheadStream>>| {
            waiting
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take()
                .unwrap_or_else(|| Box::new(io::empty()))
        };
        let (send, pieces) = sync_channel(PIECES);
        let (used, returned) = channel();
        let stream = Arc::clone(&waiting);
        match Builder::new().spawn(move || work(take(&stream), &send, &returned)) {
            Ok(thread) => {
                Box::new(Self { pieces: Some(pieces), used, thread: Some(thread), piece: Vec::new(), at: 0 })
            }
            Err(_) => take(&waiting),
        }
    }
}

/// Sends pieces until the end, an error, or the reader is gone. The last piece is empty.
fn work(mut stream: AheadStream, pieces: &SyncSender<io::Result<Vec<u8>>>, returned: &Receiver<Vec<u8>>) {
    let fill = |mut piece: Vec<u8>, stream: &mut AheadStream| -> io::Result<Vec<u8>> {
        if piece.capacity() < PIECE {
            piece = memory::zeros(PIECE)?;
        }
        piece.resize(PIECE, 0);
        let read = loop {
            match stream.read(&mut piece) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        piece.truncate(read);
        Ok(piece)
    };
    loop {
        let piece = fill(returned.try_recv().unwrap_or_default(), &mut stream);
        let is_last = !piece.as_ref().is_ok_and(|piece| !piece.is_empty());
        if pieces.send(piece).is_err() || is_last {
            return;
        }
    }
}

impl Read for Ahead {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.at == self.piece.len() {
            let Some(pieces) = &self.pieces else { return Ok(0) };
            let Ok(piece) = pieces.recv() else {
                self.pieces = None;
                match self.thread.take().map(JoinHandle::join) {
                    Some(Err(panic)) => resume_unwind(panic),
                    _ => return Ok(0),
                }
            };
            // The thread may have ended; then the piece is not used again.
            let _ = self.used.send(std::mem::replace(&mut self.piece, piece?));
            self.at = 0;
        }
        let rest = self.piece.known(self.at..);
        let read = rest.len().min(into.len());
        into.known_mut(..read).copy_from_slice(rest.known(..read));
        self.at += read;
        Ok(read)
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        self.pieces = None;
        if let Some(thread) = self.thread.take() {
            // A panic of a reader that nobody reads any more.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives numbers, and then fails.
    struct Broken(u8);

    impl Read for Broken {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            if self.0 == 100 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            into.fill(self.0);
            self.0 += 1;
            Ok(into.len().min(PIECE / 2 + 1))
        }
    }

    #[test]
    fn pieces_keep_their_order_and_errors_come_after_them() {
        let mut bytes = Vec::new();
        let error = Ahead::of(Box::new(Broken(0))).read_to_end(&mut bytes).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        assert_eq!(bytes.len(), 100 * (PIECE / 2 + 1));
        assert!(bytes.is_sorted());
    }

    #[test]
    fn an_endless_stream_ends_with_its_reader() {
        let mut stream = Ahead::of(Box::new(io::repeat(7)));
        let mut some = [0; 10];
        stream.read_exact(&mut some).unwrap();
        assert_eq!(some, [7; 10]);
    }
}

use std::time::Duration;

/// How to ask what became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct ConfirmPolicy {
    pub(super) deadline: Duration,
    pub(super) pauses: (Duration, Duration),
    pub(super) settling: Duration,
    pub(super) absent: Vec<String>,
}

impl Default for ConfirmPolicy {
    fn default() -> Self {
        Self {
            deadline: Duration::from_secs(60),
            pauses: (Duration::from_millis(200), Duration::from_secs(5)),
            settling: Duration::from_secs(10),
            absent: Vec::new(),
        }
    }
}

impl ConfirmPolicy {
    /// Asks for a minute, first after 200 ms, then less and less often.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives up after this long: what is unknown then stays so.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Waits for `first` before it asks the second time, twice as long each time after that, and never longer than
    /// `longest`.
    pub fn pauses(mut self, first: Duration, longest: Duration) -> Self {
        self.pauses = (first, longest);
        self
    }

    /// How long the exchange may take until what it has accepted can be seen. Only an absence that lasts longer than
    /// this, after the request could arrive no more, proves that it had no effect. By default 10 seconds.
    pub fn settling(mut self, settling: Duration) -> Self {
        self.settling = settling;
        self
    }

    /// Takes `code` as saying that there is no such thing, beside the codes that are documented or observed to say so.
    pub fn absent(mut self, code: impl Into<String>) -> Self {
        self.absent.push(code.into());
        self
    }
}

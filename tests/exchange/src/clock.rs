use std::time::{SystemTime, UNIX_EPOCH};

/// A clock that can run fast and be wrong: for signatures and the times of orders, never for rate limits.
///
/// Thirty seconds must pass before an absence proves anything. Where both sides read such a clock, these pass sooner,
/// and nothing else changes.
#[derive(Clone, Copy, Debug)]
pub struct FastClock {
    begun: u64,
    speed: u32,
    ahead: i64,
}

impl FastClock {
    /// A clock that is right now, and runs `speed` times as fast as it should.
    pub fn new(speed: u32) -> Self {
        Self::begun(system(), speed)
    }

    /// The same as a clock in another process, which [was right](Self::was_right_at) then.
    pub fn begun(millis: u64, speed: u32) -> Self {
        Self { begun: millis, speed, ahead: 0 }
    }

    /// When it was right, in milliseconds.
    pub fn was_right_at(&self) -> u64 {
        self.begun
    }

    /// The same clock, ahead by so many milliseconds or behind.
    #[must_use]
    pub fn ahead_by(self, millis: i64) -> Self {
        Self { ahead: millis, ..self }
    }

    /// How much faster it runs than it should.
    pub fn speed(&self) -> u32 {
        self.speed
    }

    /// Its time in milliseconds.
    pub fn now(&self) -> u64 {
        let passed = system().saturating_sub(self.begun) * u64::from(self.speed);
        (self.begun + passed).saturating_add_signed(self.ahead)
    }
}

fn system() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64
}

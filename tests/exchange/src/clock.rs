use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// A clock that can run fast and be wrong: for signatures and the times of orders, never for rate limits.
///
/// Thirty seconds must pass before an absence proves anything. Where both sides read such a clock, these pass sooner,
/// and nothing else changes.
#[derive(Clone, Copy, Debug)]
pub struct FastClock {
    begun: Instant,
    begun_at: u64,
    speed: u32,
    ahead: i64,
}

impl FastClock {
    /// A clock that is right now, and runs `speed` times as fast as it should.
    pub fn new(speed: u32) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { begun: Instant::now(), begun_at: now.as_millis() as u64, speed, ahead: 0 }
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
        let passed = self.begun.elapsed().as_millis() as u64 * u64::from(self.speed);
        (self.begun_at + passed).saturating_add_signed(self.ahead)
    }
}

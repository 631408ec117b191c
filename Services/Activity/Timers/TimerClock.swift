import ActivityContract
import Operations

/// The time on a timer: pure, so that its rules are read and tested in one file.
struct TimerClock: Hashable, Sendable {
  /// The day to which the time belongs, whatever day it is when it stops.
  let day: LocalDay
  /// Of the runs that have ended, in milliseconds.
  private(set) var elapsed: Int64
  /// When the present run began; nil while it stands.
  private(set) var runningSince: Instant?

  init(day: LocalDay, elapsed: Int64 = 0, runningSince: Instant? = nil) {
    self.day = day
    self.elapsed = elapsed
    self.runningSince = runningSince
  }

  /// What runs goes on as it is.
  mutating func start(at now: Instant) { runningSince = runningSince ?? now }

  mutating func stop(at now: Instant) {
    elapsed = total(at: now)
    runningSince = nil
  }

  /// Whole seconds of all runs. One that was forgotten ends where a day has no more room, and a clock that is set back takes nothing.
  func seconds(at now: Instant) -> Int { Int(total(at: now) / 1000) }

  private func total(at now: Instant) -> Int64 {
    let run = runningSince.map { max(0, now.milliseconds - $0.milliseconds) } ?? 0
    return min(elapsed + run, Int64(Amounts.maxSeconds) * 1000)
  }
}

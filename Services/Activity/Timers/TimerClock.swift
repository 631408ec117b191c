import ActivityContract
import Operations

/// The time on a timer: pure, so that its rules are in one file and easy to test.
struct TimerClock: Hashable, Sendable {
  /// The day to which the time belongs, whatever day it is when it stops.
  let day: LocalDay
  /// The total time of the runs that have ended, in milliseconds.
  private(set) var elapsed: Int64
  /// When the present run began; nil while the timer is stopped.
  private(set) var runningSince: Instant?

  init(day: LocalDay, elapsed: Int64 = 0, runningSince: Instant? = nil) {
    self.day = day
    self.elapsed = elapsed
    self.runningSince = runningSince
  }

  /// A running timer is not changed.
  mutating func start(at now: Instant) { runningSince = runningSince ?? now }

  mutating func stop(at now: Instant) {
    elapsed = total(at: now)
    runningSince = nil
  }

  /// Whole seconds of all runs. A forgotten timer stops at the longest time that a day can have; a clock that is set back subtracts
  /// nothing.
  func seconds(at now: Instant) -> Int { Int(total(at: now) / 1000) }

  private func total(at now: Instant) -> Int64 {
    let run = runningSince.map { max(0, now.milliseconds - $0.milliseconds) } ?? 0
    return min(elapsed + run, Int64(Amounts.maxSeconds) * 1000)
  }
}

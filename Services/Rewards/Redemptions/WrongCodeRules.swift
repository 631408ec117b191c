import Operations

/// The rate limit for wrong codes of a partner's members: ten in a row, and one a minute after that.
///
/// Its state is a single instant, as in the gateway's limits (the generic cell rate algorithm): when all wrong codes are forgotten.
enum WrongCodeRules {
  static let burst = 10
  static let secondsEach = 60

  /// Whole seconds until another code may be tried; 0 where that is possible now.
  static func waitSeconds(_ forgottenAt: Instant, now: Instant) -> Int {
    let free = forgottenAt.adding(seconds: -(burst - 1) * secondsEach)
    return free <= now ? 0 : Int((free.milliseconds - now.milliseconds + 999) / 1000)
  }

  /// When all wrong codes are forgotten, after one more.
  static func adding(to forgottenAt: Instant, now: Instant) -> Instant { max(forgottenAt, now).adding(seconds: secondsEach) }
}

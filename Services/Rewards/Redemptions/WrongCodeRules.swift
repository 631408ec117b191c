import Operations

/// How many wrong codes a partner's people may give: ten in a row, and one a minute after that.
///
/// It is one number, as in the gateway's limits (the generic cell rate algorithm): when all are forgotten.
enum WrongCodeRules {
  static let burst = 10
  static let secondsEach = 60

  /// Whole seconds until a code is looked at again; 0 where it is now.
  static func waitSeconds(_ forgottenAt: Instant, now: Instant) -> Int {
    let free = forgottenAt.adding(seconds: -(burst - 1) * secondsEach)
    return free <= now ? 0 : Int((free.milliseconds - now.milliseconds + 999) / 1000)
  }

  /// When all are forgotten, with one more.
  static func adding(to forgottenAt: Instant, now: Instant) -> Instant { max(forgottenAt, now).adding(seconds: secondsEach) }
}

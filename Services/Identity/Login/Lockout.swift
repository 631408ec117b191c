import Operations

/// How many failed attempts stand against an account, a login or an address, and when the last was.
struct FailureTally: Hashable, Sendable {
  var count: Int
  var lastAt: Instant

  static let none = FailureTally(count: 0, lastAt: Instant(milliseconds: 0))
}

/// When a login must wait (requirement ID-3): after 5 failures 30 s, after each further one twice as long, up to an hour.
///
/// It holds for an account, whichever of its logins is tried, and for an address. An account's tally counts its failed attempts.
/// An address's counts the logins that were tried from it in vain: guessing at one is that one's matter, and many
/// people can share an address. What is answered goes by the login as it was typed, an account's or nobody's, which has a tally of its own, and by
/// the address: so nobody learns which logins are the same account's. Mailed links that nobody was sent are counted elsewhere, see
/// ``IncidentDetection``: they say nothing of passwords, and let nobody at the address wait. A success clears the failures of the
/// account and its logins, and so their marks against the addresses too.
enum Lockout {
  /// Failures without a lock.
  static let free = 5
  static let firstDelaySeconds = 30
  static let longestDelaySeconds = 3600
  /// After so long without a failure all of them are forgotten.
  static let memorySeconds = 86_400

  /// How long after the last failure the next attempt must wait.
  static func delaySeconds(failures: Int) -> Int {
    guard failures >= free else { return 0 }
    let doublings = min(failures - free, 30)
    return min(firstDelaySeconds << doublings, longestDelaySeconds)
  }

  /// Whole seconds until an attempt is allowed, 0 if it is now.
  static func remainingSeconds(_ tally: FailureTally, now: Instant) -> Int {
    let end = tally.lastAt.adding(seconds: delaySeconds(failures: tally.count))
    guard end > now else { return 0 }
    return Int((end.milliseconds - now.milliseconds + 999) / 1000)
  }

  /// The longer of both waits.
  static func remainingSeconds(login: FailureTally, address: FailureTally, now: Instant) -> Int {
    max(remainingSeconds(login, now: now), remainingSeconds(address, now: now))
  }
}

import Operations

/// The number of failed attempts against an account, a login or an address, and the time of the last one.
struct FailureTally: Hashable, Sendable {
  var count: Int
  var lastAt: Instant

  static let none = FailureTally(count: 0, lastAt: Instant(milliseconds: 0))
}

/// The wait before a login (requirement ID-3): 30 s after 5 failures, twice as long after each further one, up to an hour.
///
/// It holds for an account, whichever of its logins is used, and for an address. An account's tally counts its failed attempts; an
/// address's tally counts the different logins that failed from it, since guessing at one login is counted there, and many people can share
/// an address. The answer depends on the login as typed, which has its own tally with or without an account, and on the address: so it does
/// not reveal which logins belong to the same account. Mailed links that were never issued are counted elsewhere, see
/// ``IncidentDetection``: they have nothing to do with passwords, and delay nobody at the address. A success clears the failures of the
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

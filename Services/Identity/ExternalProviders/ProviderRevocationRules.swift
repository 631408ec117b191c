import Operations

/// When a grant that could not be given back is tried again (requirements ID-10, ID-12).
enum ProviderRevocationRules {
  static let firstDelaySeconds = 30
  static let longestDelaySeconds = 6 * 3600
  /// From the first try to the last: longer than a provider is away, and no longer than needed, since what waits is somebody's token.
  static let patienceSeconds = 7 * 86_400
  /// How long a grant waits for what comes of its login: longer than that takes.
  static let heldSeconds = 120

  /// The back-off: 30 s, then twice as long each time, up to six hours; nil after the last attempt.
  ///
  /// - Parameter tries: the number of attempts, including this one; 1 or more.
  static func nextTry(after tries: Int, firstTriedAt: Instant, now: Instant) -> Instant? {
    let end = firstTriedAt.adding(seconds: patienceSeconds)
    guard now < end else { return nil }
    var delay = firstDelaySeconds
    for _ in 1..<max(tries, 1) where delay < longestDelaySeconds { delay *= 2 }
    return min(now.adding(seconds: min(delay, longestDelaySeconds)), end)
  }
}

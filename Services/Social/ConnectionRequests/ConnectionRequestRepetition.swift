import Operations

/// How often one account asks another again: each request is a notification (SOC-1, SOC-7, TEAM-1).
enum ConnectionRequestRepetition {
  /// How many requests within a day may have been withdrawn or rejected before a further one is refused.
  static let maxPerDay = 3
  private static let daySeconds = 86_400

  /// How long the account has to wait before its next request; nil where it may send one.
  ///
  /// - Parameters:
  ///   - refused: the send times of its withdrawn or rejected requests, newest first.
  ///   - max: the most requests within a day.
  static func wait(_ refused: [Instant], max: Int = maxPerDay, at now: Instant) -> Int? {
    let recent = refused.filter { now < $0.adding(seconds: daySeconds) }
    guard recent.count >= max else { return nil }
    let milliseconds = recent[max - 1].adding(seconds: daySeconds).milliseconds - now.milliseconds
    return Swift.max(1, Int((milliseconds + 999) / 1000))
  }
}

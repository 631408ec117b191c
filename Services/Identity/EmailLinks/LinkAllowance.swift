import Operations

/// How many links are mailed within an hour.
struct LinkAllowance: Sendable {
  let maxPerHour: Int

  /// Whole seconds until a further link may be sent, 0 if it may be now.
  ///
  /// - Parameter sentAt: when links were sent, the newest first.
  func secondsUntilNext(sentAt: [Instant], now: Instant) -> Int {
    let recent = sentAt.filter { $0.adding(seconds: 3600) > now }
    guard recent.count >= maxPerHour else { return 0 }
    // When enough of them are older than an hour.
    let free = recent[maxPerHour - 1].adding(seconds: 3600)
    return Int((free.milliseconds - now.milliseconds + 999) / 1000)
  }
}

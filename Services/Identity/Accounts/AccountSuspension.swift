import Operations

extension AccountRecord {
  /// Whether it is suspended at that time (SOC-8).
  func isSuspended(at now: Instant) -> Bool { suspendedUntil.map { now < $0 } ?? false }
}

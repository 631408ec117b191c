import IdentityContract
import Operations

/// The effects of a suspension (SOC-8): when it holds, when its link is mailed, and whether it can be appealed.
enum SuspensionRules {
  /// How long a mailed link works.
  static let linkLifetimeSeconds = 7 * 86_400
  /// A further link is mailed so long after the one before at the earliest.
  static let secondsBetweenLinks = 86_400

  /// Whether it holds at that time.
  ///
  /// - Parameter until: nil where there was none.
  static func isSuspended(until: Instant?, now: Instant) -> Bool { until.map { now < $0 } ?? false }

  /// Whether a further link is mailed.
  ///
  /// - Parameter lastSentAt: when the last one was; nil if none was.
  static func isLinkDue(lastSentAt: Instant?, now: Instant) -> Bool {
    lastSentAt.map { $0.adding(seconds: secondsBetweenLinks) <= now } ?? true
  }

  /// What changes when a service publishes a suspension anew.
  enum Change: Hashable, Sendable {
    /// The account is suspended that was not: everything it has open ends.
    case begin
    /// It is suspended no longer.
    case lift
    /// It is suspended until another time.
    case move
    case nothing
  }

  /// - Parameters:
  ///   - before: until when the account was suspended, as far as was known; nil if it was not.
  ///   - after: until when it is by what is known now.
  static func change(from before: Instant?, to after: Instant?, now: Instant) -> Change {
    switch (isSuspended(until: before, now: now), isSuspended(until: after, now: now)) {
    case (false, true): .begin
    case (true, false): .lift
    case (true, true): before == after ? .nothing : .move
    case (false, false): .nothing
    }
  }

  /// Why there can be no appeal; nil if there can.
  static func appealRefusal(canAppeal: Bool, appealedAt: Instant?) -> SuspensionAppealFailure? {
    if appealedAt != nil { return .appealed }
    return canAppeal ? nil : .notAppealable
  }
}

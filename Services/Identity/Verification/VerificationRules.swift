import IdentityContract
import Operations

/// What an opened verification link leads to, and when a further one may be sent (requirement ID-2).
enum VerificationRules {
  static let lifetimeSeconds = 86_400
  /// How many links an account may ask for within an hour, the first included.
  static let maxPerHour = 6

  enum Outcome: Hashable, Sendable {
    case verify
    /// It did its work before; mail programs and people open links more than once.
    case alreadyDone
    case refuse(VerificationFailure)
  }

  static func validate(_ link: OpenedLink?, now: Instant) -> Outcome {
    guard let link else { return .refuse(.linkInvalid) }
    guard now < link.expiresAt else { return .refuse(.linkExpired) }
    if link.usedAt != nil { return .alreadyDone }
    return link.replacedAt == nil ? .verify : .refuse(.linkReplaced)
  }

  /// Whole seconds until a further link may be sent, 0 if it may be now.
  ///
  /// - Parameter sentAt: when links were sent, the newest first.
  static func secondsUntilNext(sentAt: [Instant], now: Instant) -> Int {
    LinkAllowance(maxPerHour: maxPerHour).secondsUntilNext(sentAt: sentAt, now: now)
  }
}

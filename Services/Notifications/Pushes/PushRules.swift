import ActivityContract
import Crypto
import Foundation
import NotificationsContract
import Operations
import ServiceKit

/// How pushes of a kind go: how long a push service keeps them for a device that is off (TTL), and what replaces what.
enum PushRules {
  private static let day = 86_400

  /// For how long it is worth showing.
  static func secondsToLive(_ kind: NotificationSpec) -> Int {
    switch kind.category {
    case .logins, .security, .account, .moderation, .administration: 7 * day
    case .messages, .social, .challenges, .tasks, .help, .teams: 3 * day
    case .rewards, .imports, .announcements: day
    // Shown the next morning, they would be of another day.
    case .reminders: 4 * 3600
    case .goals: 6 * 3600
    }
  }

  /// Until when what goes now is worth showing.
  static func end(_ delivery: Delivery, at now: Instant) -> Instant {
    let end = now.adding(seconds: NotificationSpec.named(delivery.kind).map(secondsToLive) ?? 0)
    return min(end, delivery.endsAt ?? end)
  }

  /// The topic of what is pushed to a device (RFC 8030, section 5.4): the same for what comes of the same, so that a newer replaces an
  /// older that waits or is shown. By the device's secret no two devices have the same.
  ///
  static func topic(_ source: String, _ secret: PushSecret) -> String {
    let hash = HMAC<SHA256>.authenticationCode(for: Data(subject(source).utf8), using: SymmetricKey(data: secret.bytes))
    return Base64URL.encode(Array(hash.prefix(24)))
  }

  /// What the sources have in common of which a newer replaces an older; most stand alone. Reminders of one activity replace one another,
  /// as in the inbox, whatever their day and time; and so do those of an account's daily, and of its weekly goal: who has reached it is
  /// near it no longer.
  static func subject(_ source: String) -> String {
    let parts = source.split(at: "/").map(String.init)
    switch parts.first {
    case ReminderDue.spec.originalName?: return parts.prefix(2).joined(separator: "/")
    case StepGoalProgressed.spec.originalName? where parts.count > 3: return "\(parts[0])/\(parts[1])/\(parts[3])"
    default: return source
    }
  }

  /// The range of the sources with the same subject, which may include others; nil for one without a subject in common.
  static func relatives(of source: String) -> SourceRange? {
    let parts = source.split(at: "/").map(String.init)
    guard subject(source) != source, parts.count > 1 else { return nil }
    return SourceRange(from: "\(parts[0])/\(parts[1])/")
  }

  /// What comes of what waited together.
  static let summarySource = "summary"
  /// The kind that a device is sent where its notification no longer has any content.
  static let withdrawnKind = "withdrawn"
}

/// The back-off of a failed push: after the time that the service asks for, and no sooner than 5 s, 20 s, 80 s, … an hour; until the push
/// is out of date.
struct PushRetry: Hashable, Sendable {
  var firstDelaySeconds = 5
  var growth = 4
  var longestDelaySeconds = 3600

  /// - Parameters:
  ///   - attempts: how often it was tried, the failed one included; 1 or more.
  ///   - asked: the service's `Retry-After`.
  func delaySeconds(attempts: Int, asked: Int?) -> Int {
    var delay = firstDelaySeconds
    for _ in 1..<max(attempts, 1) where delay < longestDelaySeconds { delay *= growth }
    return max(min(delay, longestDelaySeconds), min(asked ?? 0, 7 * 86_400))
  }
}

/// Why something was not pushed: a stable name with words of its own, `delivery.<name>`.
enum PushFailure: Error, Hashable {
  /// The service cannot be reached, is busy, or has a fault of its own.
  case unreachable
  /// Its address is not a public one, or its port is not that of https.
  case notPublic
  /// It does not take it, with that status.
  case refused(Int)

  var code: String {
    switch self {
    case .unreachable: "push_unreachable"
    case .notPublic: "push_not_public"
    case .refused(let status): "refused_\(status)"
    }
  }
}

/// What became of an attempt.
enum PushAnswer: Hashable, Sendable {
  case accepted
  /// There is no such subscription (any more).
  case gone
  /// It may be taken another time.
  case later(PushFailure, afterSeconds: Int?)
  /// It will never be taken.
  case never(PushFailure)

  /// The meaning of a status (RFC 8030, sections 5 and 8.4; UnifiedPush's servers answer any 2xx).
  init(status: Int, retryAfterSeconds: Int?) {
    switch status {
    case 200..<300: self = .accepted
    case 404, 410: self = .gone
    case 408, 425, 429, 500...: self = .later(.unreachable, afterSeconds: retryAfterSeconds)
    default: self = .never(.refused(status))
    }
  }
}

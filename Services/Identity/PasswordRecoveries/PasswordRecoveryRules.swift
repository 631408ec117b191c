import IdentityContract
import Operations

/// What an opened link to recover a password leads to, and when a further one is sent (requirement ID-8).
enum PasswordRecoveryRules {
  static let lifetimeSeconds = 1800
  /// The most links that are sent to an e-mail address within the lifetime of one. A request beyond it leaves a valid link in place: so
  /// nobody can lock an owner out by requests in the owner's name.
  static let maxPerEmail = 3
  /// How many are asked for from one network address within that time; many people can share one.
  static let maxPerAddress = 20

  /// Why the link changes no password; nil if it does.
  static func refusal(_ link: OpenedLink?, now: Instant) -> RecoveryFailure? {
    guard let link else { return .linkInvalid }
    guard now < link.expiresAt else { return .linkExpired }
    if link.usedAt != nil { return .linkUsed }
    return link.replacedAt == nil ? nil : .linkReplaced
  }

  /// Whether a further link is sent.
  ///
  /// - Parameters:
  ///   - toEmail: links sent to the e-mail address within the life of one.
  ///   - fromAddress: links asked for from the network address within that time.
  static func isFree(toEmail: Int, fromAddress: Int) -> Bool { toEmail < maxPerEmail && fromAddress < maxPerAddress }
}

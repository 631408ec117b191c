import IdentityContract
import Operations

/// What an opened link to change an e-mail address leads to, and when a further one is sent (requirement ID-11).
enum EmailChangeRules {
  static let lifetimeSeconds = 86_400
  /// Links that an account may ask for within an hour.
  static let perAccount = LinkAllowance(maxPerHour: 6)
  /// The most links that are sent to one address within an hour, whoever requests them: many accounts together cannot flood an address with
  /// mails.
  static let perAddress = LinkAllowance(maxPerHour: 3)

  /// Why the link changes no address; nil if it does.
  ///
  /// - Parameters:
  ///   - isCancelled: whether its owner did not want the change.
  ///   - isTaken: whether another account has the address.
  static func refusal(_ link: OpenedLink?, isCancelled: Bool = false, isTaken: Bool, now: Instant) -> EmailChangeFailure? {
    guard let link else { return .linkInvalid }
    guard now < link.expiresAt else { return .linkExpired }
    if link.usedAt != nil { return .linkUsed }
    if isCancelled { return .cancelled }
    if link.replacedAt != nil { return .linkReplaced }
    return isTaken ? .addressTaken : nil
  }

  /// Whole seconds until a further link may be sent, 0 if it may be now.
  ///
  /// - Parameters:
  ///   - toAccount: when the account's links were sent, the newest first.
  ///   - toAddress: when links were sent to the address, the newest first.
  static func secondsUntilNext(toAccount: [Instant], toAddress: [Instant], now: Instant) -> Int {
    max(
      perAccount.secondsUntilNext(sentAt: toAccount, now: now), perAddress.secondsUntilNext(sentAt: toAddress, now: now))
  }
}

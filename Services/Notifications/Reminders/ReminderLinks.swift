import ActivityContract
import Crypto
import Foundation
import NotificationsContract
import Operations
import ServiceKit

/// Makes and reads the tokens by which reminders are answered. A token names its reminder and the device that it was pushed to, sealed by a
/// key of the service (HMAC-SHA-256): it is derived when the push or mail is sent, is never stored, and is the same on a retry. What it may
/// still do depends on the stored reminder.
struct ReminderLinks: Sendable {
  /// What a token names.
  struct Named: Hashable, Sendable {
    let reminder: ID<Reminder>
    /// The device that it was pushed to; nil where it was mailed.
    let device: ID<PushSubscription>?
  }

  /// Of those that name a reminder alone, and of those that name a device too.
  private static let (version, pushedVersion): (UInt8, UInt8) = (1, 2)
  private static let tagBytes = 16

  private let key: SymmetricKey
  /// Where people reach the system, without a slash at the end.
  private let publicURL: String

  /// - Parameter secret: that of the service's store.
  init(secret: [UInt8], publicURL: String) {
    key = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: secret), info: Data("links that answer reminders".utf8), outputByteCount: 32)
    self.publicURL = publicURL
  }

  /// - Parameter device: the device that it is pushed to; nil for a mail.
  func token(_ reminder: ID<Reminder>, to device: ID<PushSubscription>? = nil) -> String {
    let body =
      device.map { [ReminderLinks.pushedVersion] + reminder.bytes + $0.bytes } ?? [ReminderLinks.version] + reminder.bytes
    return Base64URL.encode(body + tag(body))
  }

  /// The page with the answers; opening it answers nothing.
  func page(_ token: String, _ reply: String) -> String { "\(publicURL)/reminder?token=\(token)&answer=\(reply)" }

  /// Nil for one that this service did not make.
  func read(_ token: String) -> Named? {
    guard let bytes = Base64URL.decode(token), bytes.count > ReminderLinks.tagBytes else { return nil }
    let (body, tag) = (Array(bytes.dropLast(ReminderLinks.tagBytes)), bytes.suffix(ReminderLinks.tagBytes))
    let expected = self.tag(body)
    // In the same time wherever they differ.
    guard zip(expected, tag).reduce(0, { $0 | ($1.0 ^ $1.1) }) == 0, body.count >= 17,
      let reminder = ID<Reminder>(bytes: body[1..<17])
    else { return nil }
    switch (body[0], body.count) {
    case (ReminderLinks.version, 17): return Named(reminder: reminder, device: nil)
    case (ReminderLinks.pushedVersion, 33): return Named(reminder: reminder, device: ID(bytes: body[17...]))
    default: return nil
    }
  }

  private func tag(_ body: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: body, using: key)).prefix(ReminderLinks.tagBytes).map { $0 }
  }
}

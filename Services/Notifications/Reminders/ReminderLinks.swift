import ActivityContract
import Crypto
import Foundation
import Operations
import ServiceKit

/// Makes and reads the tokens by which reminders are answered. A token names its reminder, sealed by a key of the service's (HMAC-SHA-256): it is
/// written when the push or mail is sent, rests nowhere, and is the same in what is sent again. What it may still do stands with the reminder.
struct ReminderLinks: Sendable {
  private static let version: UInt8 = 1
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

  func token(_ reminder: ID<Reminder>) -> String {
    let body = [ReminderLinks.version] + reminder.bytes
    return Base64URL.encode(body + tag(body))
  }

  /// The page where it is answered; opening it answers nothing.
  func page(_ token: String, _ reply: String) -> String { "\(publicURL)/reminder?token=\(token)&answer=\(reply)" }

  /// Nil for one that this service did not make.
  func read(_ token: String) -> ID<Reminder>? {
    guard let bytes = Base64URL.decode(token), bytes.count == 17 + ReminderLinks.tagBytes else { return nil }
    let (body, tag) = (Array(bytes.prefix(17)), bytes.suffix(ReminderLinks.tagBytes))
    let expected = self.tag(body)
    // In the same time wherever they differ.
    guard zip(expected, tag).reduce(0, { $0 | ($1.0 ^ $1.1) }) == 0, body[0] == ReminderLinks.version else { return nil }
    return ID(bytes: body[1...])
  }

  private func tag(_ body: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: body, using: key)).prefix(ReminderLinks.tagBytes).map { $0 }
  }
}

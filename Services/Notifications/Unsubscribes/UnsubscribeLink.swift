import Crypto
import Foundation
import NotificationsContract
import Operations
import ServiceKit

/// The scope of an unsubscribe link: one kind of mail of one account, or all that can be ended.
enum UnsubscribeScope: Hashable, Sendable {
  /// The name of a ``NotificationSpec``.
  case kind(String)
  /// Every kind that can be switched off: of a mail about many things.
  case all

  fileprivate var name: String {
    switch self {
    case .kind(let name): name
    case .all: "*"
    }
  }

  /// The kinds of which it ends the mails.
  var kinds: [NotificationSpec] {
    let kinds: [NotificationSpec]
    switch self {
    case .kind(let name): kinds = [NotificationSpec.named(name)].compactMap { $0 }
    case .all: kinds = NotificationSpec.all
    }
    return kinds.filter { $0.channels.contains(.email) && !$0.delivery.required.contains(.email) }
  }
}

/// Makes and reads the tokens of unsubscribe links. A token contains its scope, sealed by a key of the service (HMAC-SHA-256), so that none
/// is stored and none can be forged.
struct UnsubscribeLinks: Sendable {
  private static let version: UInt8 = 1
  private static let tagBytes = 16
  private static let maxNameBytes = 60

  private let key: SymmetricKey

  /// - Parameter secret: that of the service's store.
  init(secret: [UInt8]) {
    key = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: secret), info: Data("links that end mails".utf8), outputByteCount: 32)
  }

  func token(_ scope: UnsubscribeScope, of account: AccountID) -> String {
    let body = [UnsubscribeLinks.version] + account.bytes + Array(scope.name.utf8)
    return Base64URL.encode(body + tag(body))
  }

  /// Nil for a token that this service did not make, or of a former kind.
  func read(_ token: String) -> (account: AccountID, scope: UnsubscribeScope)? {
    guard let bytes = Base64URL.decode(token), bytes.count > 17 + UnsubscribeLinks.tagBytes else { return nil }
    let (body, tag) = (Array(bytes.dropLast(UnsubscribeLinks.tagBytes)), bytes.suffix(UnsubscribeLinks.tagBytes))
    let expected = self.tag(body)
    // In the same time wherever they differ.
    guard zip(expected, tag).reduce(0, { $0 | ($1.0 ^ $1.1) }) == 0, body[0] == UnsubscribeLinks.version,
      let account = AccountID(bytes: body[1..<17]), body.count <= 17 + UnsubscribeLinks.maxNameBytes,
      let name = String(validating: body[17...], as: UTF8.self)
    else { return nil }
    let scope = name == UnsubscribeScope.all.name ? UnsubscribeScope.all : .kind(name)
    return scope.kinds.isEmpty ? nil : (account, scope)
  }

  private func tag(_ body: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: body, using: key)).prefix(UnsubscribeLinks.tagBytes).map { $0 }
  }
}

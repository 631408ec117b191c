import Crypto
import Foundation
import Operations
import ServiceKit
import SocialContract

/// Makes the keys of public links to tasks: each consists of the link's id and a keyed hash of it (128 bits), so that its owner can read it
/// although the store does not contain it. The hashes' key is in the folder of keys.
struct TaskLinkKeys: Sendable {
  private static let codeBytes = 16

  private let key: KeptKey

  init(_ home: Home) { key = KeptKey("task-links", in: home) }

  /// The key of a link.
  func text(of link: ID<TaskLink>) throws -> String {
    Base64URL.encode(
      link.bytes + Array(HMAC<SHA256>.authenticationCode(for: Self.message(link), using: try key())).prefix(Self.codeBytes))
  }

  /// The link of a key, if it still exists; nil for an invalid key. The comparison takes constant time.
  func link(_ text: String) throws -> ID<TaskLink>? {
    guard let bytes = Base64URL.decode(text), bytes.count == 16 + Self.codeBytes, let link = ID<TaskLink>(bytes: bytes[..<16])
    else { return nil }
    return TaskTokenKeys.isSame(try self.text(of: link), text) ? link : nil
  }

  private static func message(_ link: ID<TaskLink>) -> Data { Data("task link".utf8 + link.bytes) }
}

import Crypto
import Foundation
import Operations
import ServiceKit
import SocialContract

/// Makes the secrets of tasks' tokens: each is a keyed hash of its task and of a random number, so that its owners can read it although the
/// store does not contain it. The key is in the folder of keys.
struct TaskTokenKeys: Sendable {
  private let key: KeptKey

  init(_ home: Home) { key = KeptKey("task-tokens", in: home) }

  /// The secret of a task's token.
  func secret(of task: ID<SharedTask>, nonce: [UInt8]) throws -> String {
    let code = HMAC<SHA256>.authenticationCode(for: Data("task token".utf8 + task.bytes + nonce), using: try key())
    return TaskTokenKeys.text(Array(code), count: TaskToken.secretCount)
  }

  /// Letters and digits of a token, one for each of the bytes.
  static func text(_ bytes: [UInt8], count: Int) -> String {
    String(decoding: bytes.prefix(count).map { TaskToken.alphabet[Int($0 & 0x1F)] }, as: UTF8.self)
  }

  /// Compares in a time that does not depend on where they differ.
  static func isSame(_ one: String, _ other: String) -> Bool {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    guard one.count == other.count else { return false }
    var difference: UInt8 = 0
    for index in one.indices { difference |= one[index] ^ other[index] }
    return difference == 0
  }
}

import Crypto
import Foundation
import NotificationsContract
import Operations
import ServiceKit
import Synchronization

/// The server's keys for push services (VAPID, RFC 8292): `keys/push`, and, while they change, `keys/push-2`, `keys/push-3` and so on. The
/// newest is given to devices; each subscription is served by the key with which it was made, for as long as that is there.
final class PushKeys: Sendable {
  private static let name = "push"
  /// More keys are ignored.
  static let max = 16

  private let home: Home
  private let kept = Mutex<[P256.Signing.PrivateKey]?>(nil)

  init(_ home: Home) { self.home = home }

  /// All keys, the newest last; the first one is made where there is none. They are read once.
  private func all() throws -> [P256.Signing.PrivateKey] {
    try kept.withLock { kept in
      if let kept { return kept }
      let numbers = (1...Self.max).filter { FileManager.default.fileExists(atPath: "\(home.keys)/\(Self.file($0))") }
      let keys = try (numbers.isEmpty ? [1] : numbers).map {
        try P256.Signing.PrivateKey(rawRepresentation: try home.secret(Self.file($0)))
      }
      kept = keys
      return keys
    }
  }

  static func file(_ number: Int) -> String { number == 1 ? name : "\(name)-\(number)" }

  /// The public half of the newest.
  func newest() throws -> PushKey {
    guard let key = try all().last.flatMap({ PushKey($0) }) else { preconditionFailure("there is always a key") }
    return key
  }

  /// Signs with the key of which that is the public half; nil where it is not there (any more).
  func signer(_ key: PushKey) throws -> P256.Signing.PrivateKey? { try all().first { PushKey($0) == key } }
}

extension PushKey {
  fileprivate init?(_ key: P256.Signing.PrivateKey) { self.init(bytes: Array(key.publicKey.x963Representation)) }
}

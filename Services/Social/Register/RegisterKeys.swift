import Crypto
import Foundation
import ServiceKit
import TransparencyLog

/// The keys that sign the register's checkpoints: `keys/register`, and, while they change, `keys/register-2`, `keys/register-3` and so on.
/// All that are there sign, so that readers of the old and of the new one are content; whoever runs the server removes the old one when
/// everybody has the new one.
struct RegisterKeys: Sendable {
  private static let name = "register"
  /// More keys are ignored; a note has room for as many signatures.
  static let max = 16

  let home: Home

  /// The signers, the newest key's last; the first key is made where there is none at all.
  ///
  /// - Parameter keyName: the name of the keys, by convention the log's; they keep it when the log gets another one, so that whoever has them can
  ///   follow.
  func signers(_ keyName: String) throws -> [SigningKey] {
    let numbers = (1...Self.max).filter { FileManager.default.fileExists(atPath: "\(home.keys)/\(Self.file($0))") }
    return try (numbers.isEmpty ? [1] : numbers).map { number in
      let seed = try home.secret(Self.file(number))
      return try SigningKey(name: keyName, Curve25519.Signing.PrivateKey(rawRepresentation: seed))
    }
  }

  static func file(_ number: Int) -> String { number == 1 ? name : "\(name)-\(number)" }
}

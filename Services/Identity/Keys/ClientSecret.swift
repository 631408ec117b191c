import Crypto
import Foundation
import ServiceKit

/// What only a client keeps, and shows to be known again: 32 random bytes. The store has their hash.
///
/// The mark keeps one kind of secret from being taken for another: `typealias RefreshToken = ClientSecret<RefreshTokens>`.
struct ClientSecret<Mark>: Hashable, Sendable {
  private let bytes: [UInt8]

  /// One that nobody has yet.
  init() {
    var random = SystemRandomNumberGenerator()
    bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  /// Reads one; nil if none looks like that.
  init?(_ text: String) {
    guard let bytes = Base64URL.decode(text), bytes.count == 32 else { return nil }
    self.bytes = bytes
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// The secret that this one is exchanged for, always the same: so the exchange can be repeated although only hashes are kept.
  func successor(key: SecretKey, for purpose: String) -> ClientSecret {
    ClientSecret(bytes: key.code(for: Array(purpose.utf8) + [0] + bytes))
  }

  /// The secret that replaces the one of that hash, always the same: so that it can be given to who comes with the former one.
  static func replacing(_ hash: Data, key: SecretKey, for purpose: String) -> ClientSecret {
    ClientSecret(bytes: key.code(for: Array(purpose.utf8) + [0] + hash))
  }

  /// What the store keeps. A plain hash will do, since nobody can guess 256 random bits.
  var hash: Data { Data(SHA256.hash(data: bytes)) }

  /// As the client sees it.
  var text: String { Base64URL.encode(bytes) }
}

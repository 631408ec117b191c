import Crypto
import Foundation
import ServiceKit

/// A refresh token: 32 bytes that only the client keeps. The store has its hash.
struct RefreshToken: Hashable, Sendable {
  private let bytes: [UInt8]

  /// A token of a new family.
  init() {
    var random = SystemRandomNumberGenerator()
    bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  /// Reads a token; nil if no token looks like that.
  init?(_ text: String) {
    guard let bytes = Base64URL.decode(text), bytes.count == 32 else { return nil }
    self.bytes = bytes
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// The token that this one is exchanged for, always the same: so the exchange can be repeated although only hashes are kept.
  func successor(key: SecretKey) -> RefreshToken { RefreshToken(bytes: key.code(for: Array("refresh".utf8) + [0] + bytes)) }

  /// What the store keeps. A plain hash will do, since nobody can guess 256 random bits.
  var hash: Data { Data(SHA256.hash(data: bytes)) }

  /// As the client sees it.
  var text: String { Base64URL.encode(bytes) }
}

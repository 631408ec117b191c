import Crypto
import Foundation
import ServiceKit

/// What a device shows to prove that it has logged in to an account before: 32 bytes that only its client keeps, as the device cookies
/// that OWASP describes. The store has its hash.
///
/// It opens nothing. Failures from elsewhere just do not delay whoever has it (requirement ID-3).
struct DeviceToken: Hashable, Sendable {
  private let bytes: [UInt8]

  /// A token of a device that was not known.
  init() {
    var random = SystemRandomNumberGenerator()
    bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  /// Reads a token; nil if no token looks like that.
  init?(_ text: String) {
    guard let bytes = Base64URL.decode(text), bytes.count == 32 else { return nil }
    self.bytes = bytes
  }

  /// What the store keeps. A plain hash will do, since nobody can guess 256 random bits.
  var hash: Data { Data(SHA256.hash(data: bytes)) }

  /// As the client sees it.
  var text: String { Base64URL.encode(bytes) }
}

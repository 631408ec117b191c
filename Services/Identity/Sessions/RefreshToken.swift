import Foundation

/// Marks what refreshes sessions.
enum RefreshTokens {}

/// A refresh token: the first one begins a family, in which each is the successor of the one before.
typealias RefreshToken = ClientSecret<RefreshTokens>

extension RefreshToken {
  /// The token that this one is exchanged for.
  func successor(key: SecretKey) -> RefreshToken { successor(key: key, for: "refresh") }

  /// The token that takes the place of one of which only the hash is known.
  static func replacing(_ hash: Data, key: SecretKey) -> RefreshToken { replacing(hash, key: key, for: "replaced refresh") }
}

import Crypto
import Foundation
import IdentityContract
import JWTKit
import ServiceKit

/// The Ed25519 keys of access tokens: the files `identity-signing-1`, `-2`, … of the home's `keys` folder, 32 bytes each.
///
/// The highest number signs. All are published, so that tokens of older keys stay valid: to rotate, add a file of the next number and
/// start again; remove the older one after ten minutes and start again, so that it is published no longer.
struct SigningKeys: Sendable {
  static let prefix = "identity-signing-"

  /// What the gateway and others check tokens with, the signing key first.
  let published: [PublicSigningKey]

  private let signingKeyID: JWKIdentifier
  private let collection: JWTKeyCollection

  /// Reads the keys; makes the first if there is none.
  init(_ home: Home) async throws {
    try Home.makePrivateFolder(home.keys)
    let numbers = try FileManager.default.contentsOfDirectory(atPath: home.keys)
      .filter { $0.hasPrefix(Self.prefix) }.compactMap { Int($0.dropFirst(Self.prefix.count)) }
    let newestFirst = numbers.isEmpty ? [1] : numbers.sorted(by: >)
    let serializer = DefaultJWTSerializer(jsonEncoder: Self.encoder)
    var published: [PublicSigningKey] = []
    let collection = JWTKeyCollection()
    for number in newestFirst {
      let key = try Curve25519.Signing.PrivateKey(rawRepresentation: home.secret("\(Self.prefix)\(number)"))
      let x = Base64URL.encode(Array(key.publicKey.rawRepresentation))
      let keyID = Self.thumbprint(x)
      published.append(PublicSigningKey(keyID: keyID, x: x))
      await collection.add(eddsa: EdDSA.PrivateKey(backing: key), kid: JWKIdentifier(string: keyID), serializer: serializer)
    }
    self.published = published
    self.collection = collection
    signingKeyID = JWKIdentifier(string: published[0].kid)
  }

  /// The token with these claims, signed by the newest key.
  func sign(_ claims: AccessTokenClaims) async throws -> String {
    try await collection.sign(
      claims, kid: signingKeyID, header: ["alg": .string(AccessTokenForm.algorithm), "typ": .string(AccessTokenForm.type)])
  }

  /// A key's name: the thumbprint of its public part (RFC 7638; members by RFC 8037, section 2).
  private static func thumbprint(_ x: String) -> String {
    Base64URL.encode(Array(SHA256.hash(data: Data(#"{"crv":"Ed25519","kty":"OKP","x":"\#(x)"}"#.utf8))))
  }

  /// Sorted members, so that the same claims make the same token.
  private static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}

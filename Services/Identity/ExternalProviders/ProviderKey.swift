import Foundation
import JWTKit
import Operations
import ServiceKit

/// One of a provider's public keys, with the only algorithm that it verifies.
///
/// The algorithm follows from the key and never from a token (RFC 8725, section 3.1): an attacker who could choose it would use the public
/// key as a shared secret, or no signature at all.
struct ProviderKey: Sendable {
  let id: String?
  let algorithm: String
  private let checker: any JWTAlgorithm

  /// A key as a JWK set has it (RFC 7517, RFC 7518).
  fileprivate struct WebKey: Decodable {
    let kty: String
    let kid: String?
    let use: String?
    let alg: String?
    let crv: String?
    let n: String?
    let e: String?
    let x: String?
    let y: String?
  }

  /// Nil for keys that sign no ID tokens: secrets, keys for encryption, RSA keys of less than 2048 bits, curves and algorithms that
  /// nobody asks for here.
  fileprivate init?(_ key: WebKey) async {
    guard key.use == nil || key.use == "sig" else { return nil }
    guard let collection = await Self.collection(key) else { return nil }
    do {
      checker = try await collection.getKey()
    } catch {
      return nil
    }
    algorithm = checker.name
    id = key.kid
    guard key.alg == nil || key.alg == algorithm else { return nil }
  }

  private static func collection(_ key: WebKey) async -> JWTKeyCollection? {
    let keys = JWTKeyCollection()
    do {
      switch (key.kty, key.crv) {
      case ("RSA", _):
        guard let n = key.n, let e = key.e else { return nil }
        await keys.add(rsa: try Insecure.RSA.PublicKey(modulus: n, exponent: e), digestAlgorithm: .sha256)
      case ("EC", "P-256"):
        guard let x = key.x, let y = key.y else { return nil }
        await keys.add(ecdsa: try ES256PublicKey(parameters: (x, y)))
      case ("EC", "P-384"):
        guard let x = key.x, let y = key.y else { return nil }
        await keys.add(ecdsa: try ES384PublicKey(parameters: (x, y)))
      case ("EC", "P-521"):
        guard let x = key.x, let y = key.y else { return nil }
        await keys.add(ecdsa: try ES512PublicKey(parameters: (x, y)))
      case ("OKP", "Ed25519"):
        guard let x = key.x else { return nil }
        await keys.add(eddsa: try EdDSA.PublicKey(x: x, curve: .ed25519))
      default: return nil
      }
    } catch {
      return nil
    }
    return keys
  }

  /// Whether it made the signature.
  func isSignature(_ signature: [UInt8], of text: [UInt8]) -> Bool {
    do {
      return try checker.verify(signature, signs: text)
    } catch {
      // A signature that cannot even be read.
      return false
    }
  }

  /// The usable keys of a JWK set.
  static func set(_ bytes: [UInt8]) async throws -> [ProviderKey] {
    struct WebKeySet: Decodable {
      /// A key that cannot be read must not hide the others.
      struct Entry: Decodable {
        let key: WebKey?

        init(from decoder: any Decoder) throws { key = try? WebKey(from: decoder) }
      }

      let keys: [Entry]
    }
    var keys: [ProviderKey] = []
    for entry in try ProviderDocument.decode(WebKeySet.self, bytes).keys.prefix(100) {
      if let key = entry.key, let usable = await ProviderKey(key) { keys.append(usable) }
    }
    return keys
  }
}

/// A token's three parts, read but not believed.
struct SignedToken: Sendable {
  static let maxBytes = 16 << 10

  let algorithm: String
  let keyID: String?
  let payload: [String: ProviderValue]
  /// What the signature is of.
  let signed: [UInt8]
  let signature: [UInt8]

  init(_ text: String) throws(IDTokenFault) {
    guard text.utf8.count <= Self.maxBytes else { throw .tooLarge }
    let parts = text.split(at: ".").map(String.init)
    guard parts.count == 3, let head = Base64URL.decode(parts[0]), let body = Base64URL.decode(parts[1]),
      let signature = Base64URL.decode(parts[2])
    else { throw .malformed }
    let header: [String: ProviderValue]
    do {
      header = try ProviderDocument.decode([String: ProviderValue].self, head)
      payload = try ProviderDocument.decode([String: ProviderValue].self, body)
    } catch {
      throw .malformed
    }
    guard header["crit"] == nil else { throw .criticalHeader }
    if let type = header["typ"], type.text?.asciiLowercased != "jwt" { throw .otherType }
    guard let algorithm = header["alg"]?.text else { throw .malformed }
    self.algorithm = algorithm
    if let id = header["kid"] {
      guard let id = id.text else { throw .malformed }
      keyID = id
    } else {
      keyID = nil
    }
    signed = Array("\(parts[0]).\(parts[1])".utf8)
    self.signature = signature
  }
}

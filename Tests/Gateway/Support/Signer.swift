import Crypto
import Foundation
import IdentityContract
import Operations

/// Makes access tokens as identity does, and forged ones.
struct Signer: Sendable {
  let keyID: String
  private let key = Curve25519.Signing.PrivateKey()

  init(keyID: String = "k1") { self.keyID = keyID }

  var published: PublicSigningKey { PublicSigningKey(keyID: keyID, x: Signer.encode(publicBytes)) }
  var publicBytes: [UInt8] { Array(key.publicKey.rawRepresentation) }

  /// A token with these members changed; nil removes one.
  func token(
    account: AccountID = AccountID(), session: SessionID = SessionID(), now: Instant = .now, lifetime: Int = 600,
    language: Language = .english, header headerChanges: [String: JSON?] = [:], claims claimChanges: [String: JSON?] = [:]
  ) throws -> String {
    let seconds = Int(now.milliseconds / 1000)
    var header: JSON = ["alg": "EdDSA", "typ": "at+jwt", "kid": .string(keyID)]
    var claims: JSON = [
      "iss": "racha", "aud": "racha", "sub": .string(account.description), "sid": .string(session.description), "ver": true,
      "adm": false, "lang": .string(language.rawValue), "iat": .integer(seconds), "exp": .integer(seconds + lifetime),
      "jti": .string(ID<Signer>().description),
    ]
    for (name, value) in headerChanges { header[name] = value }
    for (name, value) in claimChanges { claims[name] = value }
    let text = Signer.encode(header.bytes) + "." + Signer.encode(claims.bytes)
    return text + "." + Signer.encode(Array(try key.signature(for: Data(text.utf8))))
  }

  static func encode(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }
}

import JWTKit
import Operations

/// Makes the client secret that Apple requires: a JWT signed by the key of the developer's team, new for each use.
///
/// Source: Apple's "Creating a client secret", developer.apple.com/documentation/accountorganizationaldatasharing.
struct ClientAssertion: Sendable {
  /// Apple takes up to six months; the secret is used at once.
  static let lifetimeSeconds = 300

  private let key: ES256PrivateKey
  private let keyID: String
  private let team: String

  init(key: ES256PrivateKey, keyID: String, team: String) {
    self.key = key
    self.keyID = keyID
    self.team = team
  }

  private struct Claims: JWTPayload {
    let iss: String
    let iat: Int64
    let exp: Int64
    let aud: String
    let sub: String

    /// The provider checks it.
    func verify(using algorithm: some JWTAlgorithm) throws {}
  }

  /// The secret of a client for an issuer, at an instant.
  func text(client: String, issuer: ProviderURL, at instant: Instant) async throws -> String {
    let seconds = instant.milliseconds / 1000
    let claims = Claims(
      iss: team, iat: seconds, exp: seconds + Int64(Self.lifetimeSeconds), aud: issuer.description, sub: client)
    let id = JWKIdentifier(string: keyID)
    let keys = JWTKeyCollection()
    await keys.add(ecdsa: key, kid: id)
    return try await keys.sign(claims, kid: id)
  }
}

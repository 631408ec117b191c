import Crypto
import Foundation
import NotificationsContract
import Operations
import ServiceKit

/// Identifies this server to a push service (VAPID, RFC 8292): a token signed with ES256, valid for that service and a few hours.
enum PushAuthorization {
  /// RFC 8292 allows a day.
  private static let seconds = 12 * 3600

  /// - Parameter contact: how the service's operators reach who runs this server: a `mailto:` or `https:` URL.
  static func header(
    _ endpoint: PushEndpoint, _ signer: P256.Signing.PrivateKey, contact: String, at now: Instant
  ) throws -> String {
    let expiry = Int(now.milliseconds / 1000) + seconds
    let head: JSON = ["typ": "JWT", "alg": "ES256"]
    let claims: JSON = ["aud": .string(endpoint.origin), "exp": .integer(expiry), "sub": .string(contact)]
    let signed = "\(Base64URL.encode(head.bytes)).\(Base64URL.encode(claims.bytes))"
    let signature = try signer.signature(for: Data(signed.utf8)).rawRepresentation
    let key = Base64URL.encode(Array(signer.publicKey.x963Representation))
    return "vapid t=\(signed).\(Base64URL.encode(Array(signature))), k=\(key)"
  }
}

import IdentityContract
import JWTKit
import Operations
import ServiceKit

/// The claims of an access token (RFC 9068): its account and session, and what the gateway needs to know of the account.
struct AccessTokenClaims: JWTPayload, Hashable {
  let iss: String
  let aud: String
  let sub: String
  let sid: String
  /// Whether the e-mail address is verified.
  let ver: Bool
  /// Whether the account administers the system.
  let adm: Bool
  /// Whether the session is in doubt, see ``DoubtRule``; absent where it is not.
  let dbt: Bool?
  /// The session's generation of access tokens, see ``AccessTokensInvalidated``.
  let gen: Int
  let lang: String
  /// Seconds since 1970.
  let iat: Int64
  let nbf: Int64
  let exp: Int64
  let jti: String

  /// - Parameter tokenID: names the token; at least 16 bytes.
  init(account: AccountRecord, session: SessionRecord, isInDoubt: Bool, at instant: Instant, tokenID: [UInt8]) {
    iss = AccessTokenForm.issuer
    aud = AccessTokenForm.audience
    sub = account.id.description
    sid = session.id.description
    ver = account.verifiedAt != nil
    // Nobody administers by a login that may be anybody's.
    adm = account.isAdministrator && !isInDoubt
    dbt = isInDoubt ? true : nil
    gen = session.tokenGeneration
    lang = account.language.rawValue
    iat = instant.milliseconds / 1000
    nbf = iat
    exp = iat + Int64(AccessTokenForm.lifetimeSeconds)
    jti = Base64URL.encode(Array(tokenID.prefix(16)))
  }

  var expiresAt: Instant { Instant(milliseconds: exp * 1000) }

  /// Identity only makes tokens; the gateway checks them.
  func verify(using algorithm: some JWTAlgorithm) throws {
    guard iss == AccessTokenForm.issuer, aud == AccessTokenForm.audience else {
      throw JWTError.claimVerificationFailure(failedClaim: IssuerClaim(value: iss), reason: "not a token of Racha")
    }
  }
}

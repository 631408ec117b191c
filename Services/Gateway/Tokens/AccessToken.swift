import IdentityContract
import Operations
import ServiceKit

/// The account that a verified token stands for, what the token allows, and until when.
struct Identification: Sendable, Hashable {
  /// The expiry of what does not expire.
  static let never = Instant(milliseconds: 253_402_300_799_000)

  let account: AccountID
  let credential: Credential
  /// What a personal access token allows; nil for a session, which may do everything.
  let scopes: Set<AccessScope>?
  let isVerified: Bool
  let isAdministrator: Bool
  var language: Language
  let issuedAt: Instant
  let expiresAt: Instant
  /// Whether the session was in doubt when the token was made, see ``DoubtRule``.
  var isInDoubt = false
  /// Of the session's access tokens, those before a later one are no longer valid.
  var generation = 0
  /// Identity's key that signed the access token: it is good for as long as that is trusted.
  var keyID: String?

  /// The session, unless a personal access token was presented.
  var session: SessionID? {
    guard case .session(let session) = credential else { return nil }
    return session
  }

  func allows(_ rule: ScopeRule) -> Bool {
    guard let scopes else { return true }
    switch rule {
    case .needs(let scope): return scopes.contains(scope)
    case .sessionsOnly: return false
    case .none: return true
    }
  }
}

/// Why a token is not accepted, as far as the client learns.
enum TokenRefusal: Error, Hashable {
  /// Not a token of ours: malformed, forged, meant for something else. The detail is for the log and the tests.
  case invalid(Detail)
  case expired
  case revoked

  enum Detail: String, Hashable, Sendable {
    case malformed, algorithm, type, critical, key, signature, claims, issuer, audience, notYetValid, unknown
  }

  var failure: Failure {
    switch self {
    case .invalid: Failure(RequestFailure.unauthenticated)
    case .expired: Failure(RequestFailure.tokenExpired)
    case .revoked: Failure(RequestFailure.sessionRevoked)
    }
  }
}

/// Reads access tokens (RFC 9068) as RFC 8725 asks: one algorithm, a key found by its id alone, type, issuer and audience pinned.
enum AccessToken {
  static let issuer = "racha"
  static let audience = "racha"
  /// Tolerated between the clocks of the machine that signs and this one.
  static let leewaySeconds = 2
  /// A longer text is no token of ours.
  static let maxBytes = 4096

  /// The parts of a token whose header is valid; they are not trusted before the signature is checked.
  struct Unverified {
    let keyID: String
    let signedText: [UInt8]
    let signature: [UInt8]
    let claims: [UInt8]
  }

  static func parse(_ token: String) throws(TokenRefusal) -> Unverified {
    guard token.utf8.count <= maxBytes else { throw .invalid(.malformed) }
    let parts = token.split(at: ".", maxSplits: 3)
    guard parts.count == 3, let header = Base64URL.decode(parts[0]), let claims = Base64URL.decode(parts[1]),
      let signature = Base64URL.decode(parts[2]), let head = object(header)
    else { throw .invalid(.malformed) }
    guard head["alg"] == "EdDSA" else { throw .invalid(.algorithm) }
    guard head["typ"] == "at+jwt" else { throw .invalid(.type) }
    guard head["crit"] == nil else { throw .invalid(.critical) }
    guard case .string(let keyID) = head["kid"], !keyID.isEmpty else { throw .invalid(.key) }
    return Unverified(
      keyID: keyID, signedText: Array(token.utf8.prefix(parts[0].utf8.count + 1 + parts[1].utf8.count)), signature: signature,
      claims: claims)
  }

  /// Reads the claims of a token whose signature is right.
  static func identification(_ claims: [UInt8], now: Instant) throws(TokenRefusal) -> Identification {
    guard let claims = object(claims) else { throw .invalid(.claims) }
    guard claims["iss"] == .string(issuer) else { throw .invalid(.issuer) }
    guard claims["aud"] == .string(audience) else { throw .invalid(.audience) }
    guard let account: AccountID = id(claims["sub"]), let session: SessionID = id(claims["sid"]),
      case .bool(let isVerified) = claims["ver"], case .string(let languageText) = claims["lang"],
      let language = Language(rawValue: languageText), let expiresAt = instant(claims["exp"]),
      let issuedAt = instant(claims["iat"]),
      case .string = claims["jti"]
    else { throw .invalid(.claims) }
    var isAdministrator = false
    if let value = claims["adm"] {
      guard case .bool(let flag) = value else { throw .invalid(.claims) }
      isAdministrator = flag
    }
    var isInDoubt = false
    if let value = claims["dbt"] {
      guard case .bool(let flag) = value else { throw .invalid(.claims) }
      isInDoubt = flag
    }
    // Tokens from before there were generations have none.
    var generation = 0
    if let value = claims["gen"] {
      guard case .integer(let number) = value, number >= 0 else { throw .invalid(.claims) }
      generation = Int(number)
    }
    let latestStart = now.adding(seconds: leewaySeconds)
    if let value = claims["nbf"] {
      guard let start = instant(value) else { throw .invalid(.claims) }
      guard start <= latestStart else { throw .invalid(.notYetValid) }
    }
    guard issuedAt <= latestStart else { throw .invalid(.notYetValid) }
    // Revocations are remembered only for the lifetime of identity's tokens, so a token that lives longer is refused.
    guard expiresAt <= issuedAt.adding(seconds: AccessTokenForm.lifetimeSeconds) else { throw .invalid(.claims) }
    guard now < expiresAt else { throw .expired }
    return Identification(
      account: account, credential: .session(session), scopes: nil, isVerified: isVerified, isAdministrator: isAdministrator,
      language: language,
      issuedAt: issuedAt, expiresAt: expiresAt, isInDoubt: isInDoubt, generation: generation)
  }

  private static func object(_ bytes: [UInt8]) -> JSON? {
    do {
      let json = try JSONTape(bytes, limits: JSONLimits(bytes: maxBytes, depth: 4)).json
      guard case .object = json else { return nil }
      return json
    } catch {
      return nil
    }
  }

  private static func id<Entity>(_ value: JSON?) -> ID<Entity>? {
    guard case .string(let text) = value else { return nil }
    do {
      return try ID(text: text)
    } catch {
      return nil
    }
  }

  private static func instant(_ value: JSON?) -> Instant? {
    guard case .integer(let seconds) = value, (0...253_402_300_799).contains(seconds) else { return nil }
    return Instant(milliseconds: Int64(seconds) * 1000)
  }
}

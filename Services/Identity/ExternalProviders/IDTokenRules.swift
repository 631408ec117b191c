import Operations

/// Why an ID token proves nothing.
enum IDTokenFault: String, Error, Hashable, Sendable, CaseIterable {
  case missing = "token_missing"
  case malformed = "token_malformed"
  case tooLarge = "token_too_large"
  case otherType = "token_of_other_type"
  case criticalHeader = "token_with_critical_header"
  case wrongAlgorithm = "token_algorithm_not_of_key"
  case unknownKey = "token_key_unknown"
  case wrongSignature = "token_signature_wrong"
  case wrongIssuer = "token_of_other_issuer"
  case wrongAudience = "token_for_other_audience"
  case wrongAuthorizedParty = "token_for_other_party"
  case wrongNonce = "token_nonce_wrong"
  case wrongSubject = "token_subject_unusable"
  case withoutTimes = "token_without_times"
  case expired = "token_expired"
  case fromTheFuture = "token_from_the_future"
  case stale = "token_stale"
}

/// What of an ID token's claims is looked at (OpenID Connect Core 1.0, section 3.1.3.7).
struct IDTokenClaims: Hashable, Sendable {
  var issuer: String?
  var subject: String?
  var audiences: [String]
  var authorizedParty: ProviderValue?
  var nonce: String?
  var issuedAt: Double?
  var expiresAt: Double?
  /// Absent in most tokens; what is no number is no time.
  var notBefore: ProviderValue?

  init(_ payload: [String: ProviderValue]) {
    issuer = payload["iss"]?.text
    subject = payload["sub"]?.text
    audiences =
      switch payload["aud"] {
      case .text(let one): [one]
      case .texts(let several): several
      default: []
      }
    authorizedParty = payload["azp"]
    nonce = payload["nonce"]?.text
    issuedAt = payload["iat"]?.number
    expiresAt = payload["exp"]?.number
    notBefore = payload["nbf"]
  }
}

/// Whether an ID token, whose signature is right, says what it must.
enum IDTokenRules {
  /// By how much clocks may differ.
  static let leewaySeconds = 60.0
  /// A token is made for the flow at hand, which takes ten minutes at most.
  static let oldestSeconds = 600.0

  /// What a token must match.
  struct Expected: Hashable, Sendable {
    var issuer: String
    var clientID: String
    var nonce: String
    var now: Instant
  }

  /// Why the claims prove nothing; nil if they do.
  static func fault(_ claims: IDTokenClaims, _ expected: Expected) -> IDTokenFault? {
    guard claims.issuer == expected.issuer else { return .wrongIssuer }
    // A token for others as well is refused: there are no others that this client trusts.
    guard claims.audiences == [expected.clientID] else { return .wrongAudience }
    if let party = claims.authorizedParty, party.text != expected.clientID { return .wrongAuthorizedParty }
    guard claims.nonce == expected.nonce else { return .wrongNonce }
    guard let issuedAt = claims.issuedAt, let expiresAt = claims.expiresAt else { return .withoutTimes }
    let now = Double(expected.now.milliseconds) / 1000
    guard now < expiresAt + leewaySeconds else { return .expired }
    guard issuedAt < now + leewaySeconds else { return .fromTheFuture }
    guard now - issuedAt < oldestSeconds + leewaySeconds else { return .stale }
    if let notBefore = claims.notBefore {
      guard let instant = notBefore.number else { return .withoutTimes }
      guard instant < now + leewaySeconds else { return .fromTheFuture }
    }
    // Section 2: at most 255 ASCII characters.
    guard let subject = claims.subject, (1...255).contains(subject.utf8.count),
      subject.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
    else { return .wrongSubject }
    return nil
  }
}

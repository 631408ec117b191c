public import Operations

extension FeatureContract {
  static let externalLogins = FeatureContract(
    operations: [BeginExternalLogin.self, CompleteExternalLogin.self, GetExternalLoginReturn.self])
}

/// Why a login by an external provider failed. The text of each suggests what to do.
public enum ExternalLoginFailure: String, FailureCode {
  /// No provider of that name is configured.
  case unknownProvider = "unknown_external_provider"
  /// Never made here, damaged, or another client's: one answer for all of them.
  case stateInvalid = "external_state_invalid"
  /// More than ten minutes old.
  case stateExpired = "external_state_expired"
  /// It works once, whatever came of it.
  case stateUsed = "external_state_used"
  /// The person turned back at the provider.
  case cancelled = "external_login_cancelled"
  /// The provider ended it with an error, or does not take the code.
  case refused = "external_login_refused"
  /// What came back does not prove who it is: forged, replayed, meant for somebody else.
  case proofInvalid = "external_proof_invalid"
  /// The provider does not answer, or not in its own protocol: begin again.
  case providerUnavailable = "external_provider_unavailable"
  /// The provider supplies no e-mail address, which a new account needs.
  case emailMissing = "external_email_missing"
  /// An account here has the e-mail address: log in to it first, then link it.
  case accountExists = "external_account_exists"

  public var status: Int {
    switch self {
    case .unknownProvider, .stateInvalid: 404
    case .stateExpired, .stateUsed: 410
    case .cancelled, .refused, .proofInvalid: 403
    case .emailMissing, .accountExists: 409
    case .providerUnavailable: 503
    }
  }

  /// How every call that ends a flow can fail.
  static let ofEveryEnd: [ExternalLoginFailure] = [
    .stateInvalid, .stateExpired, .stateUsed, .cancelled, .refused, .proofInvalid, .providerUnavailable,
  ]
}

/// Where a flow with an external provider begins.
public struct ExternalLoginStart: Document, Hashable {
  public var authorizationURL: String
  public var state: String
  public var flowSecret: String
  public var expiresAt: Instant

  public init(authorizationURL: String, state: String, flowSecret: String, expiresAt: Instant) {
    self.authorizationURL = authorizationURL
    self.state = state
    self.flowSecret = flowSecret
    self.expiresAt = expiresAt
  }

  public static let notes: Notes = [
    "authorizationURL": "The address to open in the person's browser.",
    "state": "The value that the provider returns with the code.",
    "flowSecret": "A secret to keep where this flow began and to send at its end, so that nobody else can complete the flow.",
    "expiresAt": "Until when the flow can be completed, ten minutes after its beginning.",
  ]
}

/// Begins a login by an external provider (OpenID Connect Core 1.0, authorization code with PKCE).
///
/// The client opens the address it gets in a browser; the provider sends the browser to `redirectURI`, with `state` and `code` or
/// `error`, and perhaps `iss`. The client gives these to ``CompleteExternalLogin``, with the flow's secret.
public enum BeginExternalLogin: OpenOperation {
  public struct Input: Document, Hashable {
    public var provider: ExternalProviderName
    public var redirectURI: String

    public init(provider: ExternalProviderName, redirectURI: String) {
      self.provider = provider
      self.redirectURI = redirectURI
    }

    public static let notes: Notes = [
      "provider": "The provider; see `externalProviders.list`.",
      "redirectURI": Note(
        "The address to which the browser is sent afterwards: exactly one of those configured.", length: 1...500,
        example: "org.example.app:/logged-in"),
    ]
  }

  public typealias Output = ExternalLoginStart

  public static let spec = OperationSpec(
    "externalLogins.begin", of: .identity, .post("/v1/external-logins"), by: .anyone, effect: .write, rate: .sensitive,
    failures: [ExternalLoginFailure.unknownProvider.kind, ExternalLoginFailure.providerUnavailable.kind],
    usesReserve: true, requirements: ["ID-10"], "Begins a login with an external provider.")
}

/// Ends a login by an external provider: begins a session of the account that is linked to the person there, a new account if
/// there is none. The session may end others, as with ``LogIn``.
public enum CompleteExternalLogin: OpenOperation {
  public struct Input: Document, Hashable {
    public var state: String
    public var flowSecret: String
    public var code: String?
    public var iss: String?
    public var error: String?
    public var device: DeviceName?
    public var timeZone: ChosenTimeZone?
    public var language: Language?
    public var consents: ConsentChoices?

    public init(
      state: String, flowSecret: String, code: String? = nil, iss: String? = nil, error: String? = nil,
      device: DeviceName? = nil, timeZone: ChosenTimeZone? = nil, language: Language? = nil, consents: ConsentChoices? = nil
    ) {
      self.state = state
      self.flowSecret = flowSecret
      self.code = code
      self.iss = iss
      self.error = error
      self.device = device
      self.timeZone = timeZone
      self.language = language
      self.consents = consents
    }

    public static let notes: Notes = answerNotes.merging([
      "device": "A name for the device, for the list of sessions.",
      "timeZone": "IANA time zone of a new account; UTC if absent.",
      "language": "Language of a new account; that of the request if absent.",
      "consents": "What the person of a new account consents to, see `consents.list`; an absent one is not given.",
    ]) { shared, _ in shared }

    public func check(_ fields: inout FieldChecks) {
      fields.expect((code == nil) != (error == nil), "code", FieldRule("code_or_error"))
    }
  }

  public struct Output: Document, Hashable {
    public var isNewAccount: Bool
    public var signedIn: SignedIn

    public init(isNewAccount: Bool, signedIn: SignedIn) {
      self.isNewAccount = isNewAccount
      self.signedIn = signedIn
    }

    public static let notes: Notes = [
      "isNewAccount": "Whether the account was made by this login. It has no password, and its username was chosen for it.",
      "signedIn": "The session, as if logged in with a password.",
    ]
  }

  // Not `create`: a recorded reply would keep the tokens in the store. A flow ends once anyway.
  public static let spec = OperationSpec(
    "externalLogins.complete", of: .identity, .post("/v1/external-logins/complete"), by: .anyone, effect: .write,
    rate: .sensitive,
    failures: (ExternalLoginFailure.ofEveryEnd + [.emailMissing, .accountExists]).map(\.kind)
      + [LogInFailure.unconfirmed, .unasked].map(\.kind) + [RequestFailure.accountSuspended.kind],
    usesReserve: true, requirements: ["ID-10"],
    """
    Completes a login with an external provider; a first login creates an account. An account has at most 100 sessions, and up to 10 more \
    in doubt; a login beyond that ends those unused longest, and one in doubt ends only others in doubt.
    """)
}

/// What the provider sent back, as the inputs of both ends of a flow have it.
let answerNotes: Notes = [
  "state": Note("The value that the provider returned.", length: 1...200),
  "flowSecret": Note("The value that the beginning of the flow returned.", length: 1...200),
  "code": Note("The code that the provider returned; absent if it returned an error.", length: 1...4096),
  "iss": Note("The issuer that the provider returned, if it did (RFC 9207).", length: 1...500),
  "error": Note("The error that the provider returned instead of a code.", length: 1...200, example: "access_denied"),
]

/// Gives the gateway the redirect target for a browser whose provider answered with a form (`response_mode=form_post`).
public enum GetExternalLoginReturn: OpenOperation {
  public struct Input: Document, Hashable {
    public var state: String

    public init(state: String) { self.state = state }

    public static let notes: Notes = ["state": Note("The flow's state.", length: 1...200)]
  }

  public struct Output: Document, Hashable {
    public var redirectURI: String

    public init(redirectURI: String) { self.redirectURI = redirectURI }

    public static let notes: Notes = ["redirectURI": "The address at which the client waits for it."]
  }

  public static let spec = OperationSpec(
    "externalLogins.getReturn", of: .identity, nil, by: .services([.gateway]), effect: .read,
    failures: [ExternalLoginFailure.stateInvalid.kind, ExternalLoginFailure.stateExpired.kind], requirements: ["ID-10"],
    "Returns the address at which the browser of a flow with an external provider continues.")
}

public import Operations

extension FeatureContract {
  static let sessions = FeatureContract(
    operations: [LogIn.self, RefreshSession.self, LogOut.self], events: [SessionRevoked.self, AccessTokensInvalidated.self])
}

/// What a device gets when it logs in or refreshes. Only it ever sees the tokens.
public struct SignedIn: Document, Hashable {
  public var accessToken: String
  public var accessTokenExpiresAt: Instant
  public var refreshToken: String
  public var session: OwnSession
  public var account: OwnAccount
  public var deviceToken: String?

  public init(
    accessToken: String, accessTokenExpiresAt: Instant, refreshToken: String, session: OwnSession, account: OwnAccount,
    deviceToken: String? = nil
  ) {
    self.accessToken = accessToken
    self.accessTokenExpiresAt = accessTokenExpiresAt
    self.refreshToken = refreshToken
    self.session = session
    self.account = account
    self.deviceToken = deviceToken
  }

  public static let notes: Notes = [
    "accessToken": "The token to send with each request as `Authorization: Bearer`; a JWT.",
    "accessTokenExpiresAt": "When it expires, ten minutes after it was issued.",
    "refreshToken": "The token for `sessions.refresh`, valid once; it ends with the session.", "session": "The session.",
    "account": "The account.",
    "deviceToken":
      "After a login by password that is not in doubt: a token to keep even after logging out and to send with the next login, so that wrong guesses of others do not delay it.",
  ]
}

/// Why a login was refused.
public enum LogInFailure: String, FailureCode {
  /// One answer for every cause: no such account, another password, an account that must wait by its other login.
  case wrongCredentials = "wrong_credentials"
  /// After five failures of the login as it was typed, or from the address: `retryAfterSeconds` says how long.
  case locked = "login_locked"
  /// The password was right, but nothing else matched the account: a mail lets the owner confirm the login. Saying that the password was
  /// right reveals nothing: the caller knows that already, or would be logged in.
  case unconfirmed = "login_unconfirmed"
  /// Likewise, but the owner was asked about so many logins lately that no mail was sent about this one.
  case unasked = "login_unasked"

  public var status: Int {
    switch self {
    case .wrongCredentials: 401
    case .locked: 429
    case .unconfirmed, .unasked: 403
    }
  }
}

/// Logs in with an e-mail address or a username and the password: begins a session.
///
/// An account has at most 100 sessions, and up to 10 more in doubt. A login beyond that ends those unused longest: of those that are not in
/// doubt what is above 100, then of those in doubt. One in doubt ends only others in doubt.
public enum LogIn: OpenOperation {
  public struct Input: Document, Hashable {
    public var login: String
    public var password: String
    public var device: DeviceName?
    public var deviceToken: String?

    public init(login: String, password: String, device: DeviceName? = nil, deviceToken: String? = nil) {
      self.login = login
      self.password = password
      self.device = device
      self.deviceToken = deviceToken
    }

    public static let notes: Notes = [
      "login": Note("E-mail address or username.", length: 1...254, example: "ana.ruiz"),
      "password": Note("The account's password.", length: 1...256),
      "device": "A name for the device, for the list of sessions.",
      "deviceToken": Note(
        "The `deviceToken` from the last login on this device; an invalid one counts as none.", length: 1...200),
    ]
  }

  public typealias Output = SignedIn

  // Not `create`: a recorded reply would keep the tokens in the store. Repeating it only begins another session.
  public static let spec = OperationSpec(
    "sessions.create", of: .identity, .post("/v1/sessions"), by: .anyone, effect: .write, rate: .sensitive,
    failures: LogInFailure.allCases.map(\.kind) + [RequestFailure.accountSuspended.kind], usesReserve: true,
    requirements: ["ID-3", "ID-7", "SOC-8"],
    """
    Logs in: begins a session. An account has at most 100 sessions, and up to 10 more in doubt; a login beyond that ends those unused \
    longest, and one in doubt ends only others in doubt.
    """)
}

/// Why a session is not refreshed: the person has to log in again.
public enum RefreshFailure: String, FailureCode {
  /// No such token, or its session has ended.
  case tokenInvalid = "refresh_token_invalid"
  /// Not used for 30 days.
  case tokenExpired = "refresh_token_expired"
  /// The token was used before: somebody else may have it, so the session has been closed.
  case tokenReused = "refresh_token_reused"

  public var status: Int { 401 }
}

/// Exchanges a refresh token for new tokens. The same exchange repeated within 30 s gives the same refresh token again.
public enum RefreshSession: OpenOperation {
  public struct Input: Document, Hashable {
    public var refreshToken: String

    public init(refreshToken: String) { self.refreshToken = refreshToken }

    public static let notes: Notes = ["refreshToken": Note("The newest refresh token.", length: 1...200)]
  }

  public typealias Output = SignedIn

  public static let spec = OperationSpec(
    "sessions.refresh", of: .identity, .post("/v1/sessions/refresh"), by: .anyone, effect: .write, rate: .sensitive,
    failures: RefreshFailure.allCases.map(\.kind), usesReserve: true, requirements: ["ID-4"],
    "Exchanges a refresh token for new tokens.")
}

/// Logs out: the calling session ends at once, in every service.
public enum LogOut: AccountOperation {
  public typealias Input = Empty
  public typealias Output = Empty

  public static let spec = OperationSpec(
    "sessions.delete", of: .identity, .delete("/v1/sessions/current"), by: .account, effect: .write, inDoubt: .allowed,
    usesReserve: true, requirements: ["ID-5"],
    "Logs out: ends the calling session.")
}

/// A session has ended before its time: its access tokens are dead although they have not expired.
public struct SessionRevoked: Event, Hashable {
  /// Why it ended.
  public enum Reason: String, Choice {
    case loggedOut
    /// A refresh token was used twice: it may have been stolen, and the account is to be notified.
    case refreshTokenReused
    /// Its account closed it from another of its sessions.
    case closedByOwner
    /// The password was forgotten and a new one chosen: every session ends.
    case passwordRecovered
    /// A change of the e-mail address was undone by its former owner.
    case emailChangeUndone
    /// The password was changed in another session.
    case passwordChanged
    /// A login of high risk, or repeatedly stolen tokens: everything was revoked, and the owner logs in again.
    case suspiciousActivity
    /// It began with a suspicious login that was not answered in time.
    case loginUnanswered
    /// There is no such account any more.
    case accountDeleted
    /// Data that the account had entrusted to the service is damaged: it has to log in again.
    case secretDamaged
    /// The account was suspended or banned.
    case accountSuspended
    /// The account had the maximum of sessions, and a further login ended this one, see ``LogIn``.
    case replaced
  }

  public var sessionID: SessionID
  public var accountID: AccountID
  public var reason: Reason
  public var at: Instant

  public init(sessionID: SessionID, accountID: AccountID, reason: Reason, at: Instant) {
    self.sessionID = sessionID
    self.accountID = accountID
    self.reason = reason
    self.at = at
  }

  public static let notes: Notes = [
    "sessionID": "The session.", "accountID": "The account that it belonged to.", "reason": "The reason.",
    "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "sessions.revoked", by: .identity, requirements: ["ID-4", "ID-5", "ID-6", "ID-7", "ID-8", "ID-9", "ID-12"],
    "A session ended; its tokens are no longer valid.")
}

/// The access tokens of a session are no longer valid, though the session goes on: they count as expired, and the client refreshes.
public struct AccessTokensInvalidated: Event, Hashable {
  public var sessionID: SessionID
  public var accountID: AccountID
  public var generation: Int
  public var at: Instant

  public init(sessionID: SessionID, accountID: AccountID, generation: Int, at: Instant) {
    self.sessionID = sessionID
    self.accountID = accountID
    self.generation = generation
    self.at = at
  }

  public static let notes: Notes = [
    "sessionID": "The session.", "accountID": "The account.",
    "generation": "The generation of valid tokens: access tokens of a lower one (claim `gen`) count as expired.",
    "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "accessTokens.invalidated", formerly: "sessions.outdated", by: .identity, requirements: ["ID-7", "ID-9", "ID-15"],
    "The access tokens that a session has been given so far are no longer valid.")
}

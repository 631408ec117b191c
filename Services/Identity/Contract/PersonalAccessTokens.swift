public import Operations

extension FeatureContract {
  static let personalAccessTokens = FeatureContract(
    operations: [
      CreatePersonalAccessToken.self, ListPersonalAccessTokens.self, RevokePersonalAccessToken.self,
      IdentifyPersonalAccessToken.self, GetPersonalAccessTokenNotice.self,
    ],
    events: [PersonalAccessTokenRevoked.self, PersonalAccessTokenCreated.self])
}

/// A key that an account makes for a script of its own, as its owner sees it: never with its secret.
public struct PersonalAccessToken: Document, Hashable {
  public var id: PersonalAccessTokenID
  public var name: PersonalAccessTokenName
  public var scopes: [AccessScope]
  public var createdAt: Instant
  public var expiresAt: Instant?
  public var lastUsedAt: Instant?

  public init(
    id: PersonalAccessTokenID, name: PersonalAccessTokenName, scopes: [AccessScope], createdAt: Instant, expiresAt: Instant?,
    lastUsedAt: Instant?
  ) {
    self.id = id
    self.name = name
    self.scopes = scopes
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.lastUsedAt = lastUsedAt
  }

  public static let notes: Notes = [
    "id": "The token's id.", "name": "The name that its owner gave it.", "scopes": "What the token allows.",
    "createdAt": "When it was created.",
    "expiresAt": "When it expires; absent if it works until it is revoked.",
    "lastUsedAt": "When it was last used, to within five minutes; absent if never.",
  ]
}

public typealias PersonalAccessTokenID = ID<PersonalAccessToken>

/// A scope of a personal access token: reading or changing the data of one service. Neither includes the other, but a change answers with
/// the current state of the thing changed, even if nothing changed: a token that may write sees the things it names, but no lists.
///
/// Identity's data has no scope: no token manages accounts, passwords, sessions or tokens.
public enum AccessScope: String, Choice {
  case activityRead = "activity:read"
  case activityWrite = "activity:write"
  case socialRead = "social:read"
  case socialWrite = "social:write"
  case rewardsRead = "rewards:read"
  case rewardsWrite = "rewards:write"
  case notificationsRead = "notifications:read"
  case notificationsWrite = "notifications:write"

  /// The scope that a call of the operation needs; nil if no token may call it. This is the only place that decides it.
  public init?(for operation: OperationSpec) {
    guard !operation.isForSessionsOnly else { return nil }
    switch operation.caller {
    // A till may have a token; what a company is and offers is changed by people.
    case .administrator, .partnerOwner, .services: return nil
    case .anyone, .account, .verifiedAccount, .partnerClerk:
      self.init(rawValue: "\(operation.service.rawValue):\(operation.effect == .read ? "read" : "write")")
    }
  }
}

/// Why there is no further token.
public enum PersonalAccessTokenFailure: String, FailureCode {
  case tooMany = "too_many_personal_access_tokens"

  public var status: Int { 409 }
}

/// Creates a personal access token. Only this answer contains its secret, which only the caller keeps. All invalid fields are reported at
/// once.
public enum CreatePersonalAccessToken: AccountOperation {
  public struct Input: Form, Hashable {
    public var name: PersonalAccessTokenName
    public var scopes: [AccessScope]
    public var expiresAt: Instant?
    public var found = FoundProblems()

    public init(name: PersonalAccessTokenName, scopes: [AccessScope], expiresAt: Instant? = nil) {
      self.name = name
      self.scopes = scopes
      self.expiresAt = expiresAt
    }

    private enum CodingKeys: String, CodingKey {
      case name, scopes, expiresAt
    }

    public static let notes: Notes = [
      "name": "Its name, unique among the account's tokens.",
      "scopes": Note(
        "What the token allows: neither of `read` and `write` includes the other, but the answer to a change holds the changed thing.",
        items: 1...AccessScope.allCases.count),
      "expiresAt": "When it expires, within a year; absent for a token that works until it is revoked.",
    ]
  }

  public struct Output: Document, Hashable {
    public var token: PersonalAccessToken
    public var secret: String

    public init(token: PersonalAccessToken, secret: String) {
      self.token = token
      self.secret = secret
    }

    public static let notes: Notes = [
      "token": "The token's data, without its secret.",
      "secret": "The token to send with each request as `Authorization: Bearer`. It is shown only now.",
    ]
  }

  // No idempotency key, and not `create`: a recorded reply would keep the secret in the store. A repetition is refused, as the name is
  // taken.
  public static let spec = OperationSpec(
    "personalAccessTokens.create", of: .identity, .post("/v1/personal-access-tokens"), by: .account, effect: .write,
    failures: PersonalAccessTokenFailure.allCases.map(\.kind), takesIdempotencyKey: false, requirements: ["ID-18"],
    "Creates a personal access token for a script; its secret is shown only now.")
}

/// Lists the account's tokens that have not been revoked, the newest first, without their secrets.
public enum ListPersonalAccessTokens: AccountOperation {
  public typealias Input = ListPage
  public typealias Output = Page<PersonalAccessToken>

  public static let spec = OperationSpec(
    "personalAccessTokens.list", of: .identity, .get("/v1/personal-access-tokens"), by: .account, effect: .read,
    requirements: ["ID-18"], "Lists the caller's personal access tokens, without their secrets.")
}

/// Revokes a token: within a second it opens nothing. Doing it twice is harmless.
public enum RevokePersonalAccessToken: AccountOperation {
  public struct Input: Document, Hashable {
    public var tokenID: PersonalAccessTokenID

    public init(tokenID: PersonalAccessTokenID) { self.tokenID = tokenID }

    public static let notes: Notes = ["tokenID": "The token."]
  }

  public typealias Output = Empty

  public static let spec = OperationSpec(
    "personalAccessTokens.revoke", of: .identity, .delete("/v1/personal-access-tokens/{tokenID}"), by: .account, effect: .write,
    failures: [RequestFailure.notFound.kind], requirements: ["ID-18"], "Revokes one of the caller's personal access tokens.")
}

/// Gives the gateway the account of a personal access token, by the hash of its secret, and notes that the token was used.
public enum IdentifyPersonalAccessToken: OpenOperation {
  public struct Input: Document, Hashable {
    public var hash: PersonalAccessTokenHash

    public init(hash: PersonalAccessTokenHash) { self.hash = hash }

    public static let notes: Notes = ["hash": "SHA-256 of the secret."]
  }

  public struct Output: Document, Hashable {
    public var tokenID: PersonalAccessTokenID
    public var accountID: AccountID
    public var scopes: [AccessScope]
    public var isVerified: Bool
    public var language: Language
    public var expiresAt: Instant?

    public init(
      tokenID: PersonalAccessTokenID, accountID: AccountID, scopes: [AccessScope], isVerified: Bool, language: Language,
      expiresAt: Instant?
    ) {
      self.tokenID = tokenID
      self.accountID = accountID
      self.scopes = scopes
      self.isVerified = isVerified
      self.language = language
      self.expiresAt = expiresAt
    }

    public static let notes: Notes = [
      "tokenID": "The token.", "accountID": "The account that it belongs to.", "scopes": "What the token allows.",
      "isVerified": "Whether the account's e-mail address is verified.", "language": "The account's language.",
      "expiresAt": "When it expires, if it does.",
    ]
  }

  public static let spec = OperationSpec(
    "personalAccessTokens.identify", of: .identity, nil, by: .services([.gateway]), effect: .write,
    failures: [RequestFailure.unauthenticated.kind, RequestFailure.tokenExpired.kind], requirements: ["ID-18"],
    "Resolves a personal access token to its account.")
}

/// A personal access token was made; its owner is to be notified by mail. Neither its secret nor its name is published: see
/// ``GetPersonalAccessTokenNotice``.
public struct PersonalAccessTokenCreated: Event, Hashable {
  public var tokenID: PersonalAccessTokenID
  public var accountID: AccountID
  public var at: Instant

  public init(tokenID: PersonalAccessTokenID, accountID: AccountID, at: Instant) {
    self.tokenID = tokenID
    self.accountID = accountID
    self.at = at
  }

  public static let notes: Notes = [
    "tokenID": "The token.", "accountID": "The account that it belongs to.", "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "personalAccessTokens.created", by: .identity, requirements: ["ID-18", "NOT-6"], "A personal access token was created.")
}

/// Gives the notifications service the current data for the mail about a new token: its name and its scopes. Only the person who created
/// the token knows its secret.
public enum GetPersonalAccessTokenNotice: OpenOperation {
  public typealias Input = RevokePersonalAccessToken.Input

  public struct Output: Document, Hashable {
    public var token: PersonalAccessToken
    public var email: EmailAddress
    public var username: Username
    public var language: Language

    public init(token: PersonalAccessToken, email: EmailAddress, username: Username, language: Language) {
      self.token = token
      self.email = email
      self.username = username
      self.language = language
    }

    public static let notes: Notes = [
      "token": "The token, without its secret.", "email": "The address to send it to.",
      "username": "The name for the salutation.",
      "language": "The language of the mail.",
    ]
  }

  public static let spec = OperationSpec(
    "personalAccessTokens.getNotice", of: .identity, nil, by: .services([.notifications]), effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["ID-18", "NOT-6"],
    "Returns the content and addressee of the mail about a new personal access token.")
}

/// A personal access token was revoked: it opens nothing any more.
public struct PersonalAccessTokenRevoked: Event, Hashable {
  public var tokenID: PersonalAccessTokenID
  public var accountID: AccountID
  public var at: Instant

  public init(tokenID: PersonalAccessTokenID, accountID: AccountID, at: Instant) {
    self.tokenID = tokenID
    self.accountID = accountID
    self.at = at
  }

  public static let notes: Notes = [
    "tokenID": "The token.", "accountID": "The account that it belonged to.", "at": "When it happened.",
  ]

  public static let spec = EventSpec(
    "personalAccessTokens.revoked", by: .identity, requirements: ["ID-18"], "A personal access token was revoked.")
}

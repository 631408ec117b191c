public import Operations

extension FeatureContract {
  static let publicProfiles = FeatureContract(
    operations: [
      CreatePublicLink.self, GetPublicLink.self, RevokePublicLink.self, GetPublicProfile.self, OpenPublicProfile.self,
    ])
}

/// The secret link to the account's public profile, as its owner sees it.
public struct PublicLink: Document, Hashable {
  public var key: String
  public var path: String
  /// Where browsers find it, relative to the gateway's address.
  public var page: String
  public var createdAt: Instant

  public init(key: String, path: String, page: String, createdAt: Instant) {
    self.key = key
    self.path = path
    self.page = page
    self.createdAt = createdAt
  }

  public static let notes: Notes = [
    "key": "The secret key of the link: anyone who has it can see the public profile.",
    "path": Note("The path of the public profile, on this server.", example: "/v1/public-profiles/AZrk…"),
    "page": Note("The path of its page, on this server; it needs no login.", example: "/profile/AZrk…"),
    "createdAt": "When the link was created.",
  ]
}

/// Makes a secret link to the account's public profile, or another instead: the one before stops working.
public enum CreatePublicLink: AccountOperation {
  public typealias Input = Empty
  public typealias Output = PublicLink

  // It takes an idempotency key although it answers a secret: the store and the keys that open the recorded reply give the link anyway.
  public static let spec = OperationSpec(
    "publicProfiles.createLink", of: .identity, .post("/v1/accounts/me/public-link"), by: .account, effect: .create,
    requirements: ["ID-11"], "Creates a link to the caller's public profile; an older one stops working.")
}

/// Reads the link to the account's public profile.
public enum GetPublicLink: AccountOperation {
  public typealias Input = Empty
  public typealias Output = PublicLink

  public static let spec = OperationSpec(
    "publicProfiles.getLink", of: .identity, .get("/v1/accounts/me/public-link"), by: .account, effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["ID-11"],
    "Returns the link to the caller's public profile; `not_found` without one.")
}

/// Revokes the link to the account's public profile. Without a link it does nothing.
public enum RevokePublicLink: AccountOperation {
  public typealias Input = Empty
  public typealias Output = Empty

  public static let spec = OperationSpec(
    "publicProfiles.revokeLink", of: .identity, .delete("/v1/accounts/me/public-link"), by: .account, effect: .write,
    requirements: ["ID-11"], "Revokes the link to the caller's public profile.")
}

/// The data of an account that visitors of the link may see.
public struct PublicProfile: Document, Hashable {
  public var username: Username
  public var nickname: Nickname?
  public var createdAt: Instant
  public var photoTag: String?

  public init(username: Username, nickname: Nickname?, createdAt: Instant, photoTag: String?) {
    self.username = username
    self.nickname = nickname
    self.createdAt = createdAt
    self.photoTag = photoTag
  }

  public static let notes: Notes = [
    "username": "The account's unique name.", "nickname": "Its display name.", "createdAt": "When it was registered.",
    "photoTag": "Identifies its photo, which `publicProfiles.getPhoto` returns; absent without one.",
  ]
}

/// Reads the public profile of a secret link.
public enum GetPublicProfile: OpenOperation {
  public struct Input: Document, Hashable {
    public var key: String

    public init(key: String) { self.key = key }

    public static let notes: Notes = ["key": Note("The link's key.", length: 1...200)]
  }

  public typealias Output = PublicProfile

  public static let spec = OperationSpec(
    "publicProfiles.get", of: .identity, .get("/v1/public-profiles/{key}"), by: .anyone, effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["ID-11"],
    "Returns a public profile; `not_found` for a link that does not work.")
}

/// Finds out whose public profile a secret link opens, for the page that services put together (TASK-6).
public enum OpenPublicProfile: OpenOperation {
  public typealias Input = GetPublicProfile.Input

  public struct Output: Document, Hashable {
    /// Whose it is, which readers do not learn.
    public var accountID: AccountID
    public var profile: PublicProfile

    public init(accountID: AccountID, profile: PublicProfile) {
      self.accountID = accountID
      self.profile = profile
    }

    public static let notes: Notes = [
      "accountID": "The account; readers of the profile do not learn it.", "profile": "The content of the profile.",
    ]
  }

  public static let spec = OperationSpec(
    "publicProfiles.open", of: .identity, nil, by: .services([.gateway]), effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["TASK-6"],
    "Returns the account whose public profile a secret link opens.")
}

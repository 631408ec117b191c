public import Operations

extension FeatureContract {
  static let externalIdentities = FeatureContract(
    operations: [ListIdentities.self, BeginIdentityLink.self, CompleteIdentityLink.self, UnlinkIdentity.self],
    events: [IdentityLinkChanged.self])
}

/// A person as an external provider knows them, linked to an account here.
public struct ExternalIdentity: Document, Hashable {
  public var id: ExternalIdentityID
  public var provider: ExternalProviderName
  public var linkedAt: Instant
  public var lastUsedAt: Instant?

  public init(id: ExternalIdentityID, provider: ExternalProviderName, linkedAt: Instant, lastUsedAt: Instant?) {
    self.id = id
    self.provider = provider
    self.linkedAt = linkedAt
    self.lastUsedAt = lastUsedAt
  }

  public static let notes: Notes = [
    "id": "The link's id.", "provider": "The provider.", "linkedAt": "When it was linked.",
    "lastUsedAt": "When it was last used to log in; absent if never.",
  ]
}

/// Names a linked identity, for as long as it is linked.
public typealias ExternalIdentityID = ID<ExternalIdentity>

/// Why an identity is not linked or unlinked.
public enum IdentityFailure: String, FailureCode {
  /// Somebody else's account here is linked to it.
  case linkedElsewhere = "identity_linked_elsewhere"
  /// The account is linked to another identity of the same provider.
  case providerLinkedAlready = "external_provider_linked_already"
  /// Without it nobody could log in to the account any more.
  case lastWayIn = "identity_is_last_way_in"

  public var status: Int { 409 }
}

/// Lists the external identities that are linked to the account: at most one of each provider.
public enum ListIdentities: AccountOperation {
  public typealias Input = Empty

  public struct Output: Document, Hashable {
    public var identities: [ExternalIdentity]
    public var hasPassword: Bool

    public init(identities: [ExternalIdentity], hasPassword: Bool) {
      self.identities = identities
      self.hasPassword = hasPassword
    }

    public static let notes: Notes = [
      "identities": "The identities, oldest link first.",
      "hasPassword":
        "Whether the account has a password; one created by an external login has none until a recovery link sets one.",
    ]
  }

  public static let spec = OperationSpec(
    "identities.list", of: .identity, .get("/v1/identities"), by: .account, effect: .read, requirements: ["ID-10"],
    "Lists the external identities linked to the caller's account.")
}

/// Begins to link an external identity to the account that is logged in; see ``BeginExternalLogin``.
public enum BeginIdentityLink: AccountOperation {
  public typealias Input = BeginExternalLogin.Input
  public typealias Output = ExternalLoginStart

  // No idempotency key: a recorded reply would keep the flow's secrets, and repeating it only begins another flow.
  public static let spec = OperationSpec(
    "identities.beginLinking", of: .identity, .post("/v1/identities"), by: .account, effect: .write, rate: .sensitive,
    failures: [
      ExternalLoginFailure.unknownProvider.kind, ExternalLoginFailure.providerUnavailable.kind,
    ],
    takesIdempotencyKey: false, requirements: ["ID-10"], "Begins to link an external identity to the caller's account.")
}

/// Links the external identity that the provider proved to the account, in the session in which the flow began.
///
/// The current password is not asked for: an intruder has it, an account may have none, and the owner is mailed.
public enum CompleteIdentityLink: AccountOperation {
  public struct Input: Document, Hashable {
    public var state: String
    public var flowSecret: String
    public var code: String?
    public var iss: String?
    public var error: String?

    public init(state: String, flowSecret: String, code: String? = nil, iss: String? = nil, error: String? = nil) {
      self.state = state
      self.flowSecret = flowSecret
      self.code = code
      self.iss = iss
      self.error = error
    }

    public static let notes: Notes = answerNotes

    public func check(_ fields: inout FieldChecks) {
      fields.expect((code == nil) != (error == nil), "code", FieldRule("code_or_error"))
    }
  }

  public typealias Output = ExternalIdentity

  public static let spec = OperationSpec(
    "identities.completeLinking", of: .identity, .post("/v1/identities/complete"), by: .account, effect: .write, rate: .sensitive,
    failures: ExternalLoginFailure.ofEveryEnd.map(\.kind) + [
      IdentityFailure.linkedElsewhere.kind, IdentityFailure.providerLinkedAlready.kind,
    ], requirements: ["ID-10"], "Links the external identity that the provider confirmed to the caller's account.")
}

/// Unlinks an external identity; never the last way in.
public enum UnlinkIdentity: AccountOperation {
  public struct Input: Document, Hashable {
    public var identityID: ExternalIdentityID

    public init(identityID: ExternalIdentityID) { self.identityID = identityID }

    public static let notes: Notes = ["identityID": "The identity to unlink."]
  }

  public typealias Output = Empty

  public static let spec = OperationSpec(
    "identities.unlink", of: .identity, .delete("/v1/identities/{identityID}"), by: .account, effect: .write,
    failures: [RequestFailure.notFound.kind, IdentityFailure.lastWayIn.kind],
    requirements: ["ID-10"],
    "Unlinks an external identity; refused if the caller has no other way to log in.")
}

/// Marks ids of changes of what an account is linked to.
public enum IdentityLinkChange {}
/// One identity linked or unlinked.
public typealias IdentityLinkChangeID = ID<IdentityLinkChange>

/// An external identity was linked to an account, or unlinked; its owner is to be notified by mail.
public struct IdentityLinkChanged: Event, Hashable {
  public var changeID: IdentityLinkChangeID
  public var accountID: AccountID
  public var isLinked: Bool

  public init(changeID: IdentityLinkChangeID, accountID: AccountID, isLinked: Bool) {
    self.changeID = changeID
    self.accountID = accountID
    self.isLinked = isLinked
  }

  public static let notes: Notes = [
    "changeID": "Id of the change.", "accountID": "The account whose identity it is.",
    "isLinked": "Whether it was linked; otherwise it was unlinked.",
  ]

  public static let spec = EventSpec(
    "identities.changed", by: .identity, requirements: ["ID-10"], "An external identity was linked or unlinked.")
}

public import Operations

extension FeatureContract {
  static let accountDeletions = FeatureContract(
    operations: [
      DeleteAccount.self, GetAccountDeletion.self, ConfirmErasure.self, GetDeletionReport.self, EndDeletionReport.self,
    ],
    events: [AccountDeleted.self, AccountErased.self])
}

/// Marks ids of account deletions.
public enum AccountDeletionMark {}
/// One deletion of an account.
public typealias AccountDeletionID = ID<AccountDeletionMark>

/// A kind of data that is erased with an account. Each table that holds data of accounts names one; the report's texts for them are
/// `erased.<kind>` of notifications.
public enum ErasedKind: String, Choice {
  case profiles, sessions, accessTokens, links, secrets, securityEvents
  case activities, entries, steps
  case friendships, friendRequests, conversations, messages
  case follows, followRequests, blocks, relations
  case friendChallenges, reports
  case tasks, taskComments, attachments, teams, registerRecords
  case coins, redemptions, challenges, leaderboardScores
  case notifications, mails, notificationChoices, deliveries, pushSubscriptions
  case events
}

/// How much of a kind was erased.
public struct ErasureCount: Document, Hashable {
  public var kind: ErasedKind
  public var count: Int

  public init(kind: ErasedKind, count: Int) {
    self.kind = kind
    self.count = count
  }

  public static let notes: Notes = ["kind": "What was erased.", "count": Note("The number of them.", range: 0...9e15)]
}

/// What one service has erased.
public struct ServiceErasure: Document, Hashable {
  public var service: ServiceName
  public var counts: [ErasureCount]

  public init(service: ServiceName, counts: [ErasureCount]) {
    self.service = service
    self.counts = counts
  }

  public static let notes: Notes = [
    "service": "The service.", "counts": Note("What it erased.", items: 0...ErasedKind.allCases.count),
  ]
}

/// How far the deletion of an account has come (ID-12).
public struct AccountDeletion: Document, Hashable {
  /// The deletion's steps, in their order.
  public enum State: String, Choice {
    /// Some services have not confirmed yet.
    case erasing
    /// All have; the report is on its way to the account's address.
    case reporting
    /// Nothing of the account is left, the address included.
    case finished
  }

  public var id: AccountDeletionID
  public var state: State
  public var requestedAt: Instant
  /// By when the last bytes will be gone from the files. Deleted data can no longer be read at once, but stays in files for a while.
  public var cleanBy: Instant
  public var erasedAt: Instant?
  public var finishedAt: Instant?
  /// The services that have confirmed.
  public var services: [ServiceErasure]

  public init(
    id: AccountDeletionID, state: State, requestedAt: Instant, cleanBy: Instant, erasedAt: Instant?, finishedAt: Instant?,
    services: [ServiceErasure]
  ) {
    self.id = id
    self.state = state
    self.requestedAt = requestedAt
    self.cleanBy = cleanBy
    self.erasedAt = erasedAt
    self.finishedAt = finishedAt
    self.services = services
  }

  public static let notes: Notes = [
    "id": "Id of the deletion.", "state": "How far it has come.", "requestedAt": "When the account was deleted.",
    "cleanBy": "By when its last bytes will have been removed from the files; they are shown to nobody meanwhile.",
    "erasedAt":
      "When nothing of it was left in the files of any service, except its address, which the report needs; absent before.",
    "finishedAt": "When nothing of it was left in any file; absent before.",
    "services": Note("The services that have erased everything, and what.", items: 0...10),
  ]
}

/// Deletes the signed-in account permanently (ID-12): its sessions and tokens end at once, and nobody sees it any more; then every service
/// erases its data, and a report is mailed to the owner.
///
/// By POST: the password belongs into a body, and a body of DELETE has no defined meaning (RFC 9110, section 9.3.5).
public enum DeleteAccount: AccountOperation {
  public struct Input: Form, Hashable {
    public var password: FormField<Password>?
    public var found = FoundProblems()

    public init(password: FormField<Password>? = nil) { self.password = password }

    private enum CodingKeys: String, CodingKey {
      case password
    }

    public static let notes: Notes = [
      "password":
        "The account's password; for an account without one, a login with its provider in the last ten minutes is enough."
    ]
  }

  public struct Output: Document, Hashable {
    public var deletion: AccountDeletion
    public var token: String

    public init(deletion: AccountDeletion, token: String) {
      self.deletion = deletion
      self.token = token
    }

    public static let notes: Notes = [
      "deletion": "The deletion, which has begun.",
      "token": "The token for `accountDeletions.getState`, since the session is over. It is returned only once.",
    ]
  }

  // No idempotency key: afterwards there is neither an account nor a record of its requests.
  public static let spec = OperationSpec(
    "accounts.delete", of: .identity, .post("/v1/accounts/me/deletion"), by: .account, effect: .write, rate: .sensitive,
    failures: [
      ChangePasswordFailure.wrongPassword.kind, FreshLoginFailure.required.kind, LogInFailure.locked.kind,
      AdministratorFailure.last.kind,
    ],
    takesIdempotencyKey: false,
    requirements: ["ID-12"], "Deletes the caller's account and all its data in all services.")
}

/// Reads the progress of a deletion, for the former owner (ID-12). By POST, so that the token is in no URL.
public enum GetAccountDeletion: OpenOperation {
  public struct Input: Document, Hashable {
    public var token: String

    public init(token: String) { self.token = token }

    public static let notes: Notes = ["token": Note("The token that `accounts.delete` gave.", length: 1...200)]
  }

  public typealias Output = AccountDeletion

  public static let spec = OperationSpec(
    "accountDeletions.getState", of: .identity, .post("/v1/account-deletions/state"), by: .anyone, effect: .read,
    rate: .sensitive,
    failures: [RequestFailure.notFound.kind], requirements: ["ID-12"], "Returns how far the deletion of an account has come.")
}

/// Confirms that a service has erased an account, and that no data of it remains in the service's files. Confirming again changes nothing.
public enum ConfirmErasure: OpenOperation {
  public struct Input: Document, Hashable {
    public var deletionID: AccountDeletionID
    public var counts: [ErasureCount]

    public init(deletionID: AccountDeletionID, counts: [ErasureCount]) {
      self.deletionID = deletionID
      self.counts = counts
    }

    public static let notes: Notes = [
      "deletionID": "The deletion.", "counts": Note("What was erased.", items: 0...ErasedKind.allCases.count),
    ]
  }

  public typealias Output = Empty

  public static let spec = OperationSpec(
    "accountDeletions.confirm", of: .identity, nil, by: .services([.activity, .social, .rewards, .notifications]), effect: .write,
    failures: [RequestFailure.notFound.kind], requirements: ["ID-12"], "Confirms that a service has erased an account.")
}

/// Gives the notifications service the data for the report of a deletion; `not_found` once the report has ended.
public enum GetDeletionReport: OpenOperation {
  public struct Input: Document, Hashable {
    public var deletionID: AccountDeletionID

    public init(deletionID: AccountDeletionID) { self.deletionID = deletionID }

    public static let notes: Notes = ["deletionID": "The deletion."]
  }

  public struct Output: Document, Hashable {
    public var addressee: GetAddressee.Output
    public var deletion: AccountDeletion

    public init(addressee: GetAddressee.Output, deletion: AccountDeletion) {
      self.addressee = addressee
      self.deletion = deletion
    }

    public static let notes: Notes = ["addressee": "The addressee.", "deletion": "What was erased."]
  }

  public static let spec = OperationSpec(
    "accountDeletions.getReport", of: .identity, nil, by: .services([.notifications]), effect: .read,
    failures: [RequestFailure.notFound.kind], requirements: ["ID-12"],
    "Returns the content of a deletion report, and its addressee.")
}

/// Informs identity that the report was sent or given up, so that it forgets the address too. A repetition changes nothing.
public enum EndDeletionReport: OpenOperation {
  public struct Input: Document, Hashable {
    public var deletionID: AccountDeletionID
    public var isDelivered: Bool

    public init(deletionID: AccountDeletionID, isDelivered: Bool) {
      self.deletionID = deletionID
      self.isDelivered = isDelivered
    }

    public static let notes: Notes = ["deletionID": "The deletion.", "isDelivered": "Whether the report was delivered."]
  }

  public typealias Output = Empty

  public static let spec = OperationSpec(
    "accountDeletions.endReport", of: .identity, nil, by: .services([.notifications]), effect: .write,
    failures: [RequestFailure.notFound.kind], requirements: ["ID-12"],
    "Records that the report of a deletion was sent or given up.")
}

// MARK: - Events

/// An account was deleted: each service that holds data of it erases that and confirms it by ``ConfirmErasure``.
public struct AccountDeleted: Event, Hashable {
  public var deletionID: AccountDeletionID
  public var accountID: AccountID
  public var at: Instant

  public init(deletionID: AccountDeletionID, accountID: AccountID, at: Instant) {
    self.deletionID = deletionID
    self.accountID = accountID
    self.at = at
  }

  public static let notes: Notes = ["deletionID": "The deletion.", "accountID": "The account.", "at": "When it was deleted."]

  public static let spec = EventSpec(
    "accounts.deleted", by: .identity, requirements: ["ID-12"],
    "An account was deleted; every service erases its data of it.")
}

/// All services have erased an account; the report to its owner is to be sent.
public struct AccountErased: Event, Hashable {
  public var deletionID: AccountDeletionID
  public var accountID: AccountID

  public init(deletionID: AccountDeletionID, accountID: AccountID) {
    self.deletionID = deletionID
    self.accountID = accountID
  }

  public static let notes: Notes = ["deletionID": "The deletion.", "accountID": "The erased account."]

  public static let spec = EventSpec(
    "accounts.erased", by: .identity, requirements: ["ID-12"],
    "All services have erased an account; the report is to be sent to its owner.")
}

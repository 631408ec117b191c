public import Operations

extension FeatureContract {
  static let deadPushes = FeatureContract(operations: [ListDeadPushes.self, RetryDeadPush.self])
}

/// A dead push (NOT-5): neither its endpoint nor its text is kept.
public struct DeadPush: Document, Hashable {
  public var id: ID<NotificationDelivery>
  public var kind: String
  public var accountID: AccountID
  /// `push_unreachable`, `push_not_public`, `refused_<status>`.
  public var failure: String
  public var explanation: String
  public var createdAt: Instant
  public var givenUpAt: Instant

  public init(
    id: ID<NotificationDelivery>, kind: String, accountID: AccountID, failure: String, explanation: String, createdAt: Instant,
    givenUpAt: Instant
  ) {
    self.id = id
    self.kind = kind
    self.accountID = accountID
    self.failure = failure
    self.explanation = explanation
    self.createdAt = createdAt
    self.givenUpAt = givenUpAt
  }

  public static let notes: Notes = [
    "id": "The delivery.", "kind": Note("The kind of notification.", example: "friendRequestReceived"),
    "accountID": "The account whose notification it is.",
    "failure": Note("Stable name of the failure of the last attempt.", example: "refused_413"),
    "explanation": "The same in words, in the caller's language.", "createdAt": "When the event that it is about happened.",
    "givenUpAt": "When it was given up.",
  ]
}

/// The dead pushes, newest first (NOT-5). Pushes to devices whose subscription has ended are not among them.
public enum ListDeadPushes: AccountOperation {
  public typealias Input = ListPage
  public typealias Output = Page<DeadPush>

  public static let spec = OperationSpec(
    "deadPushes.list", of: .notifications, .get("/v1/dead-pushes"), by: .administrator, effect: .read, requirements: ["NOT-5"],
    "Lists the pushes that no push service accepted and that were given up, newest first.")
}

/// Sends a dead push once more (NOT-5), by the rules for pushes held in quiet hours: not if it was read, retracted or switched off
/// meanwhile, or is out of date.
public enum RetryDeadPush: AccountOperation {
  public struct Input: Document {
    public var deliveryID: ID<NotificationDelivery>

    public init(deliveryID: ID<NotificationDelivery>) { self.deliveryID = deliveryID }

    public static let notes: Notes = ["deliveryID": "The delivery."]
  }

  public typealias Output = Empty

  public static let spec = OperationSpec(
    "deadPushes.retry", of: .notifications, .post("/v1/dead-pushes/{deliveryID}/retry"), by: .administrator, effect: .write,
    failures: [RequestFailure.notFound.kind], requirements: ["NOT-5"],
    "Sends a push that was given up again, unless there is no longer a reason for it.")
}

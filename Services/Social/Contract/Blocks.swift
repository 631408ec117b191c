public import Operations

extension FeatureContract {
  static let blocks = FeatureContract(operations: [CreateBlock.self, ListBlocks.self, DeleteBlock.self])
}

/// Another account that the caller has blocked (SOC-8).
public struct Block: Document, Hashable {
  public var accountID: AccountID
  public var username: Username
  public var nickname: String?
  public var photoURL: PhotoURL?
  public var since: Instant

  public init(accountID: AccountID, username: Username, nickname: String?, photoURL: PhotoURL?, since: Instant) {
    self.accountID = accountID
    self.username = username
    self.nickname = nickname
    self.photoURL = photoURL
    self.since = since
  }

  public static let notes: Notes = [
    "accountID": "The account that the caller has blocked.", "username": "Its username.",
    "nickname": "Its nickname, if it has one.",
    "photoURL": "Its photo, if it has one that the caller may see.", "since": "When the caller blocked it.",
  ]
}

/// Why an account cannot be blocked, or cannot be asked because it is.
public enum BlockFailure: String, FailureCode {
  case ofOneself = "block_of_oneself"
  /// As many are blocked as one account may block.
  case tooMany = "too_many_blocks"
  /// The caller has blocked the account, and cannot send it requests.
  case blockedByYou = "blocked_by_you"

  public var status: Int {
    switch self {
    case .ofOneself: 422
    case .tooMany, .blockedByYou: 409
    }
  }
}

/// Blocks all contact between the caller and another account, both ways and at once (SOC-8).
///
/// Friendship and follows between the two end, and the caller's requests are withdrawn. The other account is not notified: it no longer
/// finds the caller, and its requests to the caller look sent, wait and expire, without ever being shown to the caller. Both keep the
/// messages that they exchanged. Blocking an account again changes nothing.
public enum CreateBlock: AccountOperation {
  public struct Input: Document {
    public var accountID: AccountID

    public init(accountID: AccountID) { self.accountID = accountID }

    public static let notes: Notes = ["accountID": "The account to block."]
  }

  public typealias Output = Block

  public static let spec = OperationSpec(
    "blocks.create", of: .social, .post("/v1/blocks"), by: .account, effect: .write,
    failures: [RequestFailure.notFound.kind, BlockFailure.ofOneself.kind, BlockFailure.tooMany.kind], requirements: ["SOC-8"],
    "Blocks another account: every way of contact between the two closes, and the other is not notified. At most 10,000.")
}

/// Those whom the caller has blocked, the latest first (SOC-8).
public enum ListBlocks: AccountOperation {
  public typealias Input = ListPage
  public typealias Output = Page<Block>

  public static let spec = OperationSpec(
    "blocks.list", of: .social, .get("/v1/blocks"), by: .account, effect: .read, requirements: ["SOC-8"],
    "Lists the accounts that the caller has blocked, the latest first.")
}

/// Opens the ways between the caller and an account that it has blocked; nothing that the block ended comes back (SOC-8).
public enum DeleteBlock: AccountOperation {
  public struct Input: Document {
    public var accountID: AccountID

    public init(accountID: AccountID) { self.accountID = accountID }

    public static let notes: Notes = ["accountID": "The account that the caller has blocked."]
  }

  public typealias Output = Empty

  public static let spec = OperationSpec(
    "blocks.delete", of: .social, .delete("/v1/blocks/{accountID}"), by: .account, effect: .write,
    failures: [RequestFailure.notFound.kind], requirements: ["SOC-8"],
    "Unblocks an account. What the block ended is not restored, nor are requests that the other made meanwhile.")
}

public import Operations

extension FeatureContract {
  static let taskTokens = FeatureContract(operations: [GetTaskToken.self, RenewTaskToken.self])
}

/// A task's token, by which anybody who has it attaches files to the task without logging in (TASK-8): 20 letters and digits, shown in
/// groups of five. Small letters, and `O`, `I` and `L`, are read as what they were meant for (Crockford's base 32).
public struct TaskToken: TextValue {
  /// Of which the first find it, and the others are its secret.
  public static let (selectorCount, secretCount) = (8, 12)

  /// What it is made of.
  public static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

  /// The letters and digits that find it.
  public let selector: String
  /// Those that prove it.
  public let secret: String

  public init(text: String) throws(FieldRule) {
    var characters: [UInt8] = []
    for byte in text.utf8 {
      let upper = (0x61...0x7A).contains(byte) ? byte - 0x20 : byte
      switch upper {
      case UInt8(ascii: "-"), UInt8(ascii: " "): continue
      case UInt8(ascii: "O"): characters.append(UInt8(ascii: "0"))
      case UInt8(ascii: "I"), UInt8(ascii: "L"): characters.append(UInt8(ascii: "1"))
      case let byte where Self.alphabet.contains(byte): characters.append(byte)
      default: throw Self.broken
      }
    }
    guard characters.count == Self.selectorCount + Self.secretCount else { throw Self.broken }
    self.init(
      selector: String(decoding: characters.prefix(Self.selectorCount), as: UTF8.self),
      secret: String(decoding: characters.dropFirst(Self.selectorCount), as: UTF8.self))
  }

  /// A token from its parts, which are of its letters and digits.
  public init(selector: String, secret: String) {
    self.selector = selector
    self.secret = secret
  }

  private static let broken = FieldRule("not_a_task_token")

  public var description: String {
    let characters = Array((selector + secret).utf8)
    return stride(from: 0, to: characters.count, by: 5)
      .map { String(decoding: characters[$0..<min($0 + 5, characters.count)], as: UTF8.self) }.joined(separator: "-")
  }

  public static let placeholder = TaskToken(selector: "00000000", secret: "000000000000")
  public static let schema: JSON = ["type": "string", "pattern": "^([0-9A-HJKMNP-TV-Z]{5}-){3}[0-9A-HJKMNP-TV-Z]{5}$"]
}

/// The state of a task's token, for the task's participants.
public struct TaskTokenState: Document, Hashable {
  public var token: TaskToken?
  public var expiresAt: Instant?

  public init(token: TaskToken?, expiresAt: Instant?) {
    self.token = token
    self.expiresAt = expiresAt
  }

  /// For how long one is valid.
  public static let lifeSeconds = 30 * 86_400

  public static let notes: Notes = [
    "token":
      "The token that lets anyone attach files to the task on the page `/attach`, without logging in; absent if there is none, or it has expired.",
    "expiresAt": "Until when it is valid, or when it expired; absent if there was none yet.",
  ]
}

/// Why a task's token is not taken.
public enum TaskTokenFailure: String, FailureCode {
  case invalid = "task_token_invalid"
  case expired = "task_token_expired"

  public var status: Int {
    switch self {
    case .invalid: 404
    case .expired: 410
    }
  }
}

/// Names a task.
public struct TaskTokenKey: Document {
  public var taskID: ID<SharedTask>

  public init(taskID: ID<SharedTask>) { self.taskID = taskID }

  public static let notes: Notes = ["taskID": TaskAttachmentText.task]
}

/// Shows a task's token to its participants (TASK-8).
public enum GetTaskToken: AccountOperation {
  public typealias Input = TaskTokenKey
  public typealias Output = TaskTokenState

  public static let spec = OperationSpec(
    "taskTokens.get", of: .social, .get("/v1/tasks/{taskID}/token"), by: .account, effect: .read, isForSessionsOnly: true,
    failures: [RequestFailure.notFound.kind], requirements: ["TASK-8"],
    "Returns the token by which files are attached to a task of the caller without logging in.")
}

/// Gives a task a new token, valid for 30 days; the former one stops working (TASK-8).
public enum RenewTaskToken: AccountOperation {
  public typealias Input = TaskTokenKey
  public typealias Output = TaskTokenState

  public static let spec = OperationSpec(
    "taskTokens.renew", of: .social, .post("/v1/tasks/{taskID}/token"), by: .verifiedAccount, effect: .write,
    isForSessionsOnly: true, failures: [RequestFailure.notFound.kind, TaskFailure.cancelled.kind], takesIdempotencyKey: false,
    requirements: ["TASK-8"],
    "Creates a new token for one of the caller's tasks, valid for 30 days; an older one stops working.")
}

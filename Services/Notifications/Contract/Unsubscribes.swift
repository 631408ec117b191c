public import Operations

extension FeatureContract {
  static let unsubscribes = FeatureContract(operations: [GetUnsubscribe.self, CreateUnsubscribe.self])
}

/// What a link in a mail ends (NOT-4).
public struct MailUnsubscribe: Document, Hashable {
  public var name: String
  public var username: Username
  public var isOff: Bool

  public init(name: String, username: Username, isOff: Bool) {
    self.name = name
    self.username = username
    self.isOff = isOff
  }

  public static let notes: Notes = [
    "name": "The name of the mails that it ends, in the reader's language.",
    "username": "The username of the account that the mails go to.",
    "isOff": "Whether these mails are turned off now.",
  ]
}

/// Ways in which a link to end mails does not work.
public enum UnsubscribeFailure: String, FailureCode {
  /// It is not one of ours, or its account is gone.
  case linkInvalid = "unsubscribe_link_invalid"

  public var status: Int { 404 }
}

/// The token of a link to end mails.
public struct UnsubscribeToken: Document, Hashable {
  public var token: String

  public init(token: String) { self.token = token }

  public static let notes: Notes = ["token": Note("The mailed link's token.", length: 1...200)]
}

/// Reads which mails an unsubscribe link ends, without ending them (NOT-4). It needs no login.
public enum GetUnsubscribe: OpenOperation {
  public typealias Input = UnsubscribeToken
  public typealias Output = MailUnsubscribe

  public static let spec = OperationSpec(
    "unsubscribes.get", of: .notifications, .post("/v1/unsubscribes/read"), by: .anyone, effect: .read,
    failures: UnsubscribeFailure.allCases.map(\.kind), requirements: ["NOT-4"],
    "Returns which mails an unsubscribe link ends, without ending them.")
}

/// Ends the mails that an unsubscribe link stands for (RFC 8058, NOT-4). It needs no login, and repeating it changes nothing.
///
/// The link covers one account and one kind of mail and nothing else, so a recipient of a forwarded mail cannot switch off more. It works
/// as long as the account exists: people keep mails for years.
public enum CreateUnsubscribe: OpenOperation {
  public typealias Input = UnsubscribeToken
  public typealias Output = MailUnsubscribe

  public static let spec = OperationSpec(
    "unsubscribes.create", of: .notifications, .post("/v1/unsubscribes"), by: .anyone, effect: .write,
    failures: UnsubscribeFailure.allCases.map(\.kind), requirements: ["NOT-4"],
    "Ends the mails that an unsubscribe link stands for.")
}

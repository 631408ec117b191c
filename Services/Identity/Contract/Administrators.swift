public import Operations

/// Makes an account an administrator: only the launcher's hand inside the cluster may, so that there can be a first one.
///
/// Its next log in or refresh carries the right.
public enum AppointAdministrator: Operation {
  /// Who.
  public struct Input: Document, Hashable {
    public var username: Username

    public init(username: Username) { self.username = username }

    public static let notes: Notes = ["username": "The account's username."]
  }

  public typealias Output = OwnAccount

  public static let spec = OperationSpec(
    "accounts.appointAdministrator", of: .identity, nil, by: .services([.gateway]), effect: .write,
    failures: [RequestFailure.notFound.kind, RequestFailure.verificationRequired.kind], requirements: ["ID-15"],
    "Make an account with a verified address an administrator.")
}

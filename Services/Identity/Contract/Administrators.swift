public import Operations

extension FeatureContract {
  static let administrators = FeatureContract(
    operations: [AppointAdministrator.self, DismissAdministrator.self, ListAdministrators.self])
}

/// Why somebody goes on administering.
public enum AdministratorFailure: String, FailureCode {
  /// Nobody would be left to be notified of incidents.
  case last = "last_administrator"

  public var status: Int { 409 }
}

/// Makes an account an administrator: only the launcher's hand inside the cluster may, so that there can be a first one.
///
/// Its next log in or refresh carries the right.
public enum AppointAdministrator: OpenOperation {
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
    "Makes an account with a verified address an administrator.")
}

/// Withdraws administration from an account; like granting it, only the launcher may call this. The last administrator cannot be dismissed.
///
/// It takes effect at once: older access tokens of the account count as expired, and new ones carry the change.
public enum DismissAdministrator: OpenOperation {
  public typealias Input = AppointAdministrator.Input
  public typealias Output = OwnAccount

  public static let spec = OperationSpec(
    "accounts.dismissAdministrator", of: .identity, nil, by: .services([.gateway]), effect: .write,
    failures: [RequestFailure.notFound.kind, AdministratorFailure.last.kind], requirements: ["ID-15"],
    "Removes an administrator's role, unless it is the last administrator.")
}

/// All current administrators: for services that must know whether there is another one (SOC-8), or notify them (REW-3).
public enum ListAdministrators: OpenOperation {
  public typealias Input = Empty

  public struct Output: Document, Hashable {
    public var accountIDs: [AccountID]

    public init(accountIDs: [AccountID]) { self.accountIDs = accountIDs }

    public static let notes: Notes = ["accountIDs": "The accounts."]
  }

  public static let spec = OperationSpec(
    "accounts.listAdministrators", of: .identity, nil, by: .services([.rewards, .social]), effect: .read,
    requirements: ["REW-3", "SOC-8"], "Lists all administrator accounts.")
}

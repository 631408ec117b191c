public import IdentityContract
public import Operations

/// Makes a service's read model of accounts, ``Accounts``, take over identity's state at once instead of when it receives
/// ``AccountChanged``: for what must hold before identity answers, such as the end of a consent (requirement ID-13).
///
/// Every service that keeps accounts answers it; its spec's ``OperationSpec/service`` is `identity`, which sends it.
public enum SyncAccount: OpenOperation {
  public typealias Input = AccountChanged
  public typealias Output = Empty

  public static let spec = OperationSpec(
    "accounts.sync", of: .identity, nil, by: .services([.identity]), effect: .write, requirements: ["ID-13"],
    "Replaces the stored state of an account with its present one; the event with the same state then has no effect.")
}

extension ServiceDefinition {
  /// Serves what every service that keeps accounts answers.
  mutating func serveSync() {
    serve(
      SyncAccount.self,
      write: { account, call, transaction in
        try Accounts.keep(account, transaction, call.base.context.accountWatch)
        return Empty()
      })
  }
}

public import IdentityContract
public import Operations

/// Lets a service's read model of accounts, ``Accounts``, take over at once what identity has, instead of when it receives
/// ``AccountChanged``: for what must hold before identity answers, as the end of a consent (requirement ID-13).
///
/// It is answered by every service that keeps accounts; its spec's ``OperationSpec/service`` says `identity`, which sends it.
public enum SyncAccount: OpenOperation {
  public typealias Input = AccountChanged
  public typealias Output = Empty

  public static let spec = OperationSpec(
    "accounts.sync", of: .identity, nil, by: .services([.identity]), effect: .write, requirements: ["ID-13"],
    "Know an account as it is now; the event that says the same has no effect any more.")
}

extension ServiceDefinition {
  /// What every service answers that keeps accounts.
  mutating func serveSync() {
    serve(
      SyncAccount.self,
      write: { account, call, transaction in
        try Accounts.keep(account, transaction, call.base.context.accountWatch)
        return Empty()
      })
  }
}

import IdentityContract
import Operations
import ServiceKit
import Storage

/// New usernames in others' lists of friends and followers, which are sorted by them: where there are many such lists, in steps.
struct NameChangeFeature: Feature {
  /// Wakes the worker that does the steps.
  let signal = WakeSignal()
  let migrations = [NameChangeStore.migration(55)]
  let tables: [ErasedTable] = [.following("name_changes", "accounts")]

  func register(in service: inout ServiceDefinition) {
    service.run { [signal] store in
      RoundRobinWorker(
        "new usernames", of: "name_changes", by: "account_id", limits: StepLimits(first: 50, max: 2_000), store: store,
        signal: signal
      ) { (account: AccountID, count, transaction) in
        _ = try NameChangeStore.settle(account, people: count, transaction)
      }
    }
  }

  func accountChanged(_ account: AccountID, _ transaction: Transaction) throws {
    guard try !NameChangeStore.settle(account, people: NameChangeStore.peopleAtOnce, transaction) else { return }
    transaction.afterCommit { [signal] in signal.send() }
  }
}

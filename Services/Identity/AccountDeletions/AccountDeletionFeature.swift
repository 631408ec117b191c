import IdentityContract
import Operations
import SecureStorage
import ServiceKit
import Storage

/// The deletion of accounts in all services (ID-12). Identity begins it, and erases its own store as the other services do theirs.
///
/// What remains identifies nobody: ids of the account and the deletion, so that late events and restored backups cannot bring the account
/// back; security events without account and address; a keyed hash of the username while it is reserved; the sealed tokens of providers'
/// grants until the providers have been notified. Except for sessions, login alerts, security events, consents and personal access tokens,
/// of which there may be many, everything is deleted in the transaction that begins the deletion: from then on the account does not exist.
struct AccountDeletionFeature: Feature {
  private let handlers: AccountDeletionHandlers
  private let environment: ServiceEnvironment
  let migrations = [AccountDeletionStore.migration(12), ReservedUsernameStore.accountsMigration(19)]
  let tables: [ErasedTable] = AccountDeletionFeature.ownTables
  let retention = [RetentionRule("reserved_usernames", key: "username_key", after: "until", seconds: 0)]
  let snapshot = [SnapshotPart("deletions", AccountDeleted.self, AccountErased.self, page: AccountDeletionStore.snapshot)]

  /// - Parameter others: all other features of the service, in its order.
  init(
    _ keys: IdentityKeys, _ hasher: PasswordHasher, _ secrets: SecureStorage, erasing others: [any Feature],
    _ environment: ServiceEnvironment
  ) {
    self.environment = environment
    let settings = ErasureSettings(environment.settings)
    let erasure = Erasure(
      AccountDeletionFeature.ownTables + others.reversed().flatMap(\.tables), keepingEvents: AccountDeletionFeature.eventsKept,
      rowsPerTransaction: settings.rowsPerTransaction)
    handlers = AccountDeletionHandlers(
      keys: keys, hasher: hasher, secrets: secrets, erasure: erasure, cleanSeconds: settings.cleanSeconds)
  }

  private static let ownTables: [ErasedTable] = [
    // A keyed hash, kept so that nobody can be mistaken for the former owner of the name.
    ErasedTable.changed(
      "reserved_usernames", "account_id = :account", .profiles,
      by: "UPDATE reserved_usernames SET account_id = NULL WHERE account_id = :account"
    ).atOnce,
    .untouched("account_deletion_parts", "counts"),
    .untouched("account_deletions", "ids of what is gone"),
  ]

  /// Events that hold ids alone, which others have to receive still.
  static let eventsKept = [
    SessionRevoked.spec, AccessTokensInvalidated.spec, PersonalAccessTokenRevoked.spec, AccountDeleted.spec, AccountErased.spec,
  ].reduce(into: Set<String>()) { $0.formUnion($1.names) }

  func register(in service: inout ServiceDefinition) {
    service.serve(DeleteAccount.self, handlers.delete)
    service.serve(DeleteSuspendedAccount.self, handlers.deleteSuspended)
    service.serve(GetAccountDeletion.self, read: handlers.get)
    service.serve(ConfirmErasure.self, write: handlers.confirm)
    service.serve(GetDeletionReport.self, handlers.getReport)
    service.serve(EndDeletionReport.self, write: handlers.endReport)
    let (handlers, environment) = (handlers, environment)
    service.run { store, pulse in
      ErasureWorker(
        store: store, erasure: handlers.erasure, cleanSeconds: handlers.cleanSeconds, clock: environment.clock,
        signal: handlers.signal, pulse: pulse, logger: environment.logger, clean: { _, _ in },
        confirm: { erasure, store in
          let counts = try erasure.erasureCounts()
          try await store.write { try AccountDeletionStore.confirm(erasure.deletionID, by: .identity, counts, $0) }
        }, afterwards: FinishedDeletions.finish)
    }
    service.scrubEarlierPages()
  }
}

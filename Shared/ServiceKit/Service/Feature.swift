public import IdentityContract
public import Operations
public import Storage

/// One feature of a service: a value that says all about itself. A service is its settings and the list of its features; a new feature is its
/// folder, its file in the contract, and one line in that list.
///
///     struct PauseFeature: Feature {
///       let handlers: PauseHandlers
///       let migrations = [PauseStore.migration(5)]
///       let tables: [ErasedTable] = [.following("activity_pauses", "activities")]
///
///       func register(in service: inout ServiceDefinition) {
///         service.serve(CreatePause.self, write: handlers.create)
///         service.serve(DeletePause.self, write: handlers.delete)
///       }
///     }
///
/// Features stand in the list behind those that they build on: accounts are erased in the reverse order, their changes take
/// effect and snapshots are published in it.
public protocol Feature: Sendable {
  /// Its migrations, with the numbers that they have in the service's store. They are only ever added to.
  var migrations: [Migration] { get }

  /// Its tables, and how each forgets an account; a table that refers to another one of them stands before it.
  var tables: [ErasedTable] { get }

  /// How long it keeps the rows of its tables; those that are due are removed.
  var retention: [RetentionRule] { get }

  /// Its parts of the state as events, for subscribers without history.
  var snapshot: [SnapshotPart] { get }

  /// Serves its operations, subscribes to events, and runs its workers.
  func register(in service: inout ServiceDefinition)

  /// Removes what it keeps of an erased account outside the store, or throws where that cannot be yet: then it is tried again.
  func clean(_ erasure: ErasedAccount, _ store: Store) async throws

  /// Takes effect in the transaction in which an account comes to count its days in another way.
  ///
  /// This and what follows is called where the service keeps the read model of accounts, once that holds the account as it is now.
  func accountMoved(_ move: AccountMove, _ transaction: Transaction) throws

  /// Takes effect in the transaction that receives that an account has withdrawn consents: to those purposes.
  func consentsWithdrawn(_ purposes: Set<ConsentPurpose>, by account: AccountID, _ transaction: Transaction) throws

  /// Takes effect in the transaction that receives an account, whatever of it has changed, if anything.
  func accountChanged(_ account: AccountID, _ transaction: Transaction) throws
}

extension Feature {
  public var migrations: [Migration] { [] }
  public var tables: [ErasedTable] { [] }
  public var retention: [RetentionRule] { [] }
  public var snapshot: [SnapshotPart] { [] }
  public func register(in service: inout ServiceDefinition) {}
  public func clean(_ erasure: ErasedAccount, _ store: Store) async throws {}
  public func accountMoved(_ move: AccountMove, _ transaction: Transaction) throws {}
  public func consentsWithdrawn(_ purposes: Set<ConsentPurpose>, by account: AccountID, _ transaction: Transaction) throws {}
  public func accountChanged(_ account: AccountID, _ transaction: Transaction) throws {}
}

extension ServiceDefinition {
  /// A service from its features.
  ///
  /// - Parameters:
  ///   - environment: what it runs in.
  ///   - features: each behind those that it builds on.
  ///   - erasesAccounts: whether it erases an account when identity publishes its deletion; not identity itself, which begins it.
  public init(
    _ contract: Contract, _ environment: ServiceEnvironment, features: [any Feature], erasesAccounts: Bool = true
  ) {
    self.init(contract, migrations: features.flatMap(\.migrations).sorted { $0.number < $1.number })
    accountWatch.features = features
    for feature in features { feature.register(in: &self) }
    publishSnapshot(SnapshotParts(features.flatMap(\.snapshot)).page)
    declareErasure(features.reversed().flatMap(\.tables))
    if features.contains(where: { !$0.retention.isEmpty }) {
      let logger = environment.logger
      run { store in RetentionWorker(store: store, features: features, logger: logger) }
    }
    guard erasesAccounts else { return }
    eraseDeletedAccounts(environment) { erasure, store in
      for feature in features.reversed() { try await feature.clean(erasure, store) }
    }
  }
}

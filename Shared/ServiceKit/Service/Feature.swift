public import IdentityContract
public import Operations
public import Storage

/// One feature of a service: a value that declares everything about itself. A service is its settings and the list of its features; a new
/// feature is its folder, its file in the contract, and its name in two lists: that one, and the contract's.
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
/// Features stand in the list after those that they build on. Accounts are erased in the reverse order of the list; changes of accounts
/// take effect, and snapshots are published, in its order.
public protocol Feature: Sendable {
  /// The feature's migrations, with their numbers in the service's store. They are only ever added to.
  var migrations: [Migration] { get }

  /// The feature's tables, and how each forgets an account; a table that refers to another one of them stands before it.
  var tables: [ErasedTable] { get }

  /// How long the rows of its tables are kept; expired rows are removed.
  var retention: [RetentionRule] { get }

  /// The feature's parts of the state as events, for subscribers without history.
  var snapshot: [SnapshotPart] { get }

  /// Serves the feature's operations, subscribes to events, and runs its workers.
  func register(in service: inout ServiceDefinition)

  /// Removes what the feature keeps of an erased account outside the store, or throws if that is not possible yet; then it is retried.
  func clean(_ erasure: ErasedAccount, _ store: Store) async throws

  /// Takes effect in the transaction in which an account's day rule changes.
  ///
  /// This function and those below are called if the service keeps the read model of accounts, once it holds the account's new state.
  func accountMoved(_ move: AccountMove, _ transaction: Transaction) throws

  /// Takes effect in the transaction that receives an account's withdrawal of its consents to those purposes.
  func consentsWithdrawn(_ purposes: Set<ConsentPurpose>, by account: AccountID, _ transaction: Transaction) throws

  /// Takes effect in the transaction that receives an account's state, whatever has changed, if anything.
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
  ///   - environment: what the service runs in.
  ///   - features: each after those that it builds on.
  ///   - erasesAccounts: whether the service erases an account when identity publishes its deletion; false for identity itself, which
  ///     begins it.
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

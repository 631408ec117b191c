import IdentityContract
public import Operations
public import Storage

extension ServiceDefinition {
  /// Erases accounts that are deleted: in the transaction that hears of it every declared table forgets the account; then the
  /// files do, and identity is told.
  ///
  /// - Parameters:
  ///   - tables: all tables of the service's migrations, each once; the read model of accounts is among them by itself.
  ///   - following: what others are to be told of it, read before the rows are gone; ids alone.
  ///   - clean: removes what lies outside the store.
  public mutating func erase(
    _ tables: [ErasedTable], _ environment: ServiceEnvironment,
    following: @escaping @Sendable (AccountID, Transaction) throws -> [any Event] = { _, _ in [] },
    clean: @escaping ErasureWorker.Clean = { _, _ in }
  ) {
    let tables = keepsAccounts ? tables + [.readModel] : tables
    declareErasure(tables)
    let wake = ErasureWorker.Wake()
    hear(AccountDeleted.self) { event, _, transaction in
      try Erasure.erase(event.accountID, event.deletionID, tables, following: following, transaction)
      transaction.afterCommit { wake() }
    }
    let client = ServiceClient(bus: environment.bus, service: contract.service, clock: environment.clock)
    run { store, pulse in
      ErasureWorker(
        store: store, wake: wake, pulse: pulse, logger: environment.logger, clean: clean,
        confirm: { erasure, _ in
          let input = ConfirmErasure.Input(deletionID: erasure.deletionID, counts: try erasure.erasureCounts())
          do {
            _ = try await client.request(ConfirmErasure.self, input)
          } catch let failure as Failure where failure.code == RequestFailure.notFound.rawValue {
            // Identity was put back from before the deletion: nobody waits for the confirmation.
          }
        })
    }
  }
}

extension Call {
  /// Refuses what an erased account asked for just before it was deleted: nothing of it is written any more.
  func refuseErased(_ transaction: Transaction) throws {
    guard caller.kind == .account, let account = caller.account else { return }
    if try transaction.database.isErased(account) { throw Failure(RequestFailure.sessionRevoked) }
  }
}

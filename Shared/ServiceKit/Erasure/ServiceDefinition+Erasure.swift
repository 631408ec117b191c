import IdentityContract
import Operations
import ServiceLifecycle
import Storage

extension ServiceDefinition {
  /// Erases deleted accounts. From the transaction that receives the deletion on, nothing of the account is shown to others or written.
  /// Then its rows are erased, see ``Erasure``, then the files are cleaned of it, and identity is informed.
  ///
  /// - Parameter clean: removes data outside the store.
  mutating func eraseDeletedAccounts(_ environment: ServiceEnvironment, clean: @escaping ErasureWorker.Clean) {
    let settings = ErasureSettings(environment.settings)
    let erasure = Erasure(erasedTables, rowsPerTransaction: settings.rowsPerTransaction)
    let signal = WakeSignal()
    subscribe(to: AccountDeleted.self) { event, _, transaction in
      try erasure.begin(event.accountID, event.deletionID, transaction)
      transaction.afterCommit { signal.send() }
    }
    let client = ServiceClient(bus: environment.bus, service: contract.service, clock: environment.clock)
    run { store, pulse in
      ErasureWorker(
        store: store, erasure: erasure, cleanSeconds: settings.cleanSeconds, clock: environment.clock, signal: signal,
        pulse: pulse, logger: environment.logger, clean: clean,
        confirm: { erasure, _ in
          let input = ConfirmErasure.Input(deletionID: erasure.deletionID, counts: try erasure.erasureCounts())
          do {
            _ = try await client.request(ConfirmErasure.self, input)
          } catch let failure as Failure where failure.code == RequestFailure.notFound.rawValue {
            // Identity was restored from before the deletion, and does not wait for the confirmation.
          }
        })
    }
    scrubEarlierPages()
  }

  /// Cleans the store's file once of what earlier versions left over in it.
  public mutating func scrubEarlierPages() {
    run { store in EarlierPages(store: store) }
  }
}

/// Scrubs pages that earlier versions wrote, and ends.
private struct EarlierPages: ServiceLifecycle.Service {
  let store: Store

  func run() async throws { try await cancelWhenGracefulShutdown { try await store.scrubEarlierPages() } }
}

/// The settings of erasures.
public struct ErasureSettings: Sendable {
  /// Within how many seconds the bytes of a deleted account leave the files.
  public let cleanSeconds: Int
  /// Rows of an account that are erased in one transaction at most.
  public let rowsPerTransaction: Int

  public init(_ settings: Settings) {
    // A copy may read the store for an hour, and needs the state that it began with.
    cleanSeconds = settings.int("racha.erasure.cleanSeconds", default: 86_400, in: 7_200...2_592_000)
    rowsPerTransaction = settings.int("racha.erasure.rowsPerTransaction", default: 200, in: 1...10_000)
  }
}

extension OpenCall {
  /// Refuses requests that an erased account made just before it was deleted: nothing of it is written any more.
  func refuseErased(_ transaction: Transaction) throws {
    guard caller.kind == .account, let account = caller.account else { return }
    if try transaction.database.isErased(account) { throw Failure(RequestFailure.sessionRevoked) }
  }
}

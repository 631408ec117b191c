import ServiceKit
import ServiceLifecycle
import Storage

/// Expires the requests of one kind that were not answered in time; see ``ConnectionRequestLife``.
struct ConnectionRequestWorker<Kind: RequestedConnection>: Service {
  /// The most requests that one transaction ends, which bounds the wait of other writers.
  static var batch: Int { 200 }

  let store: Store
  let life: ConnectionRequestLife

  func run() async throws { try await repeating(every: .seconds(600)) { try await expire() } }

  /// Ends all that are due.
  func expire() async throws {
    let life = life
    while try await store.write({ try ConnectionRequestStore<Kind>.expire(life, limit: Self.batch, $0) }) == Self.batch {}
  }
}

import ServiceKit
import ServiceLifecycle
import Storage

/// Ends the imports that have not come on, and removes files that belong to none.
struct ImportHousekeepingWorker: Service {
  let store: Store
  let spool: ImportSpool

  private static let interval = Duration.seconds(600)

  func run() async throws { try await repeating(every: Self.interval) { try await keep() } }

  func keep() async throws {
    var idle = try await store.write { try ImportStore.expire($0) }
    while !idle.isEmpty {
      for row in idle { try await spool.remove(row.id, of: row.account) }
      idle = try await store.write { try ImportStore.expire($0) }
    }
    // Files first: an import that is made meanwhile is then among the unfinished.
    let files = try await spool.all()
    let unfinished = try await store.read { try ImportStore.unfinished(in: $0) }
    for file in files where !unfinished.contains(file.id) { try await spool.remove(file.id, of: file.account) }
  }
}

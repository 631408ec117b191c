import ServiceKit
import ServiceLifecycle
import Storage

/// Ends imports without progress, and removes files that belong to no import.
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
    // List the files first: an import that is created meanwhile is then among the unfinished ones.
    let files = try await spool.all()
    let unfinished = try await store.read { try ImportStore.unfinished(in: $0) }
    for file in files where !unfinished.contains(file.id) { try await spool.remove(file.id, of: file.account) }
  }
}

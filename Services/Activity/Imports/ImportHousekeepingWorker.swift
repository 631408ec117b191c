import ServiceKit
import ServiceLifecycle
import Storage

/// Ends imports without progress, removes files that belong to no import, and deletes forgotten problems and exercises.
struct ImportHousekeepingWorker: Service {
  let store: Store
  let spool: ImportSpool

  private static let interval = Duration.seconds(600)
  /// The number of problems or exercises deleted in one step.
  private static let deletions = StepLimits(first: 50, max: 1_000)

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
    try await store.writeInSteps(of: "forgotten details of imports", Self.deletions) {
      try ImportStore.deleteForgotten(rows: $0, $1)
    }
  }
}

import ActivityContract
import Storage

/// Runs work for an import that stops as soon as the import has ended, for whatever reason: its transactions alone would notice that late.
enum ImportWatch {
  /// The import was cancelled or deleted meanwhile.
  struct Ended: Error {}

  /// How often to check.
  private static let pause = Duration.milliseconds(250)

  /// - Throws: ``Ended``, or what the work throws; the work has to end soon when its task is cancelled.
  static func unlessEnded<T: Sendable>(
    _ id: ImportID, _ store: Store, _ work: @escaping @Sendable () async throws -> T
  ) async throws -> T {
    try await withThrowingTaskGroup(of: T.self) { tasks in
      tasks.addTask { try await work() }
      tasks.addTask {
        while try await store.read({ try ImportStore.find(id, in: $0)?.state.isEnded }) == false {
          try await Task.sleep(for: Self.pause)
        }
        throw Ended()
      }
      defer { tasks.cancelAll() }
      guard let result = try await tasks.next() else { throw CancellationError() }
      return result
    }
  }
}

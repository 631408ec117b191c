import ServiceKit
import ServiceLifecycle
import Storage

/// Creates the occurrences of recurring tasks when their days begin. It handles a few series in each transaction, which writes the
/// occurrence and the next day together: a crash leaves both or neither.
struct TaskSeriesWorker: Service {
  /// How many series one transaction advances: other writers wait for no more than that.
  static let batch = 20

  let store: Store
  let series: TaskSeriesStore

  func run() async throws { try await repeating(every: .seconds(30)) { try await advance() } }

  /// Advances all that are due.
  func advance() async throws {
    let series = series
    while try await store.write({ try series.putRight(limit: Self.batch, $0) }) == Self.batch {}
    while try await store.write({ try series.advanceDue(limit: Self.batch, $0) }) == Self.batch {}
  }
}

import ServiceKit
import ServiceLifecycle
import Storage

/// Lets the occurrences of recurring tasks stand open when their days begin. What it does is one transaction for each few series, in which the
/// occurrence and the next day are written together: a kill leaves both or neither.
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

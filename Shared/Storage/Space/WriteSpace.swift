import Metrics
import Synchronization

/// Decides which writes of a store its disk has room for, and knows why others are refused.
final class WriteSpace: Sendable {
  /// Called when writing ends or goes on, with the reason for which it is refused.
  typealias Change = @Sendable (StorageProblem?) -> Void

  /// Nil where there is none to look at.
  private let reserve: WriteReserve?
  /// Why a store that was opened for reading only can never be written.
  private let lasting: StorageProblem?
  private let found: Mutex<StorageProblem?>
  private let changed: Change
  private let metrics: StoreMetrics

  init(
    _ reserve: WriteReserve?, lasting: StorageProblem? = nil, metrics: StoreMetrics, changed: @escaping Change = { _ in }
  ) {
    self.reserve = reserve
    self.lasting = lasting
    self.metrics = metrics
    self.changed = changed
    found = Mutex(lasting)
    metrics.isWritable.record(lasting == nil ? 1 : 0)
    if let lasting { changed(lasting) }
  }

  /// Why ordinary writes are refused; nil if they are not.
  var problem: StorageProblem? { found.withLock { $0 } }

  /// Whether the write-ahead log may be cut, see ``WriteReserve/mayBeGivenBack``.
  var mayCutLog: Bool { reserve?.mayBeGivenBack ?? true }

  /// Makes the reserve whole where a cut of the log has given it away. Where that cannot be, the next write says so.
  func keepReserve() { _ = reserve?.fill() }

  /// The writes to be tried; the others are refused.
  func admit(_ writes: [Write]) -> [Write] {
    guard let problem = lasting ?? reserve?.fill() else { return writes }
    note(problem)
    var admitted: [Write] = []
    for write in writes {
      if write.usesReserve, lasting == nil { admitted.append(write) } else { refuse(write, problem) }
    }
    return admitted
  }

  /// Writes were tried, and the disk did not take them.
  func refuse(_ writes: [Write], _ problem: StorageProblem) {
    note(problem)
    for write in writes { refuse(write, problem) }
  }

  /// Writes are durable.
  func took(_ writes: [Write]) {
    // What is in the reserve has room although nothing else has.
    guard problem != nil, writes.contains(where: { !$0.usesReserve }) else { return }
    note(nil)
  }

  private func refuse(_ write: Write, _ problem: StorageProblem) {
    metrics.refusedWrites.increment()
    write.fail(problem.failure)
  }

  private func note(_ problem: StorageProblem?) {
    let isNew = found.withLock { found in
      defer { found = problem }
      return found != problem
    }
    guard isNew else { return }
    metrics.isWritable.record(problem == nil ? 1 : 0)
    changed(problem)
  }
}

import Metrics
import Synchronization

/// Decides which writes a store's disk has room for, and knows why the others are refused.
final class WriteSpace: Sendable {
  /// Called when writing stops or resumes, with the reason why writes are refused; nil if they are not.
  typealias Change = @Sendable (StorageProblem?) -> Void

  /// Nil if the store has no reserve.
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

  /// Whether the write-ahead log may be truncated, see ``WriteReserve/mayBeGivenBack``.
  var mayCutLog: Bool { reserve?.mayBeGivenBack ?? true }

  /// Fills the reserve again after a truncation of the log has given it away. If that fails, the next write reports it.
  func keepReserve() { _ = reserve?.fill() }

  /// Returns the writes to be tried, and refuses the others.
  func admit(_ writes: [Write]) -> [Write] {
    guard let problem = lasting ?? reserve?.fill() else { return writes }
    note(problem)
    var admitted: [Write] = []
    for write in writes {
      if write.usesReserve, lasting == nil { admitted.append(write) } else { refuse(write, problem) }
    }
    return admitted
  }

  /// Refuses writes that were tried and that the disk did not take.
  func refuse(_ writes: [Write], _ problem: StorageProblem) {
    note(problem)
    for write in writes { refuse(write, problem) }
  }

  /// Notes that writes are durable.
  func took(_ writes: [Write]) {
    // Writes that use the reserve do not show that there is other room.
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

public import Operations
public import ServiceLifecycle
public import Storage
import Synchronization

/// Does in steps the work that commits left for some of many entities of one kind, such as accounts or activities. They take turns (round
/// robin), so that none waits until another is finished. Each has a row in a table until its work is done, so a killed process continues
/// where it was.
public struct RoundRobinWorker<Entity>: ServiceLifecycle.Service {
  /// Does at most `count` units of work for one entity, and deletes its row with the last of them.
  public typealias Step = @Sendable (_ id: ID<Entity>, _ count: Int, Transaction) throws -> Void

  let name: String
  let table: String
  let key: String
  let limits: StepLimits
  let store: Store
  let signal: WakeSignal
  let step: Step

  /// - Parameters:
  ///   - name: names the work: large writes of several names take turns, too.
  ///   - table: the table in which each waiting entity has a row, or several.
  ///   - key: the table's column of the entities' ids, with an index.
  ///   - limits: how much is done at a time, as `step` counts it.
  ///   - signal: sent when a row was added.
  public init(
    _ name: String, of table: String, by key: String, limits: StepLimits, store: Store, signal: WakeSignal, step: @escaping Step
  ) {
    self.name = name
    self.table = table
    self.key = key
    self.limits = limits
    self.store = store
    self.signal = signal
    self.step = step
  }

  public func run() async throws {
    try await cancelWhenGracefulShutdown {
      let last = Last()
      repeat {
        try await store.writeInSteps(of: name, limits) { count, transaction in
          guard let id = try next(after: last.id.withLock { $0 }, in: transaction) else { return false }
          last.id.withLock { $0 = id }
          try step(id, count, transaction)
          return true
        }
      } while await signal.wait()
    }
  }

  /// The entity whose turn was the last.
  private final class Last: Sendable {
    let id = Mutex(ID<Entity>.placeholder)
  }

  /// The entity after that one, or the first one after the last; nil if none waits.
  func next(after id: ID<Entity>, in transaction: Transaction) throws -> ID<Entity>? {
    let next = "SELECT \(key) FROM \(table) WHERE \(key) > ? ORDER BY \(key) LIMIT 1"
    let found: (ID<Entity>) throws -> ID<Entity>? = { try transaction.database.first(next, .id($0)) { try $0.id(0) } }
    return try found(id) ?? found(.placeholder)
  }
}

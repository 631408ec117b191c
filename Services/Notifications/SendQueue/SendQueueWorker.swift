import GRDB
import Operations
import ServiceKit
import ServiceLifecycle
import Storage

/// Sends the entries of a queue, a bounded number at a time, until the service stops.
///
/// It is woken by the commit that queues one and by the time at which a postponed one is due. An entry is claimed in a transaction of its
/// own before it is sent, and its outcome is stored afterwards: one that a crash cuts off is sent again, and none is lost.
protocol SendQueueWorker: ServiceLifecycle.Service {
  /// An entry that a connection has taken on.
  associatedtype Job: Sendable

  var store: Store { get }
  var clock: Clock { get }
  var signal: WakeSignal { get }
  var pulse: Pulse { get }
  /// Most entries on their way at the same time.
  var connections: Int { get }

  /// Puts back what was being sent when the program ended.
  func recover(_ transaction: Transaction) throws

  /// Does what comes before each claim; by default nothing.
  ///
  /// - Returns: false where what it needs is away: it is called again after a pause.
  func prepare() async throws -> Bool

  /// Takes on the entries that are due, at most so many.
  func claim(atMost count: Int, _ transaction: Transaction) throws -> [Job]

  /// When the next waiting entry is due, or is to be looked at again; nil where none waits.
  func nextDue(in database: Database) throws -> Instant?

  /// Sends an entry, and stores the outcome by ``write(_:)``. Throws only if the store does.
  ///
  /// Where a stop cuts it off, it stores no failure, so that ``recover(_:)`` finds it at the next start; but what was taken is stored.
  func send(_ job: Job) async throws
}

private enum Pace {
  /// The longest wait, used where nothing is due; it also bounds the delay after a change of the machine's clock.
  static let longestWait = Duration.seconds(60)
  /// Longer than one round takes: the longest wait, and the time for two transactions and a question.
  static let round = Duration.seconds(90)
  /// How long a graceful stop waits for what is on its way.
  static let patience = Duration.seconds(2)
  /// The store answers so when too many wait for it, and it is asked again after a pause.
  static let noRoom = RequestFailure.overloaded.status
  static let retryPause = Duration.seconds(1)
}

extension SendQueueWorker {
  func prepare() async throws -> Bool { true }

  func run() async throws {
    _ = try await write { try recover($0) }
    let free = FreeConnections(connections)
    try await withThrowingDiscardingTaskGroup { group in
      while !Task.isShuttingDownGracefully && !Task.isCancelled {
        pulse.promise(within: Pace.round)
        let isPrepared = try await prepare()
        let count = free.count
        let jobs = count == 0 ? [] : try await write { try claim(atMost: count, $0) } ?? []
        for job in jobs {
          free.take()
          group.addTask {
            defer {
              free.give()
              signal.send()
            }
            try await send(job)
          }
        }
        if jobs.isEmpty || free.count == 0 {
          let wait = try await untilNextDue(hasFreeConnection: free.count > 0, isPrepared)
          await cancelWhenGracefulShutdown { await signal.wait(atMost: wait) }
        }
      }
      await drain(free)
      group.cancelAll()
    }
  }

  /// Waits a little for what is on its way; what is cut off is sent again after the next start.
  private func drain(_ free: FreeConnections) async {
    let end = ContinuousClock.now + Pace.patience
    while free.count < connections, ContinuousClock.now < end, !Task.isCancelled {
      await signal.wait(atMost: end - ContinuousClock.now)
    }
  }

  private func untilNextDue(hasFreeConnection: Bool, _ isPrepared: Bool) async throws -> Duration {
    guard hasFreeConnection else { return Pace.longestWait }
    guard isPrepared else { return Pace.retryPause }
    do {
      guard let due = try await store.read({ try nextDue(in: $0) }) else { return Pace.longestWait }
      return min(.milliseconds(max(1, due.milliseconds - clock.now.milliseconds)), Pace.longestWait)
    } catch let failure as Failure where failure.status == Pace.noRoom {
      return Pace.retryPause
    }
  }

  /// Writes as soon as the store has room; nil if the service stops first, and then the next start finds the entry as it was.
  func write<Value: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> Value) async throws -> Value? {
    try await persistently { try await store.write(body) }
  }

  /// Reads as soon as the store has room; nil if the service stops first.
  func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value? {
    try await persistently { try await store.read(body) }
  }

  private func persistently<Value: Sendable>(_ access: () async throws -> Value) async throws -> Value? {
    while true {
      do {
        return try await access()
      } catch let failure as Failure where failure.status == Pace.noRoom {
        guard !Task.isCancelled, !Task.isShuttingDownGracefully else { return nil }
        do { try await Task.sleep(for: Pace.retryPause) } catch { return nil }
      }
    }
  }
}

import IdentityContract
import Logging
import Metrics
import NotificationsContract
import Operations
import ServiceKit
import ServiceLifecycle
import Storage

/// Sends the pushes of the queue, a bounded number at a time, until the service stops.
///
/// It is woken by the commit that queues one and by the time at which a postponed one is due.
struct PushWorker: ServiceLifecycle.Service {
  let store: Store
  let settings: PushSettings
  let writer: PushWriter
  let carrier: PushCarrier
  let identity: ServiceClient
  let clock: Clock
  let signal: WakeSignal
  let pulse: Pulse
  let logger: Logger

  /// The longest wait, used where no push is due; it also bounds the delay after a change of the machine's clock.
  private static let longestWait = Duration.seconds(60)
  /// The wait where something waits for a session that is in doubt.
  private static let pausedWait = Duration.seconds(PushSessionStore.doubtSeconds)
  /// Longer than one round takes: the longest wait, and the time for two transactions and a question.
  private static let round = Duration.seconds(90)
  /// How long a graceful stop waits for the pushes on their way.
  private static let patience = Duration.seconds(2)
  /// The store answers so when too many wait for it, and identity while it is away: both are asked again after a breath.
  private static let breath = Duration.seconds(1)
  private static let noRoom = RequestFailure.overloaded.status

  func run() async throws {
    _ = try await write { transaction in
      try PushStore.recover(transaction)
      try PushSessionStore.doubtAll(transaction)
    }
    let connections = FreeConnections(settings.connections)
    try await withThrowingDiscardingTaskGroup { group in
      while !Task.isShuttingDownGracefully && !Task.isCancelled {
        pulse.promise(within: Self.round)
        let isIdentityThere = try await checkSessions()
        let free = connections.count
        let jobs = free == 0 ? [] : try await write { try PushStore.claim(atMost: free, $0) } ?? []
        for job in jobs {
          connections.take()
          group.addTask {
            defer {
              connections.give()
              signal.send()
            }
            try await send(job)
          }
        }
        if jobs.isEmpty || connections.count == 0 {
          let wait = try await untilNextDue(hasFreeConnection: connections.count > 0, isIdentityThere)
          await cancelWhenGracefulShutdown { await signal.wait(atMost: wait) }
        }
      }
      await drain(connections)
      group.cancelAll()
    }
  }

  /// Waits a little for the pushes on their way; those that are cut off are sent again after the next start.
  private func drain(_ connections: FreeConnections) async {
    let end = ContinuousClock.now + Self.patience
    while connections.count < settings.connections, ContinuousClock.now < end, !Task.isCancelled {
      await signal.wait(atMost: end - ContinuousClock.now)
    }
  }

  /// Asks identity about the sessions whose devices have due pushes.
  ///
  /// - Returns: whether identity answered.
  private func checkSessions() async throws -> Bool {
    do {
      let now = clock.now
      let sessions = try await store.read { try PushSessionStore.due(at: now, in: $0) }
      try await PushSessionStore.check(sessions, identity, store)
      return true
    } catch is Failure {
      // Nothing is sent to a session that is not known to be live.
      return false
    }
  }

  private func untilNextDue(hasFreeConnection: Bool, _ isIdentityThere: Bool) async throws -> Duration {
    guard hasFreeConnection else { return Self.longestWait }
    guard isIdentityThere else { return Self.breath }
    do {
      let (due, hasPaused) = try await store.read { (try PushStore.nextDue(in: $0), try PushStore.hasPaused(in: $0)) }
      let longest = hasPaused ? Self.pausedWait : Self.longestWait
      guard let due else { return longest }
      return min(.milliseconds(max(1, due.milliseconds - clock.now.milliseconds)), longest)
    } catch let failure as Failure where failure.status == Self.noRoom {
      return Self.breath
    }
  }

  /// Writes as soon as the store has room; nil if the service stops first, and then the next start finds the push as it was.
  private func write<Value: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> Value) async throws -> Value? {
    while true {
      do {
        return try await store.write(body)
      } catch let failure as Failure where failure.status == Self.noRoom {
        guard !Task.isCancelled, !Task.isShuttingDownGracefully else { return nil }
        do { try await Task.sleep(for: Self.breath) } catch { return nil }
      }
    }
  }

  /// Sends a push and notes the outcome. Throws only if the store does.
  private func send(_ job: PushStore.Job) async throws {
    let content = try await store.read { [writer] in try writer.content(job, in: $0) }
    if !content.leftOut.isEmpty || content.payload == nil {
      let isNoted: Void? = try await write { transaction in
        try PushStore.leaveOut(content.leftOut, of: job.message, transaction)
        if content.payload == nil { try PushStore.withdraw(job.message, transaction) }
      }
      guard isNoted != nil else { return }
    }
    guard let payload = content.payload else { return }
    let answer: PushAnswer
    if let request = try writer.request(payload, job, at: clock.now) {
      answer = await carrier.carry(request)
    } else {
      // The subscription's key is gone, so nothing can be pushed to it: the device has to subscribe again.
      answer = .gone
    }
    // What a stop cuts off is no failure of the service's.
    if Task.isCancelled, answer != .accepted { return }
    _ = try await write { [settings] in try PushStore.finish(job, answer, settings.retry, $0) }
    note(answer, job)
  }

  /// Endpoints are secrets: logs name the service alone.
  private func note(_ answer: PushAnswer, _ job: PushStore.Job) {
    let (end, failure): (String, PushFailure?) =
      switch answer {
      case .accepted: ("sent", nil)
      case .gone: ("gone", nil)
      case .later(let failure, _): ("later", failure)
      case .never(let failure): ("failed", failure)
      }
    Counter(label: "pushes", dimensions: [("end", end)]).increment()
    guard let failure else { return }
    logger.warning(
      "push not accepted",
      metadata: [
        "service": .string(job.endpoint.origin), "attempt": .string("\(job.attempt)"), "failure": .string(failure.code),
      ])
  }
}

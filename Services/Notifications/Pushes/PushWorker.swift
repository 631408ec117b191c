import GRDB
import IdentityContract
import Logging
import Metrics
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// Sends the pushes of the queue.
struct PushWorker: SendQueueWorker {
  let store: Store
  let settings: PushSettings
  let writer: PushWriter
  let carrier: PushCarrier
  let identity: ServiceClient
  let clock: Clock
  let signal: WakeSignal
  let pulse: Pulse
  let logger: Logger
  /// When it was started.
  let start: Instant

  var connections: Int { settings.connections }

  func recover(_ transaction: Transaction) throws { try PushStore.recover(transaction) }

  /// Asks identity about the sessions whose devices have due pushes.
  ///
  /// - Returns: whether identity answered.
  func prepare() async throws -> Bool {
    do {
      let now = clock.now
      let sessions = try await store.read { [start] in try PushSessionStore.due(at: now, since: start, in: $0) }
      try await PushSessionStore.check(sessions, identity, store)
      return true
    } catch is Failure {
      // Nothing is sent to a session that is not known to be live.
      return false
    }
  }

  func claim(atMost count: Int, _ transaction: Transaction) throws -> [PushStore.Job] {
    try PushStore.claim(atMost: count, since: start, transaction)
  }

  func nextDue(in database: Database) throws -> Instant? {
    let now = clock.now
    return try PushStore.hasExpired(at: now, in: database) ? now : PushStore.nextDue(in: database)
  }

  func send(_ job: PushStore.Job) async throws {
    guard let content = try await read({ [writer] in try writer.content(job, in: $0) }) else { return }
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
    Counter(label: "pushes", dimensions: [("outcome", end)]).increment()
    guard let failure else { return }
    logger.warning(
      "push not accepted",
      metadata: [
        "service": .string(job.endpoint.origin), "attempt": .string("\(job.attempt)"), "failure": .string(failure.code),
      ])
  }
}

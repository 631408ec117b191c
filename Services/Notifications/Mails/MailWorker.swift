import Logging
import Metrics
import NotificationsContract
import Operations
import ServiceKit
import ServiceLifecycle
import Storage

/// Sends the mails of the queue, a bounded number at a time, until the service stops.
///
/// It is woken by the commit that queues a mail and by the time at which a postponed one is due.
struct MailWorker: ServiceLifecycle.Service {
  let store: Store
  let settings: MailSettings
  let carrier: any MailCarrier
  let writer: MailWriter
  let clock: Clock
  let signal: WakeSignal
  let pulse: Pulse
  let logger: Logger
  /// Signalled where the report of a deletion has ended.
  var reports = WakeSignal()

  /// The longest wait, used where no mail is due; it also bounds the delay after a change of the machine's clock.
  private static let longestWait = Duration.seconds(60)
  /// Longer than one round takes: the longest wait, and the store's time for two transactions.
  private static let round = Duration.seconds(90)
  /// How long a graceful stop waits for the mails on their way.
  private static let patience = Duration.seconds(2)
  /// The store answers so when too many wait for it, and it is asked again after a breath.
  private static let noRoom = RequestFailure.overloaded.status
  private static let breath = Duration.seconds(1)

  func run() async throws {
    _ = try await write { try MailStore.recover($0) }
    let connections = FreeConnections(settings.connections)
    try await withThrowingDiscardingTaskGroup { group in
      while !Task.isShuttingDownGracefully && !Task.isCancelled {
        pulse.promise(within: MailWorker.round)
        let free = connections.count
        let maximum = settings.retry.maxAttempts
        let claimed = free == 0 ? nil : try await write { try MailStore.claim(atMost: free, maxAttempts: maximum, $0) }
        let jobs = claimed?.jobs ?? []
        for mail in claimed?.givenUp ?? [] { note(mail, gaveUpAfter: .interrupted, attempt: maximum) }
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
          let wait = try await untilNextDue(hasFreeConnection: connections.count > 0)
          await cancelWhenGracefulShutdown { await signal.wait(atMost: wait) }
        }
      }
      await drain(connections)
      group.cancelAll()
    }
  }

  /// Waits a little for the mails on their way; those that are cut off are sent again after the next start.
  private func drain(_ connections: FreeConnections) async {
    let end = ContinuousClock.now + MailWorker.patience
    while connections.count < settings.connections, ContinuousClock.now < end, !Task.isCancelled {
      await signal.wait(atMost: end - ContinuousClock.now)
    }
  }

  private func untilNextDue(hasFreeConnection: Bool) async throws -> Duration {
    guard hasFreeConnection else { return MailWorker.longestWait }
    do {
      guard let due = try await store.read({ try MailStore.nextDue(in: $0) }) else { return MailWorker.longestWait }
      return min(.milliseconds(max(0, due.milliseconds - clock.now.milliseconds)), MailWorker.longestWait)
    } catch let failure as Failure where failure.status == MailWorker.noRoom {
      return MailWorker.breath
    }
  }

  /// Writes as soon as the store has room; nil if the service stops first, and then the next start finds the mail as it was.
  private func write<Value: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> Value) async throws -> Value? {
    while true {
      do {
        return try await store.write(body)
      } catch let failure as Failure where failure.status == MailWorker.noRoom {
        guard !Task.isCancelled, !Task.isShuttingDownGracefully else { return nil }
        do { try await Task.sleep(for: MailWorker.breath) } catch { return nil }
      }
    }
  }

  /// Sends a mail and notes the outcome. Throws only if the store does.
  private func send(_ job: MailStore.Job) async throws {
    let end: MailStore.End
    do throws(MailFailure) {
      if let letter = try await writer.letter(job) {
        try await carrier.carry(letter)
        end = .delivered
      } else {
        end = .obsolete
      }
    } catch {
      return try await failed(job, error)
    }
    try await finish(job, end, nil)
  }

  /// Each attempt ended the program, so that nobody noted its failure.
  private func note(_ mail: ID<Mail>, gaveUpAfter failure: MailFailure, attempt: Int) {
    logger.error(
      "mail given up",
      metadata: [
        "mailID": .string("\(mail)"), "attempt": .string("\(attempt)"), "failure": .string(failure.code),
      ])
    Counter(label: "emails", dimensions: [("outcome", MailStore.End.dead.rawValue)]).increment()
  }

  private func finish(_ job: MailStore.Job, _ end: MailStore.End, _ failure: MailFailure?) async throws {
    _ = try await write { try MailStore.finish(job.id, end, failure, $0) }
    if job.kind == MailSpec.deletionReport { reports.send() }
    Counter(label: "emails", dimensions: [("outcome", end.rawValue)]).increment()
  }

  private func failed(_ job: MailStore.Job, _ failure: MailFailure) async throws {
    Counter(label: "email_failures", dimensions: [("failure", failure.code)]).increment()
    let metadata: Logger.Metadata = [
      "mailID": .string("\(job.id)"), "attempt": .string("\(job.attempt)"), "failure": .string(failure.code),
    ]
    switch settings.retry.step(after: failure, attempts: job.attempt) {
    case .giveUp:
      logger.error("mail given up", metadata: metadata)
      try await finish(job, .dead, failure)
    case .again(let delay):
      logger.warning("mail postponed", metadata: metadata)
      _ = try await write { try MailStore.postpone(job.id, byMilliseconds: delay, failure, $0) }
    }
  }
}

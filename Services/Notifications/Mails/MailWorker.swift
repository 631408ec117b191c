import GRDB
import Logging
import Metrics
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// Sends the mails of the queue.
struct MailWorker: SendQueueWorker {
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

  var connections: Int { settings.connections }

  func recover(_ transaction: Transaction) throws { try MailStore.recover(transaction) }

  func claim(atMost count: Int, _ transaction: Transaction) throws -> [MailStore.Job] {
    let maximum = settings.retry.maxAttempts
    let (jobs, givenUp) = try MailStore.claim(atMost: count, maxAttempts: maximum, transaction)
    // Each attempt ended the program, so that nobody noted its failure.
    transaction.afterCommit {
      for mail in givenUp {
        logger.error("mail given up", metadata: details(mail, attempt: maximum, .interrupted))
        note(.dead)
      }
    }
    return jobs
  }

  func nextDue(in database: Database) throws -> Instant? { try MailStore.nextDue(in: database) }

  func send(_ job: MailStore.Job) async throws {
    let end: MailStore.End
    do throws(MailFailure) {
      if let letter = try await writer.letter(job) {
        try await carrier.carry(letter)
        end = .delivered
      } else {
        end = .obsolete
      }
    } catch {
      // What a stop cuts off is no failure of the server's.
      if !Task.isCancelled { try await failed(job, error) }
      return
    }
    try await finish(job, end, nil)
  }

  private func finish(_ job: MailStore.Job, _ end: MailStore.End, _ failure: MailFailure?) async throws {
    _ = try await write { try MailStore.finish(job.id, end, failure, $0) }
    if job.kind == MailSpec.deletionReport { reports.send() }
    note(end)
  }

  private func failed(_ job: MailStore.Job, _ failure: MailFailure) async throws {
    Counter(label: "email_failures", dimensions: [("failure", failure.code)]).increment()
    let metadata = details(job.id, attempt: job.attempt, failure)
    switch settings.retry.step(after: failure, attempts: job.attempt) {
    case .giveUp:
      logger.error("mail given up", metadata: metadata)
      try await finish(job, .dead, failure)
    case .again(let delay):
      logger.warning("mail postponed", metadata: metadata)
      _ = try await write { try MailStore.postpone(job.id, byMilliseconds: delay, failure, $0) }
    }
  }

  private func details(_ mail: ID<Mail>, attempt: Int, _ failure: MailFailure) -> Logger.Metadata {
    ["mailID": .string("\(mail)"), "attempt": .string("\(attempt)"), "failure": .string(failure.code)]
  }

  private func note(_ end: MailStore.End) { Counter(label: "emails", dimensions: [("outcome", end.rawValue)]).increment() }
}

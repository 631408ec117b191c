import GRDB
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// The mails that were given up: listed, and put back into the queue.
struct DeadEmailHandlers: Sendable {
  /// Wakes the worker for one that is put back.
  let signal: WakeSignal

  @Sendable
  static func list(_ input: ListDeadEmails.Input, _ call: AccountCall, _ database: Database) throws -> Page<DeadEmail> {
    let page = try call.page(input)
    let rows = try DeadEmailStore.list(before: page.cursor(ID<Mail>.init(text:)), limit: page.fetchLimit, in: database)
    return page.page(of: rows, key: { $0["mail_id"] as ID<Mail> }) { DeadEmail($0, call.language) }
  }

  @Sendable
  func retry(_ input: RetryDeadEmail.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    guard try DeadEmailStore.revive(input.deadEmailID, transaction) else { throw Failure(RequestFailure.notFound) }
    transaction.afterCommit { [signal] in signal.send() }
    return Empty()
  }
}

extension DeadEmail {
  fileprivate init(_ row: Row, _ language: Language) {
    let failure: String = row["failure"] ?? MailFailure.interrupted.code
    self.init(
      id: row["mail_id"], kind: row["kind"], accountID: row["account_id"], failure: failure,
      explanation: DeliveryReason.text(failure, language), attempts: row["attempts"], createdAt: row["created_at"],
      givenUpAt: row["finished_at"])
  }
}

import GRDB
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// The mails that were given up: listed, and put back into the queue.
struct DeadMailHandlers: Sendable {
  /// Wakes the worker for one that is put back.
  let signal: WakeSignal

  @Sendable
  static func list(_ input: ListDeadMails.Input, _ call: AccountCall, _ database: Database) throws -> Page<DeadMail> {
    let page = try call.page(input)
    let rows = try DeadMailStore.list(before: page.cursor(ID<Mail>.init(text:)), limit: page.fetchLimit, in: database)
    return page.page(of: rows, key: { $0["mail_id"] as ID<Mail> }) { DeadMail($0, call.language) }
  }

  @Sendable
  func retry(_ input: RetryDeadMail.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    guard try DeadMailStore.revive(input.mailID, transaction) else { throw Failure(RequestFailure.notFound) }
    transaction.afterCommit { [signal] in signal.send() }
    return Empty()
  }
}

extension DeadMail {
  fileprivate init(_ row: Row, _ language: Language) {
    let failure: String = row["failure"] ?? MailFailure.interrupted.code
    self.init(
      id: row["mail_id"], kind: row["kind"], accountID: row["account_id"], failure: failure,
      explanation: DeliveryReason.text(failure, language), attempts: row["attempts"], createdAt: row["created_at"],
      givenUpAt: row["finished_at"])
  }
}

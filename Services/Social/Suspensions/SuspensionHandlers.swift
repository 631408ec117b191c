import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Suspensions: listed and lifted by administrators.
enum SuspensionHandlers {
  static func list(_ input: ListSuspensions.Input, _ call: AccountCall, _ database: Database) throws -> Page<Suspension> {
    let page = try call.page(input)
    let rows = try SuspensionStore.running(before: page.before, limit: page.fetchLimit, in: database)
    return page.page(of: rows, key: { $0["sequence"] as Int64 }, item: Suspension.init)
  }

  static func lift(
    _ input: LiftSuspension.Input, _ administrators: Set<AccountID>, _ call: AccountCall, _ transaction: Transaction
  ) throws -> Empty {
    let database = transaction.database
    guard let suspension = try SuspensionStore.find(input.suspensionID, in: database) else {
      throw Failure(RequestFailure.notFound)
    }
    guard suspension.account != call.account else { throw ModerationFailure.aboutOneself }
    let found = try ModerationCaseStore.require(suspension.moderationCase, in: database)
    guard let decision = found.decision, try SuspensionStore.end(in: found.id, transaction) else {
      throw ModerationFailure.suspensionEnded
    }
    try ModerationRecordStore.add(.lifted, found, decision, note: input.note, by: call.account, transaction)
    return Empty()
  }
}

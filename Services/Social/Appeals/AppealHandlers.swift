import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Appeals: made by the account, listed and decided by administrators.
struct AppealHandlers: Sendable {
  let removed: RemovedContent

  static func send(_ input: AppealSanction.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Sanction {
    let database = transaction.database
    let found = try ModerationCaseStore.require(input.caseID, in: database)
    let state = try AppealStore.state(of: found.id, in: database)
    try AppealRules.appeal(found, by: call.account, state, at: transaction.now)
    try AppealStore.add(input.text.description, in: found.id, transaction)
    return try SanctionStore.view(found.id, at: transaction.now, in: database)
  }

  static func list(_ input: ListAppeals.Input, _ call: AccountCall, _ database: Database) throws -> Page<ModerationCase> {
    let page = try call.page(input)
    let rows = try AppealStore.waiting(for: call.account, after: page.after, limit: page.fetchLimit, in: database)
    return try page.page(of: rows, key: { $0["appeal_sequence"] as Int64 }) { try ModerationCase($0) }
  }

  func decide(
    _ input: DecideAppeal.Input, _ administrators: Set<AccountID>, _ call: AccountCall, _ transaction: Transaction
  ) throws -> ModerationCase {
    let database = transaction.database
    let found = try ModerationCaseStore.require(input.caseID, in: database)
    let state = try AppealStore.state(of: found.id, in: database)
    let decision = try AppealRules.decide(
      found, by: call.account, among: administrators,
      reporters: try ReportStore.reporters(of: found.id, among: administrators, in: database), state)
    try AppealStore.decide(input, by: call.account, transaction)
    if input.outcome == .granted {
      try SuspensionStore.end(in: found.id, transaction)
      try removed.restore(found, transaction)
    }
    try transaction.publish(
      AppealDecided(
        caseID: found.id, accountID: found.accused, outcome: input.outcome, reason: input.reason, at: transaction.now))
    try ModerationRecordStore.add(
      input.outcome == .granted ? .appealGranted : .appealRefused, found, decision, note: input.note, by: call.account,
      transaction)
    return try ModerationCaseStore.view(found.id, in: database)
  }
}

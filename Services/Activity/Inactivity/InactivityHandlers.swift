import ActivityContract
import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Shows, sets and clears the number of days without movement after which an account is notified.
struct InactivityHandlers: Sendable {
  let calendars: AccountCalendars

  static func get(_ input: Empty, _ call: AccountCall, _ database: Database) throws -> InactivityNotice {
    InactivityNotice(days: try InactivityStore.days(of: call.account, in: database))
  }

  static func prepareSet(_ input: SetInactivityNotice.Input, _ call: AccountCall) async throws {
    try await Accounts.catchUp(on: .activityData, call)
  }

  func set(
    _ input: SetInactivityNotice.Input, _ prepared: Void, _ call: AccountCall, _ transaction: Transaction
  ) throws -> InactivityNotice {
    // Without consent no movement is recorded, so the account would seem inactive for ever.
    try Accounts.requireConsent(.activityData, of: call.account, in: transaction.database)
    let today = try calendars.today(of: call.account, transaction)
    try InactivityStore.set(input.days, of: call.account, today: today, transaction)
    return InactivityNotice(days: input.days)
  }

  static func clear(_ input: Empty, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    try InactivityStore.clear(of: call.account, transaction)
    return Empty()
  }
}

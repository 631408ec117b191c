import GRDB
import IdentityContract
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// Quiet hours: read, set and ended.
struct QuietHoursHandlers: Sendable {
  let changes: QuietHoursChangeStore

  @Sendable
  func get(_ input: Empty, _ call: AccountCall, _ database: Database) throws -> QuietHoursState {
    try state(of: call.account, at: call.now, in: database)
  }

  @Sendable
  func set(_ hours: QuietHours, _ call: AccountCall, _ transaction: Transaction) throws -> QuietHoursState {
    try QuietHoursStore.set(hours, of: call.account, transaction)
    return try changed(call, transaction)
  }

  @Sendable
  func delete(_ input: Empty, _ call: AccountCall, _ transaction: Transaction) throws -> QuietHoursState {
    try QuietHoursStore.remove(of: call.account, transaction)
    return try changed(call, transaction)
  }

  private func changed(_ call: AccountCall, _ transaction: Transaction) throws -> QuietHoursState {
    try changes.begin(call.account, transaction)
    return try state(of: call.account, at: transaction.now, in: transaction.database)
  }

  private func state(of account: AccountID, at now: Instant, in database: Database) throws -> QuietHoursState {
    let zone = try Accounts.find(account, in: database)?.timeZone.description
    return QuietHoursState(
      quietHours: try QuietHoursStore.find(account, in: database),
      quietUntil: try changes.hours.end(of: account, timeZone: zone, at: now, in: database))
  }
}

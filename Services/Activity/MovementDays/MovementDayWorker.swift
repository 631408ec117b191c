import ActivityContract
import GRDB
import Operations
import ServiceKit
import ServiceLifecycle
import Storage

/// Counts days anew that a changed order of sources made stale, some at a time, so that nobody waits long for the store. What is to do
/// is in the store: a process that was killed goes on where it was. The newest days come first.
struct MovementDayWorker: ServiceLifecycle.Service {
  /// How many days are counted in one transaction.
  static let batch = 50

  let store: Store
  let signal: WakeSignal
  let calendars: AccountCalendars
  let rules: FairnessRules

  func run() async throws { try await cancelWhenGracefulShutdown { try await work() } }

  private func work() async throws {
    repeat {
      while try await store.write({ try recount($0) }) {}
    } while await signal.wait()
  }

  /// - Returns: whether there may be more to do.
  private func recount(_ transaction: Transaction) throws -> Bool {
    let database = transaction.database
    let found = try Row.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT account_id, account_number FROM movement_stale_days JOIN movement_accounts USING (account_number) LIMIT 1
          """))
    guard let account = found.map({ MovementAccount(id: $0["account_id"], number: $0["account_number"]) }) else { return false }
    let today = try calendars.day(of: transaction.now, account.id, in: database)
    var settlement = DaySettlement(of: account, recordedDay: today, by: rules, transaction)
    let rows = try Row.fetchAll(
      database.cachedStatement(
        sql: "SELECT kind, day FROM movement_stale_days WHERE account_number = ? ORDER BY day DESC LIMIT ?"),
      arguments: [account.number, MovementDayWorker.batch])
    for row in rows { settlement.recount(.init(kind: MovementKind(number: row["kind"]), day: row["day"])) }
    _ = try settlement.settle()
    return true
  }
}

import ActivityContract
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
    guard let account = try MovementDayStore.firstStale(in: database) else { return false }
    let today = try calendars.day(of: transaction.now, account.id, in: database)
    var settlement = DaySettlement(of: account, recordedDay: today, by: rules, transaction)
    for day in try MovementDayStore.stale(of: account.number, limit: MovementDayWorker.batch, in: database) {
      settlement.recount(day)
    }
    _ = try settlement.settle()
    return true
  }
}

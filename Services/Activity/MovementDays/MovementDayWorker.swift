import ActivityContract
import Operations
import ServiceKit
import ServiceLifecycle
import Storage
import Synchronization

/// Counts stale days again after the order of sources was changed, in steps, so that no one waits long for the store. The pending work is
/// in the store: a process that was killed resumes it. Accounts take turns, each with its newest days first.
struct MovementDayWorker: ServiceLifecycle.Service {
  /// The number of days counted in one step.
  static let limits = StepLimits(first: 4, max: 50)

  let store: Store
  let signal: WakeSignal
  let calendars: AccountCalendars
  let rules: FairnessRules

  func run() async throws {
    try await cancelWhenGracefulShutdown {
      let turn = Turn()
      repeat {
        try await store.writeInSteps(of: "movement days", Self.limits) { try recount(atMost: $0, turn, $1) }
      } while await signal.wait()
    }
  }

  /// The account whose days were counted last.
  private final class Turn: Sendable {
    let account = Atomic<Int64>(0)
  }

  /// - Returns: whether there may be more to do.
  private func recount(atMost count: Int, _ turn: Turn, _ transaction: Transaction) throws -> Bool {
    let database = transaction.database
    let last = turn.account.load(ordering: .relaxed)
    guard let account = try MovementDayStore.nextStale(after: last, in: database) else { return false }
    turn.account.store(account.number, ordering: .relaxed)
    guard try !database.isErased(account.id) else {
      try MovementDayStore.forgetStale(of: account.number, limit: Self.limits.max, in: database)
      return true
    }
    let today = try calendars.day(of: transaction.now, account.id, in: database)
    var settlement = DaySettlement(of: account, recordedDay: today, by: rules, transaction)
    for day in try MovementDayStore.stale(of: account.number, limit: count, in: database) { settlement.recount(day) }
    _ = try settlement.settle()
    return true
  }
}

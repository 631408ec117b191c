import ActivityContract
import GRDB
import Operations
import ServiceKit
import Storage

/// Lists and orders sources of movement; a new order makes days stale.
struct MovementSourceHandlers: Sendable {
  /// Wakes the worker that marks the days as stale.
  let reorders: WakeSignal

  static func list(_ input: ListMovementSources.Input, _ call: AccountCall, _ database: Database) throws -> MovementSourceOrder {
    guard let account = try MovementAccountStore.find(call.account, in: database) else {
      return MovementSourceOrder(sources: [], isChosen: false)
    }
    return MovementSourceOrder(try MovementSourceStore.ordered(of: account.number, in: database))
  }

  func reorder(
    _ input: ReorderMovementSources.Input, _ call: AccountCall, _ transaction: Transaction
  ) throws -> MovementSourceOrder {
    let database = transaction.database
    let account = try MovementAccountStore.findOrAdd(call.account, in: database)
    try MovementSourceStore.order(input.sources, of: account, in: database)
    transaction.afterCommit { reorders.send() }
    return MovementSourceOrder(try MovementSourceStore.ordered(of: account.number, in: database))
  }
}

extension MovementSourceOrder {
  init(_ sources: [KnownSource]) {
    self.init(sources: sources.map(\.source), isChosen: sources.contains { $0.position != nil })
  }
}

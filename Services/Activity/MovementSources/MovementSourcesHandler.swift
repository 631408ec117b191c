import ActivityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves the order of sources, and counts days anew by it.
  mutating func serveMovementSources(_ calendars: AccountCalendars, _ rules: FairnessRules) {
    let wake = DayRecounter.Wake()
    serve(ListMovementSources.self) { _, call, database in
      guard let account = try MovementAccount(known: try call.account, in: database) else {
        return MovementSourceOrder(sources: [], isChosen: false)
      }
      return MovementSourceOrder(try MovementSources.ordered(of: account.number, in: database))
    }

    serve(OrderMovementSources.self) { input, call, transaction in
      let database = transaction.database
      let account = try MovementAccount(id: try call.account, in: database)
      try MovementSources.order(input.sources, of: account.number, in: database)
      transaction.afterCommit { wake() }
      return MovementSourceOrder(try MovementSources.ordered(of: account.number, in: database))
    }

    run { store in DayRecounter(store: store, wake: wake, calendars: calendars, rules: rules) }
  }
}

extension MovementSourceOrder {
  init(_ sources: [KnownSource]) {
    self.init(sources: sources.map(\.source), isChosen: sources.contains { $0.position != nil })
  }
}

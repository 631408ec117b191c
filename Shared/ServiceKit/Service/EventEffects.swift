import Operations
import Storage

/// What an event does in a service, in all features that subscribe to it.
protocol EventEffects: Sendable {
  func take(_ logged: LoggedEvent, _ transaction: Transaction) throws
}

/// The effects of events of one type, in the order in which the features subscribed. The event is read once for all of them.
struct EffectsOfEvent<E: Event>: EventEffects {
  let effects: [@Sendable (E, LoggedEvent, Transaction) throws -> Void]

  func take(_ logged: LoggedEvent, _ transaction: Transaction) throws {
    let event = try E.decode(logged.body)
    for effect in effects { try effect(event, logged, transaction) }
  }
}

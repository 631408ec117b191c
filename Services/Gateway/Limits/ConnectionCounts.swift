import CoreMetrics
import ServiceKit
import Synchronization

/// Counts open connections, in all and of each address.
final class ConnectionCounts: Sendable {
  /// What a connection may ask for.
  enum Slot: Sendable, Hashable {
    case everything
    /// Health only: one of the few numbered slots beyond the bounds that are reserved for health probes.
    case health(Int)
  }

  private struct State {
    var connections: AddressCounts
    /// By their numbers, the oldest first, and how each is closed.
    var forHealth: [(number: Int, close: @Sendable () -> Void)] = []
    var nextNumber = 0
  }

  /// The most connections beyond the bounds, which only ``GatewayConfiguration/healthNetworks`` may open. Each sends one request and is
  /// closed; a further one replaces the oldest, which has had time for its request.
  static let maxForHealth = 64

  private let state: Mutex<State>
  private let gauge = Gauge(label: "gateway_connections")
  private let refused = Counter(label: "gateway_connections_refused")

  init(_ limits: GatewayConfiguration.Limits) {
    state = Mutex(
      State(connections: AddressCounts(max: limits.connections, maxPerAddress: limits.connectionsPerAddress)))
  }

  var total: Int { state.withLock { $0.connections.total } }

  /// Takes a slot; nil if none is free.
  ///
  /// - Parameters:
  ///   - address: nil for a proxy, whose connections belong to many clients.
  ///   - close: closes the connection, given where the connection may use a health slot beyond the bounds.
  func enter(_ address: ClientAddress?, forHealth close: (@Sendable () -> Void)? = nil) -> Slot? {
    let (slot, total, oldest): (Slot?, Int, (@Sendable () -> Void)?) = state.withLock { state in
      if state.connections.take(1, address) { return (.everything, state.connections.total, nil) }
      guard let close else { return (nil, state.connections.total, nil) }
      let oldest = state.forHealth.count < ConnectionCounts.maxForHealth ? nil : state.forHealth.removeFirst()
      state.nextNumber += 1
      state.forHealth.append((state.nextNumber, close))
      return (.health(state.nextNumber), state.connections.total, oldest?.close)
    }
    oldest?()
    if slot != .everything { refused.increment() }
    gauge.record(total)
    return slot
  }

  /// Assigns a slot that a proxy took to the given client; returns false if the client has too many.
  func claim(_ address: ClientAddress) -> Bool {
    let isFree = state.withLock { $0.connections.assign(1, to: address) }
    if !isFree { refused.increment() }
    return isFree
  }

  /// Gives back a slot that ``enter(_:forHealth:)`` gave.
  func leave(_ slot: Slot, _ address: ClientAddress?) {
    let total = state.withLock { state in
      if case .health(let number) = slot {
        state.forHealth.removeAll { $0.number == number }
      } else {
        state.connections.give(1, address)
      }
      return state.connections.total
    }
    gauge.record(total)
  }
}

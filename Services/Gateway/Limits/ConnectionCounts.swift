import CoreMetrics
import ServiceKit
import Synchronization

/// Counts open connections, in all and of each address.
final class ConnectionCounts: Sendable {
  /// What a connection may ask for.
  enum Place: Sendable {
    case everything
    /// Health alone: one of the few beyond the bounds that are reserved for who asks whether the gateway lives.
    case health
  }

  private struct Counts {
    var total = 0
    var byAddress: [ClientAddress: Int] = [:]
    var forHealth = 0
  }

  /// Connections beyond the bounds, from ``GatewayConfiguration/healthNetworks`` alone. Each asks one thing and is closed.
  static let maxForHealth = 64

  private let max: Int
  private let maxPerAddress: Int
  private let counts = Mutex(Counts())
  private let gauge = Gauge(label: "gateway_connections")
  private let refused = Counter(label: "gateway_connections_refused")

  init(_ limits: GatewayConfiguration.Limits) {
    max = limits.connections
    maxPerAddress = limits.connectionsPerAddress
  }

  var total: Int { counts.withLock { $0.total } }

  /// Takes a place, or says by nil that there is none.
  ///
  /// - Parameters:
  ///   - address: nil for a proxy, whose connections are many people's.
  ///   - mayAskForHealth: whether beyond the bounds there is a place for health.
  func enter(_ address: ClientAddress?, mayAskForHealth: Bool = false) -> Place? {
    let (place, total): (Place?, Int) = counts.withLock { counts in
      if counts.total < max, address.map({ counts.byAddress[$0, default: 0] < maxPerAddress }) ?? true {
        counts.total += 1
        if let address { counts.byAddress[address, default: 0] += 1 }
        return (.everything, counts.total)
      }
      guard mayAskForHealth, counts.forHealth < ConnectionCounts.maxForHealth else { return (nil, counts.total) }
      counts.forHealth += 1
      return (.health, counts.total)
    }
    if place != .everything { refused.increment() }
    gauge.record(total)
    return place
  }

  /// Lets a place that a proxy took count as that client's from now on, or says that it has too many.
  func claim(_ address: ClientAddress) -> Bool {
    let isFree = counts.withLock { counts in
      guard counts.byAddress[address, default: 0] < maxPerAddress else { return false }
      counts.byAddress[address, default: 0] += 1
      return true
    }
    if !isFree { refused.increment() }
    return isFree
  }

  /// Gives back a place that ``enter(_:mayAskForHealth:)`` gave.
  func leave(_ place: Place, _ address: ClientAddress?) {
    let total = counts.withLock { counts in
      guard place == .everything else {
        counts.forHealth -= 1
        return counts.total
      }
      counts.total -= 1
      if let address {
        let left = counts.byAddress[address, default: 1] - 1
        counts.byAddress[address] = left == 0 ? nil : left
      }
      return counts.total
    }
    gauge.record(total)
  }
}

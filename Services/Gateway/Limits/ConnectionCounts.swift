import CoreMetrics
import ServiceKit
import Synchronization

/// Counts open connections, in all and of each address.
final class ConnectionCounts: Sendable {
  /// What a connection may ask for.
  enum Place: Sendable, Hashable {
    case everything
    /// Health alone: one of the few beyond the bounds that are reserved for who asks whether the gateway lives. They are numbered.
    case health(Int)
  }

  private struct Counts {
    var total = 0
    var byAddress: [ClientAddress: Int] = [:]
    /// By their numbers, the oldest first, and how each is closed.
    var forHealth: [(number: Int, close: @Sendable () -> Void)] = []
    var nextNumber = 0
  }

  /// Connections beyond the bounds, from ``GatewayConfiguration/healthNetworks`` alone. Each asks one thing and is closed; one more
  /// takes the place of the oldest, which has had the time to ask.
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
  ///   - close: closes the connection, given where beyond the bounds there is a place for health.
  func enter(_ address: ClientAddress?, forHealth close: (@Sendable () -> Void)? = nil) -> Place? {
    let (place, total, oldest): (Place?, Int, (@Sendable () -> Void)?) = counts.withLock { counts in
      if counts.total < max, address.map({ counts.byAddress[$0, default: 0] < maxPerAddress }) ?? true {
        counts.total += 1
        if let address { counts.byAddress[address, default: 0] += 1 }
        return (.everything, counts.total, nil)
      }
      guard let close else { return (nil, counts.total, nil) }
      let oldest = counts.forHealth.count < ConnectionCounts.maxForHealth ? nil : counts.forHealth.removeFirst()
      counts.nextNumber += 1
      counts.forHealth.append((counts.nextNumber, close))
      return (.health(counts.nextNumber), counts.total, oldest?.close)
    }
    oldest?()
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

  /// Gives back a place that ``enter(_:forHealth:)`` gave.
  func leave(_ place: Place, _ address: ClientAddress?) {
    let total = counts.withLock { counts in
      if case .health(let number) = place {
        counts.forHealth.removeAll { $0.number == number }
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

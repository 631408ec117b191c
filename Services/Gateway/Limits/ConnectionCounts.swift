import CoreMetrics
import ServiceKit
import Synchronization

/// Counts open connections, in all and of each address.
final class ConnectionCounts: Sendable {
  private struct Counts {
    var total = 0
    var byAddress: [ClientAddress: Int] = [:]
  }

  private let most: Int
  private let mostPerAddress: Int
  private let counts = Mutex(Counts())
  private let gauge = Gauge(label: "gateway_connections")
  private let refused = Counter(label: "gateway_connections_refused")

  init(_ limits: GatewayConfiguration.Limits) {
    most = limits.connections
    mostPerAddress = limits.connectionsPerAddress
  }

  var total: Int { counts.withLock { $0.total } }

  /// Takes a place, or says that there is none.
  ///
  /// - Parameter address: nil for a proxy, whose connections are many people's.
  func enter(_ address: ClientAddress?) -> Bool {
    let total: Int? = counts.withLock { counts in
      guard counts.total < most, address.map({ counts.byAddress[$0, default: 0] < mostPerAddress }) ?? true else { return nil }
      counts.total += 1
      if let address { counts.byAddress[address, default: 0] += 1 }
      return counts.total
    }
    guard let total else {
      refused.increment()
      return false
    }
    gauge.record(total)
    return true
  }

  /// Lets a place that a proxy took count as that client's from now on, or says that it has too many.
  func claim(_ address: ClientAddress) -> Bool {
    let isFree = counts.withLock { counts in
      guard counts.byAddress[address, default: 0] < mostPerAddress else { return false }
      counts.byAddress[address, default: 0] += 1
      return true
    }
    if !isFree { refused.increment() }
    return isFree
  }

  /// Gives back a place that ``enter(_:)`` gave.
  func leave(_ address: ClientAddress?) {
    let total = counts.withLock { counts in
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

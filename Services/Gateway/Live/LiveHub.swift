import CoreMetrics
import Operations
import Synchronization

/// Hands what happens to the connections of the account it happened to.
final class LiveHub: Sendable {
  private struct State {
    var subscriptions: [AccountID: [UInt64: LiveSubscription]] = [:]
    var nextKey: UInt64 = 0
    var count = 0
  }

  private let queue: Int
  private let state = Mutex(State())
  private let delivered = Counter(label: "gateway_live_messages")
  private let cut = Counter(label: "gateway_live_connections_cut")
  private let gauge = Gauge(label: "gateway_live_connections")

  /// - Parameter queue: messages that may wait for one connection.
  init(queue: Int) { self.queue = queue }

  var count: Int { state.withLock { $0.count } }

  /// Subscribes to what is published about the account, until the subscription ends.
  ///
  /// - Parameter held: counts the messages that wait.
  func subscribe(_ account: AccountID, _ held: HeldBytes) -> LiveSubscription {
    let (subscription, count) = state.withLock { state in
      state.nextKey += 1
      state.count += 1
      let key = state.nextKey
      let subscription = LiveSubscription(queue: queue, held) { [weak self] in self?.unsubscribe(account, key) }
      state.subscriptions[account, default: [:]][key] = subscription
      return (subscription, state.count)
    }
    gauge.record(count)
    return subscription
  }

  /// Queues the message for the account's connections; one whose queue is full is cut, and resumes from its cursor.
  func deliver(_ message: LiveMessage) {
    for subscription in state.withLock({ Array($0.subscriptions[message.account, default: [:]].values) }) {
      if subscription.offer(message) { delivered.increment() } else { cut.increment() }
    }
  }

  /// The same for an event.
  func deliver(_ event: LiveEvent) {
    for subscription in state.withLock({ Array($0.subscriptions[event.account, default: [:]].values) }) {
      if subscription.offer(event) { delivered.increment() } else { cut.increment() }
    }
  }

  /// Lets every connection show that it lives.
  func beat() {
    for subscription in state.withLock({ $0.subscriptions.values.flatMap(\.values) }) { subscription.beat() }
  }

  private func unsubscribe(_ account: AccountID, _ key: UInt64) {
    let count = state.withLock { state in
      guard state.subscriptions[account]?.removeValue(forKey: key) != nil else { return state.count }
      if state.subscriptions[account]?.isEmpty == true { state.subscriptions[account] = nil }
      state.count -= 1
      return state.count
    }
    gauge.record(count)
  }
}

import Logging
import Metrics

/// Counts errors that the bus recovers from, and measures its load.
struct BusMetrics: Sendable {
  let malformed: Counter
  let expired: Counter
  let overloaded: Counter
  let forbidden: Counter
  let repliesDropped: Counter
  let repliesLate: Counter
  let announcementsDropped: Counter
  let handshakesFailed: Counter
  let connectionsLost: Counter
  let inFlight: Gauge
  let running: Gauge
  let waiting: Gauge

  init() {
    func counter(_ name: String) -> Counter { Counter(label: "bus_\(name)") }
    malformed = counter("messages_malformed")
    expired = counter("requests_expired")
    overloaded = counter("requests_overloaded")
    forbidden = counter("requests_forbidden")
    repliesDropped = counter("replies_dropped")
    repliesLate = counter("replies_late")
    announcementsDropped = counter("announcements_dropped")
    handshakesFailed = counter("handshakes_failed")
    connectionsLost = counter("connections_lost")
    inFlight = Gauge(label: "bus_requests_in_flight")
    running = Gauge(label: "bus_handlers_running")
    waiting = Gauge(label: "bus_requests_waiting")
  }
}

import Foundation
import Messaging
import Operations
import Testing

/// Figures of the bus between two buses of one process over `ipc://`. Printed, not asserted: they hold for a release build on a
/// quiet machine: `RACHA_MEASURE=1 swift test -c release -Xswiftc -enable-testing --filter BusMeasurements`.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["RACHA_MEASURE"] == "1", "RACHA_MEASURE is not set"), .serialized)
struct BusMeasurements {
  private let header = RequestHeader(
    id: ID<Request>().description, operation: "test.echo",
    caller: Caller(kind: .account, account: AccountID(), session: SessionID(), isVerified: true, address: "203.0.113.9"),
    deadline: Instant.now.adding(seconds: 600), traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")

  private func median(_ rounds: Int, _ body: () async throws -> Double) async rethrows -> Double {
    var figures: [Double] = []
    for _ in 0..<rounds { figures.append(try await body()) }
    return figures.sorted()[rounds / 2]
  }

  private func microseconds(_ count: Int, _ body: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    try await body()
    return Double((ContinuousClock.now - start).components.attoseconds) / 1e12 / Double(count)
      + Double((ContinuousClock.now - start).components.seconds) * 1e6 / Double(count)
  }

  @Test("The time of a single round trip, and of 64 in flight")
  func roundTrips() async throws {
    let junction = try Wiring.sockets.make()
    let server = try junction.bus(.social) { .test($0, body: $0.body) }
    let client = try junction.bus(.gateway)
    let request = Request(header: header, body: Array(#"{"note":"hola"}"#.utf8))
    _ = try await client.bus.request(request, to: .social)
    let lone = try await median(5) {
      try await microseconds(5000) {
        for _ in 0..<5000 { _ = try await client.bus.request(request, to: .social) }
      }
    }
    let busy = try await median(5) {
      try await microseconds(64_000) {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for _ in 0..<64 {
            group.addTask { for _ in 0..<1000 { _ = try await client.bus.request(request, to: .social) } }
          }
          try await group.waitForAll()
        }
      }
    }
    print("lone round trip: \(lone) µs; 64 in flight: \(busy) µs a call")
    await client.stop()
    await server.stop()
  }

  @Test("The time to read and write a request's header")
  func headers() async throws {
    let bytes = header.wire
    let write = await microseconds(100_000) { for _ in 0..<100_000 { precondition(header.wire.count == bytes.count) } }
    let read = try await microseconds(100_000) { for _ in 0..<100_000 { _ = try RequestHeader(wire: bytes) } }
    let strict = try await microseconds(10_000) { for _ in 0..<10_000 { _ = try RequestHeader.decode(bytes, limits: .header) } }
    print("header: write \(write) µs, read \(read) µs, read by the strict decoder \(strict) µs")
  }
}

import IdentityContract
import Logging
import Messaging
import Operations
import Synchronization
import Testing

@testable import GatewayService

@Suite("Calls whose client has disconnected", .timeLimit(.minutes(1)))
struct GivenUpTests {
  /// Keeps what is logged.
  private struct Recorder: LogHandler {
    final class Lines: Sendable {
      let all = Mutex<[(level: Logger.Level, message: String)]>([])
    }

    let lines: Lines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.debug

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      lines.all.withLock { $0.append((event.level, "\(event.message)")) }
    }
  }

  @Test(
    "A call whose client has disconnected counts as no failure in log and metrics; one that fails before does"
  )
  func givenUp() async throws {
    let endpoint = try #require(Catalog([.identity]).byName["keys.list"])
    let call = ClientCall(
      endpoint: endpoint, name: RequestName(), trace: TraceContext(), caller: Caller(kind: .anonymous), body: [])
    let lines = Recorder.Lines()
    let logger = Logger(label: "test") { _ in Recorder(lines: lines) }
    let bus = FakeBus()
    let switchboard = Switchboard(bus: bus, clock: .system, logger: logger, answerSeconds: 10)

    bus.answer(.identity) { _ in throw BusFailure.timedOut }
    _ = await switchboard.answer(call)
    #expect(lines.all.withLock { $0.map(\.level) } == [.warning])

    let (asked, asking) = AsyncStream.makeStream(of: Void.self)
    bus.answer(.identity) { _ in
      asking.yield()
      // Ends when the task is cancelled.
      for await _ in AsyncStream<Never>.makeStream().stream {}
      throw BusFailure.cancelled
    }
    let client = Task { await switchboard.answer(call) }
    for await _ in asked { break }
    client.cancel()
    _ = await client.value
    #expect(lines.all.withLock { $0.map(\.level) } == [.warning, .debug])
  }
}

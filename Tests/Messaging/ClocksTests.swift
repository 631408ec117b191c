import Logging
import Operations
import Synchronization
import Testing

@testable import Messaging

/// Keeps what is logged.
private final class LogKeeper: Sendable {
  private let lines = Mutex<[(message: String, metadata: Logger.Metadata)]>([])

  func lines(with text: String) -> [Logger.Metadata] {
    lines.withLock { $0.filter { $0.message.contains(text) }.map(\.metadata) }
  }

  var logger: Logger {
    var logger = Logger(label: "test") { _ in Handler(keeper: self) }
    logger.logLevel = .info
    return logger
  }

  private struct Handler: LogHandler {
    let keeper: LogKeeper
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      keeper.lines.withLock { $0.append((event.message.description, event.metadata ?? [:])) }
    }
  }
}

@Suite("Differing clocks", .timeLimit(.minutes(1)))
struct ClocksTests {
  private static func shifted(_ seconds: Int) -> Clock { Clock { Instant.now.adding(seconds: seconds) } }

  @Test("Differing clocks do not change a request's remaining time, and cause a warning", arguments: [11, -11, 3600])
  func skew(seconds: Int) async throws {
    let folder = try TemporaryFolder()
    let log = LogKeeper()
    let theirs = Self.shifted(seconds)
    let server = ZeroMQBus(.social, endpoints: .local(directory: folder.path), clock: theirs, logger: log.logger)
    let left = Mutex<[Int64]>([])
    server.serve { request in
      left.withLock { $0.append(request.header.deadline.milliseconds - theirs.now.milliseconds) }
      return .test(request, body: request.body)
    }
    try server.start()
    let client = ZeroMQBus(.gateway, endpoints: .local(directory: folder.path), logger: .quiet)
    try client.start()
    for _ in 0..<5 { _ = try await client.request(.test(within: 10_000), to: .social) }
    #expect(left.withLock { $0.allSatisfy { (1...10_000).contains($0) } && $0.count == 5 })
    let warnings = log.lines(with: "clock differs")
    #expect(warnings.count == 1, "once a minute")
    let published = try #require(warnings.first?["oursAheadMilliseconds"].flatMap { Int("\($0)") })
    #expect(abs(published - seconds * 1000) < 1000)
    await client.stop(within: .milliseconds(200))
    await server.stop(within: .milliseconds(200))
  }

  @Test("Requests dropped because of the clock of a peer that does not say the remaining time cause a warning, too")
  func plainPeer() async throws {
    let log = LogKeeper()
    let serving = Serving(
      handler: { .test($0, body: $0.body) }, grants: nil, limits: BusLimits(), clock: Self.shifted(11), metrics: BusMetrics(),
      throttledLog: ThrottledLog(log.logger))
    let header = Request.test(within: 10_000).header.wire
    #expect(await serving.answer(header: header, body: [], from: nil, received: Monotonic.now, transit: Transit()) == nil)
    #expect(log.lines(with: "is its caller's clock right?").count == 1)
  }

  @Test("A request's waiting time counts: before it is sent, and beyond the fastest of its connection")
  func waiting() async throws {
    let folder = try TemporaryFolder()
    var limits = BusLimits()
    limits.connectionPatience = .seconds(20)
    let client = ZeroMQBus(.gateway, endpoints: .local(directory: folder.path), limits: limits, logger: .quiet)
    try client.start()
    let request = Request.test(within: 20_000)
    let waiting = Task { try await client.request(request, to: .social) }
    // A second passes, for one that waits likewise.
    await #expect(throws: BusFailure.unavailable) { try await client.request(.test(within: 1000), to: .social) }
    let server = ZeroMQBus(.social, endpoints: .local(directory: folder.path), logger: .quiet)
    let deadline = Mutex<Instant?>(nil)
    server.serve { request in
      deadline.withLock { $0 = request.header.deadline }
      return .test(request, body: request.body)
    }
    try server.start()
    _ = try await waiting.value
    let published = try #require(deadline.withLock { $0 })
    // Had its wait not counted, its end would be a second later.
    #expect(published.milliseconds - request.header.deadline.milliseconds < 700)
    await client.stop(within: .milliseconds(200))
    await server.stop(within: .milliseconds(200))
  }

  @Test("A message's waiting time is measured between two clocks of unknown difference")
  func transit() {
    var state = Transit.State()
    // Sent by a clock that is 1,000,000 behind ours; the first takes 3 ms, the quickest 1.
    let steps: [(sent: Int64, received: Int64, waited: Int64)] = [
      (0, 1_000_003, 0), (10, 1_000_011, 0), (20, 1_000_025, 4), (30, 1_005_031, 5000), (40, 1_000_041, 0),
      // The least of the window before still counts, that of the one before it no longer.
      (60_100, 1_060_201, 100), (120_000, 1_120_101, 100), (120_200, 1_120_301, 0), (180_400, 1_180_601, 100),
      (240_000, 1_240_301, 200),
      // After a long silence the difference is learned anew: the clocks may have drifted.
      (3_600_000, 4_601_000, 0), (3_600_010, 4_601_020, 10),
    ]
    for (index, step) in steps.enumerated() {
      #expect(state.delay(sent: step.sent, received: step.received) == step.waited, "\(index)")
    }
  }

  @Test("A service remembers its recent callers up to a maximum")
  func callers() {
    var callers = Callers(bound: 10)
    let regular: [UInt8] = [0, 0, 0, 0, 1]
    let transit = callers.caller(regular)
    for number in UInt8(0)..<100 {
      _ = callers.caller([1, 0, 0, 0, number])
      #expect(callers.caller(regular) === transit)
      #expect(callers.all.count <= 10)
    }
    #expect(callers.all.contains([1, 0, 0, 0, 99]) && !callers.all.contains([1, 0, 0, 0, 1]))
  }
}

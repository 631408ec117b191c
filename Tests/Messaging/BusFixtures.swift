import Glibc
import InMemoryBus
import Logging
import Messaging
import Operations
import Testing

/// A folder under /tmp of its own, short enough for sockets, removed at the end.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    var template = Array("/tmp/racha.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw ZeroError(number: errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  struct ZeroError: Error { let number: CInt }

  deinit {
    for name in (try? entries()) ?? [] { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  func entries() throws -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}

extension Logger {
  /// Says nothing below `critical`: what the tests provoke is logged on purpose.
  static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}

extension Request {
  /// A request for a test's handler.
  static func test(
    _ operation: String = "test.echo", id: String = ID<Request>().description, body: [UInt8] = Array("{}".utf8),
    within milliseconds: Int64 = 5000, caller: Caller = .service(.gateway)
  ) -> Request {
    Request(
      header: RequestHeader(
        id: id, operation: operation, caller: caller, deadline: Instant.now.adding(milliseconds: milliseconds)),
      body: body)
  }
}

extension Reply {
  static func test(_ request: Request, body: [UInt8]) -> Reply {
    Reply(header: ReplyHeader(id: request.header.id, status: 200), body: body)
  }

  /// The code of the failure it reports.
  var code: String? {
    do { return header.isFailure ? try Failure.decode(body).code : nil } catch { return nil }
  }
}

/// Opens once; whoever waits goes on then.
actor Gate {
  private var isOpen = false
  var hasOpened: Bool { isOpen }
  private var waiters: [CheckedContinuation<Void, Never>] = []

  func open() {
    isOpen = true
    for waiter in waiters { waiter.resume() }
    waiters = []
  }

  func wait() async {
    if isOpen { return }
    await withCheckedContinuation { waiters.append($0) }
  }
}

/// What several services' buses are attached to: the real one in a folder of its own, or its twin.
enum Wiring: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case sockets, memory
  var testDescription: String { rawValue }

  func make() throws -> Junction {
    switch self {
    case .sockets: Junction(folder: try TemporaryFolder(), exchange: nil)
    case .memory: Junction(folder: nil, exchange: MemoryExchange())
    }
  }
}

extension Wiring {
  /// Runs social, which serves, and the gateway, which calls it, for as long as the body takes.
  func run(
    limits: BusLimits = BusLimits(), callerLimits: BusLimits = BusLimits(), serving: @escaping @Sendable (Request) async -> Reply,
    _ body: (any Bus) async throws -> Void
  ) async throws {
    let junction = try make()
    let server = try junction.bus(.social, limits: limits, serving: serving)
    let client = try junction.bus(.gateway, limits: callerLimits)
    try await body(client.bus)
    await client.stop()
    await server.stop()
  }
}

struct Junction: Sendable {
  let folder: TemporaryFolder?
  let exchange: MemoryExchange?

  /// A started bus.
  func bus(
    _ service: ServiceName, limits: BusLimits = BusLimits(), serving: (@Sendable (Request) async -> Reply)? = nil
  ) throws -> TestBus {
    if let exchange {
      let bus = MemoryBus(service, on: exchange, limits: limits)
      if let serving { bus.serve(serving) }
      return TestBus(bus: bus) { bus.stop() }
    }
    let bus = ZeroMQBus(service, endpoints: .local(directory: folder?.path ?? ""), limits: limits, logger: .quiet)
    if let serving { bus.serve(serving) }
    try bus.start()
    return TestBus(bus: bus) { await bus.stop(within: .milliseconds(200)) }
  }
}

struct TestBus: Sendable {
  let bus: any Bus
  let stop: @Sendable () async -> Void
}

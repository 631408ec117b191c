import Messaging
import Operations
import Synchronization
import Testing

@Suite("A service that stops", .timeLimit(.minutes(2)))
struct StoppingTests {
  /// What took effect, and how often; how many requests were answered, and whether clients are to ask no more.
  private final class Effects: Sendable {
    private let counts = Mutex<[String: Int]>([:])
    private let answered = Mutex(0)
    private let over = Mutex(false)
    var all: [String: Int] { counts.withLock { $0 } }
    var served: Int { answered.withLock { $0 } }
    var isOver: Bool { over.withLock { $0 } }
    func add(_ id: String) { counts.withLock { $0[id, default: 0] += 1 } }
    func serve() { answered.withLock { $0 += 1 } }
    func end() { over.withLock { $0 = true } }
  }

  @Test("A stopping service and its successor handle each request once, unnoticed by clients")
  func startedAnew() async throws {
    let junction = try Wiring.sockets.make()
    let effects = Effects()
    let serve: @Sendable (Request) async -> Reply = { request in
      // A step in which the service may be asked to stop.
      await Task.yield()
      effects.add(request.header.id)
      return .test(request, body: request.body)
    }
    let clients = try [ServiceName.gateway, .rewards].map { try junction.bus($0) }
    let longest = try await withThrowingTaskGroup(of: [String].self) { group in
      for number in 0..<16 {
        let client = clients[number % 2].bus
        group.addTask {
          var asked: [String] = []
          while !effects.isOver {
            let request = Request.test(within: 60_000)
            asked.append(request.header.id)
            let reply = try await client.request(request, to: .social)
            #expect(reply.header == ReplyHeader(id: request.header.id, status: 200))
            effects.serve()
          }
          return asked
        }
      }
      var longest = Duration.zero
      for _ in 0..<8 {
        let bus = ZeroMQBus(.social, endpoints: .local(directory: junction.folder?.path ?? ""), logger: .quiet)
        bus.serve(serve)
        try bus.start()
        let before = effects.served
        while effects.served < before + 200 { await Task.yield() }
        let start = ContinuousClock.now
        await bus.stop(within: .seconds(40))
        longest = max(longest, ContinuousClock.now - start)
      }
      let last = try junction.bus(.social, serving: serve)
      effects.end()
      var asked: [String] = []
      for try await some in group { asked += some }
      #expect(effects.all.values.allSatisfy { $0 == 1 })
      #expect(Set(asked) == Set(effects.all.keys) && asked.count >= 1600)
      await last.stop()
      return longest
    }
    // Who is asked on and on would have stayed for all of the 40 s.
    #expect(longest < .seconds(20))
    for client in clients { await client.stop() }
  }

  @Test("A stopping service finishes running requests, and its callers keep new ones for its successor")
  func keeps() async throws {
    let junction = try Wiring.sockets.make()
    let (arrived, gate) = (Gate(), Gate())
    let first = ZeroMQBus(.social, endpoints: .local(directory: junction.folder?.path ?? ""), logger: .quiet)
    first.serve { request in
      if request.header.operation == "test.slow" {
        await arrived.open()
        await gate.wait()
      }
      return .test(request, body: Array("\"first\"".utf8))
    }
    try first.start()
    let client = try junction.bus(.gateway)
    let begun = Task { try await client.bus.request(.test("test.slow", within: 60_000), to: .social) }
    await arrived.wait()
    first.beginStop(within: .seconds(40))
    // Until it is informed, a caller may send: the first that does learns that the service stops.
    var kept: [Task<Reply, any Error>] = []
    for _ in 0..<20 { kept.append(Task { try await client.bus.request(.test(within: 60_000), to: .social) }) }
    await gate.open()
    #expect(try await begun.value.body == Array("\"first\"".utf8))
    await first.stop(within: .seconds(40))
    let second = try junction.bus(.social) { .test($0, body: Array("\"second\"".utf8)) }
    for task in kept {
      let body = try await task.value.body
      #expect(body == Array("\"second\"".utf8))
    }
    await client.stop()
    await second.stop()
  }

  @Test(
    "A service stops even if a caller ignores its answer and keeps asking",
    .enabled(if: PythonPeer.interpreter != nil, "no Python with pyzmq: set RACHA_TEST_PYTHON"))
  func unheeded() async throws {
    let junction = try Wiring.sockets.make()
    let path = junction.folder?.path ?? ""
    let bus = ZeroMQBus(.social, endpoints: .local(directory: path), logger: .quiet)
    bus.serve { .test($0, body: $0.body) }
    try bus.start()
    let header = Request.test(within: 600_000).header
    let end = try await PythonPeer.start(
      "hammer.py", "ipc://\(path)/social.requests", String(decoding: header.json, as: UTF8.self))
    let start = ContinuousClock.now
    await bus.stop(within: .seconds(40))
    #expect(ContinuousClock.now - start < .seconds(20))
    end()
  }
}

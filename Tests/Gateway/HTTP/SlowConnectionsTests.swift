import Messaging
import NIOCore
import Operations
import Testing

@testable import GatewayService

@Suite("A thousand slow connections", .serialized)
struct SlowConnectionsTests {
  @Test("Slow connections are closed by the default limits within 15 seconds when checked once a second")
  func defaults() {
    let limits = GatewayConfiguration.Limits()
    for start in [UInt64(0), 999] {
      for reads in [true, false] {
        var deadlines = ConnectionDeadlines(limits, now: .uptimeNanoseconds(0))
        deadlines.bytesArrived(.uptimeNanoseconds(start * 1_000_000))
        if !reads {
          deadlines.requestArrived()
          deadlines.wrote(1_000_000)
        }
        let closed = (1...15).first {
          deadlines.expiry(.uptimeNanoseconds($0 * 1_000_000_000), buffered: reads ? 0 : 900_000) != nil
        }
        #expect(closed ?? .max < 15)
      }
    }
  }

  @Test(
    "Slow connections that ignore the refusal are closed by the default limits within 15 seconds")
  func stubborn() {
    let limits = GatewayConfiguration.Limits()
    for start in [UInt64(0), 1, 999] {
      var deadlines = ConnectionDeadlines(limits, now: .uptimeNanoseconds(0))
      deadlines.bytesArrived(.uptimeNanoseconds(start * 1_000_000))
      deadlines.headArrived(.uptimeNanoseconds(start * 1_000_000))
      var seconds = (1...15).map { UInt64($0) }
      let published = seconds.first { deadlines.expiry(.uptimeNanoseconds($0 * 1_000_000_000), buffered: 0) != nil } ?? 99
      deadlines.closing(.uptimeNanoseconds(published * 1_000_000_000 + 1_000_000), isSlow: true)
      seconds.removeAll { $0 <= published }
      let closed = seconds.first { deadlines.expiry(.uptimeNanoseconds($0 * 1_000_000_000), buffered: 0) != nil } ?? 99
      #expect(closed <= 15)
    }
  }

  @Test("A thousand slow connections leave the others fast, and are closed within 15 seconds")
  func siege() async throws {
    let bus = FakeBus()
    let large = Array(#"{"text":"\#(String(repeating: "x", count: 262_144))"}"#.utf8)
    bus.answer(.social) { request in
      guard request.header.operation == PokeThing.spec.name else { return Reply(request, try Echo.Input.decode(request.body)) }
      return Reply(header: ReplyHeader(id: request.header.id, status: 200), body: large)
    }
    try await RunningGateway.with(
      bus: bus,
      change: { configuration in
        for rate in [RateClass.write, .sensitive] { configuration.rates.address[rate] = .init(1_000_000, per: 60) }
        // Half of the defaults, so that a busy machine has time left.
        configuration.limits.headerSeconds /= 2
        configuration.limits.requestSeconds /= 2
        configuration.limits.writeSeconds /= 2
      }
    ) { gateway in
      let fast = try await RawConnection(port: gateway.httpPort)
      var alone: [Duration] = []
      for _ in 0..<200 { alone.append(try await Self.ask(fast)) }
      // Readers that read nothing, of answers that are more than the kernel's buffers hold.
      let request = "POST /v1/things/poke HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"
      let readers = try await Self.open(50, gateway.httpPort, String(repeating: request, count: 24), reads: false)
      let call = #"{"jsonrpc":"2.0","method":"things.poke","id":1}"# + "\n"
      let lineReaders = try await Self.open(10, gateway.tcpPort, String(repeating: call, count: 6), reads: false)
      // Until the buffers are full it is no slowness but work, of which a busy machine makes seconds.
      var answered = -1
      while case let now = bus.requests.count(where: { $0.header.operation == PokeThing.spec.name }), now > answered {
        answered = now
        for _ in 0..<20 { _ = try await Self.ask(fast) }
      }
      let headers = try await Self.open(380, gateway.httpPort, "GET /livez HTTP/1.1\r\nHost: a\r\nX-A: ")
      let bodies = try await Self.open(
        250, gateway.httpPort,
        "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
      let lines = try await Self.open(310, gateway.tcpPort, #"{"jsonrpc":"2.0","method":"things.echo","#)
      let slow = headers + bodies + lines
      let start = ContinuousClock.now
      // Once all of them are taken up, whichever loop has them.
      for _ in 0..<8 { _ = try await Self.ask(RawConnection(port: gateway.httpPort)) }
      var durations: [Duration] = []
      // The slow ones send a byte now and then, which puts no deadline off. Where making them took long, the first may be over by now.
      func areThere() async -> Bool {
        do { try await slow[durations.count % slow.count].send("x") } catch { return false }
        return true
      }
      repeat {
        durations.append(try await Self.ask(fast))
      } while await areThere() && durations.count < 1400 && ContinuousClock.now - start < .seconds(3)
      // On a machine with other work to do, against what it took without them.
      #expect(Self.p99(durations) < max(.milliseconds(200), Self.p99(alone) * 10))
      for connection in slow { _ = try await connection.receiveAll() }
      // Who reads nothing learns of the end when sending.
      for (connections, more) in [(readers, request), (lineReaders, "\n")] {
        for connection in connections {
          await #expect(throws: (any Error).self) { while true { try await connection.send(more) } }
        }
      }
      // With half of the deadlines half of the 15 s are due; a busy machine has four times that.
      #expect(ContinuousClock.now - start < .seconds(30))
    }
  }

  /// How long one request takes.
  private static func ask(_ connection: RawConnection) async throws -> Duration {
    let began = ContinuousClock.now
    try await connection.send(
      "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{\"text\":\"a\"}")
    #expect(try await connection.receiveResponse().status == 200)
    return ContinuousClock.now - began
  }

  private static func p99(_ durations: [Duration]) -> Duration { durations.sorted()[durations.count * 99 / 100] }

  private static func open(
    _ count: Int, _ port: Int, _ text: String, reads: Bool = true
  ) async throws -> [RawConnection] {
    try await withThrowingTaskGroup(of: RawConnection.self) { tasks in
      for _ in 0..<count {
        tasks.addTask {
          let connection = try await RawConnection(port: port, receiveBuffer: reads ? nil : 4096)
          if !reads { try await connection.stopReading() }
          try await connection.send(text)
          return connection
        }
      }
      return try await tasks.reduce(into: []) { $0.append($1) }
    }
  }
}

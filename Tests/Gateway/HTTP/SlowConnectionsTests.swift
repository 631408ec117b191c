import Operations
import Testing

@testable import GatewayService

@Suite("A thousand slow connections", .serialized)
struct SlowConnectionsTests {
  @Test("leave the others fast, and are closed within 15 seconds")
  func siege() async throws {
    try await RunningGateway.with(
      bus: RPCTests.bus(), change: { $0.rates.address[.write] = .init(1_000_000, per: 60) }
    ) { gateway in
      let headers = try await Self.open(300, gateway.httpPort, "GET /livez HTTP/1.1\r\nHost: a\r\nX-A: ")
      let bodies = try await Self.open(
        200, gateway.httpPort,
        "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
      let lines = try await Self.open(200, gateway.tcpPort, #"{"jsonrpc":"2.0","method":"things.echo","#)
      // Their answers are more than the kernel's buffers hold.
      let page = String(repeating: "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n", count: 16)
      let readers = try await Self.open(200, gateway.httpPort, page, reads: false)
      let call =
        #"{"jsonrpc":"2.0","method":"things.echo","params":{"text":"\#(String(repeating: "x", count: 100_000))"},"id":1}"#
      let lineReaders = try await Self.open(
        100, gateway.tcpPort, String(repeating: call + "\n", count: 8), reads: false)
      let slow = headers + bodies + lines
      let start = ContinuousClock.now
      let fast = try await RawConnection(port: gateway.httpPort)
      var durations: [Duration] = []
      while ContinuousClock.now - start < .seconds(8) {
        let began = ContinuousClock.now
        try await fast.send(
          "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{\"text\":\"a\"}")
        #expect(try await fast.receiveResponse().status == 200)
        durations.append(ContinuousClock.now - began)
        // The slow ones send a byte now and then, which puts no deadline off.
        try await slow[durations.count % slow.count].send("x")
        if durations.count >= 1400 { break }
      }
      durations.sort()
      #expect(durations[durations.count * 99 / 100] < .milliseconds(200))
      for connection in slow { _ = try await connection.receiveAll() }
      // Who reads nothing learns of the end when sending.
      for (connections, more) in [(readers, page), (lineReaders, "\n")] {
        for connection in connections {
          await #expect(throws: (any Error).self) { while true { try await connection.send(more) } }
        }
      }
      #expect(ContinuousClock.now - start < .seconds(15))
    }
  }

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

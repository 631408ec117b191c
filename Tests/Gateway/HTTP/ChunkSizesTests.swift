import NIOCore
import Operations
import Testing

@testable import GatewayService

private enum Requests {
  static let head =
    "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
  static let sound = "c\r\n{\"text\":\"a\"}\r\n0\r\n\r\n"
  static let plain =
    "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{\"text\":\"a\"}"
  static let tooLarge = head + "5\r\n{\"tex\r\nffff\r\n"
  static let before: [String] = [
    "", "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n", plain, head + sound, "\r\n", plain + "\r\n",
  ]
}

@Suite("The sizes of chunks that a body announces", .timeLimit(.minutes(1)))
struct ChunkSizesTests {
  @Test(
    "tell a body that is to be too large before it comes, however its bytes arrive",
    arguments: [
      ("5\r\nhello\r\n0\r\n\r\n", .fine), ("64\r\n", .fine), ("65\r\n", .tooLarge), ("65", .tooLarge),
      ("ffffffffffffffffff", .tooLarge),
      ("0000000000000000000000064;a=b\r\n", .fine),
      ("5;a=\"ffff\"\r\nhello\r\n5F\r\n", .fine),
      ("5\r\nhello\r\n60\r\n", .tooLarge),
      ("5\nff\r\nf\n5f\n", .fine), ("5\r\nhello!!", .unreadable), ("0\r\nffffff: a\r\n\r\n", .fine),
    ] as [(String, ChunkSizes.Outcome)])
  func sizes(body: String, outcome: ChunkSizes.Outcome) {
    for count in 1...body.utf8.count {
      var sizes = ChunkSizes(max: 100)
      var told = ChunkSizes.Outcome.fine
      var rest = Array(body.utf8)[...]
      while !rest.isEmpty {
        told = sizes.read(rest.prefix(count))
        rest = rest.dropFirst(count)
      }
      #expect(told == outcome, "in pieces of \(count)")
    }
  }

  @Test("are found whatever came before on the connection", arguments: Requests.before)
  func connection(before: String) async throws {
    try await RunningGateway.with(bus: RPCTests.bus(), change: { $0.limits.body = 65536 }) { gateway in
      let connection = try await RawConnection(port: gateway.httpPort)
      try await connection.send(before)
      if before.contains("HTTP") { #expect(try await connection.receiveResponse().status == 200) }
      try await connection.send(Requests.tooLarge)
      #expect(try await connection.receiveResponse().status == 413)
      try await connection.close()
    }
  }

  @Test("are found in however many pieces the first request comes", arguments: [1, 7, 50])
  func pieces(size: Int) async throws {
    try await RunningGateway.with(bus: RPCTests.bus(), change: { $0.limits.body = 65536 }) { gateway in
      let connection = try await RawConnection(port: gateway.httpPort)
      var rest = Array("\r\n\(Requests.tooLarge)".utf8)[...]
      while !rest.isEmpty {
        try await connection.send(String(decoding: rest.prefix(size), as: UTF8.self))
        rest = rest.dropFirst(size)
      }
      #expect(try await connection.receiveResponse().status == 413)
      try await connection.close()
    }
  }

  @Test("refuse no sound request: one behind the other in one piece, with bodies that look like sizes or heads")
  func sound() async throws {
    try await RunningGateway.with(bus: RPCTests.bus()) { gateway in
      let connection = try await RawConnection(port: gateway.httpPort)
      let text = "ffffffffff\\r\\n HTTP/1.1"
      let body = "{\"text\":\"\(text)\"}"
      let looks =
        "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count + 12)\r\n\r\n"
        + "\r\n\r\nffffffff\(body)"
      let many = [
        Requests.plain, Requests.head + Requests.sound, Requests.head + Requests.sound, Requests.plain,
        Requests.head + Requests.sound,
      ]
      try await connection.send(many.joined())
      for _ in many { #expect(try await connection.receiveResponse().status == 200) }
      try await connection.send(looks + Requests.head + Requests.sound)
      #expect(try await connection.receiveResponse().status != 413)
      #expect(try await connection.receiveResponse().status == 200)
      try await connection.close()
    }
  }
}

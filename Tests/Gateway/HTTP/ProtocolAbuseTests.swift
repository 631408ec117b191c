import Operations
import Testing

@testable import GatewayService

@Suite("Violations of HTTP by clients", .timeLimit(.minutes(1)))
struct ProtocolAbuseTests {
  /// Bytes that are no request, and the status they are answered with before the connection is closed.
  struct Abuse: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: String
    let status: Int

    init(_ name: String, _ status: Int, _ bytes: String) {
      testDescription = name
      self.bytes = bytes
      self.status = status
    }
  }

  static let abuses: [Abuse] = [
    Abuse("no Host", 400, "GET /livez HTTP/1.1\r\n\r\n"),
    Abuse("two Hosts", 400, "GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
    Abuse(
      "length and coding", 400,
      "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    Abuse(
      "coding and length", 400,
      "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"),
    Abuse(
      "two differing lengths", 400, "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{    }"),
    Abuse("two equal lengths", 400, "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}"),
    Abuse("a list of lengths", 400, "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2, 2\r\n\r\n{}"),
    Abuse("a negative length", 400, "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Length: -2\r\n\r\n{}"),
    Abuse("an unknown coding", 400, "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
    Abuse(
      "a coding twice", 400,
      "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n"),
    Abuse("a space before the colon", 400, "GET /livez HTTP/1.1\r\nHost : a\r\n\r\n"),
    Abuse("a folded header", 400, "GET /livez HTTP/1.1\r\nHost: a\r\nX-A: b\r\n c\r\n\r\n"),
    Abuse("a control character in a header", 400, "GET /livez HTTP/1.1\r\nHost: a\r\nX-A: b\u{1}\r\n\r\n"),
    Abuse(
      "a coding followed by a tab", 400,
      "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\t\r\n\r\n0\r\n\r\nGET /livez HTTP/1.1\r\nHost: a\r\n\r\n"),
    Abuse(
      "two Authorizations", 400, "GET /livez HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n"),
    Abuse("a Host with a blank", 400, "GET /livez HTTP/1.1\r\nHost: a b\r\n\r\n"),
    Abuse("a Host with a port that is none", 400, "GET /livez HTTP/1.1\r\nHost: a:65536\r\n\r\n"),
    Abuse(
      "a coding with HTTP/1.0", 400,
      "PUT /v1/echo HTTP/1.0\r\nConnection: keep-alive\r\nContent-Type: application/json\r\n"
        + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
    Abuse(
      "endless fields behind a body", 431,
      "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "2\r\n{}\r\n0\r\nX-A: \(String(repeating: "x", count: 17000))\r\n\r\n"),
    Abuse(
      "far too many fields behind a body", 431,
      "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "2\r\n{}\r\n0\r\n\(String(repeating: "A: b\r\n", count: 9000))\r\n"),
    Abuse(
      "a chunk in endless wrapping", 413,
      "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "2;\(String(repeating: "x", count: 600_000))"),
    Abuse("a Host with a user", 400, "GET /livez HTTP/1.1\r\nHost: u@a\r\n\r\n"),
    Abuse("an unknown method", 501, "FOO /livez HTTP/1.1\r\nHost: a\r\n\r\n"),
    Abuse("a method in small letters", 501, "get /livez HTTP/1.1\r\nHost: a\r\n\r\n"),
    Abuse("no HTTP", 400, "HELLO\r\n\r\n"),
    Abuse("a JSON-RPC line", 400, "{\"jsonrpc\":\"2.0\"}\n\n"),
    Abuse("another version", 400, "GET /livez HTTP/3.7\r\nHost: a\r\n\r\n"),
    Abuse("endless headers", 431, "GET /livez HTTP/1.1\r\nHost: a\r\nX-A: \(String(repeating: "x", count: 20000))\r\n\r\n"),
    Abuse("too many headers", 431, "GET /livez HTTP/1.1\r\nHost: a\r\n\(String(repeating: "A: b\r\n", count: 300))\r\n"),
    Abuse("a large body announced", 413, "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n"),
    Abuse("a length of 2^63", 413, "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9223372036854775808\r\n\r\n"),
    Abuse("a length of 2^64 - 1", 413, "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 18446744073709551615\r\n\r\n"),
    Abuse("a length of 2^64", 400, "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 18446744073709551616\r\n\r\n"),
    Abuse("a length of letters", 400, "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1e3\r\n\r\n"),
    Abuse("an empty length", 400, "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Length: \r\n\r\n"),
    Abuse(
      "a tunnel", 501, "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\nGET /livez HTTP/1.1\r\nHost: a\r\n\r\n"),
    Abuse(
      "a coding followed by a tab beside an upgrade", 400,
      "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nTransfer-Encoding: chunked\t\r\n\r\n"
        + "0\r\n\r\nGET /livez HTTP/1.1\r\nHost: a\r\n\r\n"),
    Abuse(
      "an unknown coding beside an upgrade", 400,
      "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nTransfer-Encoding: gzip\r\n\r\n{}"),
    Abuse(
      "a large body in chunks", 413,
      "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "11170\r\n\(String(repeating: "x", count: 70000))\r\n"),
    Abuse(
      "a broken chunk", 400,
      "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
  ]

  @Test("A violation of HTTP is answered with a problem, and the connection closed", arguments: abuses)
  func refused(abuse: Abuse) async throws {
    try await RunningGateway.with(change: { $0.limits.body = 65536 }) { gateway in
      let connection = try await RawConnection(port: gateway.httpPort)
      try await connection.send(abuse.bytes)
      let response = try await connection.receiveResponse()
      #expect(response.status == abuse.status)
      #expect(response.fields["content-type"] == "application/problem+json")
      #expect(response.fields["connection"] == "close")
      #expect(try response.json["code"] != nil)
      #expect(try await connection.receiveAll() == "")
      #expect(gateway.bus.requests.filter { $0.header.operation == "things.echo" }.isEmpty)
    }
  }

  @Test("A violation of HTTP is refused only after the requests before it are answered")
  func inOrder() async throws {
    try await RunningGateway.with { gateway in
      let connection = try await RawConnection(port: gateway.httpPort)
      try await connection.send("GET /livez HTTP/1.1\r\nHost: a\r\n\r\nGET /livez HTTP/1.1\r\n\r\n")
      #expect(try await connection.receiveResponse().status == 200)
      #expect(try await connection.receiveResponse().status == 400)
      #expect(try await connection.receiveAll() == "")
    }
  }

  @Test("White space after the value of a header field is not part of it")
  func whiteSpace() async throws {
    try await RunningGateway.with(bus: RPCTests.bus()) { gateway in
      let connection = try await RawConnection(port: gateway.httpPort)
      let token = try gateway.signer.token()
      try await connection.send(
        "PUT /v1/echo HTTP/1.1\r\nHost: a \t\r\nContent-Type: application/json \r\nIdempotency-Key: once\t \r\n"
          + "Transfer-Encoding: chunked \r\nAuthorization: Bearer \(token) \r\n\r\nc\r\n{\"text\":\"a\"}\r\n0\r\n\r\n")
      let echo = try await connection.receiveResponse()
      #expect(echo.status == 200)
      #expect(echo.body == #"{"text":"a"}"#)
      let request = try #require(gateway.bus.requests.last)
      #expect(request.header.idempotencyKey == "once")
      #expect(request.header.caller.account != nil)
      // The connection goes on where the body ended, until a field that has white space, too, ends it.
      try await connection.send("GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close \r\n\r\n")
      let last = try await connection.receiveResponse()
      #expect(last.status == 200)
      #expect(last.fields["connection"] == "close")
      #expect(try await connection.receiveAll() == "")
    }
  }

  @Test("A method that a path does not have is answered with those that it has")
  func otherMethod() async throws {
    try await RunningGateway.with { gateway in
      for method in ["PUT", "PROPFIND"] {
        let connection = try await RawConnection(port: gateway.httpPort)
        try await connection.send("\(method) /livez HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
        let response = try await connection.receiveResponse()
        #expect(response.status == 405)
        #expect(response.fields["allow"] == "GET, HEAD")
      }
    }
  }

  @Test("Several requests sent at once are answered in order")
  func pipelining() async throws {
    let bus = RPCTests.bus()
    try await RunningGateway.with(bus: bus) { gateway in
      let connection = try await RawConnection(port: gateway.httpPort)
      var text = ""
      for index in 0..<20 {
        let body = #"{"text":"\#(index)"}"#
        text +=
          "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
      }
      try await connection.send(text)
      for index in 0..<20 { #expect(try await connection.receiveResponse().body == #"{"text":"\#(index)"}"#) }
    }
  }

  @Test("A client that closes its output gets all its answers; one that asks to close gets its last")
  func ends() async throws {
    try await RunningGateway.with(bus: RPCTests.bus()) { gateway in
      let half = try await RawConnection(port: gateway.httpPort)
      try await half.send(String(repeating: "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n", count: 30))
      try await half.closeOutput()
      for _ in 0..<30 { #expect(try await half.receiveResponse().status == 200) }
      #expect(try await half.receiveAll() == "")
      let closing = try await RawConnection(port: gateway.httpPort)
      try await closing.send("GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\nGET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await closing.receiveResponse().fields["connection"] == "close")
      #expect(try await closing.receiveAll() == "")
    }
  }

  struct Old: Sendable {
    let version: String
    let field: String
    let connection: String?
  }

  @Test(
    "An HTTP/1.0 connection ends with its answer unless the client asked to keep it, and the answer says which",
    arguments: [
      Old(version: "1.0", field: "", connection: "close"),
      Old(version: "1.0", field: "Connection: close\r\n", connection: "close"),
      Old(version: "1.0", field: "Connection: Keep-Alive\r\n", connection: "keep-alive"),
      Old(version: "1.1", field: "", connection: nil), Old(version: "1.1", field: "Connection: close\r\n", connection: "close"),
    ])
  func oldVersion(old: Old) async throws {
    try await RunningGateway.with { gateway in
      let connection = try await RawConnection(port: gateway.httpPort)
      let request = "GET /livez HTTP/\(old.version)\r\nHost: a\r\n\(old.field)\r\n"
      try await connection.send(request)
      let response = try await connection.receiveResponse()
      #expect(response.status == 200)
      #expect(response.fields["connection"] == old.connection)
      if old.connection == "close" {
        #expect(try await connection.receiveAll() == "")
      } else {
        try await connection.send(request)
        #expect(try await connection.receiveResponse().status == 200)
      }
    }
  }

  @Test("An incomplete request delays the shutdown no longer than its time limit")
  func stopsInTime() async throws {
    let clock = ContinuousClock()
    let half = try await RunningGateway.with(change: { configuration in
      configuration.limits.stopSeconds = 1
      configuration.limits.requestSeconds = 60
    }) { gateway in
      let half = try await RawConnection(port: gateway.httpPort)
      try await half.send("PUT /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{")
      // Taken up once another that came later is answered.
      _ = try await gateway.http("GET", "/livez")
      return (connection: half, since: clock.now)
    }
    #expect(clock.now - half.since < .seconds(30))
    _ = half.connection
  }

  @Test("HTTP/1.0 clients get no 100 Continue")
  func oldExpectation() async throws {
    try await RunningGateway.with(bus: RPCTests.bus()) { gateway in
      let connection = try await RawConnection(port: gateway.httpPort)
      try await connection.send(
        "PUT /v1/echo HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: 12\r\nExpect: 100-continue\r\n\r\n"
          + #"{"text":"a"}"#)
      #expect(try await connection.receiveResponse().status == 200)
    }
  }

  @Test("Slow headers, bodies and lines and silent connections are closed")
  func slow() async throws {
    try await RunningGateway.with(change: {
      $0.limits.headerSeconds = 1
      $0.limits.requestSeconds = 1
    }) { gateway in
      let header = try await RawConnection(port: gateway.httpPort)
      try await header.send("GET /livez HTTP/1.1\r\nHost:")
      let body = try await RawConnection(port: gateway.httpPort)
      try await body.send("PUT /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{")
      let line = try await RawConnection(port: gateway.tcpPort)
      try await line.send(#"{"jsonrpc""#)
      let silent = [try await RawConnection(port: gateway.httpPort), try await RawConnection(port: gateway.tcpPort)]
      #expect(try await header.receiveResponse().status == 408)
      #expect(try await body.receiveResponse().status == 408)
      #expect(try await line.receiveLine()["error"]?["data"]?["code"] == "request_timeout")
      for connection in [header, body, line] + silent { #expect(try await connection.receiveAll() == "") }
    }
  }

  @Test("An HTTP client that reads nothing is disconnected")
  func slowReader() async throws {
    try await RunningGateway.with(change: { $0.limits.writeSeconds = 1 }) { gateway in
      let connection = try await RawConnection(port: gateway.httpPort)
      try await connection.stopReading()
      // Far more than the kernel's buffers hold.
      let request = String(repeating: "GET /docs HTTP/1.1\r\nHost: a\r\n\r\n", count: 2000)
      await #expect(throws: (any Error).self) {
        while true { try await connection.send(request) }
      }
    }
  }

  @Test("While a client does not read, its further requests are not answered ahead")
  func unread() async throws {
    let bus = FakeBus()
    let text = String(repeating: "x", count: 100_000)
    bus.answer(.social) { Reply($0, Echo.Input(text: text)) }
    try await RunningGateway.with(bus: bus, change: { $0.limits.writeSeconds = 2 }) { gateway in
      let connection = try await RawConnection(port: gateway.httpPort)
      try await connection.stopReading()
      let request = "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
      await #expect(throws: (any Error).self) {
        while true { try await connection.send(String(repeating: request, count: 100)) }
      }
      // What the kernel's buffers and one answer hold, not what was asked for.
      #expect(bus.requests.count < 200)
    }
  }

  @Test("More connections than allowed are turned away")
  func tooMany() async throws {
    try await RunningGateway.with(change: {
      $0.limits.connectionsPerAddress = 2
      $0.healthNetworks = []
    }) { gateway in
      let first = try await RawConnection(port: gateway.httpPort)
      try await first.send("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await first.receiveResponse().status == 200)
      let second = try await RawConnection(port: gateway.tcpPort)
      try await second.send("1\n")
      _ = try await second.receiveLine()
      let third = try await RawConnection(port: gateway.httpPort)
      let response = try await third.receiveResponse()
      #expect(response.status == 503)
      #expect(response.fields["retry-after"] == "5")
      let fourth = try await RawConnection(port: gateway.tcpPort)
      #expect(try await fourth.receiveLine()["error"]?["data"]?["code"] == "too_many_connections")
    }
  }
}

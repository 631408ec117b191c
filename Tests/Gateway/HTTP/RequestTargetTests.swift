import Testing

@testable import GatewayService

@Suite("The target of a request")
struct RequestTargetTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let target: String
    let path: String
    var query = ""
    var authority: String?
    var testDescription: String { target }
  }

  @Test(
    "A request's target is a path with its query, by itself or inside a URL",
    arguments: [
      Case(target: "/v1/things?a=b?c", path: "/v1/things", query: "a=b?c"), Case(target: "/", path: "/"),
      Case(target: "/http://a/b", path: "/http://a/b"), Case(target: "*", path: "*"),
      Case(target: "http://a/v1/things?a=b", path: "/v1/things", query: "a=b", authority: "a"),
      Case(target: "HTTPS://a:8080/livez", path: "/livez", authority: "a:8080"),
      Case(target: "http://[::1]:80/livez", path: "/livez", authority: "[::1]:80"),
      Case(target: "http://a", path: "/", authority: "a"), Case(target: "http://a?b", path: "/", query: "b", authority: "a"),
      Case(target: "http://a/@b", path: "/@b", authority: "a"),
    ])
  func parts(each: Case) throws {
    let target = try #require(RequestTarget(each.target))
    #expect(target.path == each.path && target.query == each.query)
    #expect(target.authority.map(String.init) == each.authority)
  }

  @Test(
    "A request's target is refused if its URL has no host, or has a user",
    arguments: ["http:///livez", "http://", "http://:80/", "http://u@a/"])
  func refused(target: String) { #expect(RequestTarget(target) == nil) }

  @Test(
    "The target of a request names a host by name or address, with a port or without",
    arguments: [
      "", "a", "a:", "a:80", "racha.example", "127.0.0.1:8080", "[::1]", "[::ffff:192.0.2.7]:80", "a_b", "m%C3%BCnchen.example",
    ])
  func host(text: String) { #expect(Authority.isWellFormed(text[...])) }

  @Test(
    "An invalid host or port in a request's target is refused",
    arguments: [
      "a b", "u@a", ":80", "a:b", "a:80:80", "a/b", "a?b", "[::1", "[]", "[g]", "[::1]a", "::1", "a%2", "a%zz", "münchen.example",
      "a,b c",
    ])
  func noHost(text: String) { #expect(!Authority.isWellFormed(text[...])) }

  @Test("A request's target is answered alike in both forms, with path, parameters and query")
  func bothForms() async throws {
    try await RunningGateway.with(bus: RPCTests.bus()) { gateway in
      let connection = try await RawConnection(port: gateway.httpPort)
      for target in ["/livez", "http://racha.example/livez", "HTTP://127.0.0.1:\(gateway.httpPort)/livez?x=1"] {
        try await connection.send("GET \(target) HTTP/1.1\r\nHost: racha.example\r\n\r\n")
        #expect(try await connection.receiveResponse().status == 200)
      }
      try await connection.send(
        "PUT http://racha.example/v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n"
          + #"{"text":"a"}"#)
      #expect(try await connection.receiveResponse().body == #"{"text":"a"}"#)
      try await connection.send("GET http://racha.example/nowhere HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await connection.receiveResponse().status == 404)
      // The Host header is needed all the same.
      try await connection.send("GET http://racha.example/livez HTTP/1.1\r\n\r\n")
      #expect(try await connection.receiveResponse().status == 400)
    }
  }
}

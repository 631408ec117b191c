import NIOHTTP1
import Operations
import Testing

@testable import GatewayService

@Suite("Repeated header fields (RFC 9110, section 5.3)", .timeLimit(.minutes(1)))
struct RepeatedFieldsTests {
  private static func echo(_ fields: String) -> String {
    "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\n\(fields)\r\n{\"text\":\"a\"}"
  }

  @Test(
    "Repeated header fields that matter and are no lists are refused by name, even if equal; the connection stays open",
    arguments: [
      ("Content-Type", "text/plain", "application/json"), ("Idempotency-Key", "once", "once"), ("Last-Event-ID", "1", "2"),
      ("Origin", "https://a.example", "https://b.example"),
    ])
  func refused(field: String, first: String, second: String) async throws {
    try await RunningGateway.with(bus: RPCTests.bus()) { gateway in
      let connection = try await RawConnection(port: gateway.httpPort)
      let media = field == "Content-Type" ? "" : "Content-Type: application/json\r\n"
      try await connection.send(Self.echo("\(media)\(field): \(first)\r\n\(field.lowercased()): \(second)\r\n"))
      let refused = try await connection.receiveResponse()
      #expect(refused.status == 400)
      #expect(try refused.json["detail"] == .string("The request is malformed: there may be only one \(field) header."))
      #expect(gateway.bus.requests.isEmpty)
      try await connection.send(Self.echo("Content-Type: application/json\r\n"))
      #expect(try await connection.receiveResponse().status == 200)
    }
  }

  @Test("Repeated header fields that only name the request are ignored")
  func names() async throws {
    try await RunningGateway.with(bus: RPCTests.bus()) { gateway in
      let connection = try await RawConnection(port: gateway.httpPort)
      let traces = (1...3).map { "0af7651916cd43dd8448eb211c80319\($0)" }
      let fields = zip(1...3, traces).map { "X-Request-ID: mine-\($0)\r\ntraceparent: 00-\($1)-b7ad6b7169203331-01\r\n" }
      for count in 2...3 {
        try await connection.send(Self.echo("Content-Type: application/json\r\n" + fields.prefix(count).joined()))
        let response = try await connection.receiveResponse()
        #expect(response.status == 200 && response.fields["x-request-id"]?.hasPrefix("mine") == false)
        let header = try #require(gateway.bus.requests.last).header
        #expect(!header.id.hasPrefix("mine"))
        let traceparent = try #require(header.traceparent)
        #expect(!traces.contains { traceparent.contains($0) })
      }
    }
  }

  @Test("Repeated header fields that are lists are combined")
  func lists() async throws {
    let fields = RequestFields(["If-None-Match": #""a""#, "if-none-match": #"W/"b", "c""#, "Accept-Language": "fr"])
    for tag in [#""a""#, #""b""#, #""c""#] { #expect(fields.knows(tag)) }
    #expect(!fields.knows(#""d""#) && fields.repeated == nil)
    try await RunningGateway.with(bus: RPCTests.bus()) { gateway in
      let connection = try await RawConnection(port: gateway.httpPort)
      let languages = "Accept-Language: fr\r\nAccept-Language: es\r\nAccept-Language: it\r\n"
      try await connection.send(
        Self.echo("\(languages)Content-Type: application/json\r\nContent-Encoding: identity\r\nContent-Encoding: gzip\r\n"))
      let coded = try await connection.receiveResponse()
      #expect(coded.status == 415 && coded.fields["content-language"] == "es")
      #expect(coded.body.contains("Content-Encoding identity, gzip"))
      // Also where the head is refused before it comes to be answered.
      try await connection.send("GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n\(languages)\r\n")
      let refused = try await connection.receiveResponse()
      #expect(refused.status == 400 && refused.fields["content-language"] == "es")
    }
  }
}

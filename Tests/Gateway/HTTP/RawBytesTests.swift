import IdentityContract
import Messaging
import Operations
import Testing

@testable import GatewayService

@Suite("Files and bodies of raw bytes", .timeLimit(.minutes(1)))
struct RawBytesTests {
  /// Runs a gateway with a service that has one file for each of three things: `png`, `page`, `quoted`.
  private static func with(_ body: @escaping @Sendable (RunningGateway) async throws -> Void) async throws {
    let bus = FakeBus()
    bus.answer(.social) { request in
      let thing = request.header.parameters?["thingID"] ?? ""
      guard request.header.operation == ReadFile.spec.name else { return Reply(request, Thing(id: thing, title: "Run")) }
      let content = Base64Bytes(Array("\0PNG\u{1}".utf8))
      switch thing {
      case "png": return Reply(request, MediaFile(mediaType: "image/png", tag: "abc", content: content))
      case "version": return Reply(request, MediaFile(mediaType: "image/png", tag: "abc", content: content, isImmutable: true))
      case "page": return Reply(request, MediaFile(mediaType: "text/html", tag: "abc", content: content))
      case "quoted": return Reply(request, MediaFile(mediaType: "image/png", tag: "a\"b", content: content))
      case "": return Reply(request, MediaFile(mediaType: "image/png", tag: "abc", content: content))
      default: throw Failure(RequestFailure.notFound)
      }
    }
    try await RunningGateway.with(bus: bus, body)
  }

  @Test("An image is answered as itself, with a tag, and so that no browser interprets it as anything else")
  func answers() async throws {
    try await Self.with { gateway in
      let file = try await gateway.http("GET", "/v1/things/png/file")
      #expect(file.status == 200 && file.body == "\0PNG\u{1}")
      #expect(file.fields["content-type"] == "image/png" && file.fields["content-length"] == "5")
      #expect(file.fields["etag"] == "\"abc\"" && file.fields["cache-control"] == "private, no-cache")
      #expect(file.fields["x-content-type-options"] == "nosniff")
      #expect(file.fields["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'")
      let head = try await gateway.http("GET", "/v1/things/other/file")
      #expect(head.status == 404 && head.fields["content-type"] == "application/problem+json")
      #expect(head.fields["cache-control"] == "no-store" && head.fields["etag"] == nil)
    }
  }

  @Test(
    "A request with the tag of the current file is answered 304",
    arguments: [
      ("\"abc\"", 304), ("W/\"abc\"", 304), ("\"x\", \"abc\"", 304), ("\"x\",W/\"abc\" ", 304), ("*", 304),
      ("\"abd\"", 200), ("abc", 200), ("\"ABC\"", 200), ("", 200), ("\"abc", 200),
    ])
  func known(given: String, status: Int) async throws {
    try await Self.with { gateway in
      let file = try await gateway.http("GET", "/v1/things/png/file", ["If-None-Match": given])
      #expect(file.status == status && file.fields["etag"] == "\"abc\"")
      #expect(file.fields["cache-control"] == "private, no-cache")
      #expect(file.body.isEmpty == (status == 304))
      if status == 304 { #expect(file.fields["content-type"] == nil && file.fields["content-length"] == nil) }
    }
  }

  @Test("A file that never changes under its address is cached without revalidation, and privately (RFC 8246)")
  func immutable() async throws {
    try await Self.with { gateway in
      let cases: [([String: String], Int)] = [([:], 200), (["If-None-Match": "\"abc\""], 304)]
      for (fields, status) in cases {
        let file = try await gateway.http("GET", "/v1/things/version/file", fields)
        #expect(file.status == status && file.fields["cache-control"] == "private, max-age=31536000, immutable")
        #expect(file.fields["etag"] == "\"abc\"" && file.body.isEmpty == (status == 304))
      }
    }
  }

  @Test("The connection stays usable after a file that the client already has")
  func goesOn() async throws {
    try await Self.with { gateway in
      let connection = try await RawConnection(port: gateway.httpPort)
      for _ in 0..<2 {
        try await connection.send(
          "GET /v1/things/png/file HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: \"abc\"\r\n\r\n")
        #expect(try await connection.receiveResponse().status == 304)
      }
      try await connection.send("HEAD /v1/things/png/file HTTP/1.1\r\nHost: localhost\r\n\r\n")
      let head = try await connection.receive(until: "\r\n\r\n")
      #expect(head.contains("Content-Length: 5\r\n") && head.contains("ETag: \"abc\"\r\n"))
      try await connection.close()
    }
  }

  @Test("A file with an undeclared type or an invalid tag is never sent", arguments: ["page", "quoted"])
  func undeclared(thing: String) async throws {
    try await Self.with { gateway in
      let file = try await gateway.http("GET", "/v1/things/\(thing)/file")
      #expect(file.status == 500 && file.fields["content-type"] == "application/problem+json")
      #expect(!file.body.contains("PNG"))
    }
  }

  @Test(
    "A raw body becomes the field of bytes, whatever image type it declares", arguments: ["image/png", "Image/GIF; q=1"])
  func bodies(type: String) async throws {
    try await Self.with { gateway in
      let fields = try gateway.bearer().merging(["Content-Type": type]) { $1 }
      let kept = try await gateway.http("PUT", "/v1/things/7/file", fields, "\0PNG\u{1}")
      #expect(kept.status == 200)
      let request = try #require(gateway.bus.requests.last)
      let input = try KeepFile.Input.decode(request.body, parameters: request.header.parameters ?? [:])
      #expect(input.content.bytes == Array("\0PNG\u{1}".utf8) && input.thingID == "7")
      // An empty one is for the service to validate.
      #expect(try await gateway.http("PUT", "/v1/things/7/file", fields).status == 200)
      #expect(gateway.bus.requests.last.map { String(decoding: $0.body, as: UTF8.self) } == #"{"content":""}"#)
    }
  }

  @Test(
    "A file may also be sent as JSON, and every other type is refused",
    arguments: [
      ("application/json", 200), ("text/html", 415), ("application/octet-stream", 415), ("image", 415), ("images/png", 415),
    ])
  func types(type: String, status: Int) async throws {
    try await Self.with { gateway in
      let fields = try gateway.bearer().merging(["Content-Type": type]) { $1 }
      let body = #"{"content":"AFBORwE="}"#
      #expect(try await gateway.http("PUT", "/v1/things/7/file", fields, body).status == status)
      if status == 200 { #expect(gateway.bus.requests.last.map { String(decoding: $0.body, as: UTF8.self) } == body) }
      // Operations without such a body take no image.
      #expect(try await gateway.http("PUT", "/v1/echo", ["Content-Type": "image/png"], "x").status == 415)
    }
  }

  @Test("Files over JSON-RPC are base64")
  func overRPC() async throws {
    try await Self.with { gateway in
      let connection = try await RawConnection(port: gateway.tcpPort)
      try await connection.send(#"{"jsonrpc":"2.0","id":1,"method":"things.readFile","params":{"thingID":"png"}}"# + "\n")
      let answer = try await connection.receiveLine()
      #expect(answer["result"]?["content"] == "AFBORwE=" && answer["result"]?["tag"] == "abc")
      try await connection.close()
    }
  }
}

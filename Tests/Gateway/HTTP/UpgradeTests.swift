import Foundation
import Operations
import Testing

@testable import GatewayService

@Suite("Requests that ask for another protocol", .timeLimit(.minutes(1)))
struct UpgradeTests {
  /// Fields that ask for it.
  struct Ask: Sendable, CustomTestStringConvertible {
    let fields: String
    var version = "1.1"
    var testDescription: String { "\(version) \(fields.replacing("\r\n", with: " | "))" }
  }

  static let plain: [Ask] = [
    Ask(fields: "Upgrade: h2c\r\nConnection: Upgrade\r\n"),
    Ask(fields: "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n"),
    Ask(fields: "connection: keep-alive,upgrade\r\nUPGRADE: websocket\r\n"),
    Ask(fields: "Connection: keep-alive , UPGRADE , x\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"),
    Ask(fields: "Connection: keep-alive\r\nConnection: Upgrade\r\nUpgrade: a\r\nUpgrade: b\r\n"),
    Ask(fields: "Connection: upgrade \r\nUpgrade: h2c \r\n"),
    Ask(fields: "Connection: Upgrade\r\nUpgrade:\r\n"),
    Ask(fields: "Proxy-Connection: Upgrade\r\nUpgrade: h2c\r\n"),
    Ask(fields: "Connection: keep-alive\r\nUpgrade: h2c\r\nProxy-Connection: keep-alive, Upgrade\r\n"),
    Ask(fields: "Upgrade: h2c\r\nConnection: Keep-Alive, Upgrade\r\n", version: "1.0"),
    // These ask for nothing: the one field without the other, and a name that only looks like it.
    Ask(fields: "Upgrade: h2c\r\n"), Ask(fields: "Connection: Upgrade\r\n"),
    Ask(fields: "Upgrade: h2c\r\nConnection: keep-alive\r\n"),
    Ask(fields: "Upgrade-Insecure-Requests: 1\r\nConnection: upgrade\r\n"),
  ]

  /// The framings of one body.
  static let bodies = [
    "Content-Length: 12\r\n\r\n{\"text\":\"a\"}", "Transfer-Encoding: chunked\r\n\r\n6\r\n{\"text\r\n6\r\n\":\"a\"}\r\n0\r\n\r\n",
  ]

  @Test(
    "Requests for another protocol are answered as if without the upgrade, and so are those after them, however they are split",
    arguments: plain)
  func goesOn(ask: Ask) async throws {
    try await RunningGateway.with(bus: RPCTests.bus(), change: { $0.limits.headerSeconds = 5 }) { gateway in
      let get = "GET /livez HTTP/\(ask.version)\r\nHost: a\r\n\(ask.fields)\r\n"
      let put = Self.bodies.filter { ask.version == "1.1" || !$0.contains("chunked") }.map {
        "PUT /v1/echo HTTP/\(ask.version)\r\nHost: a\r\nContent-Type: application/json\r\n\(ask.fields)\($0)"
      }
      let whole = ([get] + put + [get, get] + put).joined()
      let statuses = 3 + 2 * put.count
      let connection = try await RawConnection(port: gateway.httpPort)
      try await connection.send(whole)
      for _ in 0..<statuses { #expect(try await connection.receiveResponse().status == 200) }
      for byte in whole.utf8 { try await connection.send([byte]) }
      for _ in 0..<statuses { #expect(try await connection.receiveResponse().status == 200) }
      // Each after the answer to the one before it, as clients do.
      for request in [get] + put + [get] {
        try await connection.send(request)
        #expect(try await connection.receiveResponse().status == 200)
      }
      try await connection.close()
      // A body is a body, whatever it looks like.
      let echoes = gateway.bus.requests.filter { $0.header.operation == Echo.spec.name }
      #expect(echoes.count == 5 * put.count)
      #expect(echoes.allSatisfy { String(decoding: $0.body, as: UTF8.self) == #"{"text":"a"}"# })
    }
  }

  @Test("The body of a request for another protocol is never treated as another request", arguments: bodies.indices)
  func hidesNothing(body: Int) async throws {
    try await RunningGateway.with(bus: RPCTests.bus(), change: { $0.limits.headerSeconds = 5 }) { gateway in
      let hidden = "POST /v1/things/poke HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"
      let framed =
        body == 0
        ? "Content-Length: \(hidden.utf8.count)\r\n\r\n\(hidden)"
        : "Transfer-Encoding: chunked\r\n\r\n\(String(hidden.utf8.count, radix: 16))\r\n\(hidden)\r\n0\r\n\r\n"
      let connection = try await RawConnection(port: gateway.httpPort)
      try await connection.send(
        "GET /livez HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\(framed)GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"
      )
      #expect(try await connection.receiveResponse().status == 200)
      #expect(try await connection.receiveResponse().status == 200)
      try await connection.closeOutput()
      #expect(try await connection.receiveAll() == "")
      #expect(gateway.bus.requests.isEmpty)
    }
  }

  @Test(
    "Ambiguous requests for another protocol are answered, and the connection closed",
    arguments: [
      "Connection: x-upgrade\r\nUpgrade: h2c\r\n", "Connection: upgrade;q=1\r\nUpgrade: h2c\r\n",
      "Connection: up grade, upgrade x\r\nUpgrade: h2c\r\n", "Connection: \"upgrade\"\r\nUpgrade: h2c\r\n",
      "Connection: close,\tupgrade\r\nUpgrade: h2c\r\n",
    ])
  func ends(fields: String) async throws {
    try await RunningGateway.with { gateway in
      let connection = try await RawConnection(port: gateway.httpPort)
      try await connection.send("GET /livez HTTP/1.1\r\nHost: a\r\n\(fields)\r\nGET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
      let response = try await connection.receiveResponse()
      #expect(response.status == 200 && response.fields["connection"] == "close")
      #expect(try await connection.receiveAll() == "")
    }
  }

  @Test("Bytes after a request for another protocol that closes its connection are ignored")
  func lastOne() async throws {
    try await RunningGateway.with { gateway in
      let connection = try await RawConnection(port: gateway.httpPort)
      try await connection.send(
        "GET /livez HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n\r\nPRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
      #expect(try await connection.receiveResponse().fields["connection"] == "close")
      #expect(try await connection.receiveAll() == "")
    }
  }

  @Test(
    "Requests for HTTP/2 as Java's client sends them are answered at once",
    .enabled(if: Program.isThere("/usr/bin/java"), "needs /usr/bin/java"))
  func java() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("racha-java-\(ID<UpgradeTests>().description)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appendingPathComponent("Probe.java")
    try Data(Self.probe.utf8).write(to: source)
    try await RunningGateway.with(bus: RPCTests.bus(), change: { $0.limits.headerSeconds = 30 }) { gateway in
      let (status, output) = try await Program.run("/usr/bin/java", [source.path, "http://127.0.0.1:\(gateway.httpPort)"])
      #expect(status == 0, "\(output)")
      #expect(output.split(separator: "\n").filter { $0.hasPrefix("200 ") }.count == 8, "\(output)")
    }
  }

  /// What Java's `HttpClient` does by default. Its deadline for an answer is what a connection that stands still would miss.
  private static let probe = """
    import java.net.URI;
    import java.net.http.*;
    import java.time.Duration;

    public class Probe {
      public static void main(String[] arguments) throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        for (int number = 0; number < 8; number++) {
          HttpRequest.Builder request = HttpRequest.newBuilder().timeout(Duration.ofSeconds(20));
          if (number % 2 == 0) {
            request.uri(URI.create(arguments[0] + "/livez")).GET();
          } else {
            request.uri(URI.create(arguments[0] + "/v1/echo")).header("Content-Type", "application/json")
              .PUT(HttpRequest.BodyPublishers.ofString("{\\"text\\":\\"" + number + "\\"}"));
          }
          HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
          System.out.println(response.statusCode() + " " + response.body());
        }
      }
    }
    """

  @Test(
    "Requests for HTTP/2 as curl sends them keep its connection open",
    .enabled(if: Program.isThere("/usr/bin/curl"), "needs /usr/bin/curl"))
  func curl() async throws {
    try await RunningGateway.with(change: { $0.limits.headerSeconds = 30 }) { gateway in
      let url = "http://127.0.0.1:\(gateway.httpPort)/livez"
      let (status, output) = try await Program.run(
        "/usr/bin/curl",
        [
          "--silent", "--noproxy", "*", "--http2", "--max-time", "20", "--write-out", "\n%{http_code} %{num_connects}\n", url,
          url, url,
        ])
      #expect(status == 0)
      let lines = output.split(separator: "\n").filter { !$0.hasPrefix("{") }
      #expect(lines == ["200 1", "200 0", "200 0"], "\(output)")
    }
  }
}

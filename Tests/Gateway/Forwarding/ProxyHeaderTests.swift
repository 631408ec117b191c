import IdentityContract
import Messaging
import Operations
import ServiceKit
import Testing

@testable import GatewayService

@Suite("The header of the PROXY protocol (GW-3)", .timeLimit(.minutes(1)))
struct ProxyHeaderTests {
  private static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0, 0x0D, 0x0A] + Array("QUIT\n".utf8)

  /// A header of version 2.
  private static func v2(_ command: UInt8, _ family: UInt8, _ rest: [UInt8], length: Int? = nil) -> [UInt8] {
    let length = length ?? rest.count
    return signature + [command, family, UInt8(length >> 8), UInt8(length & 0xFF)] + rest
  }

  private static let v4Addresses: [UInt8] = [192, 0, 2, 7, 10, 0, 0, 1, 0x1F, 0x90, 0x1F, 0x9A]
  private static let v6Addresses: [UInt8] =
    [0x20, 0x01, 0x0D, 0xB8] + Array(repeating: 0, count: 11) + [7] + Array(repeating: 0, count: 15) + [1, 0, 80, 0, 81]

  struct Case: Sendable, CustomTestStringConvertible {
    let bytes: [UInt8]
    let client: String?
    let testDescription: String

    init(_ text: String, is client: String?, _ name: String) { self.init(Array(text.utf8), is: client, name) }

    init(_ bytes: [UInt8], is client: String?, _ name: String) {
      self.bytes = bytes
      self.client = client
      testDescription = name
    }
  }

  @Test(
    "A whole PROXY header names the client and its own end, and any beginning of it waits for the rest",
    arguments: [
      Case("PROXY TCP4 192.0.2.7 10.0.0.1 8080 8090\r\n", is: "192.0.2.7", "IPv4"),
      Case("PROXY TCP4 192.0.2.7 10.0.0.1 0 65535\r\n", is: "192.0.2.7", "the least and the greatest port"),
      Case("PROXY TCP6 2001:db8::7 2001:db8::1 8080 8090\r\n", is: "2001:db8::7", "IPv6"),
      Case("PROXY TCP6 ::ffff:192.0.2.7 ::1 8080 8090\r\n", is: "192.0.2.7", "IPv4 within IPv6"),
      Case(
        "PROXY TCP6 \(longest) \(longest) 65535 65535\r\n", is: "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "the longest address"),
      Case("PROXY UNKNOWN\r\n", is: nil, "unknown"),
      Case("PROXY UNKNOWN \(longest) \(longest) 65535 65535\r\n", is: nil, "unknown, 107 bytes"),
      Case("PROXY UNKNOWN what ever\r\n", is: nil, "unknown, with anything"),
      Case(v2(0x21, 0x11, v4Addresses), is: "192.0.2.7", "version 2, IPv4"),
      Case(v2(0x21, 0x21, v6Addresses), is: "2001:db8::7", "version 2, IPv6"),
      Case(v2(0x21, 0x11, v4Addresses + [4, 0, 1, 0]), is: "192.0.2.7", "version 2, with further values"),
      Case(v2(0x21, 0x11, v4Addresses + Array(repeating: 1, count: 2020)), is: "192.0.2.7", "version 2, 2,048 bytes"),
      Case(v2(0x21, 0x00, []), is: nil, "version 2, unspecified"), Case(v2(0x20, 0x00, []), is: nil, "version 2, local"),
      Case(v2(0x20, 0x11, v4Addresses), is: nil, "version 2, local, with addresses that mean nothing"),
      Case(v2(0x20, 0x31, []), is: nil, "version 2, local, of another family"),
    ])
  func whole(example: Case) {
    let after = Array(#"{"jsonrpc""#.utf8)
    let client = example.client.flatMap { IPAddress($0) }
    #expect((client == nil) == (example.client == nil))
    #expect(ProxyHeader.read(example.bytes + after) == .whole(client: client, length: example.bytes.count))
    for count in example.bytes.indices { #expect(ProxyHeader.read(Array(example.bytes[..<count])) == .incomplete) }
  }

  private static let longest = "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"

  @Test(
    "Anything but a valid PROXY header is refused",
    arguments: [
      Case(#"{"jsonrpc":"2.0"}"# + "\n", is: nil, "no header"), Case("GET / HTTP/1.1\r\n", is: nil, "HTTP"),
      Case([0x16, 0x03, 0x01], is: nil, "TLS"), Case("proxy TCP4", is: nil, "small letters"),
      Case(" PROXY UNKNOWN\r\n", is: nil, "a blank before it"), Case("PROXY\r\n", is: nil, "nothing after it"),
      Case("PROXY \r\n", is: nil, "an empty family"), Case("PROXY TCP5 192.0.2.7 10.0.0.1 1 2\r\n", is: nil, "another family"),
      Case("PROXY UDP4 192.0.2.7 10.0.0.1 1 2\r\n", is: nil, "datagrams"),
      Case("PROXY TCP4 192.0.2.7 10.0.0.1 1 2\n", is: nil, "a line's end of its own"),
      Case("PROXY TCP4 192.0.2.7 10.0.0.1 1\r\n", is: nil, "a port too few"),
      Case("PROXY TCP4 192.0.2.7 10.0.0.1 1 2 3\r\n", is: nil, "a port too many"),
      Case("PROXY TCP4  192.0.2.7 10.0.0.1 1 2\r\n", is: nil, "two blanks"),
      Case("PROXY TCP4 192.0.2.7 10.0.0.1 1 2 \r\n", is: nil, "a blank at the end"),
      Case("PROXY TCP4 192.0.2.7\t10.0.0.1 1 2\r\n", is: nil, "a tab"),
      Case("PROXY TCP4 192.0.2.7 10.0.0.1 01 2\r\n", is: nil, "a zero before a port"),
      Case("PROXY TCP4 192.0.2.7 10.0.0.1 +1 2\r\n", is: nil, "a port with a sign"),
      Case("PROXY TCP4 192.0.2.7 10.0.0.1 1 65536\r\n", is: nil, "a port too great"),
      Case("PROXY TCP4 192.0.2.7 10.0.0.1 1 \r\n", is: nil, "an empty port"),
      Case("PROXY TCP4 192.0.2 10.0.0.1 1 2\r\n", is: nil, "three numbers"),
      Case("PROXY TCP4 192.0.2.256 10.0.0.1 1 2\r\n", is: nil, "a number too great"),
      Case("PROXY TCP4 2001:db8::7 2001:db8::1 1 2\r\n", is: nil, "IPv6 as IPv4"),
      Case("PROXY TCP6 192.0.2.7 10.0.0.1 1 2\r\n", is: nil, "IPv4 as IPv6"),
      Case("PROXY TCP6 fe80::1%eth0 ::1 1 2\r\n", is: nil, "a zone"),
      Case("PROXY TCP4 192.0.2.7 nowhere 1 2\r\n", is: nil, "another end that is none"),
      Case("PROXY UNKNOWN \(String(repeating: "x", count: 93))", is: nil, "107 bytes without an end"),
      Case("PROXY UNKNOWN \(String(repeating: "x", count: 92))\r\n", is: nil, "108 bytes"),
      Case("PROXY UNKNOWN ñ\r\n", is: nil, "beyond ASCII"),
      Case(Array("PROXY TCP4 192.0.2.7 10.0.0.1 1 2".utf8) + [0] + Array("\r\n".utf8), is: nil, "a zero byte"),
      Case([0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0B], is: nil, "another signature"),
      Case(v2(0x11, 0x11, v4Addresses), is: nil, "version 1 as bytes"), Case(v2(0x31, 0x11, v4Addresses), is: nil, "version 3"),
      Case(v2(0x22, 0x11, v4Addresses), is: nil, "another command"),
      Case(v2(0x21, 0x12, v4Addresses), is: nil, "version 2, datagrams"),
      Case(v2(0x21, 0x31, Array(repeating: 0, count: 216)), is: nil, "version 2, a local socket"),
      Case(v2(0x21, 0x41, v4Addresses), is: nil, "version 2, another family"),
      Case(v2(0x21, 0x11, v4Addresses, length: 11), is: nil, "version 2, too short for its family"),
      Case(v2(0x21, 0x21, v4Addresses), is: nil, "version 2, too short for IPv6"),
      Case(v2(0x21, 0x11, v4Addresses, length: 2033), is: nil, "version 2, 2,049 bytes"),
      Case(v2(0x21, 0x11, [], length: 65535), is: nil, "version 2, as long as can be"),
    ])
  func refused(example: Case) { #expect(ProxyHeader.read(example.bytes) == .refused) }

  // MARK: - At the port

  private static let echo = #"{"jsonrpc":"2.0","id":1,"method":"things.echo","params":{"text":"a"}}"# + "\n"

  private static func with(
    _ network: String = "127.0.0.0/8", change: (inout GatewayConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (RunningGateway) async throws -> Void
  ) async throws {
    let network = try #require(IPNetwork(network))
    try await RunningGateway.with(
      bus: RPCTests.bus(),
      change: {
        $0.tcpProxies = [network]
        change(&$0)
      }, body)
  }

  @Test("Services and budgets see the client that a trusted load balancer names, however the header is split")
  func clients() async throws {
    try await Self.with(change: { $0.rates.address[.write] = .init(1, per: 3600) }) { gateway in
      let one = Array("PROXY TCP4 192.0.2.7 10.0.0.1 8080 8090\r\n".utf8)
      let two = Self.v2(0x21, 0x21, Self.v6Addresses)
      var answers: [JSON] = []
      for (header, piece) in [(one, 1), (one, 500), (two, 7), (Self.v2(0x20, 0, []), 500)] {
        let connection = try await RawConnection(port: gateway.tcpPort)
        let all = header + Array(Self.echo.utf8)
        for start in stride(from: 0, to: all.count, by: piece) {
          try await connection.send(Array(all[start..<min(all.count, start + piece)]))
        }
        answers.append(try await connection.receiveLine())
        try await connection.close()
      }
      #expect(answers.map { $0["result"] != nil } == [true, false, true, true])
      #expect(answers[1]["error"]?["data"]?["code"] == "rate_limited")
      #expect(gateway.bus.requests.map(\.header.caller.address) == ["192.0.2.7", "2001:db8::7", "127.0.0.1"])
    }
  }

  @Test("A trusted load balancer's connection without a header, or with a bad one, is closed without an answer")
  func required() async throws {
    try await Self.with { gateway in
      for text in [Self.echo, "PROXY TCP4 192.0.2 10.0.0.1 8080 8090\r\n\(Self.echo)"] {
        let connection = try await RawConnection(port: gateway.tcpPort)
        try await connection.send(text)
        #expect(try await connection.receiveAll() == "")
      }
      #expect(gateway.bus.requests.isEmpty)
    }
  }

  @Test("A PROXY header from an untrusted address is answered as invalid JSON, and has no effect")
  func untrusted() async throws {
    try await Self.with("10.0.0.0/8") { gateway in
      let connection = try await RawConnection(port: gateway.tcpPort)
      try await connection.send("PROXY TCP4 192.0.2.7 10.0.0.1 8080 8090\r\n\(Self.echo)")
      #expect(try await connection.receiveLine()["error"]?["code"] == -32700)
      #expect(try await connection.receiveLine()["result"] != nil)
      #expect(gateway.bus.requests.map(\.header.caller.address) == ["127.0.0.1"])
    }
  }

  @Test("A missing or incomplete PROXY header is subject to the deadline of headers")
  func slow() async throws {
    try await Self.with(change: { $0.limits.headerSeconds = 1 }) { gateway in
      for text in ["", "PROXY TCP4 192.0.2.7"] {
        let connection = try await RawConnection(port: gateway.tcpPort)
        if !text.isEmpty { try await connection.send(text) }
        #expect(try await connection.receiveAll() == "")
      }
    }
  }

  @Test("A client behind the PROXY protocol has its own count of connections, however many share the load balancer")
  func counted() async throws {
    try await Self.with(change: { $0.limits.connectionsPerAddress = 1 }) { gateway in
      func open(_ client: String) async throws -> RawConnection {
        let connection = try await RawConnection(port: gateway.tcpPort)
        try await connection.send("PROXY TCP4 \(client) 10.0.0.1 8080 8090\r\n\(Self.echo)")
        return connection
      }
      let first = try await open("192.0.2.7")
      #expect(try await first.receiveLine()["result"] != nil)
      let second = try await open("192.0.2.7")
      #expect(try await second.receiveLine()["error"]?["data"]?["code"] == "too_many_connections")
      #expect(try await second.receiveAll() == "")
      let other = try await open("192.0.2.8")
      #expect(try await other.receiveLine()["result"] != nil)
      for connection in [first, other] { try await connection.close() }
    }
  }

  @Test("Settings name the load balancers, and an invalid network stops the start")
  func settings() throws {
    let settings = Settings(["racha.tcp.trustedProxies": "127.0.0.1, 2001:db8::/32"])
    #expect(GatewayConfiguration(settings).tcpProxies == [IPNetwork("127.0.0.1"), IPNetwork("2001:db8::/32")])
    try settings.check()
    let wrong = Settings(["racha.tcp.trustedProxies": "10.0.0.0/33"])
    _ = GatewayConfiguration(wrong)
    #expect(throws: Settings.Invalid.self) { try wrong.check() }
  }
}

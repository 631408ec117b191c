import NIOCore
import NIOHTTP1
import Operations
import ServiceKit
import Testing

@testable import GatewayService

@Suite("The client's address behind proxies (GW-3)")
struct TrustedProxiesTests {
  /// What a proxy at 10.0.0.1 passes on, and whom it is counted and logged as.
  struct Case: Sendable, CustomTestStringConvertible {
    let values: [String]
    let client: String
    let why: String

    init(_ values: String..., is client: String, _ why: String) {
      self.values = values
      self.client = client
      self.why = why
    }

    var testDescription: String { why }
  }

  static func proxies(_ field: TrustedProxies.Field) throws -> TrustedProxies {
    var proxies = TrustedProxies()
    proxies.networks = try ["10.0.0.0/8", "2001:db8:ffff::/48"].map { try #require(IPNetwork($0)) }
    proxies.field = field
    return proxies
  }

  @Test(
    "The gateway reads X-Forwarded-For from its end, past the proxies",
    arguments: [
      Case("192.0.2.7", is: "192.0.2.7", "one client"),
      Case("192.0.2.7:4711", is: "192.0.2.7", "with a port"),
      Case("2001:db8::7", is: "2001:db8::7", "IPv6"),
      Case("[2001:db8::7]", is: "2001:db8::7", "IPv6 in brackets"),
      Case("[2001:db8::7]:4711", is: "2001:db8::7", "IPv6 with a port"),
      Case("::ffff:192.0.2.7", is: "192.0.2.7", "IPv4 in IPv6 clothes"),
      Case("192.0.2.7, 10.2.3.4", is: "192.0.2.7", "past a trusted proxy"),
      Case("192.0.2.7, 2001:db8:ffff::9,\t10.2.3.4 ", is: "192.0.2.7", "past two, with blanks"),
      Case("192.0.2.7", "10.2.3.4", is: "192.0.2.7", "in two fields"),
      Case("127.0.0.1, 192.0.2.7", is: "192.0.2.7", "what the client wrote itself is not looked at"),
      Case("198.51.100.9, 192.0.2.7, 10.2.3.4", is: "192.0.2.7", "nor before a trusted proxy"),
      Case("192.0.2.7, 203.0.113.5, 10.2.3.4", is: "203.0.113.5", "nor what a proxy nobody trusts wrote"),
      Case("192.0.2.7", "198.51.100.9", is: "198.51.100.9", "nor in an earlier field"),
      Case("10.9.9.9, 10.2.3.4", is: "10.9.9.9", "all of them proxies: the farthest"),
      Case("unknown", is: "10.0.0.1", "nothing known: the proxy"),
      Case("192.0.2.7, unknown, 10.2.3.4", is: "10.2.3.4", "an unknown hop ends it"),
      Case("192.0.2.7, ", is: "10.0.0.1", "an empty element"),
      Case("", is: "10.0.0.1", "an empty field"),
      Case("192.0.2.7:", is: "10.0.0.1", "a port without digits"),
      Case("192.0.2.7:123456", is: "10.0.0.1", "a port too long"),
      Case("192.0.2.777", is: "10.0.0.1", "no address"),
      Case("192.0.2", is: "10.0.0.1", "short"),
      Case("0300.0.2.7", is: "10.0.0.1", "octal"),
      Case("[2001:db8::7", is: "10.0.0.1", "an open bracket"),
      Case("[192.0.2.7]", is: "10.0.0.1", "IPv4 in brackets"),
      Case("[2001:db8::7]x", is: "10.0.0.1", "something after the bracket"),
      Case("fe80::1%eth0", is: "10.0.0.1", "a zone"),
      Case("example.com", is: "10.0.0.1", "a name"),
      Case("\"192.0.2.7, 198.51.100.9", is: "198.51.100.9", "a quote means nothing here"),
      Case("6.6.6.6\u{600}, 192.0.2.7", is: "192.0.2.7", "a comma that is one character with what a client wrote before it"),
      Case("6.6.6.6\u{D4E}, 192.0.2.7", is: "192.0.2.7", "the same by a letter"),
      Case("6.6.6.6,\u{903}192.0.2.7", is: "10.0.0.1", "a sign behind the comma: no address"),
    ])
  func forwardedFor(example: Case) throws { try expect(example, .xForwardedFor) }

  @Test(
    "The gateway reads Forwarded from its end, past the proxies (RFC 7239)",
    arguments: [
      Case("for=192.0.2.7", is: "192.0.2.7", "one client"),
      Case("For=192.0.2.7;proto=https;by=10.0.0.1", is: "192.0.2.7", "names have no case, more parameters"),
      Case("proto=https; for=192.0.2.7 ; host=\"a;b,c\"", is: "192.0.2.7", "separators within quotes"),
      Case("for=\"192.0.2.7:4711\"", is: "192.0.2.7", "with a port"),
      Case("for=\"192.0.2.7:_hidden\"", is: "192.0.2.7", "with a hidden port"),
      Case("for=\"[2001:db8::7]\"", is: "2001:db8::7", "IPv6"),
      Case("for=\"[2001:db8::7]:4711\"", is: "2001:db8::7", "IPv6 with a port"),
      Case("for=\"\\192.0.2.7\"", is: "192.0.2.7", "escaped"),
      Case("for=192.0.2.7, for=10.2.3.4", is: "192.0.2.7", "past a trusted proxy"),
      Case("for=192.0.2.7", "for=10.2.3.4", is: "192.0.2.7", "in two fields"),
      Case("for=127.0.0.1, for=192.0.2.7", is: "192.0.2.7", "what the client wrote itself is not looked at"),
      Case("for=6.6.6.6;x=\u{600}, for=192.0.2.7", is: "192.0.2.7", "a comma that is one character with what stands before it"),
      Case("for=6.6.6.6;x=\"\u{600}\", for=192.0.2.7", is: "192.0.2.7", "the same within quotes that end"),
      Case("for=6.6.6.6\u{37E}x=1, for=10.2.3.4", is: "10.2.3.4", "a question mark of Greek is no semicolon"),
      Case("for=\"127.0.0.1", "for=192.0.2.7", is: "192.0.2.7", "a quote that never ends does not swallow what follows"),
      Case("host=\"x\\", "for=\"192.0.2.7\"", is: "192.0.2.7", "nor does a backslash"),
      Case("for=_gazonk", is: "10.0.0.1", "a hidden client: the proxy"),
      Case("for=192.0.2.7, for=_SEVKISEK, for=10.2.3.4", is: "10.2.3.4", "a hidden hop ends it"),
      Case("for=unknown", is: "10.0.0.1", "an unknown client"),
      Case("for=\"_x:80\"", is: "10.0.0.1", "a hidden client with a port"),
      Case("proto=https", is: "10.0.0.1", "no client"),
      Case("for=2001:db8::7", is: "10.0.0.1", "IPv6 without quotes"),
      Case("for=\"2001:db8::7\"", is: "10.0.0.1", "IPv6 without brackets"),
      Case("for=192.0.2.7:80", is: "10.0.0.1", "a port without quotes"),
      Case("for=192.0.2.7;for=198.51.100.9", is: "10.0.0.1", "two clients"),
      Case("for=\"192.0.2.7", is: "10.0.0.1", "an open quote"),
      Case("for=\"192.0.2.7\"x", is: "10.0.0.1", "something after the quote"),
      Case("192.0.2.7", is: "10.0.0.1", "no pair"),
      Case("for=", is: "10.0.0.1", "an empty value"),
      Case("for=192.0.2.7,", is: "10.0.0.1", "an empty element"),
    ])
  func forwarded(example: Case) throws { try expect(example, .forwarded) }

  private func expect(_ example: Case, _ field: TrustedProxies.Field) throws {
    let proxy = try #require(IPAddress("10.0.0.1"))
    #expect(try Self.proxies(field).client(behind: proxy, example.values).text == example.client)
  }

  @Test("A client's live stream is counted as its own, however many share the proxy's connections")
  func streams() async throws {
    let network = try #require(IPNetwork("127.0.0.1"))
    try await LiveTests.with(change: {
      $0.limits.connectionsPerAddress = 1
      $0.proxies.networks = [network]
    }) { gateway, inboxes in
      let token = try gateway.signer.token(account: inboxes.account, session: SessionID())
      func stream(_ client: String) async throws -> (RawConnection, status: String) {
        let connection = try await RawConnection(port: gateway.httpPort)
        try await connection.send(
          "GET /v1/live HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: \(client)\r\nAuthorization: Bearer \(token)\r\n\r\n")
        let status = String(try await connection.receive(until: "\r\n").prefix(12))
        if status.hasSuffix("200") { _ = try await connection.receive(until: "event: ready") }
        return (connection, status)
      }
      let first = try await stream("192.0.2.7")
      #expect(first.status == "HTTP/1.1 200")
      #expect(try await stream("192.0.2.7").status == "HTTP/1.1 503")
      let other = try await stream("192.0.2.8")
      #expect(other.status == "HTTP/1.1 200")
      for connection in [first.0, other.0] { try await connection.close() }
    }
  }

  @Test(
    "Budgets and services see the client behind a trusted proxy, and otherwise the peer of the connection",
    arguments: [("127.0.0.0/8", true), ("10.0.0.0/8", false), (nil, false)])
  func budgets(network: String?, isTrusted: Bool) async throws {
    let bus = RPCTests.bus()
    try await RunningGateway.with(
      bus: bus,
      change: {
        $0.rates.address[.write] = .init(1, per: 3600)
        $0.proxies.networks = [network].compactMap { $0.flatMap { IPNetwork($0) } }
      }
    ) { gateway in
      var statuses: [Int] = []
      for client in ["192.0.2.7", "192.0.2.8", "192.0.2.7"] {
        statuses.append(try await gateway.http("PUT", "/v1/echo", ["X-Forwarded-For": client], #"{"text":"a"}"#).status)
      }
      #expect(statuses == (isTrusted ? [200, 200, 429] : [200, 429, 429]))
    }
    #expect(bus.requests.map(\.header.caller.address) == (isTrusted ? ["192.0.2.7", "192.0.2.8"] : ["127.0.0.1"]))
  }

  @Test("A client that comes through a trusted proxy is never treated as local")
  func metrics() async throws {
    let network = try #require(IPNetwork("127.0.0.1"))
    try await RunningGateway.with(change: { $0.proxies.networks = [network] }) { gateway in
      for client in ["192.0.2.7", "127.0.0.1", "unknown", ""] {
        let answer = try await gateway.http("GET", "/metrics", ["X-Forwarded-For": client])
        #expect(answer.status == 403)
      }
    }
    // Each of two rules refuses it. The field by itself, whoever sends it, is `unknownProxies`; and whom a trusted proxy speaks for is
    // never local, whatever name its field has.
    var proxies = TrustedProxies()
    proxies.networks = [network]
    for field in [TrustedProxies.Field.xForwardedFor, .forwarded] {
      proxies.field = field
      let peer = Peer(try SocketAddress(ipAddress: "127.0.0.1", port: 1), proxies: proxies)
      for client in ["192.0.2.7", "127.0.0.1", "unknown", "", "for=127.0.0.1", "for=192.0.2.7"] {
        #expect(!peer.client([field.rawValue: client]).isLocal, "\(field) \(client)")
      }
      // This machine, by itself.
      #expect(peer.client([:]).isLocal)
    }
  }

  @Test(
    "The metrics are refused to clients that come through an unknown proxy or by another host name",
    arguments: [
      ([:], 200), (["X-Forwarded-For": "192.0.2.7"], 403), (["X-Forwarded-For": "127.0.0.1"], 403),
      (["Forwarded": "for=127.0.0.1"], 403), (["Via": "1.1 proxy"], 403), (["X-Real-IP": "127.0.0.1"], 403),
      (["Host": "racha.example"], 403), (["Host": "127.0.0.1:8080"], 200),
    ] as [([String: String], Int)])
  func unknownProxies(fields: [String: String], status: Int) async throws {
    try await RunningGateway.with { gateway in
      let answer = try await gateway.http("GET", "/metrics", fields)
      #expect(answer.status == status)
      if status == 403 { #expect(try answer.json["code"] == "local_only") }
    }
    for (access, status) in [(MetricsAccess.all, 200), (.off, 404)] {
      try await RunningGateway.with(change: { $0.metrics = access }) { gateway in
        let answer = try await gateway.http("GET", "/metrics", fields)
        #expect(answer.status == status)
      }
    }
  }

  @Test(
    "The access to the metrics is configurable",
    arguments: [(nil, .local), ("local", .local), ("all", .all), ("off", .off)] as [(String?, MetricsAccess)])
  func metrics(text: String?, access: MetricsAccess) throws {
    let settings = Settings(text.map { ["racha.metrics": $0] } ?? [:])
    #expect(GatewayConfiguration(settings).metrics == access)
    try settings.check()
  }

  @Test(
    "Networks are read as people write them",
    arguments: [
      ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("192.0.2.7", "192.0.2.7", true),
      ("192.0.2.7", "192.0.2.6", false), ("192.0.2.128/25", "192.0.2.129", true), ("192.0.2.128/25", "192.0.2.1", false),
      ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "2001:db8::1", false), ("2001:db8::/32", "2001:db8:9::1", true),
      ("2001:db8::/33", "2001:db8:8000::1", false), ("::1", "::1", true), ("10.0.0.0/8", "::ffff:10.1.2.3", true),
    ])
  func networks(network: String, address: String, isWithin: Bool) throws {
    let (network, address) = (try #require(IPNetwork(network)), try #require(IPAddress(address)))
    #expect(network.contains(address) == isWithin)
  }

  @Test(
    "Settings that are no networks stop the start",
    arguments: ["10.0.0.0/33", "10.0.0.0/", "10.0.0/8", "2001:db8::/129", "proxy", "10.0.0.0/8/8", "10.0.0.0/+8", "fe80::1%eth0"])
  func invalid(text: String) {
    let settings = Settings(["racha.http.trustedProxies": "127.0.0.1, \(text)"])
    _ = GatewayConfiguration(settings)
    #expect(throws: Settings.Invalid.self) { try settings.check() }
  }

  @Test("Settings name the proxies and the field they write")
  func settings() throws {
    let settings = Settings(["racha.http.trustedProxies": "127.0.0.1, 2001:db8::/32", "racha.http.forwardedHeader": "Forwarded"])
    let configuration = GatewayConfiguration(settings)
    try settings.check()
    #expect(configuration.proxies.networks == [IPNetwork("127.0.0.1"), IPNetwork("2001:db8::/32")])
    #expect(configuration.proxies.field == .forwarded)
  }
}

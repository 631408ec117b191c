import BuiltPrograms
import NotificationsContract
import Operations
import Testing
import Web

@testable import NotificationsService

@Suite("Addresses that pushes are sent to (NOT-5)", .timeLimit(.minutes(1)))
struct PushCarrierTests {
  private func push(_ endpoint: String) throws -> PushRequest {
    PushRequest(endpoint: try PushEndpoint(text: endpoint), headers: ["TTL: 60"], body: [1, 2, 3])
  }

  /// A carrier for whom each name has these addresses.
  private func carrier(_ rules: PushEndpointRules = PushEndpointRules(), _ texts: String...) async -> PushCarrier {
    var found: [HostAddresses.Address] = []
    // Of an address nobody is asked.
    for text in texts { found += await HostAddresses.find(text) }
    let addresses = found
    return PushCarrier(rules: rules, find: { _ in addresses })
  }

  @Test("A push to a service with a private address is given up, and one to an unresolved name is retried")
  func refused() async throws {
    let push = try self.push("https://push.example.org/send/1")
    #expect(await carrier(.init(), "1.1.1.1", "10.0.0.1").carry(push) == .never(.notPublic))
    #expect(await carrier(.init(), "fd00::1").carry(push) == .never(.notPublic))
    #expect(await carrier().carry(push) == .later(.unreachable, afterSeconds: nil))
    for endpoint in ["https://10.0.0.1/1", "https://push.example.org:8443/1"] {
      #expect(try await carrier(.init(), "1.1.1.1").carry(self.push(endpoint)) == .never(.notPublic))
    }
  }

  @Test("A push service's name is resolved once and its checked address used; one's own service is not resolved in advance")
  func pinned() async throws {
    let carrier = await self.carrier(PushEndpointRules(ownOrigins: ["http://push.lan:9000"]), "1.1.1.1", "2606:4700::1111")
    let request = try await carrier.request(push("https://Push.example.org/send/1"))
    #expect(
      request.addresses
        == WebRequest.Addresses(host: "push.example.org", port: 443, texts: ["1.1.1.1", "[2606:4700:0:0:0:0:0:1111]"]))
    #expect(request.url == "https://Push.example.org/send/1" && request.body == [1, 2, 3] && request.headers == ["TTL: 60"])
    #expect(try await carrier.request(push("http://push.lan:9000/1")).addresses == nil)
  }

  @Test(
    "A request goes to its given addresses without resolving the name", .enabled(if: PushService.python != nil))
  func reached() async throws {
    try await PushService.run { service in
      // A name that there never is (RFC 2606).
      let (host, port) = ("push.invalid", try PushEndpoint(text: service.origin).port)
      let body = try PushEncryption.body(
        Array("Hola".utf8), for: PushKey(text: service.p256dh), PushSecret(text: service.auth))
      let request = WebRequest(
        "http://\(host):\(port)/push/201/ana", posting: body,
        addresses: .init(host: host, port: port, texts: ["127.0.0.1"]), timeout: .seconds(20))
      #expect(try await request.send().status == 201)
      #expect(try await service.next().text == "Hola")
    }
  }
}

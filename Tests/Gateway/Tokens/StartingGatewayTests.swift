import IdentityContract
import Operations
import Synchronization
import Testing

@testable import GatewayService

@Suite("A gateway that does not yet know the revoked tokens", .timeLimit(.minutes(1)))
struct StartingGatewayTests {
  /// Runs a gateway whose identity informs nobody of its events, as one that a million accounts keep busy.
  private static func with(
    change: (inout GatewayConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (RunningGateway, Inboxes, TokenIssuer) async throws -> Void
  ) async throws {
    let (bus, signer, processor) = (FakeBus(), Signer(), TokenIssuer())
    let inboxes = Inboxes(bus, signer, processor: processor)
    inboxes.silence(true)
    bus.answer(.social) { request in Reply(header: ReplyHeader(id: request.header.id, status: 200), body: Array("{}".utf8)) }
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { await inboxes.run() }
      try await RunningGateway.with(bus: bus, signer: signer, change: change) { try await body($0, inboxes, processor) }
      tasks.cancelAll()
    }
  }

  private static func authenticate(_ connection: RawConnection, _ token: String) async throws -> JSON {
    try await connection.send(
      #"{"jsonrpc":"2.0","method":"session.authenticate","params":{"accessToken":"\#(token)"},"id":1}"# + "\n")
    return try await connection.receiveLine()
  }

  @Test(
    "A gateway that does not yet know the revoked tokens accepts none, is not ready, and still serves anonymous calls"
  )
  func takesNone() async throws {
    try await Self.with { gateway, inboxes, processor in
      let bearer = try gateway.bearer(inboxes.account)
      let script = ["Authorization": "Bearer \(try processor.token(of: inboxes.account, [.socialRead]))"]
      let line = try await RawConnection(port: gateway.tcpPort)
      let token = try gateway.signer.token(account: inboxes.account)
      async let session = gateway.http("GET", "/v1/things/7", bearer)
      async let personal = gateway.http("GET", "/v1/things/7", script)
      async let live = gateway.http("GET", "/v1/live", bearer)
      async let signedIn = Self.authenticate(line, token)
      for response in [try await session, try await personal, try await live] {
        #expect(response.status == 503 && response.fields["retry-after"] == "1")
        #expect(response.body.contains(#""code":"unavailable""#))
      }
      let refusal = try await signedIn
      #expect(refusal["error"]?["data"]?["code"] == "unavailable")
      #expect(gateway.bus.requests.isEmpty, "nobody was served in anybody's name")
      #expect(processor.asked == 0)
      let ready = try await gateway.http("GET", "/readyz")
      #expect(ready.status == 503 && ready.body.contains(#"{"part":"revocations","state":"catchingUp"}"#))
      let poked = try await gateway.http("POST", "/v1/things/poke", [:], "{}")
      #expect(poked.status == 200)
    }
  }

  @Test("Requests that wait until a gateway knows the revoked tokens are then served, except those with a revoked one")
  func letsIn() async throws {
    try await Self.with { gateway, inboxes, processor in
      let session = SessionID()
      let closed = try gateway.bearer(inboxes.account, session: session)
      inboxes.revoke(session)
      async let refused = gateway.http("GET", "/v1/things/7", closed)
      async let served = gateway.http("GET", "/v1/things/7", try gateway.bearer(inboxes.account))
      // Both are on their way when identity begins to publish.
      await inboxes.isAskedOfEvents()
      inboxes.silence(false)
      let (own, dead) = (try await served, try await refused)
      #expect(own.status == 200 && dead.status == 401)
      let ready = try await gateway.http("GET", "/readyz")
      #expect(!ready.body.contains("revocations"))
    }
  }

  @Test("A starting gateway asks identity for what was revoked, and for no other part of its state")
  func asks() async throws {
    try await Self.with { gateway, inboxes, _ in
      inboxes.silence(false)
      let served = try await gateway.http("GET", "/v1/things/7", try gateway.bearer(inboxes.account))
      #expect(served.status == 200)
      let asked = inboxes.askedOfEvents.filter { $0.header.operation == "events.snapshot" }
      #expect(!asked.isEmpty)
      for request in asked {
        let names =
          #""names":["accessTokens.invalidated","personalAccessTokens.revoked","sessions.outdated","sessions.revoked"]"#
        #expect(String(decoding: request.body, as: UTF8.self).contains(names))
      }
    }
  }

  @Test("A gateway checks for retired keys of identity by itself")
  func retires() async throws {
    let (bus, signer, other) = (FakeBus(), Signer(), Signer(keyID: "k2"))
    let published = Mutex([signer.published, other.published])
    bus.answer(.identity) { request in Reply(request, ListKeys.Output(keys: published.withLock { $0 })) }
    bus.answer(.social) { request in Reply(header: ReplyHeader(id: request.header.id, status: 200), body: Array("{}".utf8)) }
    try await RunningGateway.with(bus: bus, signer: signer, change: { $0.tokens.keySeconds = 1 }) { gateway in
      let bearer = try gateway.bearer()
      let first = try await gateway.http("GET", "/v1/things/7", bearer)
      #expect(first.status == 200)
      published.withLock { $0 = [other.published] }
      let deadline = ContinuousClock.now + .seconds(20)
      var status = 200
      while status != 401, ContinuousClock.now < deadline {
        status = try await gateway.http("GET", "/v1/things/7", bearer).status
      }
      #expect(status == 401)
    }
  }
}

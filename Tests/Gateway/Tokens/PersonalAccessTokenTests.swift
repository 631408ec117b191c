import IdentityContract
import Messaging
import Operations
import Synchronization
import Testing

@testable import GatewayService

/// Stands for identity: what it answers about tokens, and how often it was asked.
final class TokenIssuer: Sendable {
  private struct State {
    var answers: [PersonalAccessTokenHash: Result<IdentifyPersonalAccessToken.Output, Failure>] = [:]
    var asked = 0
  }

  private let state = Mutex(State())

  var asked: Int { state.withLock { $0.asked } }

  /// A new token with those scopes.
  func token(
    of account: AccountID, id: PersonalAccessTokenID = PersonalAccessTokenID(), _ scopes: [AccessScope], isVerified: Bool = true,
    language: Language = .english, expiresAt: Instant? = nil
  ) throws -> String {
    var generator = SystemRandomNumberGenerator()
    let secret = PersonalAccessTokenForm.make(using: &generator)
    let answer = IdentifyPersonalAccessToken.Output(
      tokenID: id, accountID: account, scopes: scopes, isVerified: isVerified, language: language, expiresAt: expiresAt)
    state.withLock { $0.answers[PersonalAccessTokens.hash(secret)] = .success(answer) }
    return secret
  }

  func refuse(_ secret: String, _ failure: RequestFailure) {
    state.withLock { $0.answers[PersonalAccessTokens.hash(secret)] = .failure(Failure(failure)) }
  }

  func answer(_ hash: PersonalAccessTokenHash) throws -> IdentifyPersonalAccessToken.Output {
    try state.withLock { state in
      state.asked += 1
      guard let answer = state.answers[hash] else { throw Failure(RequestFailure.unauthenticated) }
      return try answer.get()
    }
  }
}

@Suite("Personal access tokens at the gateway (ID-18)", .timeLimit(.minutes(1)))
struct PersonalAccessTokenTests {
  /// A gateway with an inbox, whose services answer `{}` to everything else.
  private static func with(_ body: @escaping @Sendable (RunningGateway, Inboxes, TokenIssuer) async throws -> Void) async throws {
    let (bus, signer, processor) = (FakeBus(), Signer(), TokenIssuer())
    let inboxes = Inboxes(bus, signer, processor: processor)
    bus.answer(.social) { request in Reply(header: ReplyHeader(id: request.header.id, status: 200), body: Array("{}".utf8)) }
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { await inboxes.run() }
      try await RunningGateway.with(contracts: [.trial, .identity], bus: bus, signer: signer) {
        try await body($0, inboxes, processor)
      }
      tasks.cancelAll()
    }
  }

  private static func bearer(_ token: String) -> [String: String] { ["Authorization": "Bearer \(token)"] }

  @Test("A personal access token reads with its read scope and writes with its write scope, as its account and without a session")
  func scopes() async throws {
    try await Self.with { gateway, inboxes, processor in
      let account = AccountID()
      let reader = try processor.token(of: account, [.socialRead, .activityWrite], language: .spanish)
      let writer = try processor.token(of: account, [.socialWrite])
      #expect(try await gateway.http("GET", "/v1/things/7", Self.bearer(reader)).status == 200)
      let caller = try #require(gateway.bus.requests.last).header.caller
      #expect(caller.kind == .account && caller.account == account && caller.session == nil)
      #expect(caller.isVerified && !caller.isAdministrator && caller.language == .spanish)
      #expect(try await gateway.http("POST", "/v1/things", Self.bearer(writer), #"{"title":"Run"}"#).status == 200)
      let count = gateway.bus.requests.count

      let refused = try await gateway.http("POST", "/v1/things", Self.bearer(reader), #"{"title":"Run"}"#)
      #expect(refused.status == 403)
      #expect(try refused.json["code"] == "insufficient_scope")
      #expect(try refused.json["detail"] == "El token no permite hacer esto.")
      #expect(
        refused.fields["www-authenticate"] == #"Bearer realm="racha", error="insufficient_scope", scope="social:write""#)
      #expect(try await gateway.http("GET", "/v1/things/7", Self.bearer(writer)).status == 403)
      #expect(gateway.bus.requests.count == count)
    }
  }

  @Test("A personal access token cannot call operations reserved for sessions, even if its scope allows such calls")
  func sessionsOnly() {
    func rule(_ isForSessionsOnly: Bool) -> ScopeRule {
      ScopeRule(
        OperationSpec(
          "things.share", of: .social, .post("/v1/things/share"), by: .account, effect: .create,
          isForSessionsOnly: isForSessionsOnly, requirements: ["ID-18"], "Share."))
    }
    #expect(rule(false) == .needs(.socialWrite) && rule(true) == .sessionsOnly)
  }

  @Test("No personal access token can manage accounts, passwords, sessions or tokens, whatever its scopes")
  func identity() async throws {
    try await Self.with { gateway, inboxes, processor in
      let token = try processor.token(of: AccountID(), AccessScope.allCases)
      var count = 0
      for spec in Contract.identity.operations.map({ $0.spec }) {
        guard let route = spec.route, spec.caller != .anyone else { continue }
        let path = route.path.replacing(/\{[^}]*\}/, with: SessionID().description)
        let refused = try await gateway.http(route.method.rawValue, path, Self.bearer(token))
        #expect(refused.status == 403, "\(spec.name)")
        #expect(try refused.json["code"] == "insufficient_scope", "\(spec.name)")
        #expect(refused.fields["www-authenticate"] == #"Bearer realm="racha", error="insufficient_scope""#)
        count += 1
      }
      #expect(count >= 8)
      #expect(gateway.bus.requests.isEmpty)
      // Where anyone may call, a token that does not allow it counts as none.
      let reader = try processor.token(of: AccountID(), [.activityRead])
      #expect(try await gateway.http("POST", "/v1/things/poke", Self.bearer(reader)).status == 200)
      #expect(gateway.bus.requests.last?.header.caller.kind == .anonymous)
    }
  }

  @Test("Identity is asked about a personal access token once a minute, and never about a malformed one")
  func remembers() async throws {
    let (processor, time) = (TokenIssuer(), MovedClock())
    let revocations = Revocations(bound: 100, clock: time.clock)
    let tokens = PersonalAccessTokens(bound: 100, revocations: revocations, clock: time.clock) { try processor.answer($0) }
    let token = try processor.token(of: AccountID(), [.socialRead])
    for (seconds, asked) in [(0, 1), (59, 1), (1, 2), (59, 2)] {
      time.move(seconds: seconds)
      _ = try await tokens.identify(token)
      #expect(processor.asked == asked)
    }
    let forged = token.dropLast() + (token.hasSuffix("a") ? "b" : "a")
    await #expect(throws: TokenRefusal.invalid(.malformed)) { try await tokens.identify(String(forged)) }
    #expect(processor.asked == 2)
    processor.refuse(token, .unauthenticated)
    time.move(seconds: 60)
    await #expect(throws: TokenRefusal.invalid(.unknown)) { try await tokens.identify(token) }
    processor.refuse(token, .unavailable)
    await #expect(throws: Failure.self) { try await tokens.identify(token) }
  }

  @Test("A cached personal access token still expires")
  func expires() async throws {
    let (processor, time) = (TokenIssuer(), MovedClock())
    let revocations = Revocations(bound: 100, clock: time.clock)
    let tokens = PersonalAccessTokens(bound: 100, revocations: revocations, clock: time.clock) { try processor.answer($0) }
    let token = try processor.token(of: AccountID(), [.socialRead], expiresAt: time.now.adding(seconds: 10))
    _ = try await tokens.identify(token)
    processor.refuse(token, .tokenExpired)
    time.move(seconds: 9)
    _ = try await tokens.identify(token)
    time.move(seconds: 1)
    await #expect(throws: TokenRefusal.expired) { try await tokens.identify(token) }
  }

  @Test("A personal access token revoked while identity is asked about it is refused")
  func race() async throws {
    let (processor, time) = (TokenIssuer(), MovedClock())
    let revocations = Revocations(bound: 100, clock: time.clock)
    let id = PersonalAccessTokenID()
    let tokens = PersonalAccessTokens(bound: 100, revocations: revocations, clock: time.clock) { hash in
      let answer = try processor.answer(hash)
      revocations.revoke(.personalAccessToken(id), until: time.now.adding(seconds: 120))
      return answer
    }
    let token = try processor.token(of: AccountID(), id: id, [.socialRead])
    for _ in 0..<2 { await #expect(throws: TokenRefusal.invalid(.unknown)) { try await tokens.identify(token) } }
  }

  @Test("A revoked personal access token ends on HTTP, its stream and its JSON-RPC connection within a second; others go on")
  func revokes() async throws {
    try await Self.with { gateway, inboxes, processor in
      let id = PersonalAccessTokenID()
      let token = try processor.token(of: inboxes.account, id: id, [.socialRead, .notificationsRead])
      let other = try processor.token(of: inboxes.account, [.socialRead])
      let stream = try await RawConnection(port: gateway.httpPort)
      try await stream.send("GET /v1/live HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\r\n")
      _ = try await stream.receive(until: "event: ready")
      let line = try await RawConnection(port: gateway.tcpPort)
      try await line.send(
        #"{"jsonrpc":"2.0","method":"session.authenticate","params":{"accessToken":"\#(token)","live":false},"id":1}"# + "\n")
      #expect(try await line.receiveLine()["result"]?["accountID"] == .string(inboxes.account.description))
      for token in [token, other] { #expect(try await gateway.http("GET", "/v1/things/7", Self.bearer(token)).status == 200) }
      let start = ContinuousClock.now
      inboxes.revoke(id)
      #expect(try await stream.receiveAll().contains(#"event: end\#ndata: {"reason":"token_revoked"}"#))
      #expect(try await line.receiveLine()["params"] == ["reason": "token_revoked"])
      #expect(try await line.receiveAll() == "")
      // Within a second on a quiet machine; here, before what identity answered is asked anew, a minute later.
      #expect(ContinuousClock.now - start < .seconds(20))
      let refused = try await gateway.http("GET", "/v1/things/7", Self.bearer(token))
      #expect(refused.status == 401)
      #expect(try refused.json["code"] == "unauthenticated")
      #expect(try await gateway.http("GET", "/v1/things/7", Self.bearer(other)).status == 200)
    }
  }

  @Test("A JSON-RPC connection can authenticate by a personal access token, within its scopes; live messages need their own")
  func rpc() async throws {
    try await Self.with { gateway, inboxes, processor in
      let blind = try processor.token(of: inboxes.account, [.socialRead])
      let seeing = try processor.token(of: inboxes.account, [.notificationsRead], expiresAt: .now.adding(seconds: 3600))
      #expect(try await gateway.http("GET", "/v1/live", Self.bearer(blind)).status == 403)
      let connection = try await RawConnection(port: gateway.tcpPort)
      func call(_ method: String, _ params: String) async throws -> JSON {
        try await connection.send(#"{"jsonrpc":"2.0","method":"\#(method)","params":\#(params),"id":1}"# + "\n")
        return try await connection.receiveLine()
      }
      let demanded = try await call("session.authenticate", #"{"accessToken":"\#(blind)","live":true}"#)
      #expect(demanded["error"]?["data"]?["code"] == "insufficient_scope")
      #expect(try await call("things.get", #"{"thingID":"7"}"#)["error"]?["data"]?["code"] == "unauthenticated")
      let signedIn = try await call("session.authenticate", #"{"accessToken":"\#(blind)"}"#)
      #expect(signedIn["result"] == ["accountID": .string(inboxes.account.description)])
      #expect(try await call("things.get", #"{"thingID":"7"}"#)["result"] == [:])
      #expect(try await call("things.create", #"{"title":"a"}"#)["error"]?["data"]?["code"] == "insufficient_scope")
      #expect(try await call("sessions.list", "{}")["error"]?["data"]?["code"] == "insufficient_scope")
      let renewed = try await call("session.authenticate", #"{"accessToken":"\#(seeing)"}"#)
      #expect(renewed["result"]?["expiresAt"] != nil)
      #expect(try await connection.receiveLine()["method"] == "live.ready")
      // What a token allowed ends with it, also where another of the same account replaces it.
      try await connection.send(
        #"{"jsonrpc":"2.0","method":"session.authenticate","params":{"accessToken":"\#(blind)"},"id":1}"# + "\n")
      let lines = [try await connection.receiveLine(), try await connection.receiveLine()]
      #expect(lines.contains { $0["method"] == "live.end" && $0["params"] == ["reason": "token_expired"] })
      #expect(lines.contains { $0["result"] == ["accountID": .string(inboxes.account.description)] })
    }
  }
}

import IdentityContract
import Messaging
import NotificationsContract
import Operations
import Sampling
import Synchronization
import Testing

@testable import GatewayService

@Suite("Live delivery", .timeLimit(.minutes(1)))
struct LiveTests {
  /// Runs a gateway with an inbox behind it.
  ///
  /// - Parameter contracts: of what it serves, and delivers live.
  static func with(
    contracts: [Contract] = [.trial], drops: @escaping @Sendable (Announcement) -> Bool = { _ in false },
    change: (inout GatewayConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (RunningGateway, Inboxes) async throws -> Void
  ) async throws {
    let bus = FakeBus()
    let signer = Signer()
    let inboxes = Inboxes(bus, signer, drops: drops)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { await inboxes.run() }
      try await RunningGateway.with(contracts: contracts, bus: bus, signer: signer, change: change) {
        try await body($0, inboxes)
      }
      tasks.cancelAll()
    }
  }

  /// One server-sent event.
  struct SentEvent: Sendable {
    var id: Int?
    var name = ""
    var data = ""
  }

  /// An event stream of the account.
  struct Stream: Sendable {
    let connection: RawConnection

    init(
      _ gateway: RunningGateway, _ account: AccountID, session: SessionID = SessionID(), claims: [String: JSON?] = [:],
      after: Int?
    ) async throws {
      connection = try await RawConnection(port: gateway.httpPort)
      let token = try gateway.signer.token(account: account, session: session, claims: claims)
      let resume = after.map { "Last-Event-ID: \($0)\r\n" } ?? ""
      try await connection.send("GET /v1/live HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\(resume)\r\n")
      let head = try await connection.receive(until: "\r\n\r\n")
      try #require(head.hasPrefix("HTTP/1.1 200"))
      try #require(head.contains("text/event-stream"))
    }

    /// The next event, ignoring chunks' sizes and comments.
    func next() async throws -> SentEvent {
      var event = SentEvent()
      while true {
        let line = try await connection.receive(until: "\n").filter { !$0.isNewline }
        if line.hasPrefix("id: ") { event.id = Int(line.dropFirst(4)) }
        if line.hasPrefix("event: ") { event.name = String(line.dropFirst(7)) }
        if line.hasPrefix("data: ") { event.data = String(line.dropFirst(6)) }
        if line.isEmpty, !event.name.isEmpty { return event }
      }
    }
  }

  @Test("A live stream takes no parameter but the last id")
  func parameters() async throws {
    try await Self.with { gateway, inboxes in
      let response = try await gateway.http("GET", "/v1/live?foo=1&lastEventID=0&bar", try gateway.bearer(inboxes.account))
      #expect(response.status == 422)
      guard case .array(let errors) = try response.json["errors"] else {
        Issue.record("no errors")
        return
      }
      #expect(errors.map { $0["field"] } == ["bar", "foo"])
      #expect(errors.map { $0["code"] } == ["unknown_field", "unknown_field"])
    }
  }

  @Test("A live stream begins with the current number, and then delivers what happens")
  func begins() async throws {
    try await Self.with { gateway, inboxes in
      inboxes.add()
      inboxes.add()
      let stream = try await Stream(gateway, inboxes.account, after: nil)
      let ready = try await stream.next()
      #expect(ready.name == "ready")
      #expect(ready.id == 2)
      inboxes.add()
      let event = try await stream.next()
      #expect(event.name == "notification")
      #expect(event.id == 3)
      let notification = try Notification.decode(Array(event.data.utf8))
      #expect(notification.number == 3)
      #expect(notification.text == "Ana wrote.")
    }
  }

  @Test(
    "Resuming live delivery again and again misses and repeats nothing, while announcements are lost and doubled",
    arguments: [1, 2, 3])
  func resumes(seed: UInt64) async throws {
    let random = Mutex(SeededGenerator(seed))
    try await Self.with(drops: { _ in random.withLock { Int.random(in: 0..<10, using: &$0) < 3 } }) { gateway, inboxes in
      async let adding: Void = {
        for _ in 0..<100 {
          inboxes.add()
          await Task.yield()
        }
      }()
      var seen: [Int] = []
      while seen.count < 100 {
        let stream = try await Stream(gateway, inboxes.account, after: seen.last ?? 0)
        #expect(try await stream.next().name == "ready")
        // A connection lives for a few events, then is lost without a word.
        let life = random.withLock { Int.random(in: 1...20, using: &$0) }
        for _ in 0..<min(life, 100 - seen.count) { seen.append(try #require(try await stream.next().id)) }
        try await stream.connection.close()
      }
      await adding
      #expect(seen == Array(1...100))
    }
  }

  @Test("Resuming from a number beyond the newest is refused: delivery begins with the newest, and says so")
  func beyond() async throws {
    try await Self.with { gateway, inboxes in
      inboxes.add()
      inboxes.add()
      let stream = try await Stream(gateway, inboxes.account, after: 500)
      let ready = try await stream.next()
      try #require(ready.id == 2)
      #expect(ready.data == #"{"number":2,"reset":true}"#)
      inboxes.add()
      #expect(try await stream.next().id == 3)
      let exact = try await Stream(gateway, inboxes.account, after: 3)
      #expect(try await exact.next().data == #"{"number":3}"#)
    }
  }

  @Test(
    "A JSON-RPC connection resumes live delivery from a number, or from a stream's id as text",
    arguments: [(#""1""#, 1, false), ("1", 1, false), (#""77""#, 2, true)])
  func textualNumber(given: String, number: Int, isReset: Bool) async throws {
    try await Self.with { gateway, inboxes in
      inboxes.add()
      inboxes.add()
      let connection = try await RawConnection(port: gateway.tcpPort)
      let token = try gateway.signer.token(account: inboxes.account)
      try await connection.send(
        #"{"jsonrpc":"2.0","method":"session.authenticate","params":{"accessToken":"\#(token)","lastEventID":\#(given)},"id":1}"#
          + "\n")
      let answer = try await connection.receiveLine()
      try #require(answer["result"] != nil)
      let ready = try await connection.receiveLine()
      #expect(ready["params"]?["number"] == .integer(number))
      #expect(ready["params"]?["reset"] == (isReset ? true : nil))
      if !isReset { #expect(try await connection.receiveLine()["params"]?["number"] == 2) }
    }
  }

  @Test(
    "A live position that is not a number is refused",
    arguments: ["\"\"", "\"x\"", "-1", "1.5", "[1]", "true", "\"1", "\"99999999999999999999\""])
  func noNumber(given: String) async throws {
    try await Self.with { gateway, inboxes in
      let connection = try await RawConnection(port: gateway.tcpPort)
      let token = try gateway.signer.token(account: inboxes.account)
      try await connection.send(
        #"{"jsonrpc":"2.0","method":"session.authenticate","params":{"accessToken":"\#(token)","lastEventID":\#(given)},"id":1}"#
          + "\n")
      #expect(try await connection.receiveLine()["error"] != nil)
    }
  }

  @Test("A JSON-RPC connection gets the same live messages as notifications between its answers")
  func lines() async throws {
    try await Self.with { gateway, inboxes in
      for _ in 0..<3 { inboxes.add() }
      let connection = try await RawConnection(port: gateway.tcpPort)
      let token = try gateway.signer.token(account: inboxes.account)
      try await connection.send(
        #"{"jsonrpc":"2.0","method":"session.authenticate","params":{"accessToken":"\#(token)","lastEventID":1},"id":1}"# + "\n")
      #expect(try await connection.receiveLine()["result"] != nil)
      let ready = try await connection.receiveLine()
      #expect(ready["method"] == "live.ready")
      #expect(ready["params"] == ["number": 1])
      inboxes.add()
      for number in 2...4 {
        let line = try await connection.receiveLine()
        #expect(line["method"] == "live.notification")
        #expect(line["id"] == nil)
        #expect(line["params"]?["number"] == .integer(number))
      }
    }
  }

  @Test(
    "Notices hidden from a session in doubt are not delivered to it live either, on a stream or by JSON-RPC (ID-7)"
  )
  func doubtful() async throws {
    try await Self.with { gateway, inboxes in
      func authenticate(_ line: RawConnection, _ claims: [String: JSON?], after: Int? = nil) async throws {
        let token = try gateway.signer.token(account: inboxes.account, claims: claims)
        let resume = after.map { #","lastEventID":\#($0)"# } ?? ""
        try await line.send(
          #"{"jsonrpc":"2.0","method":"session.authenticate","params":{"accessToken":"\#(token)"\#(resume)},"id":1}"# + "\n")
        try #require(try await line.receiveLine()["result"] != nil)
      }
      let stream = try await Stream(gateway, inboxes.account, claims: ["dbt": true], after: 0)
      let trusted = try await Stream(gateway, inboxes.account, after: 0)
      let (line, changing) = (
        try await RawConnection(port: gateway.tcpPort), try await RawConnection(port: gateway.tcpPort)
      )
      try await authenticate(line, ["dbt": true], after: 0)
      try await authenticate(changing, [:], after: 0)
      for stream in [stream, trusted] { #expect(try await stream.next().name == "ready") }
      for line in [line, changing] { #expect(try await line.receiveLine()["method"] == "live.ready") }

      inboxes.add("loginNoticed")
      inboxes.add()
      #expect(try await stream.next().id == 2)
      #expect(try await line.receiveLine()["params"]?["number"] == 2)
      for number in 1...2 {
        #expect(try await trusted.next().id == number)
        #expect(try await changing.receiveLine()["params"]?["number"] == .integer(number))
      }
      // A connection that goes on in another session goes by that one's token.
      try await authenticate(changing, ["dbt": true])
      inboxes.add("loginNoticed")
      inboxes.add()
      for line in [line, changing] { #expect(try await line.receiveLine()["params"]?["number"] == 4) }
      #expect(try await stream.next().id == 4)
      #expect(try await trusted.next().id == 3)
    }
  }

  @Test(
    "A closed session ends on HTTP, its stream and its JSON-RPC connection within a second; others go on (S 3, scenario 4)")
  func revokes() async throws {
    try await Self.with { gateway, inboxes in
      let session = SessionID()
      let token = try gateway.signer.token(account: inboxes.account, session: session)
      let stream = try await Stream(gateway, inboxes.account, session: session, after: 0)
      let other = try await Stream(gateway, inboxes.account, after: 0)
      #expect(try await stream.next().name == "ready")
      #expect(try await other.next().name == "ready")
      let line = try await RawConnection(port: gateway.tcpPort)
      try await line.send(
        #"{"jsonrpc":"2.0","method":"session.authenticate","params":{"accessToken":"\#(token)","live":false},"id":1}"# + "\n")
      _ = try await line.receiveLine()
      let bearer = ["Authorization": "Bearer \(token)"]
      #expect(try await gateway.http("GET", "/v1/things", bearer).status == 503)
      let start = ContinuousClock.now
      inboxes.revoke(session)
      let end = try await stream.next()
      #expect(end.name == "end")
      #expect(end.data == #"{"reason":"session_revoked"}"#)
      _ = try await stream.connection.receiveAll()
      #expect(try await line.receiveLine()["params"] == ["reason": "session_revoked"])
      #expect(try await line.receiveAll() == "")
      // Within a second on a quiet machine, which `Tests/Bench` is for; here, long before a token ends by itself.
      #expect(ContinuousClock.now - start < .seconds(20))
      let refused = try await gateway.http("GET", "/v1/things", bearer)
      #expect(refused.status == 401)
      #expect(try refused.json["code"] == "session_revoked")
      inboxes.add()
      #expect(try await other.next().id == 1)
    }
  }

  @Test(
    "A device whose session is closed or account suspended gets the reason on its stream and JSON-RPC (S 6, scenario 2; SOC-8)",
    arguments: [
      (SessionRevoked.Reason.closedByOwner, "closed_by_owner"), (.accountSuspended, "account_suspended"),
    ])
  func ended(reason: SessionRevoked.Reason, word: String) async throws {
    try await Self.with { gateway, inboxes in
      let session = SessionID()
      let token = try gateway.signer.token(account: inboxes.account, session: session)
      let stream = try await Stream(gateway, inboxes.account, session: session, after: 0)
      #expect(try await stream.next().name == "ready")
      let line = try await RawConnection(port: gateway.tcpPort)
      try await line.send(
        #"{"jsonrpc":"2.0","method":"session.authenticate","params":{"accessToken":"\#(token)","live":false},"id":1}"# + "\n")
      _ = try await line.receiveLine()
      inboxes.revoke(session, reason)
      #expect(try await stream.next().data == "{\"reason\":\"\(word)\"}")
      #expect(try await line.receiveLine()["params"] == ["reason": .string(word)])
      #expect(try await gateway.http("GET", "/v1/things", ["Authorization": "Bearer \(token)"]).status == 401)
    }
  }

  @Test(
    "A session's invalidated access tokens count as expired on HTTP and JSON-RPC, and its next one is accepted (ID-15)"
  )
  func invalidates() async throws {
    try await Self.with { gateway, inboxes in
      let session = SessionID()
      let token = try gateway.signer.token(account: inboxes.account, session: session, claims: ["adm": true])
      let line = try await RawConnection(port: gateway.tcpPort)
      try await line.send(
        #"{"jsonrpc":"2.0","method":"session.authenticate","params":{"accessToken":"\#(token)","live":false},"id":1}"# + "\n")
      _ = try await line.receiveLine()
      let bearer = ["Authorization": "Bearer \(token)"]
      #expect(try await gateway.http("GET", "/v1/things", bearer).status == 503)
      inboxes.invalidateTokens(session, 1)
      // It learns so within moments.
      var refused = try await gateway.http("GET", "/v1/things", bearer)
      while refused.status == 503 { refused = try await gateway.http("GET", "/v1/things", bearer) }
      #expect(try refused.json["code"] == "token_expired")
      try await line.send(#"{"jsonrpc":"2.0","method":"things.list","params":{},"id":2}"# + "\n")
      #expect(try await line.receiveLine()["error"]?["data"]?["code"] == "token_expired")
      let next = try gateway.signer.token(account: inboxes.account, session: session, claims: ["gen": 1])
      #expect(try await gateway.http("GET", "/v1/things", ["Authorization": "Bearer \(next)"]).status == 503)
    }
  }

  @Test(
    "Invalidating a token ends its live delivery early, and the next token resumes it without a gap (ID-9, ID-15)"
  )
  func endsInvalidated() async throws {
    try await Self.with { gateway, inboxes in
      let session = SessionID()
      let old = try gateway.signer.token(account: inboxes.account, session: session)
      let new = try gateway.signer.token(account: inboxes.account, session: session, claims: ["gen": 1])
      func authenticate(_ line: RawConnection, _ token: String, after: Int) async throws {
        try await line.send(
          #"{"jsonrpc":"2.0","method":"session.authenticate","params":{"accessToken":"\#(token)","lastEventID":\#(after)},"id":1}"#
            + "\n")
        try #require(try await line.receiveLine()["result"] != nil)
        try #require(try await line.receiveLine()["method"] == "live.ready")
      }
      let stream = try await Stream(gateway, inboxes.account, session: session, after: 0)
      #expect(try await stream.next().name == "ready")
      let line = try await RawConnection(port: gateway.tcpPort)
      try await authenticate(line, old, after: 0)
      // Of whoever has the next token already, and of another session.
      let ahead = try await RawConnection(port: gateway.tcpPort)
      try await authenticate(ahead, new, after: 0)
      let other = try await Stream(gateway, inboxes.account, after: 0)
      #expect(try await other.next().name == "ready")

      inboxes.invalidateTokens(session, 1)
      let end = try await stream.next()
      #expect(end.name == "end" && end.data == #"{"reason":"token_expired"}"#)
      _ = try await stream.connection.receiveAll()
      let published = try await line.receiveLine()
      #expect(published["method"] == "live.end" && published["params"] == ["reason": "token_expired"])
      inboxes.add()
      #expect(try await ahead.receiveLine()["params"]?["number"] == 1)
      #expect(try await other.next().id == 1)
      // What is left of the connection may do nothing, until it has the next token.
      try await line.send(#"{"jsonrpc":"2.0","method":"things.list","params":{},"id":2}"# + "\n")
      #expect(try await line.receiveLine()["error"]?["data"]?["code"] == "token_expired")
      try await authenticate(line, new, after: 0)
      #expect(try await line.receiveLine()["params"]?["number"] == 1)
      let late = try await gateway.http("GET", "/v1/live", ["Authorization": "Bearer \(old)"])
      #expect(late.status == 401)
    }
  }

  @Test("A starting gateway refuses tokens of recently closed sessions from the first request on")
  func startsWithRevocations() async throws {
    let bus = FakeBus()
    let signer = Signer()
    let inboxes = Inboxes(bus, signer)
    let session = SessionID()
    inboxes.revoke(session)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { await inboxes.run() }
      try await RunningGateway.with(bus: bus, signer: signer) { gateway in
        let token = try signer.token(account: inboxes.account, session: session)
        for _ in 0..<3 {
          let answer = try await gateway.http("GET", "/v1/things", ["Authorization": "Bearer \(token)"])
          #expect(answer.status == 401)
        }
      }
      tasks.cancelAll()
    }
  }

  @Test("When the server stops, live connections are notified and closed")
  func stops() async throws {
    let connections = Mutex<[RawConnection]>([])
    try await Self.with { gateway, inboxes in
      let stream = try await Stream(gateway, inboxes.account, after: 0)
      #expect(try await stream.next().name == "ready")
      let line = try await RawConnection(port: gateway.tcpPort)
      try await line.send("1\n")
      _ = try await line.receiveLine()
      connections.withLock { $0 = [stream.connection, line] }
    }
    let (stream, line) = connections.withLock { ($0[0], $0[1]) }
    #expect(try await stream.receiveAll().contains(#"{"reason":"server_stopping"}"#))
    #expect(try await line.receiveAll().contains(#""session.closed","params":{"reason":"server_stopping"}"#))
  }
}

@Suite("The hub of live connections")
struct LiveHubTests {
  @Test("The hub closes a connection whose queue is full, and forgets closed ones")
  func cuts() async {
    let hub = LiveHub(queue: 3)
    let account = AccountID()
    let slow = hub.subscribe(account, HeldBytes(BytesInFlight(.init()), nil))
    let stranger = hub.subscribe(AccountID(), HeldBytes(BytesInFlight(.init()), nil))
    for number in 1...4 { hub.deliver(LiveMessage(account: account, number: number, payload: [])) }
    #expect(slow.end == .tooSlow)
    #expect(stranger.end == nil)
    #expect(hub.count == 1)
    var numbers: [Int] = []
    for await signal in slow.signals { if case .message(let message) = signal { numbers.append(message.number) } }
    #expect(numbers == [1, 2, 3])
    stranger.end(.clientGone)
    #expect(hub.count == 0)
  }
}

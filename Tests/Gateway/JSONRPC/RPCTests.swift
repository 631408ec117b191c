import IdentityContract
import Messaging
import NIOCore
import NotificationsContract
import Operations
import Testing

@testable import GatewayService

@Suite("JSON-RPC 2.0 over TCP", .timeLimit(.minutes(1)))
struct RPCTests {
  /// Answers `things.get` with the id asked for.
  static func bus() -> FakeBus {
    let bus = FakeBus()
    bus.answer(.social) { request in
      switch request.header.operation {
      case "things.echo": Reply(request, try Echo.Input.decode(request.body))
      case "things.get": Reply(request, Thing(id: try ReadThing.Input.decode(request.body).thingID, title: "Run"))
      default: throw Failure(RequestFailure.notFound)
      }
    }
    return bus
  }

  /// The code of the error that a line is answered with, and the id of the answer.
  struct Case: Sendable, CustomTestStringConvertible {
    let line: String
    let code: Int
    let id: JSON
    var testDescription: String { line }

    init(_ line: String, _ code: Int, _ id: JSON = .null) {
      self.line = line
      self.code = code
      self.id = id
    }
  }

  // The examples of the specification (section 7), with its methods replaced by ours, then what it leaves open.
  static let errors: [Case] = [
    Case(#"{"jsonrpc": "2.0", "method": "foobar", "id": "1"}"#, -32601, "1"),
    Case(#"{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]"#, -32700),
    Case(#"{"jsonrpc": "2.0", "method": 1, "params": "bar"}"#, -32600),
    Case(#"[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},{"jsonrpc": "2.0", "method"]"#, -32700),
    Case("[]", -32600), Case("1", -32600), Case(#""text""#, -32600), Case("null", -32600),
    Case(#"{"jsonrpc": "1.0", "method": "things.echo", "id": 1}"#, -32600, 1),
    Case(#"{"method": "things.echo", "id": 1}"#, -32600, 1),
    Case(#"{"jsonrpc": "2.0", "id": 1}"#, -32600, 1),
    Case(#"{"jsonrpc": "2.0", "method": "things.echo", "id": {}}"#, -32600),
    Case(#"{"jsonrpc": "2.0", "method": "things.echo", "id": true}"#, -32600),
    Case(#"{"jsonrpc": "2.0", "method": "things.echo", "params": 5, "id": 1}"#, -32600, 1),
    Case(#"{"jsonrpc": "2.0", "method": "things.echo", "params": ["a"], "id": 1}"#, -32602, 1),
    Case(#"{"jsonrpc": "2.0", "method": "things.echo", "params": {"txt": "a"}, "id": 1}"#, -32602, 1),
    Case(#"{"jsonrpc": "2.0", "method": "things.echo", "extra": 1, "id": 1}"#, -32600, 1),
    Case(#"{"jsonrpc": "2.0", "method": "things.echo", "method": "things.get", "id": 1}"#, -32700),
    Case(#"{"jsonrpc": "2.0", "method": "things.echo", "idempotencyKey": "", "id": 1}"#, -32000, 1),
    Case(#"{"jsonrpc": "2.0", "method": "things.get", "params": {"thingID": "1"}, "id": 1}"#, -32000, 1),
    Case(#"{"jsonrpc": "2.0", "method": "things.internal", "id": 1}"#, -32601, 1),
    Case(#"{"jsonrpc": "2.0", "method": "things.poke", "id": null}"#, -32000),
    Case(#"[{"jsonrpc": "2.0", "method": "session.authenticate", "params": {"accessToken": "x"}, "id": 1}]"#, -32600, 1),
  ]

  @Test("JSON-RPC answers errors with the codes of the specification")
  func codes() async throws {
    try await RunningGateway.with(bus: Self.bus()) { gateway in
      let connection = try await RawConnection(port: gateway.tcpPort)
      for example in Self.errors {
        try await connection.send(example.line + "\n")
        var answer = try await connection.receiveLine()
        if case .array(let entries) = answer, let only = entries.first { answer = only }
        #expect(answer["error"]?["code"] == .integer(example.code), "\(example.line)")
        #expect(answer["id"] == example.id, "\(example.line)")
        #expect(answer["error"]?["data"]?["code"] != nil, "\(example.line)")
        #expect(answer["jsonrpc"] == "2.0")
      }
    }
  }

  @Test("JSON-RPC echoes ids exactly, answers no notification, and takes batches entry by entry")
  func batches() async throws {
    try await RunningGateway.with(bus: Self.bus()) { gateway in
      let connection = try await RawConnection(port: gateway.tcpPort)
      for id in ["7", "\"a\\u00e9\"", "null", "1.50", "-3", "12345678901234567890123"] {
        try await connection.send(#"{"jsonrpc":"2.0","method":"things.echo","params":{"text":"x"},"id":"# + id + "}\n")
        let line = try await connection.receive(until: "\n")
        #expect(line.hasSuffix("\"id\":\(id)}\n"))
        #expect(line.contains(#""result":{"text":"x"}"#))
      }
      // Whole but for a member of our own: answered to who asks, and to nobody else.
      for member in [#""idempotencyKey":"""#, #""language":"xx""#] {
        let rest = #""jsonrpc":"2.0","method":"things.echo","params":{"text":"x"}"#
        try await connection.send("{\(member),\(rest)}\n{\(member),\(rest),\"id\":4}\n")
        let answer = try await connection.receiveLine()
        #expect(answer["id"] == 4)
        #expect(answer["error"]?["data"]?["code"] != nil)
      }
      // Only notifications: no answer at all, so that the next line is the next request's.
      try await connection.send(#"{"jsonrpc":"2.0","method":"things.echo","params":{"text":"x"}}"# + "\n")
      try await connection.send(
        #"[{"jsonrpc":"2.0","method":"nope"},{"jsonrpc":"2.0","method":"things.echo","params":[1]}]"# + "\n\r\n")
      try await connection.send(
        #"[{"jsonrpc":"2.0","method":"things.echo","params":{"text":"1"},"id":"1"},1,{"jsonrpc":"2.0","method":"things.echo"},"#
          + #"{"foo":"boo"},{"jsonrpc":"2.0","method":"foo.get","params":{},"id":"5"}]"# + "\r\n")
      guard case .array(let answers) = try await connection.receiveLine() else {
        Issue.record("a batch is answered by an array")
        return
      }
      #expect(answers.map { $0["id"] } == ["1", .null, .null, "5"])
      #expect(answers.map { $0["error"]?["code"] } == [nil, -32600, -32600, -32601])
      let long = Array(repeating: "1", count: 101).joined(separator: ",")
      try await connection.send("[\(long)]\n")
      #expect(try await connection.receiveLine()["error"]?["code"] == -32600)
    }
  }

  @Test("JSON-RPC answers strangers in the language that they ask for")
  func language() async throws {
    try await RunningGateway.with(bus: Self.bus()) { gateway in
      let connection = try await RawConnection(port: gateway.tcpPort)
      var details: [JSON?] = []
      for member in ["", #","language":"es""#, #","language":"xx""#] {
        try await connection.send(#"{"jsonrpc":"2.0","method":"things.echo","params":[1],"id":1\#(member)}"# + "\n")
        details.append(try await connection.receiveLine()["error"]?["data"]?["title"])
      }
      #expect(details[0] != nil && details[0] != details[1] && details[0] == details[2])
    }
  }

  @Test("JSON-RPC authenticates a connection once, accepts a new token of the same account, and refuses another's")
  func authenticates() async throws {
    try await RunningGateway.with(bus: Self.bus()) { gateway in
      let connection = try await RawConnection(port: gateway.tcpPort)
      func authenticate(_ token: String) async throws -> JSON {
        try await connection.send(
          #"{"jsonrpc":"2.0","method":"session.authenticate","params":{"accessToken":"\#(token)","live":false},"id":1}"# + "\n")
        return try await connection.receiveLine()
      }
      let account = AccountID()
      #expect(try await authenticate("x")["error"]?["data"]?["code"] == "unauthenticated")
      #expect(
        try await authenticate(gateway.signer.token(account: account))["result"]?["accountID"] == .string(account.description))
      // The request after it on the same connection counts on it, even sent in one go.
      try await connection.send(#"{"jsonrpc":"2.0","method":"things.get","params":{"thingID":"9"},"id":2}"# + "\n")
      #expect(try await connection.receiveLine()["result"]?["id"] == "9")
      #expect(gateway.bus.requests.last?.header.caller.account == account)
      #expect(try await authenticate(gateway.signer.token(account: account))["result"] != nil)
      #expect(try await authenticate(gateway.signer.token())["error"]?["data"]?["code"] == "forbidden")
      let spanish = try gateway.signer.token(account: account, language: .spanish)
      #expect(try await authenticate(spanish)["result"] != nil)
      try await connection.send(#"{"jsonrpc":"2.0","method":"nope","id":3}"# + "\n")
      #expect(try await connection.receiveLine()["error"]?["data"]?["title"] == "No encontrado")
    }
  }

  @Test("JSON-RPC answers many requests at a time, and reads no more than may be in flight")
  func pipelines() async throws {
    let bus = FakeBus()
    let gate = Gate()
    bus.answer(.social) { request in
      await gate.wait()
      return Reply(request, try Echo.Input.decode(request.body))
    }
    try await RunningGateway.with(bus: bus, change: { $0.limits.callsPerConnection = 4 }) { gateway in
      let connection = try await RawConnection(port: gateway.tcpPort)
      for index in 0..<50 {
        try await connection.send(#"{"jsonrpc":"2.0","method":"things.echo","params":{"text":"x"},"id":\#(index)}"# + "\n")
      }
      await gate.waitFor(4)
      #expect(gateway.bus.requests.filter { $0.header.operation == "things.echo" }.count == 4)
      await gate.open()
      var ids: Set<Int> = []
      for _ in 0..<50 {
        guard case .integer(let id) = try await connection.receiveLine()["id"] else { continue }
        ids.insert(id)
      }
      #expect(ids == Set(0..<50))
    }
  }

  @Test("JSON-RPC charges blank lines and invalid requests to the address's budget, and ends the connection beyond it")
  func budgets() async throws {
    let call = #"{"jsonrpc":"2.0","method":"things.echo","params":{"text":"x"},"id":1}"# + "\n"
    try await RunningGateway.with(bus: Self.bus(), change: { $0.rates.address[.read] = .init(150, per: 3600) }) { gateway in
      let connection = try await RawConnection(port: gateway.tcpPort)
      // Within the budget they are ignored and refused.
      try await connection.send(String(repeating: "\n\r\n", count: 25) + call)
      #expect(try await connection.receiveLine()["result"] != nil)
      try await connection.send("{\n[1,2,3]\n" + call)
      for _ in 0..<3 { _ = try await connection.receiveLine() }
      for _ in 0..<20 {
        try await connection.send(#"{"jsonrpc":"2.0","method":"nope","id":1}"# + "\n")
        #expect(try await connection.receiveLine()["error"]?["code"] == -32601)
      }
      // The rest of the budget is 150 - 50 - 4 - 20.
      try await connection.send(String(repeating: "\n", count: 70) + call)
      #expect(try await connection.receiveLine()["result"] != nil)
      for text in [String(repeating: "\n", count: 1_000_000), "[1,2,3,4,5,6,7]\n"] {
        let cut = try await RawConnection(port: gateway.tcpPort)
        try await cut.send(text)
        #expect(try await cut.receiveLine()["error"]?["data"]?["code"] == "rate_limited")
        #expect(try await cut.receiveAll() == "")
      }
      // What is left are six; a request beyond the budget is refused as ever, and keeps its connection.
      for _ in 0..<6 {
        try await connection.send(#"{"jsonrpc":"2.0","method":"nope","id":1}"# + "\n")
        #expect(try await connection.receiveLine()["error"]?["code"] == -32601)
      }
      try await connection.send(#"{"jsonrpc":"2.0","method":"nope","id":1}"# + "\n")
      #expect(try await connection.receiveLine()["error"]?["data"]?["code"] == "rate_limited")
      try await connection.send(call)
      #expect(try await connection.receiveLine()["result"] != nil)
      try await connection.send("}\n")
      #expect(try await connection.receiveLine()["error"]?["data"]?["code"] == "rate_limited")
      #expect(try await connection.receiveAll() == "")
      // Over HTTP, what is asked of no operation draws on it, too; health does not.
      for target in ["/nowhere", "/docs", "/openapi.json"] { #expect(try await gateway.http("GET", target).status == 429) }
      #expect(try await gateway.http("GET", "/livez").status == 200)
    }
  }

  @Test("JSON-RPC skips a run of blank lines at once, whatever their line ends")
  func blankLines() {
    func blank(_ text: String) -> [Int] {
      let (lines, bytes) = LineDecoder.blankLines(ByteBuffer(string: text).readableBytesView)
      return [lines, bytes]
    }
    #expect(blank("") == [0, 0] && blank("\r") == [0, 0] && blank("\rx\n") == [0, 0] && blank(" \n") == [0, 0])
    #expect(blank("\n\r\n\n{}\n") == [3, 4])
    #expect(blank(String(repeating: "\r\n", count: 30_000) + "\r") == [30_000, 60_000])
  }

  @Test("JSON-RPC reads lines however they are split")
  func pieces() async throws {
    try await RunningGateway.with(bus: Self.bus()) { gateway in
      let connection = try await RawConnection(port: gateway.tcpPort)
      let text = "\r\n" + #"{"jsonrpc":"2.0","method":"things.echo","params":{"text":"x"},"id":1}"# + "\r\n\n"
      for byte in (text + text).utf8 { try await connection.send([byte]) }
      for _ in 0..<2 { #expect(try await connection.receiveLine()["result"]?["text"] == "x") }
      try await connection.close()
    }
  }

  @Test("JSON-RPC refuses a line that is too long, and closes the connection")
  func bounds() async throws {
    try await RunningGateway.with(bus: Self.bus(), change: { $0.limits.body = 4096 }) { gateway in
      let connection = try await RawConnection(port: gateway.tcpPort)
      try await connection.send(String(repeating: "x", count: 6000))
      #expect(try await connection.receiveLine()["error"]?["data"]?["code"] == "body_too_large")
      #expect(try await connection.receiveAll() == "")
    }
  }
}

/// Holds those who wait until it is opened, and says how many do.
actor Gate {
  private var isOpen = false
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var watchers: [(Int, CheckedContinuation<Void, Never>)] = []

  func wait() async {
    if isOpen { return }
    await withCheckedContinuation { continuation in
      waiting.append(continuation)
      let count = waiting.count
      for watcher in watchers where watcher.0 <= count { watcher.1.resume() }
      watchers.removeAll { $0.0 <= count }
    }
  }

  /// Returns when that many wait.
  func waitFor(_ count: Int) async {
    if waiting.count >= count { return }
    await withCheckedContinuation { watchers.append((count, $0)) }
  }

  func open() {
    isOpen = true
    for continuation in waiting { continuation.resume() }
    waiting = []
  }
}

import GatewayContract
import Operations
import Testing

@testable import GatewayService

@Suite("Messages for malformed requests", .timeLimit(.minutes(1)))
struct MalformationTests {
  @Test("Messages for malformed requests exist in both languages for every case")
  func words() {
    let words = Words([Contract.gateway].flatMap(\.words))
    for what in Malformation.allCases {
      for language in Language.allCases {
        #expect(words.text("reason.\(what.rawValue)", language) != nil, "\(what) in \(language)")
      }
    }
    for reason in ["malformed", "incomplete", "duplicate_key", "invalid_utf8", "lone_surrogate", "too_deep", "too_large"] {
      for language in Language.allCases { #expect(words.text("reason.json_\(reason)", language) != nil, "\(reason)") }
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let bytes: String
    let what: Malformation
    var testDescription: String { bytes.prefix(120).debugDescription }

    init(_ what: Malformation, _ bytes: String) {
      self.what = what
      self.bytes = bytes
    }
  }

  private static let spanish = "Host: a\r\nAccept-Language: es\r\n"

  static let cases: [Case] = [
    Case(.oneHost, "GET /livez HTTP/1.1\r\nAccept-Language: es\r\n\r\n"),
    Case(.oneHost, "GET /livez HTTP/1.1\r\nHost: b\r\n\(spanish)\r\n"),
    Case(.host, "GET /livez HTTP/1.1\r\nAccept-Language: es\r\nHost: u@a\r\n\r\n"),
    Case(
      .oneField,
      "GET /v1/things HTTP/1.1\r\n\(spanish)Authorization: Bearer {token}\r\nAuthorization: Bearer {token}\r\n\r\n"),
    Case(.target, "GET http://a:b/livez HTTP/1.1\r\n\(spanish)\r\n"),
    Case(.unclearLength, "PUT /v1/echo HTTP/1.1\r\n\(spanish)Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    Case(.unclearLength, "PUT /v1/echo HTTP/1.1\r\n\(spanish)Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"),
    Case(.unclearLength, "PUT /v1/echo HTTP/1.1\r\n\(spanish)Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}"),
    Case(.unclearLength, "PUT /v1/echo HTTP/1.1\r\n\(spanish)Content-Length: 2, 2\r\n\r\n{}"),
    Case(.unclearLength, "PUT /v1/echo HTTP/1.1\r\n\(spanish)Content-Length: -2\r\n\r\n{}"),
    Case(.unclearLength, "PUT /v1/echo HTTP/1.1\r\n\(spanish)Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
    Case(.unclearLength, "PUT /v1/echo HTTP/1.1\r\n\(spanish)Transfer-Encoding: gzip\r\n\r\n0\r\n\r\n"),
    Case(.headerLine, "GET /livez HTTP/1.1\r\nAccept-Language: es\r\nHost : a\r\n\r\n"),
    Case(.headerLine, "GET /livez HTTP/1.1\r\n\(spanish)X-A: b\u{1}\r\n\r\n"),
    Case(.requestLine, "GET /livez HTTP/3.7\r\n\(spanish)\r\n"),
    Case(.requestLine, "HELLO\r\n\(spanish)\r\n"),
    Case(.target, "GET http:///livez HTTP/1.1\r\n\(spanish)\r\n"),
    Case(.target, "GET http://ana@racha.example/livez HTTP/1.1\r\n\(spanish)\r\n"),
    Case(.chunk, "PUT /v1/echo HTTP/1.1\r\n\(spanish)Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
    Case(.queryEncoding, "GET /v1/things?a=%2 HTTP/1.1\r\n\(spanish)Authorization: Bearer {token}\r\n\r\n"),
    Case(
      .queryTooLong,
      "GET /v1/things?\((0...64).map { "p\($0)=1" }.joined(separator: "&")) HTTP/1.1\r\n\(spanish)"
        + "Authorization: Bearer {token}\r\n\r\n"),
  ]

  @Test(
    "A malformed HTTP request gets the gateway's own message in the caller's language, whether parser or gateway finds it",
    arguments: cases)
  func http(example: Case) async throws {
    try await RunningGateway.with { gateway in
      let connection = try await RawConnection(port: gateway.httpPort)
      let token = try gateway.signer.token(language: .spanish)
      try await connection.send(example.bytes.replacing("{token}", with: token))
      let response = try await connection.receiveResponse()
      #expect(response.status == 400)
      #expect(response.fields["content-language"] == "es")
      let expected = ProblemWriter([.gateway]).problem(
        example.what.failure(["limit": .number(64), "field": .text("Authorization")]), .spanish, request: ""
      ).detail
      #expect(try response.json["detail"] == .string(expected))
    }
  }

  @Test("A malformed JSON-RPC request gets the gateway's own message in the language of the authenticated account")
  func rpc() async throws {
    try await RunningGateway.with(bus: RPCTests.bus(), change: { $0.limits.body = 4096 }) { gateway in
      let connection = try await RawConnection(port: gateway.tcpPort)
      func detail(_ line: String) async throws -> JSON? {
        try await connection.send(line + "\n")
        return try await connection.receiveLine()["error"]?["data"]?["detail"]
      }
      #expect(try await detail("[]") == "The request is malformed: a batch has at least one entry.")
      let token = try gateway.signer.token(language: .spanish)
      try await connection.send(
        #"{"jsonrpc":"2.0","method":"session.authenticate","params":{"accessToken":"\#(token)","live":false},"id":1}"# + "\n")
      #expect(try await connection.receiveLine()["result"] != nil)
      #expect(try await detail("[]") == "La petición está mal formada: un lote tiene al menos una entrada.")
      #expect(
        try await detail(#"{"jsonrpc":"2.0","method":"things.echo","more":1}"#)
          == "La petición está mal formada: no existe ningún miembro llamado more.")
      #expect(
        try await detail(#"{"jsonrpc":"2.0",}"#)
          == "Esto no es JSON aceptable: en la línea 1, byte 18, hay algo que JSON no permite ahí.")
      #expect(
        try await detail(String(repeating: "x", count: 6000)) == "El cuerpo supera los 4096 bytes.")
    }
  }

  @Test(
    "Invalid JSON is reported with the position of the fault",
    arguments: [
      ("{\n  \"text\": nil\n}", "line 2, byte 11 holds something that JSON does not allow there"),
      ("{\"text\"", "it ends at line 1, byte 8, before it is complete"),
      ("{\"text\":\"a\",\n \"text\":\"b\"}", "an object gives \"text\" twice (line 2, byte 2)"),
      (
        #"{"text":"\ud800"}"#,
        #"the escape at line 1, byte 10 is only half of a character: \ud800 to \udfff stand in pairs, such as \ud83d\ude00"#
      ),
      (String(repeating: "[", count: 100), "it is nested too deeply (line 1, byte 65)"),
    ])
  func json(body: String, words: String) async throws {
    try await RunningGateway.with(bus: RPCTests.bus()) { gateway in
      let response = try await gateway.http("PUT", "/v1/echo", [:], body)
      #expect(response.status == 400)
      guard case .string(let detail) = try response.json["detail"] else {
        Issue.record("no detail")
        return
      }
      #expect(detail.hasPrefix("This is not acceptable JSON: ") && detail.contains(words) && detail.hasSuffix("."), "\(detail)")
      #expect(!detail.contains("json_"))
    }
  }

  @Test("A field repeated in the query, or already given by the path, is named")
  func repeated() async throws {
    try await RunningGateway.with { gateway in
      let bearer = try gateway.bearer()
      let twice = try await gateway.http("GET", "/v1/things?limit=1&limit=2", bearer)
      #expect(twice.status == 422)
      #expect(
        try twice.json["errors"] == [
          [
            "field": "limit", "code": "repeated", "message": "The query gives limit more than once.",
            "suggestion": "Give it once; of several values, with commas between.",
          ]
        ])
      let path = try await gateway.http("GET", "/v1/things/7?thingID=8", try gateway.bearer(language: .spanish))
      #expect(
        try path.json["errors"] == [
          [
            "field": "thingID", "code": "in_path", "message": "La ruta ya da thingID.",
            "suggestion": "Omítelo en los parámetros de la dirección.",
          ]
        ])
    }
  }

  @Test(
    "A control character in path or query is reported as a fault of the field, and never reaches the bus",
    arguments: [("/v1/things/a%00b", "thingID"), ("/v1/things/7%7F?isFull=true", "thingID"), ("/v1/things?limit=1%0A", "limit")])
  func control(target: String, field: String) async throws {
    try await RunningGateway.with(bus: RPCTests.bus()) { gateway in
      let response = try await gateway.http("GET", target, try gateway.bearer())
      #expect(response.status == 422)
      #expect(
        try response.json["errors"] == [
          [
            "field": .string(field), "code": "control_character", "message": "This must not contain control characters.",
            "suggestion": "Type it anew instead of pasting it, without tabs and line breaks.",
          ]
        ])
      #expect(gateway.bus.requests.isEmpty)
    }
  }

  @Test("A tab in a User-Agent is accepted")
  func tab() async throws {
    try await RunningGateway.with(bus: RPCTests.bus()) { gateway in
      let response = try await gateway.http("PUT", "/v1/echo", ["User-Agent": "a\tb"], #"{"text":"a"}"#)
      #expect(response.status == 200)
      #expect(gateway.bus.requests.last?.header.caller.userAgent == "a b")
    }
  }

  @Test("A User-Agent is cut to 200 bytes, however many combining marks its characters have")
  func longUserAgent() async throws {
    try await RunningGateway.with(bus: RPCTests.bus()) { gateway in
      let agent = "a" + String(repeating: "\u{301}", count: 2000)
      #expect(agent.count == 1)
      let response = try await gateway.http("PUT", "/v1/echo", ["User-Agent": agent], #"{"text":"a"}"#)
      #expect(response.status == 200)
      #expect(gateway.bus.requests.last?.header.caller.userAgent?.utf8.count == 199)
    }
  }
}

@Suite("Refusals before a request is admitted", .timeLimit(.minutes(1)))
struct RefusalLanguageTests {
  struct Case: Sendable {
    let status: Int
    let head: String
  }

  @Test(
    "A refusal before a request is admitted is in the language of the account if its token is valid, else in the requested one",
    arguments: [
      Case(status: 404, head: "GET /v1/nothing HTTP/1.1"), Case(status: 405, head: "DELETE /v1/things HTTP/1.1"),
      Case(status: 413, head: "PUT /v1/echo HTTP/1.1\r\nContent-Length: 2000000"),
      Case(status: 400, head: "GET /livez HTTP/1.1\r\nHost: b"),
    ])
  func follows(example: Case) async throws {
    try await RunningGateway.with { gateway in
      func answer(_ token: String?, _ asked: String) async throws -> RawConnection.Response {
        let connection = try await RawConnection(port: gateway.httpPort)
        let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        try await connection.send(
          "\(example.head)\r\nHost: a\r\nX-Request-ID: mine\r\nAccept-Language: \(asked)\r\n\(authorization)\r\n")
        // A client that sends no more receives the answer all the same.
        try await connection.closeOutput()
        return try await connection.receiveResponse()
      }
      let account = try await answer(try gateway.signer.token(language: .spanish), "en")
      #expect(account.status == example.status)
      #expect(account.fields["content-language"] == "es")
      #expect(account.fields["x-request-id"] == "mine")
      #expect(try await answer("nonsense", "es").fields["content-language"] == "es")
      #expect(try await answer(nil, "es").fields["content-language"] == "es")
      #expect(try await answer(nil, "fr").fields["content-language"] == "en")
    }
  }
}

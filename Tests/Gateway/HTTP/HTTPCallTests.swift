import GatewayContract
import IdentityContract
import Messaging
import Operations
import Testing

@testable import GatewayService

@Suite("A call over HTTP")
struct HTTPCallTests {
  @Test("A call over HTTP reaches its service with caller, parameters and body unread, and the output comes back unread")
  func passesOn() async throws {
    let bus = FakeBus()
    bus.answer(.social) { request in
      Reply(header: ReplyHeader(id: request.header.id, status: 201), body: Array(#"{"id":"7","title":"Run", "x" : 1}"#.utf8))
    }
    try await RunningGateway.with(bus: bus) { gateway in
      let account = AccountID()
      var fields = try gateway.bearer(account, language: .spanish)
      fields["X-Request-ID"] = "mine-1"
      fields["Idempotency-Key"] = "once"
      fields["traceparent"] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
      let response = try await gateway.http("POST", "/v1/things?a=b%20c&d=1", fields, #"{"title" : "Run"}"#)
      #expect(response.status == 201)
      #expect(response.body == #"{"id":"7","title":"Run", "x" : 1}"#)
      #expect(response.fields["x-request-id"] == "mine-1")
      #expect(response.fields["cache-control"] == "no-store")
      #expect(response.fields["content-type"] == "application/json")
      #expect(response.fields["ratelimit"] == #""write";r=299;t=1"#)
      let request = try #require(gateway.bus.requests.last)
      #expect(request.header.operation == "things.create")
      #expect(request.header.caller.account == account)
      #expect(request.header.caller.language == .spanish)
      #expect(request.header.id.hasPrefix("mine-1."))
      #expect(request.header.parameters == ["a": "b c", "d": "1"])
      #expect(request.header.idempotencyKey == "once")
      #expect(request.header.traceparent?.hasPrefix("00-0af7651916cd43dd8448eb211c80319c-") == true)
      #expect(request.header.traceparent?.contains("b7ad6b7169203331") == false)
      #expect(String(decoding: request.body, as: UTF8.self) == #"{"title" : "Run"}"#)
    }
  }

  @Test(
    "A call over HTTP that a service refuses by a field of any name becomes a problem that names it",
    arguments: ["\n", "\u{0}", "a\tb", "\u{7F}"])
  func strangeNames(name: String) async throws {
    let bus = FakeBus()
    bus.answer(.social) { _ in
      throw Failure.field(name, FieldRule("too_long", ["max": .number(80), "key": .text(name)]))
    }
    try await RunningGateway.with(bus: bus) { gateway in
      let problem = try await gateway.http("POST", "/v1/things", try gateway.bearer(), "{}")
      #expect(problem.status == 422)
      #expect(try problem.json["code"] == "invalid_fields")
      #expect(try Problem.decode(Array(problem.body.utf8)).errors?.first?.field == name)
    }
  }

  @Test("A call over HTTP that a service refuses becomes a problem in the caller's language")
  func problems() async throws {
    let bus = FakeBus()
    bus.answer(.social) { _ in throw Failure.field("title", FieldRule("too_long", ["max": .number(80)])) }
    try await RunningGateway.with(bus: bus) { gateway in
      let english = try await gateway.http("POST", "/v1/things", try gateway.bearer(), "{}")
      #expect(english.status == 422)
      #expect(english.fields["content-type"] == "application/problem+json")
      #expect(try english.json["code"] == "invalid_fields")
      #expect(
        try english.json["errors"] == [
          [
            "field": "title", "code": "too_long", "message": "This may have at most 80 characters.",
            "suggestion": "Shorten it to 80 characters.",
          ]
        ])
      let spanish = try await gateway.http("POST", "/v1/things", try gateway.bearer(language: .spanish), "{}")
      #expect(try spanish.json["title"] == "El contenido no es aceptable")
      #expect(try spanish.json["detail"] == "Algunos campos no son correctos.")
    }
  }
}

@Suite("The edge of HTTP")
struct HTTPEdgeTests {
  @Test("Unknown paths, methods, media types and keys are refused by name")
  func refusals() async throws {
    try await RunningGateway.with(bus: RPCTests.bus()) { gateway in
      let bearer = try gateway.bearer()
      let unknown = try await gateway.http("GET", "/v1/nothing")
      #expect(unknown.status == 404)
      let method = try await gateway.http("DELETE", "/v1/things", bearer)
      #expect(method.status == 405)
      #expect(method.fields["allow"] == "GET, HEAD, POST")
      let media = try await gateway.http("PUT", "/v1/echo", ["Content-Type": "text/plain"], "{}")
      #expect(media.status == 415)
      let charset = try await gateway.http(
        "PUT", "/v1/echo", ["Content-Type": "Application/JSON; charset=UTF-8"], #"{"text":"a"}"#)
      #expect(charset.status == 200)
      let key = try await gateway.http("PUT", "/v1/echo", ["Idempotency-Key": "a b"], #"{"text":"a"}"#)
      #expect(try key.json["code"] == "idempotency_key_invalid")
      #expect(try await gateway.http("GET", "/v1/internal", bearer).status == 404)
      #expect(try await gateway.http("GET", "/v1/things").status == 401)
      let expired = try gateway.signer.token(now: Instant.now.adding(seconds: -700))
      let old = try await gateway.http("GET", "/v1/things", ["Authorization": "Bearer \(expired)"])
      #expect(try old.json["code"] == "token_expired")
      #expect(old.fields["www-authenticate"]?.contains("invalid_token") == true)
      let basic = try await gateway.http("GET", "/v1/things", ["Authorization": "Basic eDp5"])
      #expect(try basic.json["code"] == "unauthenticated")
      // Who logs in again may still send the token that has expired.
      let anyone = try await gateway.http("PUT", "/v1/echo", ["Authorization": "Bearer \(expired)"], #"{"text":"a"}"#)
      #expect(anyone.status == 200)
      #expect(gateway.bus.requests.last?.header.caller.kind == .anonymous)
    }
  }

  @Test("A compressed body is refused by name, with the accepted encodings")
  func contentCodings() async throws {
    try await RunningGateway.with(bus: RPCTests.bus()) { gateway in
      let body = #"{"text":"a"}"#
      for coding in ["gzip", "br", "identity, gzip"] {
        let refused = try await gateway.http("PUT", "/v1/echo", ["Content-Encoding": coding], body)
        #expect(refused.status == 415)
        #expect(refused.fields["accept-encoding"] == "identity")
        #expect(try refused.json["code"] == "unsupported_content_coding")
        #expect(
          try refused.json["detail"]
            == .string("The body is sent with the Content-Encoding \(coding). Send it as it is, without Content-Encoding."))
      }
      let spanish = try await gateway.http("PUT", "/v1/echo", ["Content-Encoding": "gzip", "Accept-Language": "es"], body)
      #expect(
        try spanish.json["detail"] == "El cuerpo viene con el Content-Encoding gzip. Envíalo tal cual, sin Content-Encoding.")
      #expect(try await gateway.http("PUT", "/v1/echo", ["Content-Encoding": "Identity"], body).status == 200)
      #expect(gateway.bus.requests.count == 1)
      // Another reason for 415 says nothing of codings.
      let media = try await gateway.http("PUT", "/v1/echo", ["Content-Type": "text/plain"], body)
      #expect(media.status == 415 && media.fields["accept-encoding"] == nil)
    }
    try await RunningGateway.with(contracts: [.identity]) { gateway in
      for page in ["/verify", "/recover"] {
        let form = ["Content-Type": "application/x-www-form-urlencoded", "Content-Encoding": "gzip"]
        let refused = try await gateway.http("POST", page, form, "token=x")
        #expect(refused.status == 415 && refused.body.contains("Content-Encoding gzip"))
      }
    }
  }

  @Test("A request that takes no body is answered as if it had none")
  func needlessBodies() async throws {
    let bus = FakeBus()
    bus.answer(.social) { request in Reply(request, Empty()) }
    try await RunningGateway.with(bus: bus) { gateway in
      let fields = try gateway.bearer().merging(["Content-Type": "text/plain", "Content-Encoding": "gzip"]) { $1 }
      #expect(try await gateway.http("DELETE", "/v1/things/7", fields, "not JSON").status == 200)
      #expect(bus.requests.last?.body == [])
    }
  }

  @Test("Budgets are reported, and a caller beyond them must wait")
  func rates() async throws {
    try await RunningGateway.with(
      bus: RPCTests.bus(), change: { $0.rates.address[.write] = .init(2, per: 60) }
    ) { gateway in
      var left: [String?] = []
      for _ in 0..<2 { left.append(try await gateway.http("PUT", "/v1/echo", [:], #"{"text":"a"}"#).fields["ratelimit"]) }
      #expect(left.map { $0?.split(separator: ";").dropLast().joined(separator: ";") } == [#""write";r=1"#, #""write";r=0"#])
      let refused = try await gateway.http("PUT", "/v1/echo", ["Accept-Language": "es-ES, en;q=0.5"], #"{"text":"a"}"#)
      #expect(refused.status == 429)
      #expect(refused.fields["ratelimit-policy"] == #""write";q=2;w=60"#)
      let seconds = try #require(refused.fields["retry-after"].flatMap { Int($0) })
      #expect((1...30).contains(seconds))
      let wait = seconds == 1 ? "1 segundo" : "\(seconds) segundos"
      #expect(try refused.json["detail"] == .string("Demasiadas peticiones. Vuelve a intentarlo dentro de \(wait)."))
    }
  }

  @Test("A service that is down is retried once, for reads only; then the caller gets an error (S 3, scenario 3)")
  func unavailable() async throws {
    let bus = FakeBus()
    try await RunningGateway.with(bus: bus) { gateway in
      let bearer = try gateway.bearer()
      let read = try await gateway.http("GET", "/v1/things", bearer)
      #expect(read.status == 503)
      #expect(read.fields["retry-after"] == "1")
      #expect(bus.requests.filter { $0.header.operation == "things.list" }.count == 2)
      #expect(try await gateway.http("POST", "/v1/things", bearer, #"{"title":"a"}"#).status == 503)
      #expect(bus.requests.filter { $0.header.operation == "things.create" }.count == 1)
      bus.answer(.social) { _ in throw BusFailure.timedOut }
      #expect(try await gateway.http("GET", "/v1/things", bearer).status == 504)
      bus.answer(.social) { _ in throw BusFailure.overloaded }
      #expect(try await gateway.http("GET", "/v1/things", bearer).status == 503)
    }
  }

  @Test("Pages of other origins may read answers only if that is allowed")
  func origins() async throws {
    try await RunningGateway.with(change: { $0.allowedOrigins = ["https://app.example"] }) { gateway in
      let preflight = [
        "Origin": "https://app.example", "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization",
      ]
      let allowed = try await gateway.http("OPTIONS", "/v1/things", preflight)
      #expect(allowed.status == 204)
      #expect(allowed.fields["access-control-allow-origin"] == "https://app.example")
      #expect(allowed.fields["access-control-allow-methods"] == "GET, HEAD, POST")
      let other = try await gateway.http("GET", "/livez", ["Origin": "https://evil.example"])
      #expect(other.fields["access-control-allow-origin"] == nil)
      let page = try await gateway.http("GET", "/livez", ["Origin": "https://app.example"])
      #expect(page.fields["access-control-allow-origin"] == "https://app.example")
    }
    try await RunningGateway.with { gateway in
      let closed = try await gateway.http(
        "OPTIONS", "/v1/things", ["Origin": "https://app.example", "Access-Control-Request-Method": "POST"])
      #expect(closed.status == 405)
    }
  }

  @Test("HEAD is answered like GET, without the body")
  func head() async throws {
    try await RunningGateway.with { gateway in
      let connection = try await RawConnection(port: gateway.httpPort)
      try await connection.send("HEAD /docs HTTP/1.1\r\nHost: a\r\n\r\nGET /livez HTTP/1.1\r\nHost: a\r\n\r\n")
      let head = try await connection.receive(until: "\r\n\r\n")
      #expect(head.hasPrefix("HTTP/1.1 200"))
      #expect(try await connection.receiveResponse().body.contains("ok"))
    }
  }

  @Test("A client that expects 100 Continue gets it when its turn comes")
  func expectationInTurn() async throws {
    try await RunningGateway.with(bus: RPCTests.bus()) { gateway in
      let connection = try await RawConnection(port: gateway.httpPort)
      try await connection.send(
        "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n"
          + "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 12\r\nExpect: 100-continue\r\n\r\n"
      )
      #expect(try await connection.receiveResponse().status == 200)
      #expect(try await connection.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100"))
      try await connection.send(#"{"text":"a"}"#)
      #expect(try await connection.receiveResponse().body == #"{"text":"a"}"#)
    }
  }

  @Test("A client that expects 100 Continue before its body gets it")
  func expectations() async throws {
    try await RunningGateway.with(bus: RPCTests.bus()) { gateway in
      let connection = try await RawConnection(port: gateway.httpPort)
      try await connection.send(
        "PUT /v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 12\r\nExpect: 100-continue\r\n\r\n"
      )
      #expect(try await connection.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100"))
      try await connection.send(#"{"text":"a"}"#)
      #expect(try await connection.receiveResponse().body == #"{"text":"a"}"#)
    }
  }
}

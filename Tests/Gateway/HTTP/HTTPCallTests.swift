import Messaging
import Operations
import Testing

@testable import GatewayService

@Suite("A call over HTTP")
struct HTTPCallTests {
  @Test("reaches its service with caller, parameters and body unread, and the output comes back unread")
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

  @Test("that a service refuses becomes a problem in the caller's language")
  func problems() async throws {
    let bus = FakeBus()
    bus.answer(.social) { _ in throw Failure.field("title", FieldRule("too_long", ["most": .number(80)])) }
    try await RunningGateway.with(bus: bus) { gateway in
      let english = try await gateway.http("POST", "/v1/things", try gateway.bearer(), "{}")
      #expect(english.status == 422)
      #expect(english.fields["content-type"] == "application/problem+json")
      #expect(try english.json["code"] == "invalid_fields")
      #expect(
        try english.json["errors"] == [["field": "title", "code": "too_long", "message": "This may have at most 80 characters."]])
      let spanish = try await gateway.http("POST", "/v1/things", try gateway.bearer(language: .spanish), "{}")
      #expect(try spanish.json["title"] == "El contenido no es aceptable")
      #expect(try spanish.json["detail"] == "Algunos campos no son correctos.")
    }
  }
}

import IdentityContract
import Messaging
import Operations
import Synchronization
import Testing

@testable import GatewayService

@Suite("The page behind a verification mail's link", .timeLimit(.minutes(1)))
struct VerificationPageTests {
  /// Runs a gateway with an identity that knows one link, `good`.
  private static func with(
    change: (inout GatewayConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (RunningGateway) async throws -> Void
  ) async throws {
    let bus = FakeBus()
    bus.answer(.identity) { request in
      guard request.header.operation == VerifyAccount.spec.name else { throw Failure(RequestFailure.unknownOperation) }
      switch try VerifyAccount.Input.decode(request.body).token {
      case "good": return Reply(request, VerifyAccount.Output(username: try Username(text: "ana.ruiz"), isVerified: true))
      case "old": throw VerificationFailure.linkExpired
      case "busy": throw Failure(RequestFailure.overloaded, retryAfterSeconds: 1)
      default: throw VerificationFailure.linkInvalid
      }
    }
    try await RunningGateway.with(contracts: [.identity], bus: bus, change: change, body)
  }

  private static let form = ["Content-Type": "application/x-www-form-urlencoded"]

  @Test("opens without using the link up, loads nothing, and shows a form that sends the token")
  func opens() async throws {
    try await Self.with { gateway in
      let page = try await gateway.http("GET", "/verify?token=good")
      #expect(page.status == 200)
      #expect(page.fields["content-type"] == "text/html; charset=utf-8")
      #expect(page.fields["cache-control"] == "no-store")
      #expect(page.fields["referrer-policy"] == "no-referrer")
      let policy = try #require(page.fields["content-security-policy"])
      #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
      #expect(policy.contains("form-action 'self'") && policy.contains("frame-ancestors 'none'"))
      #expect(page.body.contains(#"<form method="post" action="verify"><input type="hidden" name="token" value="good">"#))
      for loader in ["src=", "href=", "<script", "style=\"", "://", "@import", "url("] { #expect(!page.body.contains(loader)) }
      #expect(gateway.bus.requests.isEmpty)
      #expect(try await gateway.http("PUT", "/verify").fields["allow"] == "GET, POST")
    }
  }

  @Test("escapes the token, and is in the language that the browser asks for")
  func escapes() async throws {
    try await Self.with { gateway in
      let page = try await gateway.http(
        "GET", "/verify?token=%22%3E%3Cscript%3Ealert(1)%3C/script%3E%27%26", ["Accept-Language": "es-MX,en;q=0.5"])
      #expect(page.body.contains(#"value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39;&amp;">"#))
      #expect(page.body.contains(#"<html lang="es">"#))
      #expect(page.fields["content-language"] == "es")
      #expect(page.body.contains("Verificar mi dirección"))
    }
  }

  @Test("asks identity when its form is sent, and says what came of it, in both languages")
  func verifies() async throws {
    try await Self.with { gateway in
      let done = try await gateway.http("POST", "/verify", Self.form, "token=good")
      #expect(done.status == 200)
      #expect(done.body.contains("Your e-mail address is verified") && done.body.contains("ana.ruiz"))
      let request = try #require(gateway.bus.requests.last)
      #expect(request.header.operation == "accounts.verify")
      #expect(request.header.caller.kind == .anonymous && request.header.caller.address == "127.0.0.1")

      let old = try await gateway.http("POST", "/verify", Self.form, "token=old")
      #expect(old.status == 410)
      #expect(old.body.contains("This verification link has expired; it was valid for 24 hours."))
      let spanish = try await gateway.http(
        "POST", "/verify", Self.form.merging(["Accept-Language": "es"]) { $1 }, "token=never")
      #expect(spanish.status == 404)
      #expect(spanish.body.contains(#"<html lang="es">"#))
      #expect(spanish.body.contains("No se pudo verificar tu correo electrónico"))
      #expect(spanish.fields["content-type"] == "text/html; charset=utf-8")
      let busy = try await gateway.http("POST", "/verify", Self.form, "token=busy")
      #expect(busy.status == 503 && busy.fields["retry-after"] == "1")
    }
  }

  struct Odd: Sendable {
    let method: String
    let target: String
    let type: String
    let body: String
    let status: Int
  }

  @Test(
    "answers what is no link or no form with a page too, and asks nobody",
    arguments: [
      Odd(method: "GET", target: "/verify", type: "", body: "", status: 404),
      Odd(method: "GET", target: "/verify?token=", type: "", body: "", status: 404),
      Odd(method: "GET", target: "/verify?token=%zz", type: "", body: "", status: 400),
      Odd(method: "GET", target: "/verify?token=a%00", type: "", body: "", status: 422),
      Odd(method: "GET", target: "/verify?token=\(String(repeating: "a", count: 201))", type: "", body: "", status: 404),
      Odd(method: "POST", target: "/verify?token=good", type: "application/x-www-form-urlencoded", body: "", status: 404),
      Odd(method: "POST", target: "/verify", type: "application/json", body: #"{"token":"good"}"#, status: 415),
      Odd(
        method: "POST", target: "/verify", type: "application/x-www-form-urlencoded", body: "token=good&token=old", status: 422),
      Odd(method: "POST", target: "/verify", type: "application/x-www-form-urlencoded", body: "token=%", status: 400),
    ])
  func oddities(odd: Odd) async throws {
    try await Self.with { gateway in
      let page = try await gateway.http(odd.method, odd.target, odd.type.isEmpty ? [:] : ["Content-Type": odd.type], odd.body)
      #expect(page.status == odd.status)
      #expect(page.body.contains("could not be verified"))
      #expect(gateway.bus.requests.isEmpty)
    }
  }

  @Test("draws on the address's budget for sensitive calls")
  func budget() async throws {
    try await Self.with(change: { $0.rates.address[.sensitive] = .init(1, per: 60) }) { gateway in
      #expect(try await gateway.http("POST", "/verify", Self.form, "token=good").status == 200)
      let beyond = try await gateway.http("POST", "/verify", Self.form, "token=good")
      #expect(beyond.status == 429)
      #expect(beyond.fields["retry-after"] != nil)
      #expect(gateway.bus.requests.count == 1)
    }
  }

  @Test("is there only where the operation is")
  func absent() async throws {
    try await RunningGateway.with { gateway in
      let response = try await gateway.http("GET", "/verify?token=a")
      #expect(response.status == 404)
    }
  }
}

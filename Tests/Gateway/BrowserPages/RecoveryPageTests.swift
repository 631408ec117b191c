import Foundation
import IdentityContract
import Messaging
import Operations
import Testing

@testable import GatewayService

@Suite("The pages that recover a password (ID-8)", .timeLimit(.minutes(1)))
struct RecoveryPageTests {
  /// Runs a gateway with an identity that knows one link, `good`.
  private static func with(
    change: (inout GatewayConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (RunningGateway) async throws -> Void
  ) async throws {
    let bus = FakeBus()
    bus.answer(.identity) { request in
      switch request.header.operation {
      case ValidateEmailLink.spec.name:
        let input = try ValidateEmailLink.Input.decode(request.body)
        #expect(input.purpose == .recovery)
        switch input.token {
        case "old": throw RecoveryFailure.linkExpired
        case "used": throw RecoveryFailure.linkUsed
        case "never": throw RecoveryFailure.linkInvalid
        case "busy": throw Failure(RequestFailure.overloaded, retryAfterSeconds: 1)
        default: return Reply(request, ValidateEmailLink.Output(isDone: false))
        }
      case RequestPasswordRecovery.spec.name:
        let email = try RequestPasswordRecovery.Input.decode(request.body).email
        guard let value = email.value else { throw Failure.field("email", email.rule ?? FieldRule("required")) }
        return Reply(request, RequestPasswordRecovery.Output(email: value, linkLifetimeSeconds: 1800))
      case CompletePasswordRecovery.spec.name:
        let input = try CompletePasswordRecovery.Input.decode(request.body)
        switch input.token {
        case "good": break
        case "old": throw RecoveryFailure.linkExpired
        case "busy": throw Failure(RequestFailure.overloaded, retryAfterSeconds: 1)
        default: throw RecoveryFailure.linkInvalid
        }
        guard input.password.description == input.passwordConfirmation.description else {
          throw Failure(
            RequestFailure.invalidFields,
            fields: [
              FieldProblem(field: "password", FieldRule("password_too_short", ["min": .number(8)])),
              FieldProblem(field: "password", FieldRule("password_lacks_digit")),
              FieldProblem(field: "passwordConfirmation", FieldRule("passwords_differ")),
            ])
        }
        return Reply(request, CompletePasswordRecovery.Output(username: try Username(text: "ana.ruiz")))
      default: throw Failure(RequestFailure.unknownOperation)
      }
    }
    try await RunningGateway.with(contracts: [.identity], bus: bus, change: change, body)
  }

  private static let form = ["Content-Type": "application/x-www-form-urlencoded"]
  private static let spanish = form.merging(["Accept-Language": "es"]) { $1 }

  @Test("A recovery link opens a form for the new password, without using the link up, and loads nothing")
  func opens() async throws {
    try await Self.with { gateway in
      let page = try await gateway.http("GET", "/recover?token=good")
      try page.expectSecretPage()
      #expect(page.body.contains(#"<form method="post" action="recover">"#))
      #expect(page.body.contains(#"<input type="hidden" name="token" value="good">"#))
      for name in ["password", "passwordConfirmation"] {
        #expect(
          page.body.contains(#"<input type="password" name="\#(name)" value="" autocomplete="new-password" required>"#))
      }
      #expect(gateway.bus.requests.map(\.header.operation) == ["emailLinks.validate"])
      #expect(try await gateway.http("PUT", "/recover").fields["allow"] == "GET, HEAD, POST")
    }
  }

  @Test("The recovery page escapes the token and what was typed, and is in the language that the browser asks for")
  func escapes() async throws {
    try await Self.with { gateway in
      let attack = "%22%3E%3Cscript%3Ealert(1)%3C/script%3E%27%26"
      let escaped = "value=\"&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39;&amp;\""
      let page = try await gateway.http("GET", "/recover?token=\(attack)", ["Accept-Language": "es-MX,en;q=0.5"])
      #expect(page.body.contains(escaped))
      #expect(page.body.contains(#"<html lang="es">"#) && page.fields["content-language"] == "es")
      #expect(page.body.contains("Elige una contraseña nueva"))
      let asked = try await gateway.http("POST", "/recover", Self.form, "email=\(attack)")
      #expect(asked.status == 422 && asked.body.contains(escaped) && !asked.body.contains("<script"))
    }
  }

  @Test(
    "The recovery page escapes markup joined to neighbouring characters (UAX #29, GB9a and GB9b)",
    arguments: ["%D8%80", "%E0%B5%8E"])
  func escapesJoined(before: String) async throws {
    try await Self.with { gateway in
      let attack = "\(before)%22%E0%A4%83\(before)%3E\(before)%3Cscript\(before)%3E\(before)%27\(before)%26"
      for page in [
        try await gateway.http("GET", "/recover?token=\(attack)"),
        try await gateway.http("POST", "/recover", Self.form, "email=\(attack)"),
      ] {
        // By bytes: characters are what is in question.
        let body = Data(page.body.utf8)
        #expect(body.range(of: Data("<script".utf8)) == nil && body.range(of: Data("&lt;script".utf8)) != nil)
        let value = try #require(body.range(of: Data("&quot;\u{903}".utf8)))
        #expect(body[value.upperBound...].range(of: Data("&amp;\"".utf8)) != nil)
      }
      // A field behind such a character is a field.
      let done = try await gateway.http(
        "POST", "/recover", Self.form, "x=\u{600}&token=good&password=Mar-9azul&passwordConfirmation=Mar-9azul")
      #expect(done.status == 200)
    }
  }

  @Test("The recovery page's form sets the password and says so (S 5, scenario 3; CU-2)")
  func recovers() async throws {
    try await Self.with { gateway in
      let body = "token=good&password=Mar-9%2Bazul+%C3%B1&passwordConfirmation=Mar-9%2Bazul+%C3%B1"
      let done = try await gateway.http("POST", "/recover", Self.form, body)
      #expect(done.status == 200)
      #expect(done.body.contains("Your password has been changed") && done.body.contains("ana.ruiz"))
      #expect(!done.body.contains("Mar-9"))
      let request = try #require(gateway.bus.requests.last)
      #expect(request.header.operation == "passwordRecoveries.complete")
      #expect(request.header.caller.kind == .anonymous && request.header.caller.address == "127.0.0.1")
      #expect(try CompletePasswordRecovery.Input.decode(request.body).password.value?.description == "Mar-9+azul ñ")
    }
  }

  @Test("Every rule that the new password breaks is shown at its field with advice, and the form can be sent again")
  func rules() async throws {
    try await Self.with { gateway in
      let page = try await gateway.http("POST", "/recover", Self.spanish, "token=good&password=mar&passwordConfirmation=sol")
      #expect(page.status == 422)
      #expect(page.body.contains(#"<input type="hidden" name="token" value="good">"#))
      #expect(page.body.contains(#"aria-invalid="true" aria-describedby="password-rules""#))
      #expect(page.body.contains("La contraseña debe tener al menos 8 caracteres. Tres o cuatro palabras"))
      #expect(page.body.contains("La contraseña debe tener un número. Añade una cifra"))
      #expect(page.body.contains("Las contraseñas introducidas son diferentes."))
      #expect(!page.body.contains(#"value="mar""#))
    }
  }

  @Test(
    "A broken recovery link is reported when it is opened, with a form to request a new one (S 5, scenario 4)",
    arguments: [("old", 410, "ha caducado"), ("used", 410, "ya se ha usado"), ("never", 404, "no es válido")])
  func validates(token: String, status: Int, words: String) async throws {
    try await Self.with { gateway in
      let page = try await gateway.http("GET", "/recover?token=\(token)", ["Accept-Language": "es"])
      #expect(page.status == status && page.body.contains(words) && page.body.contains(#"role="alert""#))
      #expect(page.body.contains(#"<input type="email" name="email" value="" autocomplete="email" required>"#))
      #expect(!page.body.contains(#"name="token""#) && page.body.contains(#"<html lang="es">"#))
      #expect(gateway.bus.requests.map(\.header.operation) == ["emailLinks.validate"])
    }
  }

  @Test(
    "A broken recovery link is reported when its form is sent, with a form to request a new one (S 5, scenario 4)",
    arguments: ["old", "never"])
  func refuses(token: String) async throws {
    try await Self.with { gateway in
      let page = try await gateway.http("POST", "/recover", Self.form, "token=\(token)&password=a&passwordConfirmation=a")
      #expect(page.status == (token == "old" ? 410 : 404))
      #expect(page.body.contains(#"role="alert""#))
      #expect(page.body.contains(token == "old" ? "has expired; it was valid for 30 minutes" : "is not valid"))
      #expect(page.body.contains(#"<input type="email" name="email" value="" autocomplete="email" required>"#))
      #expect(!page.body.contains(#"name="token""#))
    }
  }

  @Test(
    "The recovery page requests a link with the same answer for every address, and reports a missing one (CU-2)"
  )
  func asks() async throws {
    try await Self.with { gateway in
      let empty = try await gateway.http("GET", "/recover")
      #expect(empty.status == 200 && empty.body.contains("Recover your password"))
      let asked = try await gateway.http("POST", "/recover", Self.form, "email=ana%40example.com")
      #expect(asked.status == 200)
      #expect(asked.body.contains("If there is an account with the address ana@example.com"))
      #expect(asked.body.contains("30 minutes"))
      #expect(gateway.bus.requests.map(\.header.operation) == ["passwordRecoveries.request"])
      for body in ["email=", ""] {
        let missing = try await gateway.http("POST", "/recover", Self.spanish, body)
        #expect(missing.status == 422, "\(body)")
        #expect(missing.body.contains("email-rules") && missing.body.contains(#"lang="es""#))
      }
    }
  }

  @Test("The recovery page keeps the form if the server cannot answer at present")
  func busy() async throws {
    try await Self.with { gateway in
      let page = try await gateway.http("POST", "/recover", Self.form, "token=busy&password=a&passwordConfirmation=a")
      #expect(page.status == 503 && page.fields["retry-after"] == "1")
      #expect(page.body.contains(#"<input type="hidden" name="token" value="busy">"#))
      let opened = try await gateway.http("GET", "/recover?token=busy")
      #expect(opened.status == 503 && opened.body.contains(#"<input type="hidden" name="token" value="busy">"#))
    }
  }

  struct Odd: Sendable {
    let method: String
    let target: String
    var type = "application/x-www-form-urlencoded"
    var body = ""
    let status: Int
  }

  @Test(
    "The recovery page answers invalid links and forms with a page, without calling identity",
    arguments: [
      Odd(method: "GET", target: "/recover?token=", status: 404),
      Odd(method: "GET", target: "/recover?token=%zz", status: 400),
      Odd(method: "GET", target: "/recover?token=a%00", status: 422),
      Odd(method: "GET", target: "/recover?token=\(String(repeating: "a", count: 201))", status: 404),
      Odd(method: "POST", target: "/recover", type: "application/json", body: #"{"token":"good"}"#, status: 415),
      Odd(method: "POST", target: "/recover", body: "token=&password=a", status: 404),
      Odd(method: "POST", target: "/recover", body: "token=good&token=old", status: 422),
      Odd(method: "POST", target: "/recover", body: "token=%", status: 400),
    ])
  func oddities(odd: Odd) async throws {
    try await Self.with { gateway in
      let page = try await gateway.http(odd.method, odd.target, ["Content-Type": odd.type], odd.body)
      #expect(page.status == odd.status)
      #expect(page.fields["content-type"] == "text/html; charset=utf-8")
      #expect(page.body.contains("Recover your password") && page.body.contains(#"role="alert""#))
      #expect(gateway.bus.requests.isEmpty)
    }
  }

  @Test("The recovery page draws on the address's budget for sensitive calls")
  func budget() async throws {
    try await Self.with(change: { $0.rates.address[.sensitive] = .init(1, per: 60) }) { gateway in
      #expect(try await gateway.http("POST", "/recover", Self.form, "email=ana%40example.com").status == 200)
      let beyond = try await gateway.http("POST", "/recover", Self.form, "email=ana%40example.com")
      #expect(beyond.status == 429 && beyond.fields["retry-after"] != nil)
      #expect(gateway.bus.requests.count == 1)
    }
  }

  @Test("The recovery pages exist only if their operations do")
  func absent() async throws {
    try await RunningGateway.with { gateway in
      let response = try await gateway.http("GET", "/recover")
      #expect(response.status == 404)
    }
  }
}

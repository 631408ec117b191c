import IdentityContract
import Messaging
import Operations
import Synchronization
import Testing

@testable import GatewayService

@Suite("The pages of mailed links", .timeLimit(.minutes(1)))
struct LinkPageTests {
  /// One of the pages, and what it says.
  struct Trial: Sendable, CustomTestStringConvertible {
    let page: LinkPage
    let done: String
    let expired: String
    let refused: (english: String, spanish: String)
    let button: String

    var testDescription: String { page.path }

    static let all = [
      Trial(
        page: .verification, done: "Your e-mail address is verified",
        expired: "This verification link has expired; it was valid for 24 hours.",
        refused: ("Your e-mail address could not be verified", "No se pudo verificar tu correo electrónico"),
        button: "Verificar mi dirección"),
      Trial(
        page: .emailChange, done: "new@example.com is the address of your account now",
        expired: "This link to change your e-mail address has expired; it was valid for 24 hours.",
        refused: ("Your e-mail address was not changed", "Tu correo electrónico no ha cambiado"), button: "Usar esta dirección"),
      Trial(
        page: .emailChangeUndoing, done: "former@example.com is the address of your account",
        expired: "The change can no longer be undone; that was possible for 72 hours.",
        refused: ("Nothing was undone", "No se ha deshecho nada"),
        button: "No he sido yo: deshacer el cambio"),
    ]
  }

  /// Runs a gateway with an identity that knows one link for each page, `good`.
  private static func with(
    change: (inout GatewayConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (RunningGateway) async throws -> Void
  ) async throws {
    let bus = FakeBus()
    bus.answer(.identity) { request in
      let username = try Username(text: "ana.ruiz")
      if request.header.operation == ValidateEmailLink.spec.name {
        let input = try ValidateEmailLink.Input.decode(request.body)
        switch (input.token, input.purpose) {
        case ("busy", _): throw Failure(RequestFailure.overloaded, retryAfterSeconds: 1)
        case ("old", .verification): throw VerificationFailure.linkExpired
        case ("old", .emailChange): throw EmailChangeFailure.linkExpired
        case ("old", .emailChangeUndo): throw EmailChangeUndoFailure.linkExpired
        case ("never", .verification): throw VerificationFailure.linkInvalid
        case ("never", .emailChange): throw EmailChangeFailure.linkInvalid
        case ("never", .emailChangeUndo): throw EmailChangeUndoFailure.linkInvalid
        case ("done", .verification): return Reply(request, ValidateEmailLink.Output(isDone: true))
        default: return Reply(request, ValidateEmailLink.Output(isDone: false))
        }
      }
      switch (request.header.operation, try VerifyAccount.Input.decode(request.body).token) {
      case (_, "busy"): throw Failure(RequestFailure.overloaded, retryAfterSeconds: 1)
      case (VerifyAccount.spec.name, "good"): return Reply(request, VerifyAccount.Output(username: username, isVerified: true))
      case (VerifyAccount.spec.name, "old"): throw VerificationFailure.linkExpired
      case (VerifyAccount.spec.name, _): throw VerificationFailure.linkInvalid
      case (CompleteEmailChange.spec.name, "good"):
        return Reply(request, CompleteEmailChange.Output(username: username, email: try EmailAddress(text: "new@example.com")))
      case (CompleteEmailChange.spec.name, "old"): throw EmailChangeFailure.linkExpired
      case (CompleteEmailChange.spec.name, _): throw EmailChangeFailure.linkInvalid
      case (UndoEmailChange.spec.name, "good"):
        let email = try EmailAddress(text: "former@example.com")
        return Reply(request, UndoEmailChange.Output(username: username, email: email, wasCompleted: true))
      case (UndoEmailChange.spec.name, "old"): throw EmailChangeUndoFailure.linkExpired
      case (UndoEmailChange.spec.name, _): throw EmailChangeUndoFailure.linkInvalid
      default: throw Failure(RequestFailure.unknownOperation)
      }
    }
    try await RunningGateway.with(contracts: [.identity], bus: bus, change: change, body)
  }

  private static let form = ["Content-Type": "application/x-www-form-urlencoded"]

  @Test(
    "A mailed link that is expired, used or unknown is reported when it is opened, with a way to a new one (S 5, scenario 4)",
    arguments: Trial.all)
  func validates(trial: Trial) async throws {
    try await Self.with { gateway in
      let old = try await gateway.http("GET", "\(trial.page.path)?token=old")
      #expect(old.status == 410 && old.body.contains(trial.expired) && old.body.contains(trial.refused.english))
      #expect(!old.body.contains("<form"))
      let request = try #require(gateway.bus.requests.last)
      #expect(request.header.caller.kind == .anonymous && request.header.caller.address == "127.0.0.1")
      #expect(try ValidateEmailLink.Input.decode(request.body).purpose == trial.page.purpose)
      let never = try await gateway.http("GET", "\(trial.page.path)?token=never", ["Accept-Language": "es"])
      #expect(never.status == 404 && never.body.contains(trial.refused.spanish) && never.body.contains(#"<html lang="es">"#))
      #expect(never.fields["content-type"] == "text/html; charset=utf-8")
      let busy = try await gateway.http("GET", "\(trial.page.path)?token=busy")
      #expect(busy.status == 503 && busy.fields["retry-after"] == "1")
      #expect(gateway.bus.requests.allSatisfy { $0.header.operation == "emailLinks.validate" })
    }
  }

  @Test("Opening a link that has already verified its address says so and shows no button (S 8, scenario 1)")
  func done() async throws {
    try await Self.with { gateway in
      for (language, title) in [("en", "Your e-mail address is verified"), ("es", "Tu correo electrónico está verificado")] {
        let page = try await gateway.http("GET", "/verify?token=done", ["Accept-Language": language])
        try page.expectSecretPage()
        #expect(page.status == 200 && page.body.contains(title) && page.body.contains(#"<html lang="\#(language)">"#))
        #expect(!page.body.contains("<form") && !page.body.contains("page.verify"))
      }
    }
  }

  @Test(
    "A mailed link's page opens without using the link up, loads nothing, and shows a form that sends the token",
    arguments: Trial.all)
  func opens(trial: Trial) async throws {
    try await Self.with { gateway in
      let page = try await gateway.http("GET", "\(trial.page.path)?token=good")
      try page.expectSecretPage()
      #expect(
        page.body.contains(
          #"<form method="post" action="\#(trial.page.path.dropFirst())"><input type="hidden" name="token" value="good">"#))
      #expect(gateway.bus.requests.map(\.header.operation) == ["emailLinks.validate"])
      #expect(try await gateway.http("PUT", trial.page.path).fields["allow"] == "GET, HEAD, POST")
    }
  }

  @Test("A mailed link's page escapes the token, and is in the language that the browser asks for", arguments: Trial.all)
  func escapes(trial: Trial) async throws {
    try await Self.with { gateway in
      let page = try await gateway.http(
        "GET", "\(trial.page.path)?token=%22%3E%3Cscript%3Ealert(1)%3C/script%3E%27%26", ["Accept-Language": "es-MX,en;q=0.5"])
      #expect(page.body.contains(#"value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39;&amp;">"#))
      #expect(page.body.contains(#"<html lang="es">"#))
      #expect(page.fields["content-language"] == "es")
      #expect(page.body.contains(trial.button))
    }
  }

  @Test(
    "Sending the form of a mailed link's page calls identity, and shows the outcome in both languages", arguments: Trial.all)
  func verifies(trial: Trial) async throws {
    try await Self.with { gateway in
      let done = try await gateway.http("POST", trial.page.path, Self.form, "token=good")
      #expect(done.status == 200)
      #expect(done.body.contains(trial.done) && done.body.contains("ana.ruiz"))
      let request = try #require(gateway.bus.requests.last)
      #expect(request.header.operation == trial.page.operation.spec.name)
      #expect(request.header.caller.kind == .anonymous && request.header.caller.address == "127.0.0.1")

      let old = try await gateway.http("POST", trial.page.path, Self.form, "token=old")
      #expect(old.status == 410)
      #expect(old.body.contains(trial.expired))
      let spanish = try await gateway.http(
        "POST", trial.page.path, Self.form.merging(["Accept-Language": "es"]) { $1 }, "token=never")
      #expect(spanish.status == 404)
      #expect(spanish.body.contains(#"<html lang="es">"#))
      #expect(spanish.body.contains(trial.refused.spanish))
      #expect(spanish.fields["content-type"] == "text/html; charset=utf-8")
      let busy = try await gateway.http("POST", trial.page.path, Self.form, "token=busy")
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
    "A mailed link's page answers invalid links and forms with a page, without calling identity",
    arguments: [
      Odd(method: "GET", target: "", type: "", body: "", status: 404),
      Odd(method: "GET", target: "?token=", type: "", body: "", status: 404),
      Odd(method: "GET", target: "?token=%zz", type: "", body: "", status: 400),
      Odd(method: "GET", target: "?token=a%00", type: "", body: "", status: 422),
      Odd(method: "GET", target: "?token=\(String(repeating: "a", count: 201))", type: "", body: "", status: 404),
      Odd(method: "POST", target: "?token=good", type: "application/x-www-form-urlencoded", body: "", status: 404),
      Odd(method: "POST", target: "", type: "application/json", body: #"{"token":"good"}"#, status: 415),
      Odd(
        method: "POST", target: "", type: "application/x-www-form-urlencoded", body: "token=good&token=old", status: 422),
      Odd(method: "POST", target: "", type: "application/x-www-form-urlencoded", body: "token=%", status: 400),
    ], Trial.all)
  func oddities(odd: Odd, trial: Trial) async throws {
    try await Self.with { gateway in
      let page = try await gateway.http(
        odd.method, trial.page.path + odd.target, odd.type.isEmpty ? [:] : ["Content-Type": odd.type], odd.body)
      #expect(page.status == odd.status)
      #expect(page.body.contains(trial.refused.english))
      #expect(gateway.bus.requests.isEmpty)
    }
  }

  @Test("A mailed link's page draws on the address's budget for sensitive calls", arguments: Trial.all)
  func budget(trial: Trial) async throws {
    try await Self.with(change: { $0.rates.address[.sensitive] = .init(1, per: 60) }) { gateway in
      #expect(try await gateway.http("POST", trial.page.path, Self.form, "token=good").status == 200)
      let beyond = try await gateway.http("POST", trial.page.path, Self.form, "token=good")
      #expect(beyond.status == 429)
      #expect(beyond.fields["retry-after"] != nil)
      // Whoever tries links pays for opening them, too.
      #expect(try await gateway.http("GET", "\(trial.page.path)?token=good").status == 429)
      #expect(gateway.bus.requests.count == 1)
    }
  }

  @Test("A mailed link's page exists only if its operation does", arguments: Trial.all)
  func absent(trial: Trial) async throws {
    try await RunningGateway.with { gateway in
      let response = try await gateway.http("GET", "\(trial.page.path)?token=a")
      #expect(response.status == 404)
    }
  }
}

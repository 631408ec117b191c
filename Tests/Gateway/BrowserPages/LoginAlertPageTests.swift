import Foundation
import IdentityContract
import Messaging
import Operations
import Testing

@testable import GatewayService

@Suite("The page of the links in a login alert (ID-7)", .timeLimit(.minutes(1)))
struct LoginAlertPageTests {
  /// Runs a gateway with an identity that knows one link, `good`.
  private static func with(_ body: @escaping @Sendable (RunningGateway) async throws -> Void) async throws {
    let bus = FakeBus()
    bus.answer(.identity) { request in
      if request.header.operation == ValidateEmailLink.spec.name {
        let input = try ValidateEmailLink.Input.decode(request.body)
        #expect(input.purpose == .loginAlert)
        switch input.token {
        case "old": throw LoginAlertFailure.expired
        case "used": throw LoginAlertFailure.answered
        case "never": throw LoginAlertFailure.linkInvalid
        default: return Reply(request, ValidateEmailLink.Output(isDone: false))
        }
      }
      guard request.header.operation == AnswerLoginAlertByLink.spec.name else { throw Failure(RequestFailure.unknownOperation) }
      let input = try AnswerLoginAlertByLink.Input.decode(request.body)
      switch input.token {
      case "good":
        return Reply(
          request,
          AnswerLoginAlertByLink.Output(
            username: try Username(text: "ana.ruiz"), answer: input.answer, closedCount: 1,
            isPasswordChangeAdvised: input.answer == .close))
      case "old": throw LoginAlertFailure.expired
      case "used": throw LoginAlertFailure.answered
      case "busy": throw Failure(RequestFailure.overloaded, retryAfterSeconds: 1)
      default: throw LoginAlertFailure.linkInvalid
      }
    }
    try await RunningGateway.with(contracts: [.identity], bus: bus, body)
  }

  private static let form = ["Content-Type": "application/x-www-form-urlencoded"]

  @Test("The page of a login alert opens without answering, loads nothing, and shows both buttons, the link's own answer first")
  func opens() async throws {
    try await Self.with { gateway in
      for (query, first, second) in [
        ("token=good&answer=close", "close", "confirm"), ("token=good&answer=confirm", "confirm", "close"),
        ("token=good", "confirm", "close"),
      ] {
        let page = try await gateway.http("GET", "/login-alert?\(query)")
        try page.expectSecretPage(links: true)
        #expect(page.body.contains(#"<input type="hidden" name="token" value="good">"#))
        let one = try #require(page.body.range(of: #"name="answer" value="\#(first)""#))
        let other = try #require(page.body.range(of: #"name="answer" value="\#(second)""#))
        #expect(one.lowerBound < other.lowerBound)
      }
      #expect(gateway.bus.requests.allSatisfy { $0.header.operation == "emailLinks.validate" })
      #expect(try await gateway.http("PUT", "/login-alert").fields["allow"] == "GET, HEAD, POST")
    }
  }

  @Test(
    "Pressing a button of a login alert's page calls identity, shows the outcome, and advises a new password (S 6, scenario 4)"
  )
  func answers() async throws {
    try await Self.with { gateway in
      let closed = try await gateway.http("POST", "/login-alert", Self.form, "token=good&answer=close")
      #expect(closed.status == 200 && closed.body.contains("ana.ruiz") && closed.body.contains(#"<a href="recover">"#))
      let request = try #require(gateway.bus.requests.last)
      #expect(request.header.operation == "loginAlerts.answerByLink" && request.header.caller.kind == .anonymous)
      let confirmed = try await gateway.http(
        "POST", "/login-alert", Self.form.merging(["Accept-Language": "es"]) { $1 }, "token=good&answer=confirm")
      #expect(confirmed.status == 200 && confirmed.body.contains("Gracias") && !confirmed.body.contains("recover"))
    }
  }

  @Test(
    "The page of a login alert shows that a link does not work when it is opened, without a button (S 6, scenario 4)",
    arguments: [("old", 410), ("used", 409), ("never", 404)])
  func validates(token: String, status: Int) async throws {
    try await Self.with { gateway in
      let page = try await gateway.http("GET", "/login-alert?token=\(token)&answer=close")
      #expect(page.status == status && page.body.contains(#"role="alert""#) && !page.body.contains("<button"))
      #expect(gateway.bus.requests.map(\.header.operation) == ["emailLinks.validate"])
    }
  }

  @Test(
    "The page of a login alert shows refusals as pages",
    arguments: [("old", 410), ("used", 409), ("never", 404), ("busy", 503), ("", 404)])
  func refuses(token: String, status: Int) async throws {
    try await Self.with { gateway in
      let page = try await gateway.http("POST", "/login-alert", Self.form, "token=\(token)&answer=close")
      #expect(page.status == status && page.body.contains(#"role="alert""#))
      #expect(page.fields["content-type"] == "text/html; charset=utf-8")
      #expect((page.fields["retry-after"] != nil) == (status == 503))
    }
  }

  @Test(
    "The page of a login alert refuses an invalid or missing answer without calling identity",
    arguments: ["&answer=perhaps", "&answer=", ""])
  func nonsense(answer: String) async throws {
    try await Self.with { gateway in
      var pages = [try await gateway.http("POST", "/login-alert", Self.form, "token=good\(answer)")]
      if !answer.isEmpty { pages.append(try await gateway.http("GET", "/login-alert?token=good\(answer)")) }
      for page in pages {
        #expect(page.status == 422 && page.body.contains(#"role="alert""#) && !page.body.contains("<button"))
        // What to do, and where.
        #expect(page.body.contains(#"<a href="login-alert?token=good">Answer again</a>"#))
      }
      #expect(try await gateway.http("POST", "/login-alert", Self.form, "token=never\(answer)").status == 422)
      #expect(gateway.bus.requests.isEmpty)
    }
  }

  @Test("The page of a login alert leads to a new password if it is too late to answer (ID-7)")
  func late() async throws {
    try await Self.with { gateway in
      for (method, query, body) in [("GET", "?token=old", ""), ("POST", "", "token=old&answer=close")] {
        let page = try await gateway.http(method, "/login-alert\(query)", body.isEmpty ? [:] : Self.form, body)
        #expect(page.status == 410 && page.body.contains(#"<a href="recover">"#))
      }
    }
  }

  @Test("The page of a login alert escapes the token")
  func escapes() async throws {
    try await Self.with { gateway in
      let page = try await gateway.http("GET", "/login-alert?token=%22%3E%3Cscript%3E")
      #expect(page.body.contains("value=\"&quot;&gt;&lt;script&gt;\""))
      #expect(gateway.bus.requests.allSatisfy { $0.header.operation == "emailLinks.validate" })
    }
  }
}

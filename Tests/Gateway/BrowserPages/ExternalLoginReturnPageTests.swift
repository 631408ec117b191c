import IdentityContract
import Messaging
import Operations
import Testing

@testable import GatewayService

@Suite("Returning from a provider that answers by a form (ID-10)", .timeLimit(.minutes(1)))
struct ExternalLoginReturnPageTests {
  /// Runs a gateway with an identity that knows two flows.
  private static func with(_ body: @escaping @Sendable (RunningGateway) async throws -> Void) async throws {
    let bus = FakeBus()
    bus.answer(.identity) { request in
      guard request.header.operation == GetExternalLoginReturn.spec.name, request.header.caller.service == .gateway else {
        throw Failure(RequestFailure.unknownOperation)
      }
      switch try GetExternalLoginReturn.Input.decode(request.body).state {
      case "web": return Reply(request, GetExternalLoginReturn.Output(redirectURI: "https://app.example.org/done?from=apple"))
      case "app": return Reply(request, GetExternalLoginReturn.Output(redirectURI: "org.example.app:/done"))
      case "old": throw ExternalLoginFailure.stateExpired
      default: throw ExternalLoginFailure.stateInvalid
      }
    }
    try await RunningGateway.with(contracts: [.identity], bus: bus, body)
  }

  private static let path = "/v1/external-logins/callback"
  private static let form = ["Content-Type": "application/x-www-form-urlencoded"]

  @Test("The browser is redirected from a provider's form to the client with the answer and nothing else of the form")
  func goesOn() async throws {
    try await Self.with { gateway in
      let body = "state=web&code=a%2Bb%26c%3A+y&user=%7B%7D&id_token=x.y.z"
      let answer = try await gateway.http("POST", Self.path, Self.form, body)
      #expect(answer.status == 303 && answer.body.isEmpty)
      #expect(
        answer.fields["location"] == "https://app.example.org/done?from=apple&state=web&code=a%2Bb%26c%3A%20y")
      #expect(answer.fields["cache-control"] == "no-store" && answer.fields["referrer-policy"] == "no-referrer")
      let cancelled = try await gateway.http("POST", Self.path, Self.form, "state=app&error=user_cancelled_authorize")
      #expect(cancelled.fields["location"] == "org.example.app:/done?state=app&error=user_cancelled_authorize")
    }
  }

  @Test(
    "A provider's form with an unknown state leads nowhere, and a page says so",
    arguments: [
      ("state=evil", 404), ("state=old", 410), ("", 404), ("code=x", 404), ("state=web&state=app", 422),
      ("state=web&code=x%0D%0AX%3A+y", 422),
    ])
  func refused(body: String, status: Int) async throws {
    try await Self.with { gateway in
      let answer = try await gateway.http("POST", Self.path, Self.form.merging(["Accept-Language": "es"]) { $1 }, body)
      #expect(answer.status == status)
      #expect(answer.fields["location"] == nil)
      #expect(answer.fields["content-type"] == "text/html; charset=utf-8" && answer.body.contains(#"<html lang="es">"#))
    }
  }

  @Test("Only forms are taken from a provider, and only by POST")
  func onlyForms() async throws {
    try await Self.with { gateway in
      let json = try await gateway.http("POST", Self.path, [:], #"{"state":"web"}"#)
      #expect(json.status == 415)
      let opened = try await gateway.http("GET", Self.path + "?state=web")
      #expect(opened.status == 405)
    }
  }
}

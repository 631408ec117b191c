import Foundation
import Messaging
import NotificationsContract
import Operations
import Testing

@testable import GatewayService

@Suite("The page of an unsubscribe link (RFC 8058, NOT-4)", .timeLimit(.minutes(1)))
struct UnsubscribePageTests {
  /// Runs a gateway with notifications that know one link, and one that has done its work.
  private static func with(_ body: @escaping @Sendable (RunningGateway) async throws -> Void) async throws {
    let bus = FakeBus()
    bus.answer(.notifications) { request in
      let token = try UnsubscribeToken.decode(request.body).token
      guard ["good", "used"].contains(token) else { throw UnsubscribeFailure.linkInvalid }
      let isOff = token == "used" || request.header.operation == CreateUnsubscribe.spec.name
      return Reply(request, MailUnsubscribe(name: "New <task>", username: try Username(text: "ana.ruiz"), isOff: isOff))
    }
    try await RunningGateway.with(contracts: [.notifications], bus: bus, body)
  }

  private static let form = ["Content-Type": "application/x-www-form-urlencoded"]

  @Test("Opening an unsubscribe link ends nothing and says what the button ends, escaped, in both languages, without a script")
  func opens() async throws {
    try await Self.with { gateway in
      let page = try await gateway.http("GET", "/unsubscribe?token=good")
      try page.expectSecretPage()
      #expect(page.body.contains("ana.ruiz gets mails called “New &lt;task&gt;”") && page.body.contains(#"value="good""#))
      #expect(gateway.bus.requests.map(\.header.operation) == ["unsubscribes.get"])
      let spanish = try await gateway.http("GET", "/unsubscribe?token=good", ["Accept-Language": "es"])
      #expect(spanish.body.contains("ana.ruiz recibe correos") && !spanish.body.contains("<script"))
      #expect(try await gateway.http("GET", "/unsubscribe?token=used").body.contains("You were unsubscribed"))
    }
  }

  @Test(
    "A mail program's POST to the unsubscribe link ends the mails at once, as form or multipart, and so does the button")
  func posts() async throws {
    try await Self.with { gateway in
      let click = "List-Unsubscribe=One-Click"
      let parts = "--x\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--x--\r\n"
      for (path, fields, body) in [
        ("/unsubscribe?token=good", Self.form, click), ("/unsubscribe", Self.form, "token=good"),
        ("/unsubscribe?token=good", ["Content-Type": "multipart/form-data; boundary=x"], parts),
      ] {
        let done = try await gateway.http("POST", path, fields, body)
        #expect(done.status == 200 && done.body.contains("You were unsubscribed"), "\(fields)")
        #expect(gateway.bus.requests.last?.header.operation == "unsubscribes.create")
      }
    }
  }

  @Test("An unsubscribe link that does not work gets a page that says so")
  func refused() async throws {
    try await Self.with { gateway in
      for answer in [
        try await gateway.http("GET", "/unsubscribe?token=bad"), try await gateway.http("GET", "/unsubscribe"),
        try await gateway.http("POST", "/unsubscribe?token=bad", Self.form, "List-Unsubscribe=One-Click"),
      ] {
        #expect(answer.status == 404 && answer.body.contains("This link to end mails does not work."))
      }
    }
  }
}

import Foundation
import IdentityContract
import Messaging
import Operations
import Testing

@testable import GatewayService

@Suite("The page of a suspended account's link (SOC-8)", .timeLimit(.minutes(1)))
struct SuspensionPageTests {
  /// Runs a gateway with an identity that knows a few links.
  private static func with(_ body: @escaping @Sendable (RunningGateway) async throws -> Void) async throws {
    let bus = FakeBus()
    bus.answer(.identity) { request in
      switch request.header.operation {
      case GetSuspension.spec.name:
        return Reply(request, try details(try GetSuspension.Input.decode(request.body).token))
      case AppealSuspension.spec.name:
        let input = try AppealSuspension.Input.decode(request.body)
        if input.token == "appealed" { throw SuspensionAppealFailure.appealed }
        return Reply(request, try details(input.token))
      case DeleteSuspendedAccount.spec.name:
        _ = try details(try DeleteSuspendedAccount.Input.decode(request.body).token)
        let at = try Instant(text: "2026-11-21T12:00:00.000Z")
        let deletion = AccountDeletion(
          id: AccountDeletionID(), state: .erasing, requestedAt: at, cleanBy: at, erasedAt: nil, finishedAt: nil, services: [])
        return Reply(request, DeleteSuspendedAccount.Output(deletion: deletion, token: "secret"))
      default: throw Failure(RequestFailure.unknownOperation)
      }
    }
    try await RunningGateway.with(contracts: [.identity], bus: bus, body)
  }

  private static func details(_ token: String) throws -> SuspensionDetails {
    var details = SuspensionDetails(
      username: try Username(text: "ana.ruiz"), isBanned: false, until: try Instant(text: "2027-01-02T03:04:05.000Z"),
      reason: "<b>Insults</b>\nafter a warning", canAppeal: true, appealedAt: nil)
    switch token {
    case "good": break
    case "banned": (details.isBanned, details.until) = (true, nil)
    case "final": details.canAppeal = false
    case "appealed": (details.canAppeal, details.appealedAt) = (false, try Instant(text: "2026-11-20T09:10:11.000Z"))
    case "old": throw SuspensionLinkFailure.linkExpired
    case "over": throw SuspensionLinkFailure.over
    case "busy": throw Failure(RequestFailure.overloaded, retryAfterSeconds: 1)
    default: throw SuspensionLinkFailure.linkInvalid
    }
    return details
  }

  private static let form = ["Content-Type": "application/x-www-form-urlencoded"]

  @Test(
    "The suspension page opens without changing anything, shows reason and end, escaped, and forms to appeal and to delete"
  )
  func opens() async throws {
    try await Self.with { gateway in
      let page = try await gateway.http("GET", "/suspension?token=good")
      try page.expectSecretPage()
      #expect(page.body.contains("ana.ruiz is suspended until 2027-01-02 03:04 UTC"))
      #expect(page.body.contains("&lt;b&gt;Insults&lt;/b&gt;\nafter a warning"))
      for action in ["appeal", "delete"] {
        #expect(page.body.contains(#"<input type="hidden" name="action" value="\#(action)">"#))
      }
      #expect(page.body.contains("<textarea") && page.body.contains(#"<input type="checkbox" name="confirm""#))
      #expect(gateway.bus.requests.map(\.header.operation) == ["suspensions.get"])
      let spanish = try await gateway.http("GET", "/suspension?token=banned", ["Accept-Language": "es"])
      #expect(spanish.body.contains("ana.ruiz está suspendida definitivamente"))
      #expect(try await gateway.http("PUT", "/suspension").fields["allow"] == "GET, HEAD, POST")
    }
  }

  @Test(
    "The suspension page without a possible appeal has no form for it, and says why",
    arguments: [("final", "This decision is final"), ("appealed", "You appealed on 2026-11-20 09:10 UTC")])
  func unappealable(token: String, text: String) async throws {
    try await Self.with { gateway in
      let page = try await gateway.http("GET", "/suspension?token=\(token)")
      #expect(page.status == 200 && page.body.contains(text) && !page.body.contains("<textarea"))
      #expect(page.body.contains(#"name="confirm""#))
    }
  }

  @Test(
    "The suspension page sends an appeal with its line breaks, and deletes the account only if that is confirmed")
  func acts() async throws {
    try await Self.with { gateway in
      let sent = try await gateway.http("POST", "/suspension", Self.form, "token=good&action=appeal&text=One%0D%0Atwo+%26")
      #expect(sent.status == 200 && sent.body.contains("Your appeal has been sent") && sent.body.contains("ana.ruiz"))
      let request = try #require(gateway.bus.requests.last)
      #expect(request.header.operation == "suspensions.appeal" && request.header.caller.kind == .anonymous)
      #expect(try AppealSuspension.Input.decode(request.body).text.description == "One\ntwo &")
      let unconfirmed = try await gateway.http("POST", "/suspension", Self.form, "token=good&action=delete")
      #expect(unconfirmed.status == 422 && unconfirmed.body.contains(#"<a href="suspension?token=good">"#))
      #expect(gateway.bus.requests.count == 1)
      let deleted = try await gateway.http("POST", "/suspension", Self.form, "token=good&action=delete&confirm=yes")
      #expect(deleted.status == 200 && deleted.body.contains("is being deleted") && !deleted.body.contains("secret"))
      #expect(gateway.bus.requests.last?.header.operation == "suspensions.deleteAccount")
    }
  }

  @Test("An invalid appeal on the suspension page is reported, and its text is kept")
  func wrongText() async throws {
    try await Self.with { gateway in
      let empty = try await gateway.http("POST", "/suspension", Self.form, "token=good&action=appeal&text=+")
      #expect(empty.status == 422 && empty.body.contains("<textarea") && empty.body.contains(#"role="alert""#))
      let text = String(repeating: "a", count: 2001)
      let long = try await gateway.http("POST", "/suspension", Self.form, "token=good&action=appeal&text=\(text)%3C/textarea%3E")
      #expect(long.status == 422 && long.body.contains("\(text)&lt;/textarea&gt;</textarea>"))
      let bell = try await gateway.http("POST", "/suspension", Self.form, "token=good&action=appeal&text=a%07b")
      let lines = try await gateway.http("POST", "/suspension", Self.form, "token=good%0A&action=appeal&text=a")
      #expect(bell.status == 422 && lines.status == 422)
      #expect(gateway.bus.requests.isEmpty)
    }
  }

  @Test(
    "The suspension page answers invalid links and forms with a page, without calling identity",
    arguments: [("token=good", 422), ("token=good&action=lift", 422), ("action=delete&confirm=yes", 404)])
  func nonsense(body: String, status: Int) async throws {
    try await Self.with { gateway in
      let page = try await gateway.http("POST", "/suspension", Self.form, body)
      #expect(page.status == status && page.body.contains(#"role="alert""#) && gateway.bus.requests.isEmpty)
    }
  }

  @Test(
    "The suspension page shows refusals as pages, without a form",
    arguments: [("old", 410), ("over", 409), ("never", 404), ("busy", 503), ("", 404)])
  func refuses(token: String, status: Int) async throws {
    try await Self.with { gateway in
      for page in [
        try await gateway.http("GET", "/suspension?token=\(token)"),
        try await gateway.http("POST", "/suspension", Self.form, "token=\(token)&action=delete&confirm=yes"),
      ] {
        #expect(page.status == status && page.body.contains(#"role="alert""#) && !page.body.contains("<button"))
        #expect((page.fields["retry-after"] != nil) == (status == 503))
      }
      let late = try await gateway.http("POST", "/suspension", Self.form, "token=appealed&action=appeal&text=again")
      #expect(late.status == 409)
    }
  }
}

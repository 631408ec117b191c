import ActivityContract
import Foundation
import Messaging
import NotificationsContract
import Operations
import Testing

@testable import GatewayService

@Suite("The page of the links in a reminder (NOT-2)", .timeLimit(.minutes(1)))
struct ReminderPageTests {
  private static func with(_ body: @escaping @Sendable (RunningGateway) async throws -> Void) async throws {
    let bus = FakeBus()
    bus.answer(.notifications) { request in
      var (answer, token): (ReminderReply?, String) = (nil, "")
      if request.header.operation == AnswerReminderByLink.spec.name {
        let input = try AnswerReminderByLink.Input.decode(request.body)
        guard input.answer == .done || input.minutes == 30 else { throw ReminderFailure.answered }
        (answer, token) = (input.answer, input.token)
      } else {
        token = try ReminderToken.decode(request.body).token
      }
      guard ["good", "used"].contains(token) else { throw ReminderFailure.notFound }
      return Reply(
        request,
        AnswerableReminder(
          title: "Run <fast>", day: try LocalDay(text: "2026-11-21"), time: try ReminderTime(text: "07:30"),
          username: try Username(text: "ana.ruiz"), answer: token == "used" ? .done : answer))
    }
    try await RunningGateway.with(contracts: [.notifications], bus: bus, body)
  }

  private static let form = ["Content-Type": "application/x-www-form-urlencoded"]

  @Test("Opening a reminder's link does not answer it, but shows the escaped reminder with a button for each answer")
  func opens() async throws {
    try await Self.with { gateway in
      let page = try await gateway.http("GET", "/reminder?token=good&answer=done")
      try page.expectSecretPage()
      #expect(page.body.contains("ana.ruiz wanted to be reminded of “Run &lt;fast&gt;” at 07:30, for 2026-11-21."))
      #expect(gateway.bus.requests.map(\.header.operation) == ["reminders.get"] && !page.body.contains("<script"))
      for minutes in [10, 30, 60] { #expect(page.body.contains("Remind me again in \(minutes) minutes")) }
      let done = try #require(page.body.range(of: #"value="done""#)).lowerBound
      #expect(try done < #require(page.body.range(of: #"value="again""#)).lowerBound)
      let again = try await gateway.http("GET", "/reminder?token=good&answer=again", ["Accept-Language": "es"])
      #expect(again.body.contains("Recordármelo dentro de 10 minutos"))
      let last = try #require(again.body.range(of: #"value="done""#)).lowerBound
      #expect(try last > #require(again.body.range(of: #"value="again""#)).lowerBound)
      #expect(try await gateway.http("GET", "/reminder?token=used").body.contains("is recorded for 2026-11-21"))
    }
  }

  @Test("Pressing a button answers the reminder, and a refused answer gets a page with the reason")
  func posts() async throws {
    try await Self.with { gateway in
      let done = try await gateway.http("POST", "/reminder", Self.form, "token=good&answer=done")
      #expect(done.status == 200 && done.body.contains("“Run &lt;fast&gt;” is recorded"))
      let again = try await gateway.http("POST", "/reminder", Self.form, "token=good&answer=again&minutes=30")
      #expect(again.status == 200 && again.body.contains("You will be reminded again"))
      for (fields, status) in [
        ("token=bad&answer=done", 404), ("answer=done", 404), ("token=%22%3E&answer=done", 404), ("token=good", 422),
        ("token=good&answer=no", 422), ("token=good&answer=again&minutes=0", 422), ("token=good&answer=again&minutes=x", 422),
        ("token=good&answer=again&minutes=10", 409),
      ] {
        let refused = try await gateway.http("POST", "/reminder", Self.form, fields)
        #expect(refused.status == status && refused.body.contains("The reminder was not answered"), "\(fields)")
      }
    }
  }
}

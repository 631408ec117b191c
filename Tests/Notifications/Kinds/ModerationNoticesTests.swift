import Foundation
import IdentityContract
import InProcess
import NotificationsContract
import Operations
import SocialContract
import SocialService
import Testing

@testable import NotificationsService

@Suite("Notices of moderators' decisions (SOC-8, NOT-6)", .timeLimit(.minutes(1)))
final class ModerationNoticesTests {
  let identity = IdentityDouble()

  private func text(_ letter: Letter) -> String {
    // The soft line breaks of quoted-printable.
    String(decoding: letter.bytes, as: UTF8.self).replacingOccurrences(of: "=\r\n", with: "")
  }

  private func inbox(
    _ services: ServicesInProcess, of person: IdentityDouble.Account
  ) async throws -> [NotificationsContract.Notification] {
    try await services.hasReceived(.notifications, of: .social)
    return try await services.call(ListNotifications.self, .init(), as: person.caller).items
  }

  /// Reports Ben by Ana, and decides that.
  private func decide(
    _ outcome: ModerationOutcome, days: Int? = nil, _ ana: IdentityDouble.Account, _ ben: IdentityDouble.Account,
    _ root: IdentityDouble.Account, _ services: ServicesInProcess
  ) async throws -> ModerationCase {
    _ = try await services.call(CreateReport.self, .init(subject: .account(ben.account), reason: .hate), as: ana.caller)
    let id = try await services.call(ListModerationCases.self, .init(), as: root.caller).items[0].id
    let input = DecideModerationCase.Input(
      caseID: id, outcome: outcome, days: days,
      reason: outcome == .nothing ? nil : try ReportText(text: "Insults <b>\nof others."))
    return try await services.call(DecideModerationCase.self, input, as: root.caller)
  }

  @Test(
    "A decision notifies and mails reporter and accused; without a measure it notifies the reporter only",
    arguments: [
      (ModerationOutcome.nothing, nil, "reportDismissed", nil), (.warned, nil, "reportActed", "accountWarned"),
      (.suspended, 3, "reportActed", "accountSuspended"), (.banned, nil, "reportActed", "accountBanned"),
    ] as [(ModerationOutcome, Int?, NotificationKind, NotificationKind?)])
  func decisions(outcome: ModerationOutcome, days: Int?, reporter: NotificationKind, accused: NotificationKind?) async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben", language: .spanish))
    let root = try identity.administrator("root")
    let carrier = WatchedCarrier()
    let settings = ["racha.publicUrl": "https://racha.example"]
    try await ServicesInProcess.mails(identity, carrier, and: [{ Social.service($0) }], settings: settings) { services in
      let decided = try await decide(outcome, days: days, ana, ben, root, services)
      let anas = try await inbox(services, of: ana)
      #expect(anas.map(\.kind) == [reporter] && anas[0].links.reportID != nil && anas[0].links.accountID == nil)
      #expect(anas[0].text.contains("(account)"))
      let bens = try await inbox(services, of: ben)
      #expect(bens.map(\.kind) == [accused].compactMap { $0 })
      let letters = try await carrier.next(accused == nil ? 1 : 2).map(\.letter)
      let toAna = try #require(letters.first { $0.to.description == "ana@example.org" })
      #expect(text(toAna).contains("https://racha.example") && !text(toAna).contains("Insults"))
      guard accused != nil else { return }
      #expect(bens[0].text.contains("Insults <b> of others.") && bens[0].links.caseID?.bytes == decided.id.bytes)
      let toBen = try #require(letters.first { $0.to.description == "ben@example.org" })
      #expect(text(toBen).contains("Insults <b>") && text(toBen).contains("Insults &lt;b&gt;"))
      if outcome == .suspended, let until = decided.decision?.until {
        #expect(text(toBen).contains(MailContent.minute(until)) && bens[0].text.contains(MailContent.minute(until)))
      }
      // Who reported is named to nobody.
      #expect(!text(toBen).contains("ana") || !text(toBen).contains(ana.account.description))
      #expect(!bens[0].text.contains("ana") && bens[0].links.accountID == nil && bens[0].links.reportID == nil)
    }
  }

  @Test("An appeal's answer and the end of a suspension are each notified once, with the answer's text")
  func appeals() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    let (root, vera) = (try identity.administrator("root"), try identity.administrator("vera"))
    let carrier = WatchedCarrier()
    try await ServicesInProcess.mails(
      identity, carrier, and: [{ Social.service($0) }], settings: ["racha.smtp.connections": "1"]
    ) { services in
      let decided = try await decide(.suspended, days: 3, ana, ben, root, services)
      _ = try await carrier.next(2)
      _ = try await services.call(
        AppealSanction.self, .init(caseID: decided.id, text: try ChatText(text: "No.")), as: ben.caller)
      let input = DecideAppeal.Input(
        caseID: decided.id, outcome: .granted, reason: try ReportText(text: "You were quoting."),
        note: try ReportText(text: "PLANTED note"))
      _ = try await services.call(DecideAppeal.self, input, as: vera.caller)
      #expect(try await Set(inbox(services, of: ben).map(\.kind)) == ["accountSuspended", "appealGranted", "suspensionEnded"])
      let letters = try await carrier.next(2).map { text($0.letter) }
      #expect(letters.contains { $0.contains("You were quoting.") } && letters.contains { $0.contains("has ended") })
      #expect(!letters.contains { $0.contains("PLANTED") })
      #expect(try await inbox(services, of: ana).map(\.kind) == ["reportActed"])
    }
  }
}

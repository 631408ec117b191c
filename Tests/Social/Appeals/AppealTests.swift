import IdentityContract
import InProcess
import Operations
import SocialContract
import Testing

@testable import SocialService

@Suite("Appeals (SOC-8)")
struct AppealTests {
  private func appeal(_ id: ID<ModerationCase>, by who: IdentityDouble.Account, _ people: Moderating) async throws -> Sanction {
    try await people.services.call(
      AppealSanction.self, .init(caseID: id, text: try ChatText(text: "It was a joke.")), as: who.caller)
  }

  private func refusal(_ id: ID<ModerationCase>, by who: IdentityDouble.Account, _ people: Moderating) async throws -> String? {
    try await people.services.refusal(
      AppealSanction.self, .init(caseID: id, text: try ChatText(text: "It was a joke.")), as: who.caller)
  }

  private func decide(
    _ id: ID<ModerationCase>, _ outcome: AppealOutcome, by who: IdentityDouble.Account, _ people: Moderating
  ) async throws -> String? {
    let input = DecideAppeal.Input(
      caseID: id, outcome: outcome, reason: try ReportText(text: "We looked again."), note: try ReportText(text: "Close."))
    return try await people.services.refusal(DecideAppeal.self, input, as: who.caller)
  }

  @Test("Only the affected account can appeal a decision, once")
  func once() async throws {
    try await Moderating.running { people in
      try await people.report(.account(people.ben.account), by: people.ana)
      let waiting = try await people.queue()[0].id
      #expect(try await refusal(waiting, by: people.ben, people) == "not_found")
      try await people.decide(.warned)
      #expect(try await refusal(waiting, by: people.eva, people) == "not_found")
      #expect(try await refusal(waiting, by: people.ana, people) == "not_found")
      #expect(try await refusal(ID(), by: people.ben, people) == "not_found")
      let sanction = try await appeal(waiting, by: people.ben, people)
      #expect(!sanction.canAppeal && sanction.appeal?.text == "It was a joke." && sanction.appeal?.outcome == nil)
      #expect(try await refusal(waiting, by: people.ben, people) == "already_appealed")
      let listed = try await people.services.call(ListAppeals.self, .init(), as: people.vera.caller).items
      #expect(listed.map(\.id) == [waiting] && listed[0].appeal?.text == "It was a joke.")
      // Against nothing there is nothing to appeal.
      try await people.report(.account(people.ana.account), by: people.ben)
      let dismissed = try await people.decide(.nothing)
      #expect(try await refusal(dismissed.id, by: people.ana, people) == "not_found")
    }
  }

  @Test("Appeals can be made for 180 days", arguments: [(179, nil), (180, "appeal_too_late")] as [(Int, String?)])
  func late(days: Int, code: String?) async throws {
    try await Moderating.running { people in
      try await people.report(.account(people.ben.account), by: people.ana)
      let id = try await people.decide(.warned).id
      people.services.clock.advance(days: days)
      #expect(try await people.sanctions(of: people.ben)[0].canAppeal == (code == nil))
      #expect(try await refusal(id, by: people.ben, people) == code)
    }
  }

  @Test("Appeals are decided once, by another administrator if there is one, and never by the affected account")
  func another() async throws {
    try await Moderating.running { people in
      for _ in 0..<2 {
        try await people.report(.account(people.ben.account), by: people.ana)
        let id = try await people.decide(.warned).id
        #expect(try await decide(id, .refused, by: people.vera, people) == "not_found")
        _ = try await appeal(id, by: people.ben, people)
      }
      let cases = try await people.services.call(ListAppeals.self, .init(), as: people.vera.caller).items.map(\.id)
      #expect(cases.count == 2)
      #expect(try await decide(cases[0], .refused, by: people.root, people) == "appeal_of_own_decision")
      #expect(try await decide(cases[0], .refused, by: people.vera, people) == nil)
      #expect(try await decide(cases[0], .granted, by: people.vera, people) == "appeal_decided")
      people.services.identity.dismiss(people.vera)
      #expect(try await decide(cases[1], .refused, by: people.vera, people) == "forbidden")
      #expect(try await decide(cases[1], .granted, by: people.root, people) == nil)
      #expect(try await people.services.call(ListAppeals.self, .init(), as: people.root.caller).items.isEmpty)
      let answers = try await people.sanctions(of: people.ben).map { $0.appeal?.outcome }
      #expect(answers == [.granted, .refused])
      #expect(try await people.published(AppealDecided.self).map(\.outcome) == [.refused, .granted])
      let records = try await people.services.call(ListModerationRecords.self, .init(), as: people.root.caller).items
      #expect(records.map(\.action) == [.appealGranted, .appealRefused, .decided, .decided])
      #expect(records[0].administratorUsername == people.root.username && records[1].note?.description == "Close.")
    }
  }

  @Test("An administrator cannot decide their own appeal")
  func own() async throws {
    try await Moderating.running { people in
      try await people.report(.account(people.vera.account), by: people.ana)
      let id = try await people.decide(.warned).id
      _ = try await appeal(id, by: people.vera, people)
      #expect(try await decide(id, .granted, by: people.vera, people) == "case_about_oneself")
      // Whoever else there is decided it.
      #expect(try await decide(id, .refused, by: people.root, people) == nil)
    }
  }

  @Test("A suspended account can appeal once by its mailed link, and granting the appeal ends the suspension")
  func byLink() async throws {
    try await Moderating.running { people in
      try await people.report(.account(people.ben.account), by: people.ana)
      let id = try await people.decide(.banned).id
      let suspended = try #require(try await people.published(SuspensionChanged.self).first)
      #expect(suspended.canAppeal && suspended.reason == "No insults.")
      func link(_ suspension: SuspensionID, of account: AccountID, _ text: String) async throws {
        try await people.services.publish(
          .identity, SuspensionAppealed(suspensionID: suspension, accountID: account, text: text, at: .now))
        try await people.services.hasReceived(.social, of: .identity)
      }
      try await link(ID(), of: people.ben.account, "unknown")
      try await link(suspended.suspensionID, of: people.eva.account, "another's")
      #expect(try await people.services.call(ListAppeals.self, .init(), as: people.vera.caller).items.isEmpty)
      try await link(suspended.suspensionID, of: people.ben.account, "Please.\nI am sorry.")
      try await link(suspended.suspensionID, of: people.ben.account, "again")
      let appeals = try await people.services.call(ListAppeals.self, .init(), as: people.vera.caller).items
      #expect(appeals.map(\.id) == [id] && appeals[0].appeal?.text == "Please.\nI am sorry.")
      #expect(try await people.published(SuspensionChanged.self).map(\.canAppeal) == [true, false])
      #expect(try await decide(id, .granted, by: people.vera, people) == nil)
      let all = try await people.published(SuspensionChanged.self)
      #expect(all.map(\.until) == [.endOfTime, .endOfTime, nil])
      #expect(zip(all, all.dropFirst()).allSatisfy { $0.revision < $1.revision })
    }
  }

  @Test("Refusing an appeal leaves the suspension as it is")
  func refused() async throws {
    try await Moderating.running { people in
      try await people.report(.account(people.ben.account), by: people.ana)
      let id = try await people.decide(.suspended, days: 9).id
      _ = try await appeal(id, by: people.ben, people)
      #expect(try await decide(id, .refused, by: people.vera, people) == nil)
      #expect(try await people.services.call(ListSuspensions.self, .init(), as: people.root.caller).items.count == 1)
      #expect(try await people.published(SuspensionChanged.self).allSatisfy { $0.until != nil })
    }
  }

  @Test("An administrator who reported a case does not decide its appeal while there is one who neither reported nor decided")
  func reported() async throws {
    try await Moderating.running { people in
      let zoe = try people.services.identity.administrator("zoe")
      try await people.report(.account(people.ben.account), by: people.vera)
      let id = try await people.decide(.warned).id
      _ = try await appeal(id, by: people.ben, people)
      #expect(try await decide(id, .refused, by: people.vera, people) == "case_of_own_report")
      #expect(try await decide(id, .refused, by: people.root, people) == "appeal_of_own_decision")
      #expect(try await decide(id, .granted, by: zoe, people) == nil)
    }
  }
}

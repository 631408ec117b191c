import IdentityContract
import InProcess
import Operations
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("Erasing a reporter, a reported account or an administrator (SOC-8, ID-12)")
struct ReportErasureTests {
  /// Ana reported what Ben wrote, Root suspended Ben, Ben appealed, Vera refused it.
  private func all(_ people: Moderating) async throws -> ID<ModerationCase> {
    people.services.identity.setPhoto(of: people.ben, Moderating.photo)
    let message = try await people.services.send("PLANTED insult", from: people.ben, to: people.ana)
    try await people.report(.message(message.id), by: people.ana, text: "PLANTED by ana")
    let decided = try await people.decide(.suspended, days: 4)
    try await people.report(.photo(of: people.ben.account), by: people.eva)
    _ = try await people.services.call(
      AppealSanction.self, .init(caseID: decided.id, text: try ChatText(text: "PLANTED appeal")), as: people.ben.caller)
    let input = DecideAppeal.Input(caseID: decided.id, outcome: .refused, reason: try ReportText(text: "No."), note: nil)
    _ = try await people.services.call(DecideAppeal.self, input, as: people.vera.caller)
    return decided.id
  }

  private func delete(_ person: IdentityDouble.Account, _ people: Moderating) async throws {
    try await people.services.hasReceived(.social, of: .identity)
    try await people.services.publish(.identity, AccountDeleted(deletionID: ID(), accountID: person.account, at: .now))
    try await people.services.store(of: .social).hasErased(person.account)
  }

  private func traces(_ person: IdentityDouble.Account, _ people: Moderating) async throws -> [String] {
    try await people.services.store(of: .social).traces(of: person.account).filter { trace in
      ["appeals", "moderation", "report", "suspen"].contains { trace.hasPrefix($0) }
    }
  }

  @Test("Erasing a reported account removes cases, copies, appeals and suspensions, and its name in the audit list")
  func accused() async throws {
    try await Moderating.running { people in
      let id = try await all(people)
      let store = people.services.store(of: .social)
      try await delete(people.ben, people)
      #expect(try await traces(people.ben, people) == [])
      for table in ["moderation_cases", "reports", "reported_photos", "appeals", "suspensions", "suspended_accounts"] {
        #expect(try await store.rows(table) == 0, "\(table)")
      }
      let records = try await people.services.call(ListModerationRecords.self, .init(), as: people.root.caller).items
      #expect(records.map(\.accountID) == [nil, nil] && records.allSatisfy { $0.caseID == id && $0.note == nil })
      #expect(try await people.services.call(ListOwnReports.self, .init(), as: people.ana.caller).items.isEmpty)
      #expect(try await people.queue().isEmpty)
      try await store.clean()
      let bytes = String(decoding: try people.services.storedBytes(), as: UTF8.self)
      for planted in ["PLANTED insult", "PLANTED appeal", "PLANTED photo"] { #expect(!bytes.contains(planted), "\(planted)") }
      #expect(try await people.refusal(.account(people.ben.account), by: people.eva) == "not_found")
    }
  }

  @Test("Erasing a reporter removes its name and texts, and the case continues")
  func reporter() async throws {
    try await Moderating.running { people in
      let id = try await all(people)
      let store = people.services.store(of: .social)
      try await delete(people.ana, people)
      #expect(try await traces(people.ana, people) == [])
      let read = try await people.services.call(GetModerationCase.self, .init(caseID: id), as: people.root.caller)
      #expect(read.reports.map(\.reporterAccountID) == [nil] && read.reports.map(\.text) == [nil])
      #expect(read.moderationCase.content?.text == "PLANTED insult")
      try await store.clean()
      #expect(!String(decoding: try people.services.storedBytes(), as: UTF8.self).contains("PLANTED by ana"))
      // Nobody is there to be notified.
      try await delete(people.eva, people)
      try await people.decide(.removed)
      #expect(try await people.published(ReportDecided.self).map(\.accountID).contains(people.eva.account) == false)
    }
  }

  @Test("Erasing a deciding administrator removes its name and notes, and the decision stands")
  func administrators() async throws {
    try await Moderating.running { people in
      let id = try await all(people)
      for administrator in [people.root, people.vera] {
        try await delete(administrator, people)
        people.services.identity.dismiss(administrator)
        #expect(try await traces(administrator, people) == [])
      }
      let sanction = try #require(try await people.sanctions(of: people.ben).first)
      #expect(sanction.caseID == id && sanction.outcome == .suspended && sanction.appeal?.outcome == .refused)
      let other = try people.services.identity.administrator("zoe")
      let records = try await people.services.call(ListModerationRecords.self, .init(), as: other.caller).items
      #expect(records.allSatisfy { $0.administratorAccountID == nil && $0.note == nil } && records.count == 2)
      let read = try await people.services.call(GetModerationCase.self, .init(caseID: id), as: other.caller).moderationCase
      #expect(read.decision?.administratorAccountID == nil && read.decision?.note == nil && read.appeal?.note == nil)
    }
  }
}

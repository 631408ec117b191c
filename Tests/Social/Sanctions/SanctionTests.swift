import InProcess
import Operations
import SocialContract
import Testing

@Suite("An account's view of decisions against it (SOC-8)")
struct SanctionTests {
  @Test("A reported account never learns its reporter from events or answers")
  func silence() async throws {
    try await Moderating.running { people in
      let message = try await people.services.send("you fool", from: people.ben, to: people.ana)
      try await people.report(.message(message.id), by: people.ana, text: "PLANTED by ana")
      try await people.report(.account(people.ben.account), by: people.eva, text: "PLANTED by eva")
      try await people.decide(.suspended, days: 2)
      try await people.decide(.warned)
      let sanctions = try await people.services.call(ListOwnSanctions.self, .init(), as: people.ben.caller)
      #expect(sanctions.items.count == 2)
      var seen = String(decoding: sanctions.json, as: UTF8.self)
      for event in try await people.services.published(by: .social) {
        let body = String(decoding: event.body, as: UTF8.self)
        guard event.name != "friendRequests.sent", event.name != "friendRequests.accepted", event.name != "relations.changed",
          event.name != "messages.sent", body.contains(people.ben.account.description)
        else { continue }
        seen += body
      }
      #expect(seen.contains("No insults."))
      for trace in [people.ana.account.description, people.eva.account.description, "\"ana\"", "\"eva\"", "PLANTED"] {
        #expect(!seen.contains(trace), "\(trace)")
      }
    }
  }
}

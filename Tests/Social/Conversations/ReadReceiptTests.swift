import IdentityContract
import InProcess
import Operations
import SocialContract
import Testing

@Suite("Read receipts (SOC-5)")
struct ReadReceiptTests {
  private func read(_ message: ChatMessage, _ reader: Person, of writer: Person) async throws {
    _ = try await reader.send(MarkConversationRead.self, .init(accountID: writer.id, messageID: message.id))
  }

  @Test("Read receipts show in list and conversation how far the other has read, and are published to both")
  func shown() async throws {
    try await ServicesInProcess.withFriends { services, ana, ben in
      let (first, second) = (try await ana.write("one", to: ben), try await ana.write("two", to: ben))
      #expect(try await ana.conversation(with: ben).otherReadMessageID == nil)
      try await read(first, ben, of: ana)
      #expect(try await ana.conversation(with: ben).otherReadMessageID == first.id)
      #expect(try await ana.conversations().map(\.otherReadMessageID) == [first.id])
      #expect(try await ben.conversation(with: ana).otherReadMessageID == nil)
      try await read(second, ben, of: ana)
      #expect(try await ana.conversation(with: ben).otherReadMessageID == second.id)
      // Reading no farther is no event.
      try await read(first, ben, of: ana)
      try await read(second, ben, of: ana)
      let events = try await services.published(ConversationRead.self)
      #expect(events.map(\.accountID) == [ben.id, ana.id, ben.id, ana.id])
      #expect(events.map(\.messageID) == [first.id, first.id, second.id, second.id])
      #expect(events.allSatisfy { $0.readerAccountID == ben.id && $0.at == services.clock.now })
      #expect(events.map(\.otherAccountID) == [ana.id, ben.id, ana.id, ben.id])
    }
  }

  @Test(
    "Read receipts are shown to neither if one of the two turns them off, and the reader's other devices still get them",
    arguments: [true, false])
  func off(isReader: Bool) async throws {
    try await ServicesInProcess.withFriends { services, ana, ben in
      let before = try await ana.write("before", to: ben)
      try await read(before, ben, of: ana)
      try await services.change(isReader ? ben : ana, receivedBy: .social) { $0.givesReadReceipts = false }
      #expect(try await ana.conversation(with: ben).otherReadMessageID == nil)
      #expect(try await ana.conversations().map(\.otherReadMessageID) == [nil])
      let hidden = try await ana.write("hidden", to: ben)
      try await read(hidden, ben, of: ana)
      #expect(try await services.published(ConversationRead.self).map(\.accountID) == [ben.id, ana.id, ben.id])
      // What was read meanwhile is not shown later.
      try await services.change(isReader ? ben : ana, receivedBy: .social) { $0.givesReadReceipts = true }
      #expect(try await ana.conversation(with: ben).otherReadMessageID == before.id)
      let after = try await ana.write("after", to: ben)
      try await read(after, ben, of: ana)
      #expect(try await ana.conversation(with: ben).otherReadMessageID == after.id)
    }
  }

  @Test("Read receipts end with the friendship, and strangers see none")
  func ended() async throws {
    try await ServicesInProcess.withFriends { services, ana, ben in
      let eve = try await services.register()
      let (first, second) = (try await ana.write("one", to: ben), try await ana.write("two", to: ben))
      try await read(first, ben, of: ana)
      _ = try await ana.send(RemoveFriend.self, .init(accountID: ben.id))
      #expect(try await ana.conversation(with: ben).otherReadMessageID == nil)
      #expect(try await ana.conversations().map(\.otherReadMessageID) == [nil])
      try await read(second, ben, of: ana)
      #expect(try await services.published(ConversationRead.self).map(\.accountID) == [ben.id, ana.id, ben.id])
      let input = MarkConversationRead.Input(accountID: ana.id, messageID: first.id)
      #expect(try await eve.failure(MarkConversationRead.self, input) == "not_found")
    }
  }
}

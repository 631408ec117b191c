import InProcess
import Operations
import SocialContract
import Testing

@Suite("Changes of messages (SOC-4)")
struct MessageChangeTests {
  private func edit(_ message: ChatMessage, _ text: String) throws -> EditMessage.Input {
    .init(messageID: message.id, text: try ChatText(text: text))
  }

  @Test("An edited message shows the new text and the time to both, who are each notified once")
  func edited() async throws {
    try await ServicesInProcess.withFriends { services, ana, ben in
      let first = try await ana.write("at sevn", to: ben)
      let last = try await ana.write("bring cake", to: ben)
      try services.clock.set("2026-11-21T12:14:59.000Z")
      let edited = try await ana.send(EditMessage.self, edit(first, "at seven"))
      #expect(edited.text?.description == "at seven" && edited.editedAt == services.clock.now && edited.sentAt == first.sentAt)
      #expect(edited.id == first.id && edited.removedAt == nil)
      for (one, other) in [(ana, ben), (ben, ana)] {
        #expect(try await one.conversation(with: other).items == [last, edited])
      }
      let events = try await services.published(MessageEdited.self)
      #expect(events.map(\.accountID) == [ana.id, ben.id] && events.map(\.otherAccountID) == [ben.id, ana.id])
      #expect(events.allSatisfy { $0.message == edited })
      #expect(try events[0].fromUsername == services.identity.username(of: ana.id))
      // The text that it has already makes it neither newer nor an event.
      try services.clock.set("2026-11-21T12:14:59.500Z")
      #expect(try await ana.send(EditMessage.self, edit(first, "at seven")) == edited)
      #expect(try await services.published(MessageEdited.self).count == 2)
    }
  }

  @Test("A message removed after a block between the two does not reach the reader's open connections")
  func apart() async throws {
    for blocksReader in [true, false] {
      try await ServicesInProcess.withFriends { services, ana, ben in
        let message = try await ana.write("hello", to: ben)
        let (blocker, blocked) = blocksReader ? (ana, ben) : (ben, ana)
        _ = try await blocker.send(CreateBlock.self, .init(accountID: blocked.id))
        _ = try await ana.send(RemoveMessage.self, .init(messageID: message.id))
        let events = try await services.published(MessageRemoved.self)
        #expect(events.map(\.accountID) == [ana.id, ben.id] && events.map(\.isSilent) == [nil, true])
      }
    }
  }

  @Test("A message can be neither edited nor removed after 15 minutes")
  func late() async throws {
    try await ServicesInProcess.withFriends { services, ana, ben in
      let message = try await ana.write("hello", to: ben)
      try services.clock.set("2026-11-21T12:15:00.000Z")
      #expect(try await ana.failure(EditMessage.self, edit(message, "bye")) == "message_too_old")
      #expect(try await ana.failure(RemoveMessage.self, .init(messageID: message.id)) == "message_too_old")
      #expect(try await ben.conversation(with: ana).items == [message])
    }
  }

  @Test("A removed message shows no text to either, is not in the store, and keeps its conversation in the list")
  func removed() async throws {
    try await ServicesInProcess.withFriends { services, ana, ben in
      let first = try await ana.write("first", to: ben)
      let last = try await ana.write("PLANTED text", to: ben)
      #expect(try await ben.conversations().map(\.unreadCount) == [2])
      _ = try await ana.send(RemoveMessage.self, .init(messageID: last.id))
      let shown = ChatMessage(
        id: last.id, fromAccountID: ana.id, text: nil, sentAt: last.sentAt, removedAt: services.clock.now)
      for (one, other) in [(ana, ben), (ben, ana)] {
        #expect(try await one.conversation(with: other).items == [shown, first])
        #expect(try await one.conversations().map(\.lastMessage) == [shown])
        #expect(try await one.search("planted", with: other) == [])
      }
      // What was removed is not to be read.
      #expect(try await ben.conversations().map(\.unreadCount) == [1])
      let events = try await services.published(MessageRemoved.self)
      #expect(events.map(\.accountID) == [ana.id, ben.id] && events.allSatisfy { $0.messageID == last.id })
      // Again it changes nothing, whenever that is.
      services.clock.advance(days: 1)
      _ = try await ana.send(RemoveMessage.self, .init(messageID: last.id))
      #expect(try await services.published(MessageRemoved.self).count == 2)
      #expect(try await services.store(of: .social).rows("message_texts") == 1)
      #expect(try await ana.failure(EditMessage.self, edit(last, "again")) == "message_removed")
    }
  }

  @Test("Removing a read message does not change the number of unread ones")
  func removedAfterReading() async throws {
    try await ServicesInProcess.withFriends { services, ana, ben in
      let read = try await ana.write("read", to: ben)
      _ = try await ben.send(MarkConversationRead.self, .init(accountID: ana.id, messageID: read.id))
      let unread = try await ana.write("unread", to: ben)
      _ = try await ana.send(RemoveMessage.self, .init(messageID: read.id))
      #expect(try await ben.conversations().map(\.unreadCount) == [1])
      _ = try await ana.send(RemoveMessage.self, .init(messageID: unread.id))
      #expect(try await ben.conversations().map(\.unreadCount) == [0])
      // Nor is it counted when a conversation is read up to a message before it.
      let (older, newer) = (try await ana.write("older", to: ben), try await ana.write("newer", to: ben))
      _ = try await ana.write("newest", to: ben)
      _ = try await ana.send(RemoveMessage.self, .init(messageID: newer.id))
      let left = try await ben.send(MarkConversationRead.self, .init(accountID: ana.id, messageID: older.id))
      #expect(left.unreadCount == 1)
    }
  }

  @Test("Changing another's or an unknown message is answered alike; a former friend can remove and not edit")
  func others() async throws {
    try await ServicesInProcess.withFriends { services, ana, ben in
      let eve = try await services.register()
      let message = try await ana.write("hello", to: ben)
      let unknown = ChatMessage(id: ID(), fromAccountID: ana.id, text: nil, sentAt: message.sentAt)
      for (person, message) in [(ben, message), (eve, message), (ana, unknown)] {
        #expect(try await person.failure(EditMessage.self, edit(message, "mine")) == "not_found")
        #expect(try await person.failure(RemoveMessage.self, .init(messageID: message.id)) == "not_found")
      }
      _ = try await ben.send(RemoveFriend.self, .init(accountID: ana.id))
      #expect(try await ana.failure(EditMessage.self, edit(message, "still here")) == "not_friends")
      _ = try await ana.send(RemoveMessage.self, .init(messageID: message.id))
      #expect(try await ben.conversation(with: ana).items.map(\.text) == [nil])
    }
  }

  @Test("Editing a message to an invalid text is refused with its rule")
  func badText() async throws {
    try await ServicesInProcess.withFriends { _, ana, ben in
      let message = try await ana.write("hello", to: ben)
      let cases = [(#""  ""#, "empty"), ("\"\(String(repeating: "x", count: 2001))\"", "too_long"), ("null", "null")]
      for (text, rule) in cases {
        let body = Array(#"{"messageID":"\#(message.id)","text":\#(text)}"#.utf8)
        let failure = await #expect(throws: Failure.self) {
          let _: ChatMessage = try await ana.send(EditMessage.self, json: body)
        }
        #expect(failure?.fields.map { "\($0.field) \($0.code)" } == ["text \(rule)"])
      }
    }
  }

  @Test("A message edited and removed concurrently ends as removed")
  func together() async throws {
    try await ServicesInProcess.withFriends { services, ana, ben in
      let message = try await ana.write("hello", to: ben)
      let input = try edit(message, "changed")
      try await services.together(2, writingTo: .social) { number in
        if number == 0 {
          #expect([nil, "message_removed"].contains(try await ana.failure(EditMessage.self, input)))
        } else {
          _ = try await ana.send(RemoveMessage.self, .init(messageID: message.id))
        }
      }
      let items = try await ben.conversation(with: ana).items
      #expect(items.map(\.text) == [nil] && items[0].removedAt != nil)
    }
  }

  @Test("The snapshot has each message's present state: its text, edited or not, or its removal")
  func snapshot() async throws {
    try await ServicesInProcess.withFriends { services, ana, ben in
      let (plain, edited, removed) = (
        try await ana.write("plain", to: ben), try await ana.write("PLANTED one", to: ben),
        try await ben.write("PLANTED two", to: ana)
      )
      _ = try await ana.send(EditMessage.self, edit(edited, "edited"))
      _ = try await ben.send(RemoveMessage.self, .init(messageID: removed.id))
      let snapshot = try await services.snapshot(of: .social).filter { $0.name.hasPrefix("messages.") }
      #expect(
        snapshot.map(\.name) == [
          "messages.sent", "messages.sent", "messages.edited", "messages.edited", "messages.removed", "messages.removed",
        ])
      let sent = try snapshot.prefix(2).map { try MessageSent.decode($0.body) }
      #expect(sent.map(\.messageID) == [plain.id, edited.id] && sent.map(\.text?.description) == ["plain", "edited"])
      #expect(!snapshot.contains { String(decoding: $0.body, as: UTF8.self).contains("PLANTED") })
    }
  }
}

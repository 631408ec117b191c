import InProcess
import Operations
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("The space of an account's messages")
struct MessageSpaceTests {
  @Test("An account's messages are limited over all conversations, with a clear refusal, and removing some frees room")
  func bound() async throws {
    // A character of 8 bytes makes messages large.
    let text = String(repeating: "a\u{0301}\u{0302}\u{0303}", count: 2000)
    let fitting = (1 << 20) / text.utf8.count
    try await ServicesInProcess.withFriends(settings: ["racha.messages.bytesPerAccount": "\(1 << 20)"]) { services, ana, ben in
      let eva = try await services.register()
      try await services.befriend(ana, eva)
      var sent: [ChatMessage] = []
      for number in 0..<fitting { sent.append(try await ana.write(text, to: number % 2 == 0 ? ben : eva)) }
      let failure = await #expect(throws: Failure.self) { _ = try await ana.write(text, to: eva) }
      #expect(failure?.code == "message_space_full" && failure?.status == 409 && failure?.parameters["max"] == .number(1))
      // Others' bytes are their own.
      _ = try await ben.write(text, to: ana)
      _ = try await ana.send(RemoveMessage.self, .init(messageID: sent[0].id))
      _ = try await ana.write(text, to: eva)
      #expect(
        try await ana.failure(SendMessage.self, .init(accountID: eva.id, text: ChatText(text: text))) == "message_space_full")
      _ = try await ana.send(EditMessage.self, .init(messageID: sent[1].id, text: ChatText(text: "short")))
      let again = EditMessage.Input(messageID: sent[2].id, text: try ChatText(text: text))
      #expect(try await ana.failure(EditMessage.self, again) == nil)
      _ = try await ana.write(text, to: eva)
      let longer = EditMessage.Input(messageID: sent[1].id, text: try ChatText(text: text))
      #expect(try await ana.failure(EditMessage.self, longer) == "message_space_full")
    }
  }

  @Test("What an account has sent is known without looking at its conversations")
  func effort() async throws {
    try await ServicesInProcess.withFriends { services, ana, ben in
      _ = try await ana.write("one", to: ben)
      let (store, account) = (services.store(of: .social), ana.id)
      let few = try await store.effort { _ = try MessageSpaceStore.bytes(of: account, in: $0) }
      try await store.write { transaction in
        for _ in 0..<500 {
          let other = AccountID()
          _ = try ConversationStore.findOrBegin(account, other, transaction)
          try ConversationStore.addBytes(7, of: account, to: other, in: transaction.database)
        }
      }
      #expect(try await store.read { try MessageSpaceStore.bytes(of: account, in: $0) } == 3503)
      let many = try await store.effort { _ = try MessageSpaceStore.bytes(of: account, in: $0) }
      #expect(many.steps <= few.steps + 2, "\(few.steps), \(many.steps)")
    }
  }
}

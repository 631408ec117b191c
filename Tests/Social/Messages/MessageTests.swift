import InProcess
import Operations
import SocialContract
import Testing

@Suite("Messages")
struct MessageTests {
  let identity = IdentityDouble()

  @Test("Messages are published with everything that the reader needs")
  func event() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      try await services.befriend(ana, ben)
      let message = try await services.send("two\nlines", from: ana, to: ben)
      let last = try #require(try await services.publishedButRelations().last)
      let event = try MessageSent.decode(last.body)
      #expect(event.messageID == message.id && event.toAccountID == ben.account && event.fromUsername == ana.username)
      #expect(event.text == message.text && event.at == message.sentAt)
    }
  }

  @Test("Messages repeated with their idempotency key, at once or later, are stored once")
  func repeating() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      try await services.befriend(ana, ben)
      let first = try await services.send("hello", from: ana, to: ben, key: "m1")
      let input = SendMessage.Input(accountID: ben.account, text: try #require(first.text))
      try await withThrowingTaskGroup(of: String?.self) { group in
        for _ in 0..<20 {
          group.addTask { try await services.refusal(SendMessage.self, input, as: ana.caller, key: "m1") }
        }
        for try await refusal in group { #expect(refusal == nil || refusal == "still_running") }
      }
      #expect(try await services.send("hello", from: ana, to: ben, key: "m1") == first)
      #expect(try await services.call(ListMessages.self, .init(accountID: ana.account), as: ben.caller).items == [first])
      let other = SendMessage.Input(accountID: ben.account, text: try ChatText(text: "other"))
      #expect(try await services.refusal(SendMessage.self, other, as: ana.caller, key: "m1") == "idempotency_key_reused")
    }
  }

  @Test("Concurrent messages of both are all in one conversation, and both have the right number of unread ones")
  func concurrency() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      try await services.befriend(ana, ben)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<60 {
          group.addTask {
            _ =
              try await index % 3 == 0
              ? services.send("\(index)", from: ana, to: ben) : services.send("\(index)", from: ben, to: ana)
          }
        }
        try await group.waitForAll()
      }
      var (input, texts) = (ListMessages.Input(accountID: ben.account, limit: 7), [String]())
      while true {
        let page = try await services.call(ListMessages.self, input, as: ana.caller)
        texts += page.items.compactMap(\.text?.description)
        guard let next = page.nextCursor else { break }
        input.cursor = next
      }
      #expect(texts.count == 60 && Set(texts).count == 60)
      #expect(try await services.call(ListConversations.self, .init(), as: ana.caller).items.map(\.unreadCount) == [40])
      #expect(try await services.call(ListConversations.self, .init(), as: ben.caller).items.map(\.unreadCount) == [20])
      let published = try await services.published(by: .social).filter { $0.name == "messages.sent" }
      #expect(Set(try published.map { try MessageSent.decode($0.body).conversationID }).count == 1)
    }
  }
}

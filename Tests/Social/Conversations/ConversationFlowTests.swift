import IdentityContract
import InProcess
import Operations
import SocialContract
import Testing

@Suite("Messaging flows between friends")
struct ConversationFlowTests {
  @Test("CU-14: a message to a listed friend arrives, and both see it in the conversation at once")
  func sending() async throws {
    try await ServicesInProcess.withFriends { services, ana, ben in
      let friend = try #require(try await ana.send(ListFriends.self, .init()).items.first)
      let opened = try await ana.send(ListMessages.self, .init(accountID: friend.accountID))
      #expect(opened.items.isEmpty && opened.isFriend && opened.username == friend.username && opened.unreadCount == 0)
      let message = try await ana.write("¡Hola!", to: ben)
      #expect(try await ana.conversation(with: ben).items == [message])
      #expect(try await ben.conversation(with: ana).items == [message])
      let sent = try await services.published(MessageSent.self)
      #expect(sent.map(\.toAccountID) == [ben.id] && sent.map(\.text?.description) == ["¡Hola!"])
    }
  }

  @Test("CU-14: a message that cannot be sent is refused with the reason, and can be sent again with the same key")
  func notSent() async throws {
    try await ServicesInProcess.withFriends { services, ana, ben in
      let input = SendMessage.Input(accountID: ben.id, text: try ChatText(text: "Hello"))
      _ = try await ben.send(RemoveFriend.self, .init(accountID: ana.id))
      #expect(try await ana.failure(SendMessage.self, input, key: "one") == "not_friends")
      #expect(try await services.published(MessageSent.self).isEmpty)
      try await services.befriend(ana, ben)
      let message = try await ana.send(SendMessage.self, input, key: "one")
      #expect(try await ana.send(SendMessage.self, input, key: "one") == message)
      #expect(try await ben.conversation(with: ana).items == [message])
    }
  }

  @Test(
    "CU-14: a message that was not sent, or may not have been, fails with a matching text in both languages",
    arguments: [SendMessage.spec, SendMessagePhoto.spec], Language.allCases)
  func words(spec: OperationSpec, language: Language) throws {
    let words = Words(Contract.social.words)
    let beginning = language == .english ? "Your message could not be sent" : "No se ha podido enviar tu mensaje"
    let unknown =
      language == .english ? "It is not known whether your message was sent" : "No se sabe si tu mensaje se ha enviado"
    let key =
      language == .english ? "same idempotency key: it is sent only once." : "clave de idempotencia: se enviará una sola vez."
    let codes: [RequestFailure] = [.overloaded, .storageFull, .storageReadOnly, .rateLimited]
    for code in codes {
      #expect(words.text("failure.\(code.rawValue).\(spec.name)", language)?.hasPrefix(beginning) == true, "\(code)")
    }
    for code in [RequestFailure.unavailable, .internalError, .timedOut] {
      let text = words.text("failure.\(code.rawValue).\(spec.name)", language)
      #expect(text?.hasPrefix(unknown) == true && text?.hasSuffix(key) == true, "\(code)")
    }
    let tag = String(spec.name.prefix { $0 != "." })
    #expect(words.text("failure.not_friends.\(tag)", language)?.hasPrefix(beginning) == true)
    #expect(words.text("failure.message_space_full", language)?.hasPrefix(beginning) == true)
  }

  @Test("CU-15: the list of conversations shows photo, names, last message, its writer and time")
  func conversations() async throws {
    try await ServicesInProcess.withFriends { services, ana, ben in
      let tag = String(repeating: "a", count: 32)
      try await services.change(ben, receivedBy: .social) { account in
        account.nickname = try Nickname(text: "Benji")
        account.photoTag = tag
      }
      _ = try await ana.write("first", to: ben)
      services.clock.advance(days: 1)
      let last = try await ben.write("last", to: ana)
      let shown = try #require(try await ana.conversations().first)
      #expect(shown.photoURL == PhotoURL(account: ben.id, tag: tag) && shown.nickname == "Benji")
      #expect(try shown.username == services.identity.username(of: ben.id))
      #expect(shown.lastMessage == last && last.fromAccountID == ben.id && last.sentAt == services.clock.now)
      #expect(shown.unreadCount == 1 && shown.isFriend)
    }
  }

  @Test("CU-16: a conversation shows all messages, page by page, with everything that its screen needs")
  func conversation() async throws {
    try await ServicesInProcess.withFriends { services, ana, ben in
      let tag = String(repeating: "b", count: 32)
      try await services.change(ben, receivedBy: .social) { account in
        account.nickname = try Nickname(text: "Benji")
        account.photoTag = tag
      }
      var sent: [ChatMessage] = []
      for number in 0..<5 {
        sent.append(try await (number % 2 == 0 ? ana : ben).write("\(number)", to: number % 2 == 0 ? ben : ana))
      }
      var (input, found) = (ListMessages.Input(accountID: ben.id, limit: 2), [ChatMessage]())
      while true {
        let page = try await ana.send(ListMessages.self, input)
        #expect(page.accountID == ben.id && page.nickname == "Benji" && page.photoURL == PhotoURL(account: ben.id, tag: tag))
        #expect(page.isFriend && page.unreadCount == 2)
        found += page.items
        guard let next = page.nextCursor else { break }
        input.cursor = next
      }
      #expect(found == sent.reversed())
    }
  }
}

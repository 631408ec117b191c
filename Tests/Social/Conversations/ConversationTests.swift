import InProcess
import Operations
import SocialContract
import Testing

@Suite("Conversations")
struct ConversationTests {
  let identity = IdentityDouble()

  @Test("Conversations are listed newest first, with the other's names, the last message and the number of unread ones")
  func listing() async throws {
    let (ana, ben, eva) = (try identity.person("ana"), try identity.person("ben", nickname: "Benji"), try identity.person("eva"))
    try await ServicesInProcess.social(identity) { services in
      try await services.befriend(ana, ben)
      try await services.befriend(ana, eva)
      _ = try await services.send("one", from: ben, to: ana)
      let two = try await services.send("two", from: ben, to: ana)
      let hello = try await services.send("hello", from: ana, to: eva)
      let anas = try await services.call(ListConversations.self, .init(), as: ana.caller).items
      #expect(anas.map(\.username?.description) == ["eva", "ben"])
      #expect(anas.map(\.unreadCount) == [0, 2])
      #expect(anas.map(\.lastMessage) == [hello, two])
      #expect(anas[1].nickname == "Benji" && anas[1].isFriend)
      let first = try await services.call(ListConversations.self, .init(limit: 1), as: ana.caller)
      let second = try await services.call(ListConversations.self, .init(limit: 1, cursor: first.nextCursor), as: ana.caller)
      #expect((first.items + second.items).map(\.id) == anas.map(\.id) && second.nextCursor == nil)
      #expect(try await services.call(ListConversations.self, .init(), as: eva.caller).items.map(\.unreadCount) == [1])
    }
  }

  @Test("A conversation is read up to a message, and never unread again")
  func reading() async throws {
    let (ana, ben, eve) = (try identity.person("ana"), try identity.person("ben"), try identity.person("eve"))
    try await ServicesInProcess.social(identity) { services in
      try await services.befriend(ana, ben)
      var messages: [ChatMessage] = []
      for index in 0..<5 { messages.append(try await services.send("\(index)", from: ben, to: ana)) }
      _ = try await services.send("mine", from: ana, to: ben)
      func read(_ index: Int, as person: IdentityDouble.Account, of other: IdentityDouble.Account) async throws -> Int {
        let input = MarkConversationRead.Input(accountID: other.account, messageID: messages[index].id)
        return try await services.call(MarkConversationRead.self, input, as: person.caller).unreadCount
      }
      #expect(try await read(2, as: ana, of: ben) == 2)
      #expect(try await read(0, as: ana, of: ben) == 2)
      #expect(try await read(4, as: ana, of: ben) == 0)
      #expect(try await services.call(ListConversations.self, .init(), as: ana.caller).items[0].unreadCount == 0)
      #expect(try await services.call(ListConversations.self, .init(), as: ben.caller).items[0].unreadCount == 1)
      let input = MarkConversationRead.Input(accountID: ben.account, messageID: messages[0].id)
      #expect(try await services.refusal(MarkConversationRead.self, input, as: eve.caller) == "not_found")
    }
  }

  @Test("Conversations of former friends can be read and not continued, and strangers see none")
  func standing() async throws {
    let (ana, ben, eve) = (try identity.person("ana"), try identity.person("ben"), try identity.person("eve"))
    try await ServicesInProcess.social(identity) { services in
      try await services.befriend(ana, ben)
      #expect(try await services.call(ListMessages.self, .init(accountID: ben.account), as: ana.caller).items.isEmpty)
      let message = try await services.send("before", from: ana, to: ben)
      _ = try await services.call(RemoveFriend.self, .init(accountID: ben.account), as: ana.caller)
      #expect(try await services.call(ListMessages.self, .init(accountID: ana.account), as: ben.caller).items == [message])
      #expect(try await services.call(ListConversations.self, .init(), as: ben.caller).items.map(\.isFriend) == [false])
      let input = SendMessage.Input(accountID: ana.account, text: try ChatText(text: "after"))
      #expect(try await services.refusal(SendMessage.self, input, as: ben.caller) == "not_friends")
      #expect(try await services.refusal(SendMessage.self, input, as: eve.caller) == "not_friends")
      #expect(try await services.refusal(SendMessage.self, input, as: ana.caller) == "not_friends")
      #expect(try await services.refusal(ListMessages.self, .init(accountID: ana.account), as: eve.caller) == "not_found")
      #expect(try await services.refusal(ListMessages.self, .init(accountID: AccountID()), as: eve.caller) == "not_found")
    }
  }
}

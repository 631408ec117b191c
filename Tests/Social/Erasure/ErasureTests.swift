import GRDB
import IdentityContract
import InProcess
import Operations
import SocialContract
import SocialService
import Storage
import Testing

@Suite("Erasing an account's friendships and messages (ID-12)")
struct ErasureTests {
  let identity = IdentityDouble()

  private func delete(_ person: IdentityDouble.Account, _ services: ServicesInProcess) async throws {
    try await services.hasReceived(.social, of: .identity)
    try await services.publish(.identity, AccountDeleted(deletionID: ID(), accountID: person.account, at: .now))
    try await services.store(of: .social).hasErased(person.account)
  }

  @Test("Erasing an account removes its messages and connections, and keeps the messages of its friends")
  func everyTable() async throws {
    let (ana, ben, eva, leo) = (
      try identity.person("ana"), try identity.person("ben"), try identity.person("eva"), try identity.person("leo")
    )
    try await ServicesInProcess.social(identity) { services in
      for friend in [ben, eva] { try await services.befriend(ana, friend) }
      try await services.befriend(ben, eva)
      _ = try await services.call(SendFriendRequest.self, .init(username: leo.username), as: ana.caller)
      _ = try await services.send("to ana", from: ben, to: ana)
      _ = try await services.send("PLANTED one", from: ana, to: ben, key: "key")
      _ = try await services.send("PLANTED two", from: ana, to: eva)
      _ = try await services.send("to eva", from: ben, to: eva)
      let store = services.store(of: .social)
      try await delete(ana, services)
      // Ids: of the conversation that is left, and in what says that friendships ended.
      let kept = ["conversation_sides.other_account", "conversations.low_account", "outbox.body"]
      #expect(try await store.traces(of: ana.account) == kept)
      #expect(
        try await store.erasedCounts(of: ana.account)
          == [
            "profiles 1", "links 0", "friendships 2", "friendRequests 3", "conversations 5", "messages 2", "follows 0",
            "followRequests 0", "blocks 0", "relations 3", "friendChallenges 0", "reports 0", "tasks 0", "taskComments 0",
            "attachments 0", "teams 0", "registerRecords 0",
            "events 18",
          ])

      #expect(try await services.call(ListFriends.self, .init(), as: ben.caller).items.map(\.accountID) == [eva.account])
      #expect(try await services.call(ListFriendRequests.self, .init(), as: leo.caller).items.isEmpty)
      let bens = try await services.call(ListConversations.self, .init(), as: ben.caller).items
      #expect(bens.map(\.accountID) == [eva.account, ana.account])
      #expect(bens[1].username == nil && !bens[1].isFriend && bens[1].unreadCount == 0)
      #expect(bens[1].lastMessage.text?.description == "to ana")
      let messages = try await services.call(ListMessages.self, .init(accountID: ana.account), as: ben.caller).items
      #expect(messages.compactMap(\.text?.description) == ["to ana"])
      // Where only the deleted account had written, nothing is left.
      #expect(try await services.call(ListConversations.self, .init(), as: eva.caller).items.map(\.accountID) == [ben.account])

      let input = SendMessage.Input(accountID: ana.account, text: try ChatText(text: "Hello?"))
      #expect(try await services.refusal(SendMessage.self, input, as: ben.caller) == "not_friends")
      let ended = try await services.published(by: .social).filter { $0.name == RelationChanged.spec.name }.suffix(3)
        .map { try RelationChanged.decode($0.body) }
      #expect(Set(ended.map(\.accountID)) == [ben.account, eva.account, leo.account])
      #expect(ended.allSatisfy { $0.otherAccountID == ana.account && $0.relation == Relation() })
      try await store.clean()
      #expect(!String(decoding: try services.storedBytes(), as: UTF8.self).contains("PLANTED"))
      // A new subscriber receives nothing of it.
      #expect(try await services.snapshot(of: .social).count == 6)
    }
  }

  @Test("Erasing an account removes its follows, and publishes their end; others' follows stay")
  func follows() async throws {
    let (ana, ben, eva) = (try identity.person("ana"), try identity.person("ben"), try identity.person("eva"))
    try await ServicesInProcess.social(identity) { services in
      try await services.follow(ana, ben)
      try await services.follow(eva, ana)
      try await services.follow(eva, ben)
      _ = try await services.call(SendFollowRequest.self, .init(username: eva.username), as: ana.caller)
      let store = services.store(of: .social)
      try await delete(ana, services)
      #expect(try await store.traces(of: ana.account) == ["outbox.body"])
      #expect(
        try await store.erasedCounts(of: ana.account) == [
          "profiles 1", "links 0", "friendships 0", "friendRequests 0",
          "conversations 0", "messages 0", "follows 2", "followRequests 3", "blocks 0",
          "relations 2", "friendChallenges 0", "reports 0", "tasks 0", "taskComments 0", "attachments 0", "teams 0",
          "registerRecords 0", "events 17",
        ])
      #expect(try await services.call(ListFollowers.self, .init(), as: ben.caller).items.map(\.accountID) == [eva.account])
      #expect(try await services.call(ListFollows.self, .init(), as: eva.caller).items.map(\.accountID) == [ben.account])
      #expect(try await services.call(ListFollowRequests.self, .init(), as: eva.caller).items.count == 1)
      let ended = try await services.publishedButRelations().suffix(2).map { try FollowChanged.decode($0.body) }
      #expect(ended.allSatisfy { $0.state == .ended && [$0.followerAccountID, $0.followedAccountID].contains(ana.account) })
      #expect(Set(ended.map(\.followerAccountID)) == [ana.account, eva.account])
      #expect(try await services.refusal(SendFollowRequest.self, .init(username: ana.username), as: ben.caller) == "unknown_user")
    }
  }

  @Test("A deleted account's messages are hidden at once, even while they are erased in steps")
  func meanwhile() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      try await services.befriend(ana, ben)
      _ = try await services.send("to ana", from: ben, to: ana)
      _ = try await services.send("to ben", from: ana, to: ben)
      let account = ana.account
      // As it is before the first step.
      try await services.store(of: .social).write { try $0.noteErasure(of: account, by: ID<Never>(), counts: #"{"counts":[]}"#) }
      let messages = try await services.call(ListMessages.self, .init(accountID: account), as: ben.caller).items
      #expect(messages.compactMap(\.text?.description) == ["to ana"])
      #expect(try await services.call(ListConversations.self, .init(), as: ben.caller).items.isEmpty)
      let input = SendMessage.Input(accountID: account, text: try ChatText(text: "Hello?"))
      #expect(try await services.refusal(SendMessage.self, input, as: ben.caller) == "not_friends")
    }
  }

  @Test("Late requests of an erased account are refused, and none can be sent to it")
  func late() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      try await services.befriend(ana, ben)
      try await delete(ana, services)
      #expect(
        try await services.refusal(SendFriendRequest.self, .init(username: ben.username), as: ana.caller) == "unauthenticated")
      #expect(try await services.refusal(SendFriendRequest.self, .init(username: ana.username), as: ben.caller) == "unknown_user")
      let input = SendMessage.Input(accountID: ben.account, text: try ChatText(text: "late"))
      #expect(try await services.refusal(SendMessage.self, input, as: ana.caller) == "session_revoked")
      #expect(try await services.store(of: .social).rows("friend_requests") == 0)
    }
  }
}

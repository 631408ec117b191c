import IdentityContract
import InProcess
import Operations
import SocialContract
import Storage
import Testing

@Suite("Relations between two accounts")
struct RelationTests {
  let identity = IdentityDouble()

  /// The last relation that was published of an account to another.
  private func last(_ account: AccountID, to other: AccountID, _ services: ServicesInProcess) async throws -> RelationChanged {
    let all = try await services.published(by: .social).filter { $0.name == RelationChanged.spec.name }
      .map { try RelationChanged.decode($0.body) }
    return try #require(all.last { $0.accountID == account && $0.otherAccountID == other })
  }

  @Test(
    "The relation of two accounts is published for each of them at every step of a friendship, with a growing revision")
  func friendship() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      let request = try await services.call(SendFriendRequest.self, .init(username: ben.username), as: ana.caller)
      let sent = try await last(ana.account, to: ben.account, services)
      #expect(sent.relation == Relation(friendRequest: .sent, friendRequestID: request.id))
      let received = try await last(ben.account, to: ana.account, services)
      #expect(received.relation == Relation(friendRequest: .received, friendRequestID: request.id))
      #expect(sent.revision == received.revision && !sent.isApart)
      _ = try await services.call(AcceptFriendRequest.self, .init(friendRequestID: request.id), as: ben.caller)
      let friends = try await last(ana.account, to: ben.account, services)
      #expect(friends.relation == Relation(isFriend: true) && friends.revision > sent.revision)
      _ = try await services.call(RemoveFriend.self, .init(accountID: ana.account), as: ben.caller)
      let ended = try await last(ana.account, to: ben.account, services)
      #expect(ended.relation == Relation() && ended.revision > friends.revision)
    }
  }

  @Test("The relation of two accounts includes follows and follow requests")
  func follows() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      let request = try await services.call(SendFollowRequest.self, .init(username: ben.username), as: ana.caller)
      #expect(try await last(ana.account, to: ben.account, services).relation == Relation(followRequestSentID: request.id))
      #expect(try await last(ben.account, to: ana.account, services).relation == Relation(followRequestReceivedID: request.id))
      _ = try await services.call(AcceptFollowRequest.self, .init(followRequestID: request.id), as: ben.caller)
      #expect(try await last(ana.account, to: ben.account, services).relation == Relation(follows: true))
      #expect(try await last(ben.account, to: ana.account, services).relation == Relation(isFollowedBy: true))
      _ = try await services.call(RemoveFollower.self, .init(accountID: ana.account), as: ben.caller)
      #expect(try await last(ana.account, to: ben.account, services).relation == Relation())
    }
  }

  @Test("The relation of two accounts is empty again after a rejected request")
  func rejection() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      let request = try await services.call(SendFriendRequest.self, .init(username: ben.username), as: ana.caller)
      _ = try await services.call(RejectFriendRequest.self, .init(friendRequestID: request.id), as: ben.caller)
      #expect(try await last(ana.account, to: ben.account, services).relation == Relation())
    }
  }
}

@Suite("Photos in lists of accounts")
struct PhotosInListsTests {
  /// A subscriber without history gets what identity's double has registered.
  let identity = IdentityDouble()

  @Test("Photos in lists have an address with their present version, for friends, requests, follows and conversations")
  func lists() async throws {
    try await ServicesInProcess.social(identity) { services in
      let (ana, ben) = (try await services.register(), try await services.register())
      let name = try identity.username(of: ben.id)
      let own = try identity.username(of: ana.id)
      _ = try await ana.send(SendFriendRequest.self, .init(username: name))
      _ = try await ben.send(SendFriendRequest.self, .init(username: own))
      let follow = try await ana.send(SendFollowRequest.self, .init(username: name))
      _ = try await ben.send(AcceptFollowRequest.self, .init(followRequestID: follow.id))
      _ = try await ana.send(SendMessage.self, .init(accountID: ben.id, text: try ChatText(text: "Hello")))
      for tag in [nil, "0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210"] {
        try await services.change(ben, receivedBy: .social) { $0.photoTag = tag }
        let expected = [tag.map { PhotoURL(account: ben.id, tag: $0) }]
        #expect(try await ana.send(ListFriends.self, .init()).items.map(\.photoURL) == expected)
        #expect(try await ana.send(ListFriendRequests.self, .init()).items.map(\.photoURL) == expected)
        #expect(try await ana.send(ListFollowRequests.self, .init()).items.map(\.photoURL) == expected)
        #expect(try await ana.send(ListFollows.self, .init()).items.map(\.photoURL) == expected)
        #expect(try await ana.send(ListConversations.self, .init()).items.map(\.photoURL) == expected)
      }
      #expect(try await ben.send(ListFollowers.self, .init()).items.map(\.photoURL) == [nil])
    }
  }
}

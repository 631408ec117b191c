import IdentityContract
import InProcess
import Operations
import SocialContract
import Testing

@Suite("Friends")
struct FriendTests {
  let identity = IdentityDouble()

  @Test("Friends are listed for both, by username, page by page")
  func listing() async throws {
    let ana = try identity.person("ana", nickname: "Anita")
    let others = try ["zoe", "ben", "mia", "leo", "eva"].map { try identity.person($0) }
    try await ServicesInProcess.social(identity) { services in
      for other in others { try await services.befriend(ana, other) }
      let first = try await services.call(ListFriends.self, .init(limit: 3), as: ana.caller)
      #expect(first.items.map(\.username.description) == ["ben", "eva", "leo"])
      let second = try await services.call(ListFriends.self, .init(limit: 3, cursor: first.nextCursor), as: ana.caller)
      #expect(second.items.map(\.username.description) == ["mia", "zoe"])
      #expect(second.nextCursor == nil)
      let bens = try await services.call(ListFriends.self, .init(), as: others[1].caller).items
      #expect(bens.map(\.accountID) == [ana.account] && bens.first?.nickname == "Anita")
    }
  }

  @Test("Friends stay sorted by name after a rename, and nothing of an ended friendship remains")
  func renamed() async throws {
    try await ServicesInProcess.withFriends { services, ana, ben in
      let eva = try await services.register()
      try await services.befriend(eva, ana)
      for (person, name) in [(ben, "zoe"), (eva, "mia"), (ana, "amy")] {
        try await services.change(person, receivedBy: .social) { $0.username = try Username(text: name) }
      }
      #expect(try await ana.send(ListFriends.self, .init()).items.map(\.username.description) == ["mia", "zoe"])
      #expect(try await ben.send(ListFriends.self, .init()).items.map(\.username.description) == ["amy"])
      try await services.change(eva, receivedBy: .social) { $0.username = try Username(text: "zzz") }
      let first = try await ana.send(ListFriends.self, .init(limit: 1))
      let second = try await ana.send(ListFriends.self, .init(limit: 1, cursor: first.nextCursor))
      #expect((first.items + second.items).map(\.username.description) == ["zoe", "zzz"] && second.nextCursor == nil)
      _ = try await eva.send(RemoveFriend.self, .init(accountID: ana.id))
      #expect(try await ana.send(ListFriends.self, .init()).items.map(\.username.description) == ["zoe"])
      #expect(try await services.store(of: .social).rows("friend_names") == 2)
    }
  }

  @Test("Lists of friends accept only cursors given by this list to this account")
  func cursors() async throws {
    let ana = try identity.person("ana")
    let others = try ["ben", "eva", "leo"].map { try identity.person($0) }
    try await ServicesInProcess.social(identity) { services in
      for other in others { try await services.befriend(ana, other) }
      try await services.befriend(others[0], others[1])
      let genuine = try #require(try await services.call(ListFriends.self, .init(limit: 1), as: ana.caller).nextCursor)
      let bens = try #require(try await services.call(ListFriends.self, .init(limit: 1), as: others[0].caller).nextCursor)
      let requests = try #require(try await services.call(ListFriendRequests.self, .init(limit: 1), as: ana.caller).nextCursor)
      #expect(try await services.call(ListFriends.self, .init(cursor: genuine), as: ana.caller).items.count == 2)
      var wrong = [bens, requests, try PageCursor(text: "leo"), try PageCursor(text: String(genuine.description.dropLast(4)))]
      // Any other character in any place.
      for index in genuine.description.indices {
        var text = genuine.description
        text.replaceSubrange(index...index, with: text[index] == "A" ? "B" : "A")
        wrong.append(try PageCursor(text: text))
      }
      for cursor in wrong {
        #expect(
          try await services.refusedFields(ListFriends.self, .init(cursor: cursor), as: ana.caller) == ["cursor invalid_cursor"])
      }
    }
  }

  @Test("A friendship is ended for both, once, and can be made again")
  func removing() async throws {
    let (ana, ben, eve) = (try identity.person("ana"), try identity.person("ben"), try identity.person("eve"))
    try await ServicesInProcess.social(identity) { services in
      try await services.befriend(ana, ben)
      #expect(try await services.refusal(RemoveFriend.self, .init(accountID: ben.account), as: eve.caller) == "not_found")
      _ = try await services.call(RemoveFriend.self, .init(accountID: ana.account), as: ben.caller)
      #expect(try await services.call(ListFriends.self, .init(), as: ana.caller).items.isEmpty)
      #expect(try await services.refusal(RemoveFriend.self, .init(accountID: ben.account), as: ana.caller) == "not_found")
      let ended = try await services.published(by: .social).suffix(2).map { try RelationChanged.decode($0.body) }
      #expect(Set(ended.map(\.accountID)) == [ana.account, ben.account] && ended.allSatisfy { !$0.relation.isFriend })
      // The request that was accepted once stays what it was and brings nothing back.
      let old = try await services.call(ListFriendRequests.self, .init(), as: ben.caller).items[0]
      _ = try await services.call(AcceptFriendRequest.self, .init(friendRequestID: old.id), as: ben.caller)
      #expect(try await services.call(ListFriends.self, .init(), as: ana.caller).items.isEmpty)
      try await services.befriend(ana, ben)
      #expect(try await services.call(ListFriends.self, .init(), as: ana.caller).items.count == 1)
    }
  }
}

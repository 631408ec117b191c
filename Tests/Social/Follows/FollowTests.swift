import GRDB
import IdentityContract
import InProcess
import Operations
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("Follows (SOC-7)")
struct FollowTests {
  let identity = IdentityDouble()

  @Test("Follows are listed for both sides by username, page by page")
  func listing() async throws {
    let ana = try identity.person("ana", nickname: "Anita")
    let others = try ["zoe", "ben", "mia", "leo", "eva"].map { try identity.person($0) }
    try await ServicesInProcess.social(identity) { services in
      for other in others { try await services.follow(ana, other) }
      for other in others.prefix(2) { try await services.follow(other, ana) }
      let first = try await services.call(ListFollows.self, .init(limit: 3), as: ana.caller)
      #expect(first.items.map(\.username.description) == ["ben", "eva", "leo"])
      let second = try await services.call(ListFollows.self, .init(limit: 3, cursor: first.nextCursor), as: ana.caller)
      #expect(second.items.map(\.username.description) == ["mia", "zoe"] && second.nextCursor == nil)
      let followers = try await services.call(ListFollowers.self, .init(), as: ana.caller).items
      #expect(followers.map(\.username.description) == ["ben", "zoe"])
      let bens = try await services.call(ListFollowers.self, .init(), as: others[1].caller).items
      #expect(bens.map(\.accountID) == [ana.account] && bens.first?.nickname == "Anita")
    }
  }

  @Test("Followers and followed accounts are listed with their photos")
  func photos() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      try await services.follow(ana, ben)
      #expect(try await services.call(ListFollowers.self, .init(), as: ben.caller).items.map(\.photoURL) == [nil])
      let tag = "0123456789abcdef0123456789abcdef"
      for person in [ana, ben] {
        var event = person.event
        (event.revision, event.photoTag) = (2, tag)
        try await services.publish(.identity, event)
      }
      try await services.hasReceived(.social, of: .identity)
      #expect(
        try await services.call(ListFollowers.self, .init(), as: ben.caller).items.map(\.photoURL)
          == [PhotoURL(account: ana.account, tag: tag)])
      #expect(
        try await services.call(ListFollows.self, .init(), as: ana.caller).items.map(\.photoURL)
          == [PhotoURL(account: ben.account, tag: tag)])
    }
  }

  @Test("Followers are listed under their present names, and not after unfollowing until they follow again")
  func renamed() async throws {
    let (ana, ben, eva) = (try identity.person("ana"), try identity.person("ben"), try identity.person("eva"))
    try await ServicesInProcess.social(identity) { services in
      for person in [ben, eva] { try await services.follow(person, ana) }
      func names() async throws -> [String] {
        try await services.call(ListFollowers.self, .init(), as: ana.caller).items.map(\.username.description)
      }
      #expect(try await names() == ["ben", "eva"])
      var event = ben.event
      (event.revision, event.username) = (2, try Username(text: "zoe"))
      try await services.publish(.identity, event)
      try await services.hasReceived(.social, of: .identity)
      #expect(try await names() == ["eva", "zoe"])
      _ = try await services.call(RemoveFollow.self, .init(accountID: ana.account), as: eva.caller)
      #expect(try await names() == ["zoe"])
      try await services.follow(eva, ana)
      #expect(try await names() == ["eva", "zoe"])
    }
  }

  @Test("Followers are read along an index without sorting, however many they are")
  func queryPlan() async throws {
    try await ServicesInProcess.social(identity) { services in
      let plan = try await services.store(of: .social).read { database in
        try Row.fetchAll(
          database, sql: "EXPLAIN QUERY PLAN \(FollowStore.listSQL(.followers))",
          arguments: ["account": AccountID(), "after": "", "last": AccountID.placeholder, "limit": 51]
        ).map { $0["detail"] as String }
      }
      #expect(plan.contains { $0.contains("followed_account=? AND (username,follower_account)>(?,?)") }, "\(plan)")
      #expect(!plan.contains { $0.hasPrefix("SCAN") || $0.contains("TEMP B-TREE") }, "\(plan)")
    }
  }

  @Test("Unfollowing ends a follow once, and strangers and former followers have nothing to end")
  func unfollowing() async throws {
    let (ana, ben, eve) = (try identity.person("ana"), try identity.person("ben"), try identity.person("eve"))
    try await ServicesInProcess.social(identity) { services in
      try await services.follow(ana, ben)
      let before = try FollowChanged.decode(
        try #require(try await services.publishedButRelations().first { $0.name == "follows.changed" }).body)
      #expect(try await services.refusal(RemoveFollow.self, .init(accountID: ben.account), as: eve.caller) == "not_found")
      #expect(try await services.refusal(RemoveFollow.self, .init(accountID: ana.account), as: ben.caller) == "not_found")
      _ = try await services.call(RemoveFollow.self, .init(accountID: ben.account), as: ana.caller)
      #expect(try await services.refusal(RemoveFollow.self, .init(accountID: ben.account), as: ana.caller) == "not_found")
      #expect(try await services.call(ListFollowers.self, .init(), as: ben.caller).items.isEmpty)
      let after = try FollowChanged.decode(try #require(try await services.publishedButRelations().last).body)
      #expect(after.state == .ended && after.followerAccountID == ana.account && after.revision > before.revision)
      // The request that was accepted once stays what it was and brings nothing back.
      let old = try await services.call(ListFollowRequests.self, .init(), as: ben.caller).items[0]
      _ = try await services.call(AcceptFollowRequest.self, .init(followRequestID: old.id), as: ben.caller)
      #expect(try await services.call(ListFollowers.self, .init(), as: ben.caller).items.isEmpty)
      try await services.follow(ana, ben)
      let again = try FollowChanged.decode(
        try #require(try await services.publishedButRelations().last { $0.name == "follows.changed" }).body)
      #expect(again.state == .accepted && again.revision > after.revision)
    }
  }

  @Test("Removing a follower ends the follow, and not the follower's other ones")
  func removing() async throws {
    let (ana, ben, eve) = (try identity.person("ana"), try identity.person("ben"), try identity.person("eve"))
    try await ServicesInProcess.social(identity) { services in
      try await services.follow(ana, ben)
      try await services.follow(ana, eve)
      #expect(try await services.refusal(RemoveFollower.self, .init(accountID: ben.account), as: ana.caller) == "not_found")
      _ = try await services.call(RemoveFollower.self, .init(accountID: ana.account), as: ben.caller)
      #expect(try await services.call(ListFollows.self, .init(), as: ana.caller).items.map(\.accountID) == [eve.account])
      #expect(try await services.refusal(RemoveFollower.self, .init(accountID: ana.account), as: ben.caller) == "not_found")
    }
  }

  @Test("Follows are independent of friendships")
  func friends() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      try await services.befriend(ana, ben)
      #expect(try await services.call(ListFollows.self, .init(), as: ana.caller).items.isEmpty)
      try await services.follow(ana, ben)
      _ = try await services.call(RemoveFriend.self, .init(accountID: ben.account), as: ana.caller)
      #expect(try await services.call(ListFollows.self, .init(), as: ana.caller).items.count == 1)
    }
  }

  @Test("An account follows at most a thousand others, pending requests included")
  func tooMany() async throws {
    let ana = try identity.person("ana")
    let others = try (0...1000).map { try identity.person("other\($0)") }
    try await ServicesInProcess.social(identity) { services in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for other in others.prefix(1000) {
          group.addTask { _ = try await services.call(SendFollowRequest.self, .init(username: other.username), as: ana.caller) }
        }
        try await group.waitForAll()
      }
      let input = SendFollowRequest.Input(username: others[1000].username)
      #expect(try await services.refusal(SendFollowRequest.self, input, as: ana.caller) == "too_many_follows")
      let request = try await services.call(ListFollowRequests.self, .init(), as: others[0].caller).items[0]
      _ = try await services.call(RejectFollowRequest.self, .init(followRequestID: request.id), as: others[0].caller)
      #expect(try await services.refusal(SendFollowRequest.self, input, as: ana.caller) == nil)
    }
  }

  @Test("Follows are published whole to subscribers without history, ended ones included")
  func snapshot() async throws {
    let people = try (0..<4).map { try identity.person("person\($0)") }
    try await ServicesInProcess.social(identity) { services in
      for one in people { for other in people where one.account != other.account { try await services.follow(one, other) } }
      _ = try await services.call(RemoveFollow.self, .init(accountID: people[1].account), as: people[0].caller)
      let published = try await services.publishedButRelations().filter { $0.name == "follows.changed" }
      var last: [[AccountID]: FollowChanged] = [:]
      for event in published {
        let change = try FollowChanged.decode(event.body)
        last[[change.followerAccountID, change.followedAccountID]] = change
      }
      let snapshot = try await services.snapshot(of: .social)
      let follows = try snapshot.filter { $0.name == "follows.changed" }.map { try FollowChanged.decode($0.body) }
      #expect(Set(follows) == Set(last.values) && follows.count == 12)
      #expect(follows.count { $0.state == .ended } == 1)
      #expect(snapshot.count { $0.name == "followRequests.sent" } == 12)
    }
  }
}

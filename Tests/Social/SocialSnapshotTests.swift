import InProcess
import Operations
import SocialContract
import Storage
import Testing

@Suite("Social's snapshot")
struct SocialSnapshotTests {
  let identity = IdentityDouble()

  @Test("Social's snapshot has requests, existing friendships and messages as they were first published")
  func whole() async throws {
    let people = try ["ana", "ben", "eva", "leo"].map { try identity.person($0) }
    let (ana, ben, eva, leo) = (people[0], people[1], people[2], people[3])
    try await ServicesInProcess.social(identity) { services in
      try await services.befriend(ana, ben)
      try await services.befriend(ana, eva)
      for number in 0..<5 {
        let (one, other) = number % 2 == 0 ? (ana, ben) : (ben, ana)
        _ = try await services.send("\(number)", from: one, to: other)
      }
      _ = try await services.send("and you", from: eva, to: ana)
      let refused = try await services.call(SendFriendRequest.self, .init(username: eva.username), as: leo.caller)
      _ = try await services.call(RejectFriendRequest.self, .init(friendRequestID: refused.id), as: eva.caller)
      _ = try await services.call(SendFriendRequest.self, .init(username: ana.username), as: leo.caller)
      _ = try await services.call(RemoveFriend.self, .init(accountID: eva.account), as: ana.caller)

      let published = try await services.publishedButRelations()
      // Of the two friendships only the first holds.
      let over = published.filter { $0.name == FriendRequestAccepted.spec.name }[1].number
      let expected = published.filter { $0.number != over }
      let snapshot = try await services.snapshot(of: .social).filter { $0.name != RelationChanged.spec.name }
      #expect(Set(snapshot.map { PublishedEvents($0) }) == Set(expected.map { PublishedEvents($0) }))
      #expect(snapshot.count == expected.count && snapshot.allSatisfy { $0.number == 0 })
      #expect(
        snapshot.filter { $0.name == MessageSent.spec.name }.map(\.body)
          == published.filter { $0.name == MessageSent.spec.name }.map(\.body))
    }
  }

  @Test("Social's snapshot has each relation as last published, for both accounts, ended ones included")
  func relations() async throws {
    let (ana, ben, eva) = (try identity.person("ana"), try identity.person("ben"), try identity.person("eva"))
    try await ServicesInProcess.social(identity) { services in
      try await services.befriend(ana, ben)
      try await services.befriend(ana, eva)
      try await services.follow(eva, ana)
      _ = try await services.call(RemoveFriend.self, .init(accountID: ben.account), as: ana.caller)
      func relations(_ events: [LoggedEvent]) throws -> [[AccountID]: RelationChanged] {
        let all = try events.filter { $0.name == RelationChanged.spec.name }.map { try RelationChanged.decode($0.body) }
        return Dictionary(all.map { ([$0.accountID, $0.otherAccountID], $0) }) { $0.revision > $1.revision ? $0 : $1 }
      }
      let published = try relations(try await services.published(by: .social))
      let snapshot = try relations(try await services.snapshot(of: .social))
      #expect(published.count == 4 && snapshot == published)
      #expect(snapshot[[ana.account, ben.account]]?.relation == Relation())
      #expect(snapshot[[eva.account, ana.account]]?.relation == Relation(isFriend: true, follows: true))
    }
  }

  /// What an event says, without its place in the log.
  private struct PublishedEvents: Hashable {
    let name: String
    let body: String

    init(_ event: LoggedEvent) {
      name = event.name
      body = String(decoding: event.body, as: UTF8.self)
    }
  }
}

import InProcess
import Operations
import SocialContract
import Storage
import Testing

@Suite("Social's snapshot")
struct SocialSnapshotTests {
  let identity = IdentityDouble()

  @Test("tells requests, friendships that hold, and messages as they were told when they came about")
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

      let published = try await services.published(by: .social)
      // Of the two friendships only the first holds.
      let over = published.filter { $0.name == FriendRequestAccepted.spec.name }[1].number
      let expected = published.filter { $0.name != FriendshipEnded.spec.name && $0.number != over }
      let snapshot = try await services.snapshot(of: .social)
      #expect(Set(snapshot.map { PublishedEvents($0) }) == Set(expected.map { PublishedEvents($0) }))
      #expect(snapshot.count == expected.count && snapshot.allSatisfy { $0.number == 0 })
      #expect(
        snapshot.filter { $0.name == MessageSent.spec.name }.map(\.body)
          == published.filter { $0.name == MessageSent.spec.name }.map(\.body))
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

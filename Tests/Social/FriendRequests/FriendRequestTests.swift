import InProcess
import Operations
import SocialContract
import Testing

@Suite("Friend requests, where they differ from follow requests")
struct FriendRequestTests {
  let identity = IdentityDouble()

  @Test("The second of two crossing friend requests accepts the first")
  func crossing() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.social(identity) { services in
      let first = try await services.call(SendFriendRequest.self, .init(username: ben.username), as: ana.caller)
      let second = try await services.call(SendFriendRequest.self, .init(username: ana.username), as: ben.caller)
      #expect(second.id == first.id && second.state == .accepted && second.direction == .received)
    }
  }

  @Test("Many concurrent crossing friend requests make one friendship for each pair")
  func crossingAtOnce() async throws {
    let ana = try identity.person("ana")
    let others = try (0..<40).map { try identity.person("friend\($0)") }
    try await ServicesInProcess.social(identity) { services in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for other in others {
          group.addTask {
            _ = try await services.refusal(SendFriendRequest.self, .init(username: other.username), as: ana.caller)
          }
          group.addTask {
            _ = try await services.refusal(SendFriendRequest.self, .init(username: ana.username), as: other.caller)
          }
        }
        try await group.waitForAll()
      }
      #expect(try await services.call(ListFriends.self, .init(limit: 100), as: ana.caller).items.count == others.count)
      let names = try await services.publishedButRelations().map(\.name)
      #expect(names.count { $0 == "friendRequests.sent" } == others.count)
      #expect(names.count { $0 == "friendRequests.accepted" } == others.count)
    }
  }
}

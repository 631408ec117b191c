import ActivityContract
import ActivityService
import InProcess
import Operations
import SocialContract
import SocialService
import Testing

@Suite("Activities of two accounts of which one has blocked the other (SOC-8)")
struct BlockedFollowerTests {
  @Test(
    "A block hides the activities of mutual followers from each other, also after unblocking, and from nobody else",
    arguments: [true, false])
  func closed(isOwnerBlocking: Bool) async throws {
    try await ServicesInProcess.running(HistoryTests.services) { services in
      let (ana, ben, eva) = (try await services.register(), try await services.register(), try await services.register())
      for person in [ana, ben, eva] { _ = try await person.makeActivity(title: "Walk") }
      for (follower, followed) in [(ana, ben), (ben, ana), (ana, eva)] {
        let request = try await follower.send(
          SendFollowRequest.self, .init(username: try services.identity.username(of: followed.id)))
        _ = try await followed.send(AcceptFollowRequest.self, .init(followRequestID: request.id))
      }
      try await services.hasReceived(.activity, of: .social)
      #expect(try await ana.send(ListFollowedActivities.self, .init()).items.map(\.accountID) == [ben.id, eva.id])
      let (blocker, blocked) = isOwnerBlocking ? (ben, ana) : (ana, ben)
      _ = try await blocker.send(CreateBlock.self, .init(accountID: blocked.id))
      for isBlocked in [true, false] {
        if !isBlocked { _ = try await blocker.send(DeleteBlock.self, .init(accountID: blocked.id)) }
        try await services.hasReceived(.activity, of: .social)
        #expect(try await ana.send(ListFollowedActivities.self, .init()).items.map(\.accountID) == [eva.id])
        #expect(try await ana.failure(ListFollowedActivities.self, .init(accountID: ben.id)) == "not_found")
        #expect(try await ben.send(ListFollowedActivities.self, .init()).items.isEmpty)
      }
    }
  }
}

import ActivityContract
import InProcess
import NotificationsContract
import Operations
import SocialContract
import SocialService
import Testing

@testable import NotificationsService

@Suite("Notifications that are no longer true")
struct RetractedNotificationTests {
  @Test("A request that is withdrawn leaves the inbox of who was asked, read or not, and one that is sent anew is notified anew")
  func withdrawn() async throws {
    let identity = IdentityDouble()
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.running(
      [{ Social.service($0) }, { try Notifications.service($0) }], identity: identity
    ) { services in
      func texts() async throws -> [String] {
        try await services.hasReceived(.notifications, of: .social)
        return try await services.call(ListNotifications.self, .init(), as: ben.caller).items.map(\.text)
      }
      try await services.hasReceived(.notifications, of: .social)
      let friend = try await services.call(SendFriendRequest.self, .init(username: ben.username), as: ana.caller)
      let follow = try await services.call(SendFollowRequest.self, .init(username: ben.username), as: ana.caller)
      #expect(try await texts() == ["ana wants to follow you.", "ana wants to be your friend."])
      _ = try await services.call(WithdrawFriendRequest.self, .init(friendRequestID: friend.id), as: ana.caller)
      #expect(try await texts() == ["ana wants to follow you."])
      _ = try await services.call(WithdrawFollowRequest.self, .init(followRequestID: follow.id), as: ana.caller)
      #expect(try await texts().isEmpty)
      #expect(try await services.call(CountUnreadNotifications.self, .init(), as: ben.caller).unreadCount == 0)
      _ = try await services.call(SendFriendRequest.self, .init(username: ben.username), as: ana.caller)
      #expect(try await texts() == ["ana wants to be your friend."])
    }
  }

  @Test("A challenge that is withdrawn leaves the inbox of who was challenged; one that was accepted does not")
  func challenges() throws {
    let (id, ben) = (ID<FriendChallenge>(), AccountID())
    func event(
      _ state: FriendChallengeState, _ direction: ConnectionRequestDirection, _ activity: ActivityID? = nil
    ) throws -> FriendChallengeChanged {
      FriendChallengeChanged(
        friendChallengeID: id, accountID: ben, direction: direction, otherAccountID: AccountID(),
        otherUsername: try Username(text: "ana"), activityTitle: "Walk", activityID: activity, state: state, revision: 1, at: .now
      )
    }
    let retraction = try #require(NotificationRetraction.all.first { $0.event == FriendChallengeChanged.self })
    let source = try #require(retraction.source(try event(.withdrawn, .received)))
    // One that ended before it was accepted leaves too; what was accepted has an activity.
    #expect(retraction.source(try event(.ended, .received)) == source)
    #expect(retraction.source(try event(.ended, .received, ActivityID())) == nil)
    #expect(source.accountID == ben && source.text == "friendChallenges.changed/\(id)/")
    for (state, direction) in [
      (FriendChallengeState.withdrawn, ConnectionRequestDirection.sent), (.accepted, .received), (.pending, .received),
    ] {
      #expect(retraction.source(try event(state, direction)) == nil)
    }
  }
}

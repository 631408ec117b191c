import ActivityContract
import InProcess
import NotificationsContract
import Operations
import RewardsContract
import ServiceKit
import SocialContract
import SocialService
import Testing

@testable import NotificationsService

@Suite("Withdrawn notifications")
struct RetractedNotificationTests {
  @Test("A withdrawn request leaves the recipient's inbox, read or not, and one that is sent again is notified again")
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

  @Test("A challenge no longer completed after a correction leaves the inbox, and so does a tier; others stay (REW-7)")
  func takenBack() async throws {
    let identity = IdentityDouble()
    let ana = try identity.person("ana")
    try await ServicesInProcess.running(
      [{ _ in ServiceDefinition(.rewards, migrations: []) }, { try Notifications.service($0) }], identity: identity
    ) { services in
      let (challenge, completion, tier) = (ChallengeID(), ID<CompletedChallenge>(), ID<CompletedChallenge>())
      let text = ChallengeText(title: "Walk", description: "Walk.", badge: "Walker")
      let texts = ChallengeTexts(en: text, es: text)
      func taken(_ id: ID<CompletedChallenge>, _ tier: ChallengeTier?) -> ChallengeCompletionReversed {
        ChallengeCompletionReversed(
          accountID: ana.account, challengeID: challenge, completionID: id, tier: tier, coins: 0, at: .now)
      }
      func kinds() async throws -> [String] {
        try await services.hasReceived(.notifications, of: .rewards)
        return try await services.call(ListNotifications.self, .init(), as: ana.caller).items.map(\.kind.rawValue)
      }
      try await services.publish(
        .rewards,
        ChallengeCompleted(
          accountID: ana.account, challengeID: challenge, completionID: completion, texts: texts, icon: .placeholder, coins: 5,
          at: .now),
        BadgeAwarded(
          accountID: ana.account, challengeID: challenge, completionID: tier, tier: .bronze, texts: texts, icon: .placeholder,
          at: .now))
      #expect(try await kinds() == ["badgeAwarded", "challengeCompleted"])
      try await services.publish(.rewards, taken(ID(), nil), taken(completion, nil))
      #expect(try await kinds() == ["badgeAwarded"])
      try await services.publish(.rewards, taken(tier, .bronze))
      #expect(try await kinds().isEmpty)
    }
  }

  @Test("A withdrawn challenge leaves the inbox of the challenged account, and an accepted one stays")
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

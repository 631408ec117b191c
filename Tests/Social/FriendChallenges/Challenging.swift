import ActivityContract
import ActivityService
import InProcess
import Operations
import SocialContract
import SocialService
import Storage

extension ServicesInProcess {
  /// Runs social and activity, with accounts that identity knows; it is Saturday the 21st.
  static func challenging(
    _ identity: IdentityDouble, home: String? = nil, _ body: (ServicesInProcess) async throws -> Void
  ) async throws {
    try await running([{ Social.service($0) }, { Activities.service($0) }], identity: identity, home: home, body)
  }

  func makeActivity(
    _ title: String = "Walk", of person: IdentityDouble.Account, goal: Goal = .check, schedule: Schedule = .daily,
    startDay: String = "2026-11-01", endDay: String? = nil, reminders: [String] = ["07:30"]
  ) async throws -> Activity {
    try await call(
      CreateActivity.self,
      .init(
        title: title, reason: "Together", category: .fitness, goal: goal, schedule: schedule,
        startDay: try LocalDay(text: startDay), endDay: try endDay.map { try LocalDay(text: $0) },
        reminders: try reminders.map { try ReminderTime(text: $0) },
        tags: [Tag(text: "secret")]), as: person.caller)
  }

  /// Challenges a friend to an activity.
  func challenge(
    _ friend: IdentityDouble.Account, to activity: Activity, by person: IdentityDouble.Account, key: String? = nil
  ) async throws -> FriendChallenge {
    try await call(
      SendFriendChallenge.self, .init(accountID: friend.account, activityID: activity.id), as: person.caller, key: key)
  }

  func accept(_ challenge: FriendChallenge, by person: IdentityDouble.Account) async throws -> FriendChallenge {
    try await call(AcceptFriendChallenge.self, .init(friendChallengeID: challenge.id), as: person.caller)
  }

  func challenges(
    of person: IdentityDouble.Account, _ direction: ConnectionRequestDirection? = nil, _ state: FriendChallengeState? = nil
  ) async throws -> [FriendChallenge] {
    try await call(ListFriendChallenges.self, .init(direction: direction, state: state), as: person.caller).items
  }

  func state(of challenge: FriendChallenge, for person: IdentityDouble.Account) async throws -> FriendChallengeState {
    try await call(GetFriendChallenge.self, .init(friendChallengeID: challenge.id), as: person.caller).state
  }

  /// The titles of an account's activities, once activity has received all that social has published.
  func activities(of person: IdentityDouble.Account) async throws -> [Activity] {
    try await hasReceived(.activity, of: .social)
    return try await call(ListActivities.self, .init(), as: person.caller).items.map(\.activity)
  }
}

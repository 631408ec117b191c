import ActivityContract
import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Challenges: sent, listed, shown, answered, withdrawn and ended.
enum FriendChallengeHandlers {
  /// Reads the caller's activity, at activity; for a friend alone.
  static func activity(_ input: SendFriendChallenge.Input, _ call: AccountCall) async throws -> ChallengeActivity {
    let (friend, activity) = try chosen(input)
    guard try await call.read({ try FriendStore.areFriends(call.account, friend, in: $0) }) else {
      throw MessageFailure.notFriends
    }
    return try await call.request(GetChallengeActivity.self, .init(accountID: call.account, activityID: activity))
  }

  static func send(
    _ input: SendFriendChallenge.Input, _ activity: ChallengeActivity, _ call: AccountCall, _ transaction: Transaction
  ) throws -> FriendChallenge {
    let (friend, activityID) = try chosen(input)
    let (account, database) = (call.account, transaction.database)
    guard try FriendStore.areFriends(account, friend, in: database) else { throw MessageFailure.notFriends }
    guard try !FriendChallengeStore.isOpen(from: account, to: friend, activityID, in: database) else {
      let other = try Accounts.known(friend, in: database)
      throw FriendChallengeFailure.alreadySent.with(["username": .text(other.username.description)])
    }
    let maximum = FriendChallengeRules.maximum
    guard try FriendChallengeStore.countOpen(from: account, in: database) < maximum else {
      throw FriendChallengeFailure.tooMany.with(["max": .number(maximum)])
    }
    let perDay = FriendChallengeRules.maxPerDay
    let sentAt = try FriendChallengeStore.sentAt(perDay, from: account, in: database)
    if let seconds = FriendChallengeRules.wait(sentAt: sentAt, at: call.now) {
      throw FriendChallengeFailure.tooManyToday.with(["max": .number(perDay)], retryAfterSeconds: seconds)
    }
    let id = try FriendChallengeStore.add(from: account, to: friend, activityID, activity, transaction)
    return try FriendChallengeStore.view(id, for: account, in: database)
  }

  static func list(
    _ input: ListFriendChallenges.Input, _ call: AccountCall, _ database: Database
  ) throws -> Page<FriendChallenge> {
    let isFirstView = input.direction == nil && input.state == nil
    return try FriendChallengeStore.list(
      for: call.account, direction: isFirstView ? .received : input.direction, state: isFirstView ? .accepted : input.state,
      call.page(input), in: database)
  }

  static func get(_ input: FriendChallengeName, _ call: AccountCall, _ database: Database) throws -> FriendChallenge {
    try FriendChallengeStore.view(input.friendChallengeID, for: call.account, in: database)
  }

  static func reject(_ input: FriendChallengeName, _ call: AccountCall, _ transaction: Transaction) throws -> FriendChallenge {
    try answer(.rejected, input, call, transaction)
  }

  static func withdraw(_ input: FriendChallengeName, _ call: AccountCall, _ transaction: Transaction) throws -> FriendChallenge {
    try answer(.withdrawn, input, call, transaction)
  }

  static func end(_ input: FriendChallengeName, _ call: AccountCall, _ transaction: Transaction) throws -> FriendChallenge {
    let (challenge, _) = try FriendChallengeStore.find(input.friendChallengeID, of: call.account, in: transaction.database)
    if try FriendChallengeRules.isEnded(challenge.state) { try FriendChallengeStore.end(challenge.id, transaction) }
    return try FriendChallengeStore.view(challenge.id, for: call.account, in: transaction.database)
  }

  private static func answer(
    _ answer: FriendChallengeState, _ input: FriendChallengeName, _ call: AccountCall, _ transaction: Transaction
  ) throws -> FriendChallenge {
    let (challenge, direction) = try FriendChallengeStore.find(
      input.friendChallengeID, of: call.account, in: transaction.database)
    if try FriendChallengeRules.isChanged(challenge.state, by: answer, direction) {
      try FriendChallengeStore.refuse(challenge.id, answer, transaction)
    }
    return try FriendChallengeStore.view(challenge.id, for: call.account, in: transaction.database)
  }

  /// Both of a form that has passed its own check.
  private static func chosen(_ input: SendFriendChallenge.Input) throws(Failure) -> (friend: AccountID, activity: ActivityID) {
    guard let friend = input.accountID, let activity = input.activityID else { throw Failure(RequestFailure.invalidFields) }
    return (friend, activity)
  }
}

// MARK: - Accepting

extension FriendChallengeHandlers {
  /// The possible results of accepting, by activity's answer.
  enum Plan: Sendable {
    /// It did not wait for the caller's answer, so that activity was not asked.
    case none
    /// The caller's own activity begins on that day.
    case begins(LocalDay)
    /// The challenger's activity is gone, or its last day is over.
    case over
  }

  /// Asks activity whether the caller can have the activity.
  static func plan(_ input: FriendChallengeName, _ call: AccountCall) async throws -> Plan {
    let (challenge, direction) = try await call.read {
      try FriendChallengeStore.find(input.friendChallengeID, of: call.account, in: $0)
    }
    guard try FriendChallengeRules.isChanged(challenge.state, by: .accepted, direction) else { return .none }
    do {
      let plan = try await call.request(
        PlanChallengeActivity.self,
        .init(
          accountID: call.account, challengerAccountID: challenge.from, challengerActivityID: challenge.fromActivity,
          activity: challenge.activity))
      return .begins(plan.startDay)
    } catch let failure as Failure
      where [ActivityFailure.notFound.rawValue, ChallengeActivityFailure.over.rawValue].contains(failure.code)
    {
      return .over
    }
  }

  /// Accepts the challenge: which activity the caller gets is decided here, and activity makes it by the event. One whose activity is gone
  /// ends instead.
  static func accept(
    _ input: FriendChallengeName, _ plan: Plan, _ call: AccountCall, _ transaction: Transaction
  ) throws -> Result<FriendChallenge, Failure> {
    let (challenge, direction) = try FriendChallengeStore.find(
      input.friendChallengeID, of: call.account, in: transaction.database)
    if try FriendChallengeRules.isChanged(challenge.state, by: .accepted, direction) {
      // Nor while the other is suspended: it has no part in anything then.
      let other = try Accounts.find(challenge.from, in: transaction.database)
      guard other?.isSuspended(at: call.now) != true else { throw Failure(RequestFailure.notFound) }
      switch plan {
      case .begins(let day): try FriendChallengeStore.accept(challenge, from: day, transaction)
      case .over:
        try FriendChallengeStore.end(challenge.id, transaction)
        return .failure(FriendChallengeFailure.over.with())
      // A challenge that was not pending before cannot become pending.
      case .none: throw Failure(RequestFailure.unavailable, retryAfterSeconds: 1)
      }
    }
    return .success(try FriendChallengeStore.view(challenge.id, for: call.account, in: transaction.database))
  }
}

import ActivityContract
import GRDB
import Operations
import ServiceKit

/// The activities of challenges, as social asks for them.
struct ChallengeActivityHandlers: Sendable {
  let calendars: AccountCalendars

  /// Ensures that the read model of accounts contains the challenger, whose days it provides.
  func requireChallenger(_ input: GetChallengeActivity.Input, _ call: OpenCall) async throws {
    try await require(input.accountID, call)
  }

  /// Ensures the same for the account that accepts.
  func requireAccepter(_ input: PlanChallengeActivity.Input, _ call: OpenCall) async throws {
    try await require(input.accountID, call)
  }

  func get(
    _ input: GetChallengeActivity.Input, _ prepared: Void, _ call: OpenCall, _ database: Database
  ) throws -> ChallengeActivity {
    let activity = try ActivityStore.find(input.activityID, of: input.accountID, in: database)
    guard !activity.isArchived else { throw ActivityFailure.archived }
    let shown = ChallengeActivity(activity)
    let today = try calendars.day(of: call.now, input.accountID, in: database)
    _ = try ChallengeActivityRules.startDay(of: shown, today: today)
    return shown
  }

  func plan(
    _ input: PlanChallengeActivity.Input, _ prepared: Void, _ call: OpenCall, _ database: Database
  ) throws -> PlanChallengeActivity.Output {
    try ActivityStore.require(input.challengerActivityID, of: input.challengerAccountID, in: database)
    let today = try calendars.day(of: call.now, input.accountID, in: database)
    let startDay = try ChallengeActivityRules.startDay(of: input.activity, today: today)
    try ActivityStore.requireRoom(of: input.accountID, in: database)
    return PlanChallengeActivity.Output(startDay: startDay)
  }

  private func require(_ account: AccountID, _ call: OpenCall) async throws {
    guard try await Accounts.resolve(account, call) != nil else { throw ActivityFailure.notFound }
  }
}

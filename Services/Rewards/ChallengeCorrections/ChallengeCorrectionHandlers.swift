import GRDB
import Operations
import RewardsContract
import ServiceKit
import Storage

/// Makes and lists corrections of completions.
struct ChallengeCorrectionHandlers: Sendable {
  let rewards: ChallengeRewards
  let calendars: AccountCalendars

  /// Ensures that the account is known to this service.
  static func prepare(_ input: ChallengeCorrectionInput, _ call: AccountCall) async throws {
    guard try await Accounts.resolve(input.accountID, call) != nil else { throw Failure(RequestFailure.notFound) }
  }

  func revoke(
    _ input: ChallengeCorrectionInput, _ prepared: Void, _ call: AccountCall, _ transaction: Transaction
  ) throws -> ChallengeCorrection {
    let (account, database) = (input.accountID, transaction.database)
    let (challenge, level) = try corrected(input, call, in: database)
    let completions = try ChallengeCompletionStore.all(of: account, in: database)
    guard completions[ChallengeLevel(challenge: challenge.id, level: level)]?.isCurrent == true else {
      throw ChallengeFailure.notHeld
    }
    var coins = 0
    for number in (level...challenge.thresholds.count).reversed() {
      let key = ChallengeLevel(challenge: challenge.id, level: number)
      guard var completion = completions[key], completion.isCurrent else { continue }
      let taken = try rewards.takeBack(completion, transaction)
      coins += taken
      completion.coins -= taken
      (completion.isCurrent, completion.correction) = (false, .revoked)
      try ChallengeCompletionStore.put(key, completion, of: account, in: database)
      try transaction.publish(
        ChallengeCompletionReversed(
          accountID: account, challengeID: challenge.id, completionID: completion.id, tier: challenge.tier(ofLevel: number),
          coins: taken, at: transaction.now))
    }
    return try note(input, challenge, level, isGranted: false, coins: coins, call, transaction)
  }

  func grant(
    _ input: ChallengeCorrectionInput, _ prepared: Void, _ call: AccountCall, _ transaction: Transaction
  ) throws -> ChallengeCorrection {
    let (account, database) = (input.accountID, transaction.database)
    let (challenge, level) = try corrected(input, call, in: database)
    let completions = try ChallengeCompletionStore.all(of: account, in: database)
    guard completions[ChallengeLevel(challenge: challenge.id, level: level)]?.isCurrent != true else {
      throw ChallengeFailure.held
    }
    let taken = try ChallengeCorrectionStore.revokedCoins(challenge.id, of: account, in: database)
    let today = try calendars.day(of: transaction.now, account, in: database)
    var coins = 0
    for number in 1...level {
      let key = ChallengeLevel(challenge: challenge.id, level: number)
      let before = completions[key]
      if var held = before, held.isCurrent {
        // A counted tier stays as long as the granted tier above it.
        held.correction = .granted
        try ChallengeCompletionStore.put(key, held, of: account, in: database)
        continue
      }
      let due = ChallengeCorrectionRules.due(challenge, before, taken: taken)
      var completion = ChallengeCompletion(
        id: ID(), days: before?.days ?? today...today, completedAt: transaction.now, coins: (before?.coins ?? 0) + due,
        isCurrent: true, transfer: before?.transfer, correction: .granted)
      if due > 0 { completion.transfer = try rewards.pay(due, for: challenge, completion.id, to: account, transaction) }
      try ChallengeCompletionStore.put(key, completion, of: account, in: database)
      coins += due
    }
    return try note(input, challenge, level, isGranted: true, coins: coins, call, transaction)
  }

  static func list(
    _ input: ListChallengeCorrections.Input, _ call: AccountCall, _ database: Database
  ) throws -> Page<ChallengeCorrection> {
    let page = try call.page(input)
    let found = try ChallengeCorrectionStore.list(
      of: input.accountID, before: page.cursor(ID<ChallengeCorrection>.init(text:)), limit: page.fetchLimit, in: database)
    return page.page(of: found, key: \.id) { $0 }
  }

  /// Checks and returns what to correct: administrators cannot correct their own account or an erased one.
  private func corrected(
    _ input: ChallengeCorrectionInput, _ call: AccountCall, in database: Database
  ) throws -> (challenge: KnownChallenge, level: Int) {
    guard input.accountID != call.account else { throw Failure(RequestFailure.forbidden) }
    guard try !database.isErased(input.accountID) else { throw Failure(RequestFailure.notFound) }
    let challenge = try ChallengeDefinitionStore.find(input.challengeID, in: database)
    do throws(FieldRule) {
      return (challenge, try ChallengeCorrectionRules.level(input.tier, of: challenge))
    } catch {
      throw Failure.field("tier", error)
    }
  }

  /// Records a correction and publishes it.
  private func note(
    _ input: ChallengeCorrectionInput, _ challenge: KnownChallenge, _ level: Int, isGranted: Bool, coins: Int,
    _ call: AccountCall, _ transaction: Transaction
  ) throws -> ChallengeCorrection {
    let correction = ChallengeCorrection(
      id: ID(), accountID: input.accountID, challengeID: challenge.id, tier: challenge.tier(ofLevel: level),
      isGranted: isGranted, coins: coins, reason: input.reason.trimmed, administratorAccountID: call.account, at: transaction.now)
    try ChallengeCorrectionStore.add(correction, level: level, in: transaction.database)
    try transaction.publish(ChallengeCorrected(correction, texts: challenge.terms.texts))
    return correction
  }
}

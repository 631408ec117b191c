import GRDB
import Operations
import RewardsContract
import ServiceKit
import Storage

/// Definitions, as administrators create and change them.
struct ChallengeDefinitionHandlers: Sendable {
  /// Wakes the worker that counts earlier activity for new definitions.
  let signal: WakeSignal

  @Sendable
  func create(_ input: ChallengeTerms, _ call: AccountCall, _ transaction: Transaction) throws -> ChallengeDefinition {
    let database = transaction.database
    guard try ChallengeDefinitionStore.activeCount(in: database) < ChallengeDefinitionStore.maxActive else {
      throw ChallengeFailure.tooMany.with(["max": .number(ChallengeDefinitionStore.maxActive)])
    }
    let id = ChallengeID()
    try ChallengeDefinitionStore.add(id, input, transaction)
    transaction.afterCommit { [signal] in signal.send() }
    return try ChallengeDefinitionStore.find(id, in: database).definition
  }

  @Sendable
  func update(_ input: UpdateChallenge.Input, _ call: AccountCall, _ transaction: Transaction) throws -> ChallengeDefinition {
    let database = transaction.database
    let known = try ChallengeDefinitionStore.find(input.challengeID, in: database)
    guard known.retiredAt == nil else { throw ChallengeFailure.retired }
    try ChallengeRules.checkEdit(input, of: known.terms)
    let terms = ChallengeTerms(
      rule: known.terms.rule, threshold: input.threshold.value ?? known.terms.threshold,
      tiers: input.tiers.value ?? known.terms.tiers, coins: input.coins.value ?? known.terms.coins,
      icon: input.icon.applied(to: known.terms.icon), texts: input.texts.applied(to: known.terms.texts))
    guard terms != known.terms else { return known.definition }
    try ChallengeDefinitionStore.edit(known.id, terms, in: database)
    transaction.afterCommit { [signal] in signal.send() }
    return try ChallengeDefinitionStore.find(known.id, in: database).definition
  }

  @Sendable
  static func retire(_ input: RetireChallenge.Input, _ call: AccountCall, _ transaction: Transaction) throws
    -> ChallengeDefinition
  {
    _ = try ChallengeDefinitionStore.find(input.challengeID, in: transaction.database)
    try ChallengeDefinitionStore.retire(input.challengeID, transaction)
    return try ChallengeDefinitionStore.find(input.challengeID, in: transaction.database).definition
  }

  @Sendable
  static func list(_ input: ListPage, _ call: AccountCall, _ database: Database) throws -> Page<ChallengeDefinition> {
    try ChallengeDefinitionStore.list(call.page(input), in: database)
  }
}

import GRDB
import Operations
import RewardsContract
import ServiceKit
import Storage

/// Lists open and completed challenges.
struct ChallengeHandlers: Sendable {
  let catalogues: ChallengeCatalogues
  let calendars: AccountCalendars
  let wording = ChallengeWording()

  @Sendable
  func list(_ input: Empty, _ call: AccountCall, _ database: Database) throws -> Page<Challenge> {
    let reading = try ChallengeReading(call.account, at: call.now, catalogues, calendars, database)
    var found: [Challenge] = []
    for known in reading.catalogue.all {
      guard let threshold = known.terms.threshold, reading.reached(known) == nil, let window = reading.window(known) else {
        continue
      }
      let progress = try reading.progress(known, in: window)
      let isBounded = window != ChallengeRules.ever
      found.append(
        Challenge(
          id: known.id, text: known.terms.texts[call.language], metric: known.terms.rule.metric, window: known.terms.rule.window,
          from: isBounded ? window.lowerBound : nil, to: isBounded ? window.upperBound : nil, threshold: threshold,
          progress: progress,
          remainingText: wording.remaining(max(0, threshold - progress), of: known.terms.rule.metric, call.language),
          coins: known.terms.coins ?? 0, icon: known.terms.icon))
    }
    // Sorted by the remaining share; equal shares in the order of the definitions.
    return Page(
      items: found.enumerated().sorted { left, right in
        let (one, other) = (left.element, right.element)
        let shares = (one.remaining * other.threshold, other.remaining * one.threshold)
        return shares.0 == shares.1 ? left.offset < right.offset : shares.0 < shares.1
      }.map(\.element), nextCursor: nil)
  }

  @Sendable
  func listCompleted(_ input: Empty, _ call: AccountCall, _ database: Database) throws -> Page<CompletedChallenge> {
    let reading = try ChallengeReading(call.account, at: call.now, catalogues, calendars, database)
    let found = reading.catalogue.all.compactMap { known -> CompletedChallenge? in
      guard known.terms.tiers == nil, let completion = reading.reached(known)?.completion else { return nil }
      return CompletedChallenge(
        id: known.id, text: known.terms.texts[call.language], completedAt: completion.completedAt, coins: completion.coins,
        icon: known.terms.icon)
    }
    return Page(items: found.sorted { ($0.completedAt, $0.id) > ($1.completedAt, $1.id) }, nextCursor: nil)
  }
}

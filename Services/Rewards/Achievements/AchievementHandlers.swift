import GRDB
import Operations
import RewardsContract
import ServiceKit
import Storage

/// Lists achievements, with the account's progress.
struct AchievementHandlers: Sendable {
  let catalogues: ChallengeCatalogues
  let calendars: AccountCalendars
  private let wording = ChallengeWording()

  init(catalogues: ChallengeCatalogues, calendars: AccountCalendars) {
    self.catalogues = catalogues
    self.calendars = calendars
  }

  @Sendable
  func list(_ input: Empty, _ call: AccountCall, _ database: Database) throws -> Page<Achievement> {
    let reading = try ChallengeReading(call.account, at: call.now, catalogues, calendars, database)
    var found: [Achievement] = []
    for known in reading.catalogue.all {
      let reached = reading.reached(known)
      let window = reading.window(known)
      // An achievement that is retired or over is shown only to accounts that reached a tier of it.
      guard let tiers = known.terms.tiers, window != nil || reached != nil else { continue }
      let progress = try reading.progress(known, in: window ?? ChallengeRules.ever)
      let next = window == nil || reached?.level == known.thresholds.count ? nil : (reached?.level ?? 0) + 1
      let remaining = next.map { max(0, known.thresholds[$0 - 1] - progress) }
      found.append(
        Achievement(
          id: known.id, text: known.terms.texts[call.language], metric: known.terms.rule.metric, tiers: tiers,
          tier: reached.flatMap { known.tier(ofLevel: $0.level) }, reachedAt: reached?.completion.completedAt,
          progress: progress, nextTier: next.flatMap { known.tier(ofLevel: $0) }, remaining: remaining,
          remainingText: remaining.map { wording.remaining($0, of: known.terms.rule.metric, call.language) },
          icon: known.terms.icon))
    }
    return Page(items: found, nextCursor: nil)
  }
}

import GRDB
import Operations
import RewardsContract
import Storage
import Synchronization

/// A definition as the engine uses it.
struct KnownChallenge: Sendable {
  let id: ChallengeID
  let terms: ChallengeTerms
  let createdAt: Instant
  let retiredAt: Instant?

  /// The thresholds of its levels, lowest first: one for a challenge, three for an achievement.
  var thresholds: [Int] {
    if let tiers = terms.tiers { return [tiers.bronze, tiers.silver, tiers.gold] }
    return [terms.threshold ?? .max]
  }

  /// The threshold of the first level.
  var lowestThreshold: Int { thresholds.first ?? .max }

  /// The tier of a level; nil for a challenge.
  func tier(ofLevel level: Int) -> ChallengeTier? { terms.tiers == nil ? nil : ChallengeTier.allCases[level - 1] }

  /// The UTC day on which it was created.
  var createdOn: LocalDay { LocalDay(daysSinceEpoch: Int32(createdAt.milliseconds.floorDivided(by: 86_400_000))) }

  /// The definition as administrators see it.
  var definition: ChallengeDefinition {
    ChallengeDefinition(id: id, terms: terms, createdAt: createdAt, retiredAt: retiredAt)
  }
}

/// All definitions at a given time.
struct ChallengeCatalogue: Sendable {
  let stamp: [UInt8]
  /// In order of creation.
  let all: [KnownChallenge]
  private let byMetric: [ChallengeMetric: [KnownChallenge]]

  init(stamp: [UInt8], _ all: [KnownChallenge]) {
    self.stamp = stamp
    self.all = all
    byMetric = Dictionary(grouping: all, by: { $0.terms.rule.metric })
  }

  /// The definitions that count a metric.
  subscript(metric: ChallengeMetric) -> [KnownChallenge] { byMetric[metric] ?? [] }

  func find(_ id: ChallengeID) -> KnownChallenge? { all.first { $0.id == id } }
}

/// Caches all definitions in memory, and reads them again whenever the store's stamp has changed.
final class ChallengeCatalogues: Sendable {
  private let last = Mutex<ChallengeCatalogue?>(nil)

  /// Returns the definitions as of this view of the store.
  func current(in database: Database) throws -> ChallengeCatalogue {
    let stamp = try ChallengeDefinitionStore.stamp(in: database)
    if let known = last.withLock({ $0 }), known.stamp == stamp { return known }
    let read = ChallengeCatalogue(stamp: stamp, try ChallengeDefinitionStore.all(in: database))
    last.withLock { $0 = read }
    return read
  }
}

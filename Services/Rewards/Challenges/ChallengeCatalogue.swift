import GRDB
import Operations
import RewardsContract
import Storage
import Synchronization

/// A definition as the engine needs it.
struct KnownChallenge: Sendable {
  let id: ChallengeID
  let terms: ChallengeTerms
  let createdAt: Instant
  let retiredAt: Instant?

  /// The thresholds of its levels, lowest first: one of a challenge, three of an achievement.
  var thresholds: [Int] {
    if let tiers = terms.tiers { return [tiers.bronze, tiers.silver, tiers.gold] }
    return [terms.threshold ?? .max]
  }

  /// The threshold of the first level.
  var lowestThreshold: Int { thresholds.first ?? .max }

  /// The tier of a level; nil of a challenge.
  func tier(ofLevel level: Int) -> ChallengeTier? { terms.tiers == nil ? nil : ChallengeTier.allCases[level - 1] }

  /// The day on which it was made, in UTC.
  var createdOn: LocalDay { LocalDay(daysSinceEpoch: Int32(createdAt.milliseconds.floorDivided(by: 86_400_000))) }

  /// As administrators see it.
  var definition: ChallengeDefinition {
    ChallengeDefinition(id: id, terms: terms, createdAt: createdAt, retiredAt: retiredAt)
  }
}

/// All definitions, as they stood at a time.
struct ChallengeCatalogue: Sendable {
  let stamp: [UInt8]
  /// In the order in which they were made.
  let all: [KnownChallenge]
  private let byMetric: [ChallengeMetric: [KnownChallenge]]

  init(stamp: [UInt8], _ all: [KnownChallenge]) {
    self.stamp = stamp
    self.all = all
    byMetric = Dictionary(grouping: all, by: { $0.terms.rule.metric })
  }

  /// Those that count a metric.
  subscript(metric: ChallengeMetric) -> [KnownChallenge] { byMetric[metric] ?? [] }

  func find(_ id: ChallengeID) -> KnownChallenge? { all.first { $0.id == id } }
}

/// Keeps the definitions in memory, as many as there are; read anew whenever the store's stamp is another.
final class ChallengeCatalogues: Sendable {
  private let last = Mutex<ChallengeCatalogue?>(nil)

  /// The definitions as this view of the store has them.
  func current(in database: Database) throws -> ChallengeCatalogue {
    let stamp = try database.first("SELECT stamp FROM challenge_stamps") { $0.bytes(0) } ?? []
    if let known = last.withLock({ $0 }), known.stamp == stamp { return known }
    let read = ChallengeCatalogue(stamp: stamp, try ChallengeDefinitionStore.all(in: database))
    last.withLock { $0 = read }
    return read
  }
}

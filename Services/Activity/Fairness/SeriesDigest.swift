import ActivityContract
import GRDB
import Operations
import Storage

/// What a day's samples of steps amount to as a series, whatever their ids and sources and in whatever order they came: a sum of their
/// hashes, from which a deleted sample is taken again. Samples of 0 are left out: who does not move does so like everybody.
struct SeriesDigest: Hashable, Sendable {
  private(set) var sum: UInt64 = 0
  private(set) var samples = 0

  mutating func add(_ spread: Spread) {
    guard spread.amount > 0 else { return }
    sum &+= SeriesDigest.hash(spread)
    samples += 1
  }

  mutating func add(_ other: SeriesDigest) {
    sum &+= other.sum
    samples += other.samples
  }

  /// Whether nothing was added, nor taken away.
  var isEmpty: Bool { self == SeriesDigest() }

  mutating func remove(_ spread: Spread) {
    guard spread.amount > 0 else { return }
    sum &-= SeriesDigest.hash(spread)
    samples -= 1
  }

  /// The finalizer of SplitMix64 over the sample's numbers, one after the other: the same in every process.
  private static func hash(_ spread: Spread) -> UInt64 {
    var hash: UInt64 = 0x9E37_79B9_7F4A_7C15
    for number in [UInt64(bitPattern: spread.from), UInt64(bitPattern: spread.until), UInt64(spread.amount)] {
      hash = (hash ^ number) &+ 0x9E37_79B9_7F4A_7C15
      hash = (hash ^ hash >> 30) &* 0xBF58_476D_1CE4_E5B9
      hash = (hash ^ hash >> 27) &* 0x94D0_49BB_1331_11EB
      hash ^= hash >> 31
    }
    return hash
  }
}

/// The digests of all accounts' days.
enum MovementSeries {
  /// Changes a day's digest, and looks whether another account had the same series first.
  ///
  /// - Parameter least: fewer samples are the same by chance; nil for not looking.
  static func change(
    _ day: LocalDay, of account: Int64, by change: SeriesDigest, least: Int?, in database: Database
  ) throws -> Bool {
    let before = try database.first(
      "SELECT digest, samples FROM movement_series WHERE account_number = ? AND day = ?", .integer(account), .day(day)
    ) { (digest: $0.number(0), samples: $0.number(1)) }
    let digest = (before?.digest ?? 0) &+ Int(truncatingIfNeeded: change.sum)
    let samples = (before?.samples ?? 0) + change.samples
    let isCopy: Bool
    if let least, samples >= least {
      isCopy =
        try database.first(
          """
          SELECT 1 FROM movement_series
          WHERE digest = ? AND samples = ? AND account_number <> ? AND is_copy = 0 LIMIT 1
          """, .number(digest), .number(samples), .integer(account)
        ) { _ in true } ?? false
    } else {
      isCopy = false
    }
    try database.run(
      """
      INSERT INTO movement_series (account_number, day, digest, samples, is_copy) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (account_number, day) DO UPDATE
      SET digest = excluded.digest, samples = excluded.samples, is_copy = excluded.is_copy
      """, .integer(account), .day(day), .number(digest), .number(samples), .truth(isCopy))
    return isCopy
  }
}

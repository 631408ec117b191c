import ActivityContract
import GRDB
import Operations
import Storage

/// The series of all accounts' days.
///
/// Days for which more earning movement may still be reported have sketches, see ``FairnessRules/firstOpenDay(on:)``. They are derived from
/// the samples: a missing sketch is built again. The lowest hashes of series that are not copies are indexed, so that a copy finds its
/// original among any number of days.
enum MovementSeriesStore {
  /// How many hashes of a day are indexed: a copy of a quarter of a day hits one of them in 99 of 100 cases.
  private static let indexed = 16
  /// How many days per hash, and how many accounts, are examined: more have the same hash by chance only where there is no copy.
  private static let maxDays = 8
  private static let maxAccounts = 8

  /// The known series of each day, in the table that ``MovementSampleStore/migration(_:)`` creates.
  static let table = """
    CREATE TABLE movement_series (
      account_number INTEGER NOT NULL REFERENCES movement_accounts,
      day INTEGER NOT NULL,
      digest INTEGER NOT NULL,
      samples INTEGER NOT NULL,
      is_copy INTEGER NOT NULL CHECK (is_copy IN (0, 1)),
      PRIMARY KEY (account_number, day)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX movement_series_by_digest ON movement_series (digest);
    """

  static func migration(_ number: Int) -> Migration {
    Migration(number, "sketches of series") { database in
      try database.execute(
        sql: """
          CREATE TABLE movement_sketches (
            account_number INTEGER NOT NULL REFERENCES movement_accounts,
            day INTEGER NOT NULL,
            -- Twelve bytes a sample: the hash, and the steps.
            sketch BLOB NOT NULL CHECK (length(sketch) % 12 = 0),
            PRIMARY KEY (account_number, day)
          ) STRICT, WITHOUT ROWID;

          -- The lowest hashes of days that are not copies and have enough samples to be copied.
          CREATE TABLE movement_sketch_hashes (
            account_number INTEGER NOT NULL,
            day INTEGER NOT NULL,
            hash INTEGER NOT NULL,
            PRIMARY KEY (account_number, day, hash),
            FOREIGN KEY (account_number, day) REFERENCES movement_sketches ON DELETE CASCADE
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX movement_sketch_hashes_by_hash ON movement_sketch_hashes (hash);
          """)
    }
  }

  /// Changes a day's series, and checks whether another account had the same, or nearly all of it, first.
  ///
  /// - Parameters:
  ///   - minimum: fewer samples are the same by chance; nil for not looking.
  ///   - isOpen: whether more of the day may be reported that earns.
  static func change(
    _ day: LocalDay, of account: Int64, by change: SeriesDigest, minimum: Int?, isOpen: Bool, in database: Database
  ) throws -> Bool {
    let before = try database.first(
      "SELECT digest, samples, is_copy FROM movement_series WHERE account_number = ? AND day = ?", .integer(account), .day(day)
    ) { (digest: $0.number(0), samples: $0.number(1), isCopy: $0.truth(2)) }
    let digest = (before?.digest ?? 0) &+ Int(truncatingIfNeeded: change.sum)
    let samples = (before?.samples ?? 0) + change.samples
    var isCopy = false
    if let minimum, samples >= minimum {
      isCopy =
        try database.first(
          """
          SELECT 1 FROM movement_series
          WHERE digest = ? AND samples = ? AND account_number <> ? AND is_copy = 0 LIMIT 1
          """, .number(digest), .number(samples), .integer(account)
        ) { _ in true } ?? false
    }
    if let minimum, isOpen {
      let sketch = try sketch(of: day, of: account, after: change, hadSamples: (before?.samples ?? 0) > 0, in: database)
      if !isCopy, sketch.items.count >= minimum {
        isCopy = try isCopied(sketch, of: account, minimum: minimum, wasCopy: before?.isCopy ?? false, in: database)
      }
      let isIndexed = !isCopy && sketch.items.count >= minimum
      try keep(sketch, of: day, of: account, indexed: isIndexed ? indexed : 0, in: database)
    }
    try database.run(
      """
      INSERT INTO movement_series (account_number, day, digest, samples, is_copy) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (account_number, day) DO UPDATE
      SET digest = excluded.digest, samples = excluded.samples, is_copy = excluded.is_copy
      """, .integer(account), .day(day), .number(digest), .number(samples), .truth(isCopy))
    return isCopy
  }

  /// Deletes the sketches of the days before the given one.
  static func forget(before day: LocalDay, of account: Int64, in database: Database) throws {
    try database.run("DELETE FROM movement_sketches WHERE account_number = ? AND day < ?", .integer(account), .day(day))
  }

  /// Returns the day's sketch after a change, which is already applied to the samples.
  private static func sketch(
    of day: LocalDay, of account: Int64, after change: SeriesDigest, hadSamples: Bool, in database: Database
  ) throws -> SeriesSketch {
    let known = try database.first(
      "SELECT sketch FROM movement_sketches WHERE account_number = ? AND day = ?", .integer(account), .day(day)
    ) { SeriesSketch(bytes: $0.bytes(0)) }
    guard var sketch = known ?? (hadSamples ? nil : SeriesSketch()) else {
      return try counted(day, of: account, in: database)
    }
    // A removed sample makes room for another only where it is in the sketch; it may occur a second time, too.
    sketch.formUnion(change.sketch)
    guard !change.removed.contains(where: sketch.contains(rankOf:)) else { return try counted(day, of: account, in: database) }
    return sketch
  }

  /// Builds the sketch of all samples of a day.
  private static func counted(_ day: LocalDay, of account: Int64, in database: Database) throws -> SeriesSketch {
    var sketch = SeriesSketch()
    let keys = SampleKey(account: account, kind: .steps, day: day).ofDay
    try database.each(
      """
      SELECT start_at, end_at, amount FROM movement_samples WHERE position >= ? AND position < ? AND form < 2 AND amount > 0
      """, .integer(keys.lowerBound), .integer(keys.upperBound)
    ) { row in
      let (start, end) = (Int64(row.number(0)), Int64(row.number(1)))
      sketch.insert(Spread(amount: row.number(2), from: start, until: max(end, start + 1), day: day, pieces: []))
      return true
    }
    return sketch
  }

  private static func keep(
    _ sketch: SeriesSketch, of day: LocalDay, of account: Int64, indexed: Int, in database: Database
  ) throws {
    try database.run(
      """
      INSERT INTO movement_sketches (account_number, day, sketch) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET sketch = excluded.sketch
      """, .integer(account), .day(day), .bytes(sketch.bytes))
    let wanted = Set(sketch.items.prefix(indexed).map { Int64(bitPattern: $0.key) })
    var present: Set<Int64> = []
    try database.each(
      "SELECT hash FROM movement_sketch_hashes WHERE account_number = ? AND day = ?", .integer(account), .day(day)
    ) {
      present.insert(Int64($0.number(0)))
      return true
    }
    for hash in present.subtracting(wanted) {
      try database.run(
        "DELETE FROM movement_sketch_hashes WHERE account_number = ? AND day = ? AND hash = ?", .integer(account), .day(day),
        .integer(hash))
    }
    for hash in wanted.subtracting(present) {
      try database.run(
        "INSERT INTO movement_sketch_hashes (account_number, day, hash) VALUES (?, ?, ?)", .integer(account), .day(day),
        .integer(hash))
    }
  }

  /// Whether nearly all of a day is another account's, as far as their sketches show.
  ///
  /// One account's day may be parts of two days of another in a different time zone: so an account's days are compared together.
  private static func isCopied(
    _ sketch: SeriesSketch, of account: Int64, minimum: Int, wasCopy: Bool, in database: Database
  ) throws -> Bool {
    var found: [Int64: (hits: Int, days: Set<LocalDay>)] = [:]
    for item in sketch.items.prefix(indexed) {
      try database.each(
        """
        SELECT account_number, day FROM movement_sketch_hashes WHERE hash = ? AND account_number <> ?
        ORDER BY account_number LIMIT \(maxDays)
        """, .integer(Int64(bitPattern: item.key)), .integer(account)
      ) {
        found[Int64($0.number(0)), default: (0, [])].hits += 1
        found[Int64($0.number(0)), default: (0, [])].days.insert($0.day(1))
        return true
      }
    }
    let likely = found.sorted { ($1.value.hits, $0.key) < ($0.value.hits, $1.key) }.prefix(maxAccounts)
    return try likely.contains { other, found in
      let sketches = try found.days.compactMap { day in
        try database.first(
          "SELECT sketch FROM movement_sketches WHERE account_number = ? AND day = ?", .integer(other), .day(day)
        ) { SeriesSketch(bytes: $0.bytes(0)) }
      }
      return SameSeriesRules.isCopy(sketch.overlap(with: sketches), minimum: minimum, wasCopy: wasCopy)
    }
  }
}

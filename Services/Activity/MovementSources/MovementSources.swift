import ActivityContract
import GRDB
import Operations
import Storage

/// The programs and devices that measured for an account, each kept once.
struct MovementSources {
  private let account: Int64
  private let database: Database
  private var known: [MovementSource: Int64] = [:]
  private var last: (source: MovementSource, number: Int64)?

  init(of account: Int64, in database: Database) {
    self.account = account
    self.database = database
  }

  /// The number of a sample's source, which is kept if it is new; nil if the account has as many as it may have.
  mutating func number(_ sample: MovementSample) throws -> Int64? {
    let source = MovementSource(
      source: sample.source, device: sample.device, isHandTyped: sample.isHandTyped == true ? true : nil)
    if let last, last.source == source { return last.number }
    guard let number = try known[source] ?? findOrAdd(source) else { return nil }
    known[source] = number
    last = (source, number)
    return number
  }

  private func findOrAdd(_ source: MovementSource) throws -> Int64? {
    let (name, device, isHandTyped) = (source.source ?? "", source.device ?? "", source.isHandTyped == true)
    let found = try database.first(
      """
      SELECT source_number FROM movement_sources
      WHERE account_number = ? AND source = ? AND device = ? AND is_hand_typed = ?
      """, .integer(account), .text(name), .text(device), .truth(isHandTyped)
    ) { Int64($0.number(0)) }
    if let found { return found }
    let (count, next) =
      try database.first(
        "SELECT count(*), ifnull(max(source_number), 0) + 1 FROM movement_sources WHERE account_number = ?", .integer(account)
      ) { ($0.number(0), Int64($0.number(1))) } ?? (0, 1)
    guard count < MovementSourceOrder.maxSources else { return nil }
    try database.run(
      """
      INSERT INTO movement_sources (account_number, source_number, source, device, is_hand_typed) VALUES (?, ?, ?, ?, ?)
      """, .integer(account), .integer(next), .text(name), .text(device), .truth(isHandTyped))
    return next
  }

  /// The account's sources by priority.
  static func ordered(of account: Int64, in database: Database) throws -> [KnownSource] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT source_number, nullif(source, '') AS source, nullif(device, '') AS device, is_hand_typed, position
        FROM movement_sources WHERE account_number = ?
        """)
    let rows = try Row.fetchAll(statement, arguments: [account])
    return KnownSource.sorted(
      rows.map { row in
        KnownSource(
          number: row["source_number"],
          source: MovementSource(
            source: row["source"], device: row["device"], isHandTyped: row["is_hand_typed"] as Bool ? true : nil),
          position: row["position"])
      })
  }

  /// Chooses the order, and notes the days that are to be counted anew for it.
  ///
  /// - Throws: `invalid_fields` where the account has no such source.
  static func order(_ sources: [MovementSource], of account: Int64, in database: Database) throws {
    let known = Dictionary(uniqueKeysWithValues: try ordered(of: account, in: database).map { ($0.source, $0.number) })
    try database.run("UPDATE movement_sources SET position = NULL WHERE account_number = ?", .integer(account))
    var unknown: [FieldProblem] = []
    for (index, source) in sources.enumerated() {
      let wanted = MovementSource(
        source: source.source, device: source.device, isHandTyped: source.isHandTyped == true ? true : nil)
      guard let number = known[wanted] else {
        unknown.append(FieldProblem(field: "sources[\(index)]", OrderMovementSources.unknownSource))
        continue
      }
      try database.run(
        "UPDATE movement_sources SET position = ? WHERE account_number = ? AND source_number = ?", .number(index),
        .integer(account), .integer(number))
    }
    guard unknown.isEmpty else { throw Failure(RequestFailure.invalidFields, fields: unknown) }
    // The same time may lie in different days for different sources, where the account travelled in between.
    try database.run(
      """
      INSERT OR IGNORE INTO movement_stale_days
      SELECT DISTINCT one.account_number, one.kind, one.day
      FROM movement_day_sources AS one JOIN movement_day_sources AS other
        ON other.account_number = one.account_number AND other.kind = one.kind AND other.day BETWEEN one.day - 2 AND one.day + 2
        AND other.source_number <> one.source_number AND other.from_at < one.until_at AND other.until_at > one.from_at
      WHERE one.account_number = ?
      """, .integer(account))
  }
}

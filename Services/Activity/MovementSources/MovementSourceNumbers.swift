import ActivityContract
import GRDB
import Operations
import Storage

/// The programs and devices that measured for an account, each kept once.
struct MovementSourceNumbers {
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
}

import ActivityContract
import GRDB
import Operations
import Storage

/// The programs and devices that measured for an account, each stored once.
struct MovementSourceNumbers {
  private let account: Int64
  private let database: Database
  private var known: [MovementSource: Int64] = [:]
  private var last: (source: MovementSource, number: Int64)?

  init(of account: Int64, in database: Database) {
    self.account = account
    self.database = database
  }

  /// Returns the number of a sample's source, which is stored if it is new; nil if the account has reached the maximum number of sources.
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
    try MovementSourceStore.number(of: source, account, in: database)
      ?? MovementSourceStore.add(source, of: account, in: database)
  }
}

import Foundation
import GRDB
import Operations
import RewardsContract
import Storage

/// Verifies a ledger (REW-2): every balance against its transfers, the remaining coins of lots against their moves, each balance against
/// its lots; that all balances add up to zero, numbers have no gaps, and every transfer has a cause.
///
/// Transfers never change, so a ledger in use is verified in pieces, each in one read transaction: ``init(in:naming:)``, then
/// ``checkTransfers(after:atMost:in:)`` for all numbers up to ``last``, ``checkPersons(after:atMost:in:)`` for all persons and
/// ``checkLots(after:atMost:in:)`` for all lots, then ``end()``.
public struct LedgerCheck: Sendable {
  /// How many transfers, persons or lots one piece covers at most.
  static let piece = 2_000
  /// The maximum number of faults that are described; further ones are only counted.
  private let maxNamed: Int

  /// The number of the last transfer when verification began.
  let last: Int
  /// The balances of the system's accounts at that time, less the amounts of the transfers verified so far.
  private var system: [Int64: Int] = [:]
  /// How much more the persons verified so far have than their transfers add up to.
  private var excess = 0
  /// Descriptions of the faults.
  public private(set) var faults: [String] = []
  /// The number of faults, including those not described.
  public private(set) var count = 0

  /// Begins with the transfers there are.
  init(in database: Database, naming maxNamed: Int = 100) throws {
    self.maxNamed = maxNamed
    last = try LedgerCheckStore.lastTransfer(in: database)
    system = try LedgerCheckStore.systemBalances(in: database)
  }

  /// The number of transfers when verification began.
  public var transfers: Int { last }

  /// Verifies the ledger in a file: a store, also one in use, or a copy. Changes nothing.
  ///
  /// - Throws: ``Unreadable`` where the file is not a store of rewards, or one of an earlier version; `DatabaseError` where it cannot be
  ///   read.
  public static func prove(path: String) throws -> LedgerCheck {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(5)
    // Without a write-ahead log the file is not in use, and no file may appear next to it.
    let isAlone = !FileManager.default.fileExists(atPath: "\(path)-wal")
    let name = isAlone ? "\(URL(fileURLWithPath: path).absoluteString)?immutable=1" : path
    return try DatabaseQueue(path: name, configuration: configuration).read { database in
      guard try database.tableExists("ledger_accounts") else { throw Unreadable(description: "it is no store of rewards") }
      guard try database.tableExists("challenge_rewards") else {
        throw Unreadable(description: "it is of an earlier version; a service that starts with it brings it up to date")
      }
      return try prove(in: database)
    }
  }

  /// Why a file cannot be verified.
  public struct Unreadable: Error, CustomStringConvertible {
    public let description: String
  }

  /// Verifies everything in one read and returns the faults.
  static func faults(in database: Database, naming maxNamed: Int = 100) throws -> [String] {
    try prove(in: database, naming: maxNamed).faults
  }

  /// Verifies everything in one read.
  static func prove(in database: Database, naming maxNamed: Int = 100) throws -> LedgerCheck {
    var check = try LedgerCheck(in: database, naming: maxNamed)
    var number: Int? = 0
    while let after = number { number = try check.checkTransfers(after: after, in: database) }
    var person: Int64? = 0
    while let after = person { person = try check.checkPersons(after: after, in: database) }
    var lot: Int64? = 0
    while let after = lot { lot = try check.checkLots(after: after, in: database) }
    check.end()
    return check
  }

  private mutating func note(_ fault: String) {
    count += 1
    if count <= maxNamed { faults.append(fault) }
  }

  /// Verifies the transfers after that number.
  ///
  /// - Returns: the last number verified; nil where there are no more.
  mutating func checkTransfers(after number: Int, atMost count: Int = LedgerCheck.piece, in database: Database) throws -> Int? {
    let end = min(number + count, last)
    let found = try LedgerCheckStore.transfers(after: number, through: end, in: database)
    var expected = number + 1
    for row in found {
      let number: Int = row["number"]
      if number != expected { note("transfer \(expected) is missing") }
      expected = number + 1
      try checkTransfer(row)
    }
    if expected != end + 1 { note("transfer \(expected) is missing") }
    return end == last ? nil : end
  }

  private mutating func checkTransfer(_ row: Row) throws {
    let (number, coins): (Int, Int) = (row["number"], row["coins"])
    let (debit, credit): (Int64, Int64) = (row["debit_id"], row["credit_id"])
    if system[debit] != nil { system[debit, default: 0] += coins }
    if system[credit] != nil { system[credit, default: 0] -= coins }
    let debitsPerson: Bool = row["debits_person"]
    if debitsPerson == (row["credits_person"] as Bool) || system[debitsPerson ? credit : debit] == nil {
      note("transfer \(number) is not between a person and the system")
    }
    let moved: Int = row["moved"]
    if moved != (debitsPerson ? -coins : coins) || row["foreign_lots"] as Int > 0 {
      note("transfer \(number) moves \(debitsPerson ? -coins : coins) coins, and \(moved) of lots")
    }
    if Transfer.Kind(rawValue: row["kind"]) == nil { note("transfer \(number) is of a kind that is not known") }
    if !(row["has_cause"] as Bool? ?? false) { note("transfer \(number) has no cause") }
  }

  /// Verifies the persons after that one.
  ///
  /// - Returns: the last person verified; nil where there are no more.
  mutating func checkPersons(
    after person: Int64, atMost count: Int = LedgerCheck.piece, in database: Database
  ) throws -> Int64? {
    let found = try LedgerCheckStore.persons(after: person, limit: count, in: database)
    for row in found {
      let (id, balance, moved, held): (Int64, Int, Int, Int) = (row["id"], row["balance"], row["moved"], row["held"])
      excess += balance - moved
      if balance < 0 { note("account \(id) has \(balance) coins") }
      if balance != moved { note("account \(id) has \(balance) coins, its transfers add up to \(moved)") }
      if balance != held { note("account \(id) has \(balance) coins, its lots hold \(held)") }
    }
    return found.count < count ? nil : found.last?["id"]
  }

  /// Verifies the lots after that one.
  ///
  /// - Returns: the last lot verified; nil where there are no more.
  mutating func checkLots(after lot: Int64, atMost count: Int = LedgerCheck.piece, in database: Database) throws -> Int64? {
    let found = try LedgerCheckStore.lots(after: lot, limit: count, in: database)
    for row in found {
      let (id, rest, moved): (Int64, Int, Int) = (row["lot_id"], row["rest"], row["moved"])
      if rest < 0 || rest != moved { note("lot \(id) holds \(rest) coins, its moves add up to \(moved)") }
    }
    return found.count < count ? nil : found.last?["lot_id"]
  }

  /// Reports faults of the system's accounts, and of all balances together, once all else was verified.
  mutating func end() {
    for (id, rest) in system.sorted(by: { $0.key < $1.key }) where rest != 0 {
      note("account \(id) of the system has \(rest) coins more than its transfers add up to")
    }
    // Transfers add up to zero, so the balances do but for what they are more than their transfers. Unlike their own sum, that is the same
    // whichever transfers are made between two pieces.
    let sum = system.values.reduce(excess, +)
    guard sum != 0 else { return }
    count += 1
    // Before the particular ones.
    faults = Array((["all balances add up to \(sum)"] + faults).prefix(maxNamed))
  }
}

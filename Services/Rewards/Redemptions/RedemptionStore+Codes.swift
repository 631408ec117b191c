import Foundation
import GRDB
import Operations
import RewardsContract
import Storage

/// The sealed codes in the rows of redemptions; ``SealedCodes`` seals and reads them.
extension RedemptionStore {
  /// The sealed code of a redemption; nil where it has none.
  static func sealedCode(of redemption: RedemptionID, in database: Database) throws -> [UInt8]? {
    try database.first(
      "SELECT sealed_code FROM redemptions WHERE redemption_id = ? AND sealed_code IS NOT NULL", .id(redemption)
    ) { $0.bytes(0) }
  }

  static func setSealedCode(_ sealed: [UInt8], of redemption: RedemptionID, in database: Database) throws {
    try database.run("UPDATE redemptions SET sealed_code = ?2 WHERE redemption_id = ?1", .id(redemption), .bytes(sealed))
  }

  static func removeSealedCode(of redemption: RedemptionID, in database: Database) throws {
    try database.run("UPDATE redemptions SET sealed_code = NULL WHERE redemption_id = ?", .id(redemption))
  }

  /// How the sealed codes begin: there is one beginning for each key under which any of them rest.
  static func heads(in database: Database) throws -> [[UInt8]] {
    let next = """
      SELECT substr(sealed_code, 1, 6) FROM redemptions INDEXED BY redemptions_by_key
      WHERE sealed_code IS NOT NULL AND substr(sealed_code, 1, 6) > ? ORDER BY substr(sealed_code, 1, 6) LIMIT 1
      """
    var heads: [[UInt8]] = []
    while let head = try database.first(next, .bytes(heads.last ?? []), read: { $0.bytes(0) }) { heads.append(head) }
    return heads
  }

  /// The first redemptions after the given one whose sealed codes begin so.
  static func sealed(
    beginning head: [UInt8], after last: RedemptionID, limit: Int, in database: Database
  ) throws -> [RedemptionID] {
    let statement = try database.cachedStatement(
      sql: """
        SELECT redemption_id FROM redemptions INDEXED BY redemptions_by_key
        WHERE sealed_code IS NOT NULL AND substr(sealed_code, 1, 6) = ? AND redemption_id > ? ORDER BY redemption_id LIMIT ?
        """)
    return try RedemptionID.fetchAll(statement, arguments: [Data(head), last, limit])
  }
}

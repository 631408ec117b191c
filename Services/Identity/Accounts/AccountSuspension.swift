import GRDB
import Operations
import Storage

/// Until when an account is suspended, which its row says (SOC-8).
enum AccountSuspension {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "until when accounts are suspended") { database in
      try database.execute(
        sql: """
          -- Until when it is suspended; in the past where it was.
          ALTER TABLE accounts ADD COLUMN suspended_until INTEGER;
          """)
    }
  }
}

extension AccountRecord {
  /// Whether it is suspended at that time.
  func isSuspended(at now: Instant) -> Bool { suspendedUntil.map { now < $0 } ?? false }
}

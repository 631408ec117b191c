import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// The days that an account lost because its local time jumped forward past the end of a day: it travelled east, changed the hour at which
/// its day starts, or its zone moved across the date line. The account had no full day to do what was planned.
///
/// Local time that jumps back loses no day: a day occurs twice, and its entries stay.
enum LostDayStore {
  static func migration(_ number: Int) -> Migration {
    Migration(number, "lost days") { database in
      try database.execute(
        sql: """
          CREATE TABLE lost_days (
            account_id BLOB NOT NULL CHECK (length(account_id) = 16),
            day INTEGER NOT NULL,
            PRIMARY KEY (account_id, day)
          ) STRICT, WITHOUT ROWID;
          """)
    }
  }

  /// Records the days that an account loses by changing how it counts its days.
  static func note(_ move: AccountMove, _ zones: TimeZones, _ transaction: Transaction) throws {
    let (before, after) = (
      LocalCalendar(zones.offsets(move.from.timeZone), dayStartHour: move.from.dayStartHour),
      LocalCalendar(zones.offsets(move.to.timeZone), dayStartHour: move.to.dayStartHour)
    )
    for day in LocalCalendar.lost(from: before.local(transaction.now), to: after.local(transaction.now)) {
      try transaction.database.run(
        "INSERT INTO lost_days (account_id, day) VALUES (?, ?) ON CONFLICT DO NOTHING", .id(move.account), .day(day))
    }
  }

  /// The days that the account has lost.
  static func find(_ account: AccountID, _ calendar: LocalCalendar, in database: Database) throws -> Set<LocalDay> {
    let statement = try database.cachedStatement(sql: "SELECT day FROM lost_days WHERE account_id = ?")
    return try LocalDay.fetchSet(statement, arguments: [account]).union(calendar.lostDays)
  }
}

extension LocalCalendar {
  /// Returns the days that a forward jump of local time loses: those whose end it skips, and the day that it lands in, if more than half of
  /// that is over. None where the time stays within a day, or jumps back.
  ///
  /// - Parameters: local times in milliseconds, as ``local(_:)`` gives them.
  static func lost(from before: Int64, to after: Int64) -> Range<LocalDay> {
    let (first, last) = (day(before), day(after))
    guard first < last else { return first..<first }
    let gone = after - Int64(last.daysSinceEpoch) * dayLength
    return first..<(gone > dayLength / 2 ? last.advanced(by: 1) : last)
  }

  /// The days that the zone itself lost when it moved across the date line.
  var lostDays: Set<LocalDay> {
    var days: Set<LocalDay> = []
    for jump in offsets.dateLineJumps {
      days.formUnion(
        LocalCalendar.lost(from: jump.at + jump.before - dayStart, to: jump.at + jump.after - dayStart))
    }
    return days
  }
}

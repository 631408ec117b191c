import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// The days that an account lost because its clock was put forward over the end of a day: it travelled east, began its day at another hour,
/// or lives where the date line was moved. Nobody can be asked to have done on them what others do in a whole day.
///
/// A clock that is put back loses no day: one comes once more, and what was done on it stays done.
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

  /// Notes which days an account loses by counting them in another way from now on.
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

  /// The days that the account lost.
  static func find(_ account: AccountID, _ calendar: LocalCalendar, in database: Database) throws -> Set<LocalDay> {
    let statement = try database.cachedStatement(sql: "SELECT day FROM lost_days WHERE account_id = ?")
    return try LocalDay.fetchSet(statement, arguments: [account]).union(calendar.lostDays)
  }
}

extension LocalCalendar {
  /// The days that a clock loses when it is put forward: those whose end it ignores, and the one in which it then stands, if more than
  /// half of that is gone. None where it stays within a day, or is put back.
  ///
  /// - Parameters: local times in milliseconds, as ``local(_:)`` gives them.
  static func lost(from before: Int64, to after: Int64) -> Range<LocalDay> {
    let (first, last) = (day(before), day(after))
    guard first < last else { return first..<first }
    let gone = after - Int64(last.daysSinceEpoch) * dayLength
    return first..<(gone > dayLength / 2 ? last.advanced(by: 1) : last)
  }

  /// The days that all who live in the zone lost when it went over the date line.
  var lostDays: Set<LocalDay> {
    var days: Set<LocalDay> = []
    for jump in offsets.dateLineJumps {
      days.formUnion(
        LocalCalendar.lost(from: jump.at + jump.before - dayStart, to: jump.at + jump.after - dayStart))
    }
    return days
  }
}

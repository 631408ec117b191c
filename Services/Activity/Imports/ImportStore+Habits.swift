import ActivityContract
import GRDB
import Operations
import Storage

/// The habits of other programs that became activities, each identified by its key.
extension ImportStore {
  /// The activity that was made from a habit.
  static func activity(of habit: String, _ account: AccountID, in database: Database) throws -> ActivityID? {
    let statement = try database.cachedStatement(
      sql: "SELECT activity_id FROM imported_habits WHERE account_id = ? AND habit = ?")
    return try ActivityID.fetchOne(statement, arguments: [account, habit])
  }

  static func keep(_ habit: String, as activity: ActivityID, of account: AccountID, _ transaction: Transaction) throws {
    try transaction.database.run(
      "INSERT INTO imported_habits (account_id, habit, activity_id) VALUES (?, ?, ?)", .id(account), .text(habit), .id(activity))
  }
}

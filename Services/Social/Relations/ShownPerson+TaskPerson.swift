import GRDB
import Operations
import ServiceKit
import SocialContract

extension TaskPerson {
  /// Somebody whose names and photo a row has as ``ShownPerson/columns(for:)``.
  ///
  /// - Parameter column: where the account's id stands.
  init(_ row: Row, of account: AccountID, _ column: String) {
    self.init(accountID: account, username: row["username"], nickname: row["nickname"], photoURL: row.photoURL(of: column))
  }

  /// The same; nil where there is nobody.
  init?(_ row: Row, _ column: String) {
    guard let account = row[column] as AccountID? else { return nil }
    self.init(row, of: account, column)
  }
}

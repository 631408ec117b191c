import GRDB
import Operations
import ServiceKit
import SocialContract

extension TaskPerson {
  /// A person whose names and photo are in a row as ``ShownPersonStore/columns(for:)``.
  ///
  /// - Parameter column: the column of the account's id.
  init(_ row: Row, of account: AccountID, _ column: String) {
    self.init(accountID: account, username: row["username"], nickname: row["nickname"], photoURL: row.photoURL(of: column))
  }

  /// The same; nil where the column is null.
  init?(_ row: Row, _ column: String) {
    guard let account = row[column] as AccountID? else { return nil }
    self.init(row, of: account, column)
  }
}

import GRDB
import Operations
import ServiceKit

extension Accounts {
  /// An account that has befriended or asked another: asking saw to it that both are in the read model.
  static func known(_ account: AccountID, in database: Database) throws -> Known {
    guard let known = try find(account, in: database) else { throw Failure(RequestFailure.unavailable, retryAfterSeconds: 1) }
    return known
  }
}

import GRDB
import IdentityContract
import Operations

/// The account data for a login attempt, read in the same way whether or not the login has an account.
struct LoginAccount: Sendable {
  /// The account of the login; if there is none, another one stands in, so that the lookup takes as long.
  private let row: (id: AccountID, passwordHash: PasswordHash)?
  private let isOfLogin: Bool

  fileprivate init(_ row: Row?, isAllowed: Bool) {
    self.row = row.map { (id: $0[0] as AccountID, passwordHash: PasswordHash(text: $0[1] as String)) }
    isOfLogin = isAllowed && (row?[2] as Bool?) == true
  }

  var id: AccountID? { isOfLogin ? row?.id : nil }
  var passwordHash: PasswordHash? { isOfLogin ? row?.passwordHash : nil }

  /// Whether the device is known to the account. Nobody's login has no devices, and that is looked up, too.
  func knows(_ device: DeviceToken, _ database: Database, now: Instant) throws -> Bool {
    try DeviceTokenStore.isKnown(device, to: row?.id ?? AccountID(), now: now, in: database) && isOfLogin
  }
}

/// The accounts, as an attempt to log in may look at them.
enum LoginAccountStore {
  /// The account of that login, or its neighbour: one row of as many bytes either way, and no more of it than is needed. To read a whole
  /// account takes a tenth of a millisecond, by which logins could be distinguished.
  static func find(_ login: Login, in database: Database) throws -> LoginAccount {
    let text = String(decoding: login.bytes, as: UTF8.self)
    switch login {
    case .email: return LoginAccount(try neighbour("email_normalized", text, in: database), isAllowed: true)
    case .username: return LoginAccount(try neighbour("username", text, in: database), isAllowed: true)
    case .other: return LoginAccount(try neighbour("email_normalized", text, in: database), isAllowed: false)
    }
  }

  /// The account whose column has the text, else the next one in order, else the first.
  private static func neighbour(_ column: String, _ text: String, in database: Database) throws -> Row? {
    let columns = "account_id, password_hash, \(column) = ?1"
    return try Row.fetchOne(
      database.cachedStatement(
        sql: """
          SELECT \(columns) FROM accounts WHERE account_id = COALESCE(
            (SELECT account_id FROM accounts WHERE \(column) >= ?1 ORDER BY \(column) LIMIT 1),
            (SELECT account_id FROM accounts ORDER BY \(column) LIMIT 1))
          """), arguments: [text])
  }
}

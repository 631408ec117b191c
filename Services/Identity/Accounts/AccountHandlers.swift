import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Accounts, read by their owners and by other services.
enum AccountHandlers {
  static func getOwn(_ input: Empty, _ call: AccountCall, _ database: Database) throws -> OwnAccount {
    try call.liveAccount(database).own
  }

  static func lookUp(_ input: LookUpAccount.Input, _ call: OpenCall, _ database: Database) throws -> AccountChanged {
    let found =
      try input.accountID.map { try AccountStore.find($0, in: database) }
      ?? input.username.flatMap { try AccountStore.find($0, in: database) }
    guard let found else { throw Failure(RequestFailure.notFound) }
    return found.changed
  }
}

extension AccountCall {
  /// The signed-in account, if its session has not ended: identity knows of an end before the gateway does.
  func liveAccount(_ database: Database) throws -> AccountRecord {
    let session = try session
    guard try SessionStore.isLive(session, of: account, now: now, in: database),
      let record = try AccountStore.find(account, in: database)
    else {
      throw Failure(RequestFailure.sessionRevoked)
    }
    return record
  }
}

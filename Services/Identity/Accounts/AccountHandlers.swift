import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves what is asked of accounts.
  mutating func serveAccounts() {
    serveAtOnce(ReadOwnAccount.self) { _, call, database in try call.liveAccount(database).own }

    serveAtOnce(LookUpAccount.self) { input, _, database in
      let found = try input.accountID.map { try database.account($0) } ?? input.username.flatMap { try database.account($0) }
      guard let found else { throw Failure(RequestFailure.notFound) }
      return found.changed
    }
  }
}

extension Call {
  /// The signed-in account, if its session has not ended: identity knows of an end before the gateway hears of it.
  func liveAccount(_ database: Database) throws -> AccountRecord {
    let (id, session) = (try account, try session)
    guard try database.isLive(session, of: id, now: now), let account = try database.account(id) else {
      throw Failure(RequestFailure.sessionRevoked)
    }
    return account
  }
}

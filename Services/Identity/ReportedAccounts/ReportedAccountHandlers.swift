import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Accounts that are reported, copied for moderators.
enum ReportedAccountHandlers {
  static func get(_ input: GetReportedAccount.Input, _ call: OpenCall, _ database: Database) throws -> ReportedAccount {
    guard let account = try AccountStore.find(input.accountID, in: database) else { throw Failure(RequestFailure.notFound) }
    let photo = account.photoTag == nil ? nil : try PhotoStore.read(of: account.id, in: database)
    return ReportedAccount(username: account.username, nickname: account.nickname, photo: photo)
  }
}

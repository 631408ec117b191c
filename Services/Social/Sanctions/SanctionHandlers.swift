import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// Decisions against an account: listed for it, and given to mails.
enum SanctionHandlers {
  static func list(_ input: ListOwnSanctions.Input, _ call: AccountCall, _ database: Database) throws -> Page<Sanction> {
    let page = try call.page(input)
    let rows = try SanctionStore.list(of: call.account, before: page.before, limit: page.fetchLimit, in: database)
    return try page.page(of: rows, key: { $0["sequence"] as Int64 }) { try Sanction($0, at: call.now) }
  }

  static func notice(_ input: GetSanctionNotice.Input, _ call: OpenCall, _ database: Database) throws -> SanctionNotice {
    let found = try ModerationCaseStore.view(input.caseID, in: database)
    guard let decision = found.decision, let reason = decision.reason else { throw Failure(RequestFailure.notFound) }
    return SanctionNotice(
      accountID: found.accountID, reason: reason, until: decision.until, appealReason: found.appeal?.reason)
  }
}

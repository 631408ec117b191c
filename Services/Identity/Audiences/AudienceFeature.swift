import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Whom messages to many are for, as notifications asks (NOT-5).
struct AudienceFeature: Feature {
  func register(in service: inout ServiceDefinition) {
    service.serve(ListAudience.self, read: AudienceHandlers.list)
    service.serve(CountAudience.self, read: AudienceHandlers.count)
  }
}

/// Audiences: listed and counted.
enum AudienceHandlers {
  static func list(_ input: ListAudience.Input, _ call: OpenCall, _ database: Database) throws -> ListAudience.Output {
    let statement = try database.cachedStatement(
      sql: "SELECT account_id FROM accounts a WHERE a.account_id > :after AND \(condition) ORDER BY a.account_id LIMIT :limit")
    var arguments = arguments(of: input.audience, at: call.now)
    arguments += ["after": input.after ?? .placeholder, "limit": input.limit]
    return ListAudience.Output(accountIDs: try AccountID.fetchAll(statement, arguments: arguments))
  }

  static func count(_ input: Audience, _ call: OpenCall, _ database: Database) throws -> CountAudience.Output {
    let statement = try database.cachedStatement(sql: "SELECT count(*) FROM accounts a WHERE \(condition)")
    return CountAudience.Output(count: try Int.fetchOne(statement, arguments: arguments(of: input, at: call.now)) ?? 0)
  }

  private static let condition = """
    a.verified_at IS NOT NULL AND (a.suspended_until IS NULL OR a.suspended_until <= :now)
    AND (:language IS NULL OR a.language = :language)
    AND (:since IS NULL OR NOT EXISTS (
      SELECT 1 FROM sessions s WHERE s.account_id = a.account_id AND max(s.created_at, s.last_seen_at) >= :since))
    """

  private static func arguments(of audience: Audience, at now: Instant) -> StatementArguments {
    ["now": now, "language": audience.language?.rawValue, "since": audience.idleSince]
  }
}

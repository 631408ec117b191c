import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

extension ServiceDefinition {
  /// Serves security events to administrators (requirement ID-15).
  mutating func serveSecurityEvents() {
    serve(
      ListSecurityEvents.self,
      read: { input, call, database in
        _ = try call.liveAdministrator(database)
        if let kind = input.kind { try SecurityEvent.Kind.check(kind) }
        let page = try call.page(input)
        let rows = try database.securityEvents(
          input, before: page.cursor(ID<RecordedSecurityEvent>.init(text:)), limit: page.fetchLimit)
        return page.page(of: rows, key: \.id) { $0 }
      })
  }
}

extension SecurityEvent.Kind {
  /// - Throws: `invalid_fields` where nothing of that kind ever happens.
  fileprivate static func check(_ kind: String) throws {
    do throws(FieldRule) {
      _ = try Self(text: kind)
    } catch {
      throw Failure.field("kind", error)
    }
  }
}

extension Database {
  /// Security events, the newest first: ids grow with time.
  fileprivate func securityEvents(
    _ input: ListSecurityEvents.Input, before last: ID<RecordedSecurityEvent>?, limit: Int
  ) throws -> [RecordedSecurityEvent] {
    var conditions = ["(:last IS NULL OR event.security_event_id < :last)"]
    var arguments: StatementArguments = ["last": last, "limit": limit]
    func require(_ condition: String, _ name: String, _ value: (any DatabaseValueConvertible)?) {
      guard let value else { return }
      conditions.append(condition)
      arguments += [name: value]
    }
    require("event.severity = :severity", "severity", input.severity)
    require("event.kind = :kind", "kind", input.kind)
    require("event.account_id = :account", "account", input.accountID)
    require("event.at >= :from", "from", input.from)
    require("event.at < :to", "to", input.to)
    return try securityEvents(where: conditions, arguments)
  }

  /// Those that meet all conditions, with the names of their accounts.
  func securityEvents(where conditions: [String], _ arguments: StatementArguments) throws -> [RecordedSecurityEvent] {
    // Of an account that was deleted, until the event itself says nothing of it.
    let conditions = conditions + ["NOT EXISTS (SELECT 1 FROM erasures WHERE erasures.account_id = event.account_id)"]
    let sql = """
      SELECT event.*, account.username FROM security_events AS event
      LEFT JOIN accounts AS account ON account.account_id = event.account_id
      WHERE \(conditions.joined(separator: " AND ")) ORDER BY event.security_event_id DESC LIMIT :limit
      """
    return try Row.fetchAll(cachedStatement(sql: sql), arguments: arguments).map { row in
      RecordedSecurityEvent(
        id: row["security_event_id"], at: row["at"], kind: row["kind"], severity: row["severity"],
        accountID: row["account_id"], username: row["username"], sessionID: row["session_id"], address: row["address"],
        userAgent: row["user_agent"], detail: row["detail"])
    }
  }
}

import IdentityContract
import Operations
import ServiceKit
import Storage

/// Security events: what happened, for administrators who look into it (ID-15).
struct SecurityEventFeature: Feature {
  let migrations = [
    SecurityEventStore.listMigration(42), SecurityEventCountStore.migration(45), SecurityEventStore.subscriberMigration(51),
  ]
  // Those who look into security events are not shown these meanwhile.
  let tables: [ErasedTable] = [
    .changed(
      "security_events", "account_id = :account", .securityEvents, by: "\(forgetting) WHERE account_id = :account",
      steps: [
        """
        \(forgetting) WHERE security_event_id IN (
          SELECT security_event_id FROM security_events WHERE account_id = :account LIMIT :limit)
        """
      ]),
    .untouched("security_event_counts", "numbers of events, without any account"),
  ]
  let retention = [
    RetentionRule("security_events", key: "security_event_id", after: "at", seconds: SecurityEventStore.keptSeconds),
    RetentionRule("security_event_counts", key: "day, kind, severity", after: "day", seconds: SecurityEventStore.keptSeconds),
  ]

  /// What happened stays for those who look into attacks; to whom and from where does not.
  private static let forgetting = """
    UPDATE security_events SET account_id = NULL, session_id = NULL, address = NULL, subscriber = NULL, user_agent = NULL,
      detail = NULL
    """

  func register(in service: inout ServiceDefinition) {
    service.serve(ListSecurityEvents.self, read: SecurityEventHandlers.list)
  }
}

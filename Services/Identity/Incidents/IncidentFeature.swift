import IdentityContract
import Operations
import RewardsContract
import ServiceKit
import Storage

/// Incidents: patterns in security events, and what is done about them (ID-15).
struct IncidentFeature: Feature {
  let migrations = [
    IncidentStore.migration(7), IncidentStore.proofsMigration(23), IncidentStore.subscribersMigration(25),
    IncidentStore.unownedMigration(28), IncidentStore.notifiedMigration(39), IncidentStore.listMigration(43),
  ]
  let tables: [ErasedTable] = [
    ErasedTable.changed(
      "incidents", "account_id = :account OR closed_by = :account", .securityEvents,
      by: """
        UPDATE incidents SET subject = lower(hex(incident_id)), account_id = NULL, address = NULL, comment = NULL,
          closed_at = COALESCE(closed_at, :now)
        WHERE account_id = :account
        """, "UPDATE incidents SET closed_by = NULL, comment = NULL WHERE closed_by = :account"
    ).atOnce
  ]
  let retention = [
    RetentionRule("incidents", key: "incident_id", after: "last_at", seconds: IncidentStore.keptSeconds)
  ]

  func register(in service: inout ServiceDefinition) {
    service.serve(ListIncidents.self, read: IncidentHandlers.list)
    service.serve(GetIncident.self, read: IncidentHandlers.get)
    service.serve(CloseIncident.self, write: IncidentHandlers.close)
    service.subscribe(to: LedgerFailed.self, IncidentSubscriptions.ledgerFailed)
  }
}

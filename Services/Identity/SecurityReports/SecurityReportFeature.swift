import IdentityContract
import Operations
import ServiceKit
import Storage

/// Security reports: made daily and weekly for administrators (ID-15).
struct SecurityReportFeature: Feature {
  let schedule: ReportSchedule
  let migrations = [SecurityReportStore.migration(8)]
  let tables: [ErasedTable] = [.untouched("security_reports", "numbers and ids of incidents")]
  let retention = [
    RetentionRule("security_reports", key: "report_id", after: "created_at", seconds: SecurityReportRules.keptSeconds)
  ]

  func register(in service: inout ServiceDefinition) {
    service.serve(ListSecurityReports.self, read: SecurityReportHandlers.list)
    service.serve(GetSecurityReport.self, read: SecurityReportHandlers.get)
    let schedule = schedule
    service.run { store in SecurityReportWorker(store: store, schedule: schedule) }
  }
}

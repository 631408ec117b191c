import IdentityContract
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// The reports of deletions (ID-12): mails that outlive their accounts, until they were sent or given up.
struct DeletionReportFeature: Feature {
  let environment: ServiceEnvironment
  let settings: MailSettings
  /// Signalled where a report has ended.
  let signal: WakeSignal

  let migrations = [DeletionReportStore.migration(8)]
  let tables: [ErasedTable] = [.untouched("report_files", "ids of mails")]

  func register(in service: inout ServiceDefinition) {
    service.run { store in
      DeletionReportWorker(
        store: store, identity: ServiceClient(bus: environment.bus, service: .notifications, clock: environment.clock),
        folders: settings.folders(environment.home), keptSeconds: settings.reportKeptSeconds, clock: environment.clock,
        signal: signal, logger: environment.logger)
    }
  }
}

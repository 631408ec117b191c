import IdentityContract
import Operations
import ServiceKit
import Storage

/// The settings of accounts (ID-13).
struct SettingsFeature: Feature {
  let migrations = [
    SettingsStore.migration(9), SettingsStore.profilesMigration(33), SettingsStore.readReceiptMigration(34),
    SettingsStore.taskEnrollmentMigration(37), SettingsStore.everyoneMigration(44),
  ]

  func register(in service: inout ServiceDefinition) {
    service.serve(GetSettings.self, read: SettingsHandlers.get)
    service.serve(UpdateSettings.self, write: SettingsHandlers.update, afterwards: SettingsHandlers.spread)
  }
}

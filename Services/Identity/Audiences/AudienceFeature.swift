import IdentityContract
import Operations
import ServiceKit
import Storage

/// The recipients of broadcasts, which notifications asks for (NOT-5).
struct AudienceFeature: Feature {
  let migrations = [AudienceStore.migration(41), AudienceStore.languageMigration(46), AudienceStore.dayMigration(48)]
  let tables: [ErasedTable] = [
    .following("audience_accounts", "accounts"),
    .untouched("audience_counts", "Numbers of accounts, without any of them."),
  ]

  func register(in service: inout ServiceDefinition) {
    service.serve(ListAudience.self, read: AudienceHandlers.list)
    service.serve(CountAudience.self, read: AudienceHandlers.count)
  }
}

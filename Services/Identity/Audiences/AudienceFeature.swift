import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Whom messages to many are for, as notifications asks (NOT-5).
struct AudienceFeature: Feature {
  let migrations = [AudienceStore.migration(41)]
  let tables: [ErasedTable] = [.untouched("audience_counts", "Numbers of accounts, without any of them.")]

  func register(in service: inout ServiceDefinition) {
    service.serve(ListAudience.self, read: AudienceHandlers.list)
    service.serve(CountAudience.self, read: AudienceHandlers.count)
  }
}

/// Audiences: listed and counted.
enum AudienceHandlers {
  static func list(_ input: ListAudience.Input, _ call: OpenCall, _ database: Database) throws -> ListAudience.Output {
    ListAudience.Output(
      accountIDs: try AudienceStore.list(input.audience, after: input.after, limit: input.limit, at: call.now, in: database))
  }

  static func count(_ input: Audience, _ call: OpenCall, _ database: Database) throws -> CountAudience.Output {
    CountAudience.Output(count: try AudienceStore.count(input, at: call.now, in: database))
  }
}

import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Audiences: listed and counted.
enum AudienceHandlers {
  static func list(_ input: ListAudience.Input, _ call: OpenCall, _ database: Database) throws -> ListAudience.Output {
    try AudienceStore.list(
      input.audience, after: input.after, of: input.afterDay, limit: input.limit, at: call.now, in: database)
  }

  static func count(_ input: Audience, _ call: OpenCall, _ database: Database) throws -> CountAudience.Output {
    CountAudience.Output(count: try AudienceStore.count(input, at: call.now, in: database))
  }
}

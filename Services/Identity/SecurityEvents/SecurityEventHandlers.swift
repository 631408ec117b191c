import GRDB
import IdentityContract
import Operations
import ServiceKit
import Storage

/// Security events, listed by administrators.
enum SecurityEventHandlers {
  static func list(
    _ input: ListSecurityEvents.Input, _ call: AccountCall, _ database: Database
  ) throws -> Page<RecordedSecurityEvent> {
    _ = try call.liveAdministrator(database)
    if let kind = input.kind { try SecurityEvent.Kind.check(kind) }
    let page = try call.page(input)
    let rows = try SecurityEventStore.list(
      input, before: page.cursor(SecurityEventPosition.init(text:)), limit: page.fetchLimit, in: database)
    return page.page(of: rows, key: SecurityEventPosition.init) { $0 }
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

import IdentityContract
import Operations
import ServiceKit
import Storage

/// What stands in the mails to administrators, for the service that sends them (ID-15).
struct SecurityMailFeature: Feature {
  let tables: [ErasedTable] = [ErasedTable.rows("security_mails", "account_id = :account", .links).atOnce]
  let retention = [RetentionRule("security_mails", key: "mail_id", after: "created_at", seconds: EmailLinkRules.keptSeconds)]

  func register(in service: inout ServiceDefinition) { service.serve(GetSecurityMail.self, read: SecurityMailHandlers.get) }
}

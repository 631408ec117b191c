import IdentityContract
import Operations
import ServiceKit
import Storage

/// Logging in by external providers (ID-10).
struct ExternalLoginFeature: Feature {
  let handlers: ExternalLoginHandlers
  let tables: [ErasedTable] = [ErasedTable.rows("external_logins", "account_id = :account", .links).atOnce]
  let retention = [
    RetentionRule("external_logins", key: "flow_id", after: "expires_at", seconds: ExternalLoginStore.keptSeconds)
  ]

  func register(in service: inout ServiceDefinition) {
    service.serve(ListExternalProviders.self, handlers.listProviders)
    service.serve(BeginExternalLogin.self, handlers.begin)
    service.serve(CompleteExternalLogin.self, handlers.complete)
    service.serve(GetExternalLoginReturn.self, handlers.getReturn)
  }
}

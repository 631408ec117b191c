import IdentityContract
import Operations
import ServiceKit
import Storage

/// Verification of e-mail addresses by mailed links (ID-2).
struct VerificationFeature: Feature {
  let handlers: VerificationHandlers
  let clock: Clock
  let tables: [ErasedTable] = [ErasedTable.rows("verification_links", "account_id = :account", .links).atOnce]
  let retention = [
    RetentionRule("verification_links", key: "link_id", after: "expires_at", seconds: EmailLinkRules.keptSeconds)
  ]

  var snapshot: [SnapshotPart] {
    [
      SnapshotPart("links", VerificationMailRequested.self) { [clock] database, key in
        try VerificationLinkStore.snapshot(database, after: key, now: clock.now)
      }
    ]
  }

  func register(in service: inout ServiceDefinition) {
    service.serve(VerifyAccount.self, handlers.verify)
    service.serve(ResendVerification.self, write: VerificationHandlers.resend)
    service.serve(GetVerificationSecret.self, read: handlers.getSecret)
  }
}

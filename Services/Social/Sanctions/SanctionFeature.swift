import IdentityContract
import Operations
import ServiceKit
import SocialContract
import Storage

/// Decisions against an account as it sees them itself (SOC-8); the rows are those of cases and appeals.
struct SanctionFeature: Feature {
  func register(in service: inout ServiceDefinition) {
    service.serve(ListOwnSanctions.self, read: SanctionHandlers.list)
    service.serve(GetSanctionNotice.self, read: SanctionHandlers.notice)
  }
}

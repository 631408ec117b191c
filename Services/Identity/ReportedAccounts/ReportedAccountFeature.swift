import IdentityContract
import ServiceKit

/// Copies of accounts that are reported, for moderators (SOC-8).
struct ReportedAccountFeature: Feature {
  func register(in service: inout ServiceDefinition) {
    service.serve(GetReportedAccount.self, read: ReportedAccountHandlers.get)
  }
}

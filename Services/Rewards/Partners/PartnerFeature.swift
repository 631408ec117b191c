import Operations
import RewardsContract
import ServiceKit
import Storage

/// Partner companies: they register, and administrators approve or refuse them (REW-3).
struct PartnerFeature: Feature {
  let handlers: PartnerHandlers
  let environment: ServiceEnvironment

  let migrations = [PartnerStore.migration(16)]
  let tables: [ErasedTable] = [
    .untouched("partner_alerts", "companies"), .untouched("partner_logos", "the companies' own"),
    .untouched("partners", "companies; how to reach one goes with the last of its people"),
  ]

  func register(in service: inout ServiceDefinition) {
    service.serve(RegisterPartner.self, prepare: handlers.logo, write: PartnerHandlers.register)
    service.serve(GetOwnPartner.self, read: PartnerHandlers.own)
    service.serve(GetPartner.self, read: PartnerHandlers.get)
    service.serve(UpdatePartner.self, write: PartnerHandlers.update)
    service.serve(PutPartnerLogo.self, prepare: handlers.picture, write: PartnerHandlers.putLogo)
    service.serve(DeletePartnerLogo.self, write: PartnerHandlers.deleteLogo)
    service.serve(GetPartnerLogo.self, read: PartnerHandlers.getLogo)
    service.serve(ListPartners.self, read: PartnerHandlers.list)
    service.serve(DecidePartner.self, write: PartnerHandlers.decide)
    let identity = ServiceClient(bus: environment.bus, service: .rewards, clock: environment.clock)
    let (clock, logger) = (environment.clock, environment.logger)
    service.run { store in PartnerAlertWorker(store: store, identity: identity, clock: clock, logger: logger) }
  }
}

import RewardsContract
import ServiceKit
import Storage

/// Partners' places, for offers nearby (REW-3, REW-4).
struct PartnerPlaceFeature: Feature {
  let migrations = [PartnerPlaceStore.migration(18)]
  let tables: [ErasedTable] =
    [
      .untouched("partner_place_areas", "goes with partner_places, by triggers"),
      .untouched("partner_places", "companies' addresses"),
    ]
    + ["partner_place_areas_node", "partner_place_areas_parent", "partner_place_areas_rowid"].map {
      .untouched($0, "partner_place_areas is made of it")
    }

  func register(in service: inout ServiceDefinition) {
    service.serve(CreatePartnerPlace.self, write: PartnerPlaceHandlers.create)
    service.serve(UpdatePartnerPlace.self, write: PartnerPlaceHandlers.update)
    service.serve(DeletePartnerPlace.self, write: PartnerPlaceHandlers.delete)
  }
}

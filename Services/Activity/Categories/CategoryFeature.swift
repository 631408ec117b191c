import ActivityContract
import ServiceKit

/// Categories: what there is to choose from when an activity is made.
struct CategoryFeature: Feature {
  func register(in service: inout ServiceDefinition) {
    service.serve(ListCategories.self, CategoryHandlers().list)
  }
}

import ActivityContract
import ServiceKit

/// Categories, from which people choose when they create an activity.
struct CategoryFeature: Feature {
  func register(in service: inout ServiceDefinition) {
    service.serve(ListCategories.self, CategoryHandlers().list)
  }
}

import ActivityContract
import ServiceKit

/// Templates: prepared activities.
struct TemplateFeature: Feature {
  func register(in service: inout ServiceDefinition) {
    service.serve(ListTemplates.self, TemplateHandlers().list)
  }
}

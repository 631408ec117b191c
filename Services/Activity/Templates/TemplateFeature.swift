import ActivityContract
import ServiceKit

/// Templates: activities ready to be made.
struct TemplateFeature: Feature {
  func register(in service: inout ServiceDefinition) {
    service.serve(ListTemplates.self, TemplateHandlers().list)
  }
}

import ServiceKit
import SocialContract

/// What friends accepted in a week, and the register's checkpoint, as notifications asks for its summaries (NOT-3).
struct SocialWeekFeature: Feature {
  func register(in service: inout ServiceDefinition) {
    service.serve(GetSocialWeeks.self, read: SocialWeekHandlers.get)
  }
}

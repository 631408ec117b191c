import IdentityContract
import ServiceKit

/// Profiles, edited by their owners and read by others (ID-11).
struct ProfileFeature: Feature {
  let handlers: ProfileHandlers

  func register(in service: inout ServiceDefinition) {
    service.serve(UpdateProfile.self, write: handlers.update)
    service.serve(GetProfile.self, read: ProfileHandlers.get)
    service.serve(GetProfileByUsername.self, read: ProfileHandlers.getByUsername)
  }
}

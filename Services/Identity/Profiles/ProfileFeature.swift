import IdentityContract
import ServiceKit

/// Profiles, edited by their owners and read by others (ID-11).
struct ProfileFeature: Feature {
  let handlers: ProfileHandlers

  func register(in service: inout ServiceDefinition) {
    service.serve(UpdateProfile.self, write: handlers.update)
    service.serve(ReadProfile.self, read: ProfileHandlers.read)
    service.serve(ReadProfileByUsername.self, read: ProfileHandlers.readByUsername)
  }
}

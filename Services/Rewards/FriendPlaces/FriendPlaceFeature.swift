import RewardsContract
import ServiceKit

/// Where accounts stand among their friends, for those who ask to be told of places that they lose (NOT-5).
struct FriendPlaceFeature: Feature {
  func register(in service: inout ServiceDefinition) {
    service.serve(ReadFriendPlaces.self, read: FriendPlaceHandlers().read)
  }
}

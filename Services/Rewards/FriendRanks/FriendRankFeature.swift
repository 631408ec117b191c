import RewardsContract
import ServiceKit

/// Where accounts stand among their friends, for those who ask to be told of ranks that they lose (NOT-5).
struct FriendRankFeature: Feature {
  let calendars: AccountCalendars

  func register(in service: inout ServiceDefinition) {
    service.serve(ReadFriendRanks.self, read: FriendRankHandlers(calendars: calendars).read)
  }
}

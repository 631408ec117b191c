import RewardsContract
import ServiceKit

/// Accounts' ranks among their friends, for accounts that want notices of lost ranks (NOT-5).
struct FriendRankFeature: Feature {
  let calendars: AccountCalendars

  func register(in service: inout ServiceDefinition) {
    service.serve(GetFriendRanks.self, read: FriendRankHandlers(calendars: calendars).get)
  }
}

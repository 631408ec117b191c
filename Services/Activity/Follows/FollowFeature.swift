import ActivityContract
import IdentityContract
import ServiceKit
import SocialContract
import Storage

/// Follows: which accounts see each other's activities, and the list of activities that an account sees (ACT-13, SOC-7).
struct FollowFeature: Feature {
  let calendars: AccountCalendars
  let migrations = [FollowStore.migration(12)]
  let tables: [ErasedTable] = [.rows("follows", "follower_account = :account OR followed_account = :account", .follows)]

  func register(in service: inout ServiceDefinition) {
    service.serve(ListFollowedActivities.self, read: FollowHandlers(calendars: calendars).listActivities)
    service.subscribe(to: FollowChanged.self, FollowSubscriptions.followChanged)
  }
}

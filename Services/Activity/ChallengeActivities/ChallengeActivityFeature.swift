import ActivityContract
import IdentityContract
import ServiceKit
import SocialContract
import Storage

/// The activities of challenges: shown to the challenged friend, and created once for the account that accepts (SOC-6).
struct ChallengeActivityFeature: Feature {
  let calendars: AccountCalendars
  let migrations = [ChallengeActivityStore.migration(37)]
  let tables: [ErasedTable] = [.rows("challenge_activities", "account_id = :account", .activities)]

  func register(in service: inout ServiceDefinition) {
    let handlers = ChallengeActivityHandlers(calendars: calendars)
    let subscriptions = ChallengeActivitySubscriptions(calendars: calendars)
    service.serve(GetChallengeActivity.self, prepare: handlers.requireChallenger, read: handlers.get)
    service.serve(PlanChallengeActivity.self, prepare: handlers.requireAccepter, read: handlers.plan)
    service.subscribe(to: FriendChallengeAccepted.self, subscriptions.accepted)
    service.subscribe(to: FriendChallengeChanged.self, subscriptions.changed)
  }
}

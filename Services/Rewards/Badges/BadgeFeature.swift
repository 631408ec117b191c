import IdentityContract
import RewardsContract
import ServiceKit
import Storage

/// Badges: the account's own, and who sees them (REW-7). The code that awards them is in `Challenges/`.
struct BadgeFeature: Feature {
  let catalogues: ChallengeCatalogues
  let calendars: AccountCalendars
  let tables: [ErasedTable] = [ErasedTable.rows("badge_visibilities", "account_id = :account", .challenges).atOnce]

  func register(in service: inout ServiceDefinition) {
    let handlers = BadgeHandlers(catalogues: catalogues, calendars: calendars)
    service.serve(ListBadges.self, read: handlers.list)
    service.serve(ListFriendsBadges.self, read: handlers.listOfFriend)
    service.serve(GetBadgeVisibility.self, read: BadgeHandlers.visibility)
    service.serve(SetBadgeVisibility.self, write: BadgeHandlers.setVisibility)
    service.serve(GetBadgeProfilePart.self, read: handlers.profilePart)
  }
}

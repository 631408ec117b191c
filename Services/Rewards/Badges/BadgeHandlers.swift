import GRDB
import IdentityContract
import Operations
import RewardsContract
import ServiceKit
import Storage

/// Lists an account's own badges, a friend's and those of a public profile, and sets who sees them.
struct BadgeHandlers: Sendable {
  /// The maximum number of badges on a public profile page: the newest.
  static let maxOnProfile = 100

  let catalogues: ChallengeCatalogues
  let calendars: AccountCalendars
  private let wording = ChallengeWording()

  init(catalogues: ChallengeCatalogues, calendars: AccountCalendars) {
    self.catalogues = catalogues
    self.calendars = calendars
  }

  @Sendable
  func list(_ input: Empty, _ call: AccountCall, _ database: Database) throws -> Page<Badge> {
    let reading = try ChallengeReading(call.account, at: call.now, catalogues, calendars, database)
    return Page(items: reading.badges(call.language), nextCursor: nil)
  }

  /// To callers who are not friends the account does not exist.
  @Sendable
  func listOfFriend(_ input: ListFriendsBadges.Input, _ call: AccountCall, _ database: Database) throws -> Page<Badge> {
    guard try ChallengeStanding.isShown(input.accountID, at: call.now, in: database),
      try RelationStore.isFriend(call.account, of: input.accountID, in: database)
    else { throw Failure(RequestFailure.notFound) }
    guard try BadgeVisibilityStore.find(input.accountID, in: database).isVisibleToFriends else {
      return Page(items: [], nextCursor: nil)
    }
    return Page(items: try shown(of: input.accountID, call.language, at: call.now, database), nextCursor: nil)
  }

  @Sendable
  func profilePart(_ input: ProfilePartInput, _ call: OpenCall, _ database: Database) throws -> ProfilePart {
    let heading = wording.text("profilePart.badges", input.language)
    guard try ChallengeStanding.isShown(input.accountID, at: call.now, in: database),
      try BadgeVisibilityStore.find(input.accountID, in: database).isVisibleOnPublicProfile
    else { return ProfilePart(heading: heading, items: []) }
    let badges = try shown(of: input.accountID, input.language, at: call.now, database).prefix(BadgeHandlers.maxOnProfile)
    return ProfilePart(
      heading: heading,
      items: badges.map { badge in
        let tier = badge.tier.map { " · \(wording.text("challengeTier.\($0.rawValue)", input.language))" } ?? ""
        return ProfilePart.Item(text: badge.name + tier, detail: badge.awardedAt.description.beginning(maxBytes: 10))
      })
  }

  @Sendable
  static func visibility(_ input: Empty, _ call: AccountCall, _ database: Database) throws -> BadgeVisibility {
    try BadgeVisibilityStore.find(call.account, in: database)
  }

  @Sendable
  static func setVisibility(_ input: BadgeVisibility, _ call: AccountCall, _ transaction: Transaction) throws -> BadgeVisibility {
    try BadgeVisibilityStore.put(input, of: call.account, in: transaction.database)
    return input
  }

  /// The badges that others see: without the account's consent to activity data none for measured movement.
  private func shown(
    of account: AccountID, _ language: Language, at now: Instant, _ database: Database
  ) throws -> [Badge] {
    let reading = try ChallengeReading(account, at: now, catalogues, calendars, database)
    return reading.badges(language, withMovement: try Accounts.hasConsent(.activityData, of: account, in: database))
  }
}

public import ActivityContract
public import Client
public import Cluster
import Foundation
import IdentityContract
public import Operations
public import RewardsContract
import SocialContract

/// Those who are there once, however many accounts there are: who administers, who has a shop, and the few who have very much of
/// everything.
public struct GrowthCast: Sendable {
  public static let password = "Rio-7-lento-crece"

  /// A picture of 16 by 16 points.
  public static let picture = Base64Bytes(
    [UInt8](
      Data(
        base64Encoded: """
          iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAABnUlEQVR42h3SURGFERgG4SeCCCKIIIIIIogggggiiCCCCCKIcP4598a83+5CIJLIFCqNzmCy\
          2Bwuz/95CGKQghyUoAYt6MEIZrCCHZzgBu/7+/s8RDFKUY5KVKMW9WhEM1rRjk50o/ct+aaEJCYpyUlJatKSnoxkJivZyUlu8r7d3/CQxSxlOStZzVrWs5HN\
          bGU7O9nN3nfld2YoYpGKXJSiFq3oxShmsYpdnOIW72PyQQlVrFKVq1LVqlW9GtWsVrWrU93qfQQ/hKGJTWpyU5ratKY3o5nNanZzmtu8j/cHPHSxS13uSle7\
          1vVudLNb3e5Od7v32fn0hCEOachDGerQhj6MYQ5r2MMZ7vA+l5/MMMUpTXkqU53a1KcxzWlNezrTnd5n/lMflrikJS9lqUtb+jKWuaxlL2e5y/s6+UIJW9zS\
          lrey1a1tfRvb3Na2t7Pd7X1VfVmFIx7pyEc56tGOfoxjHuvYxznu8b4GvwjDFa905atc9WpXv8Y1r3Xt61z3el+xX7LhiU968lOe+rSnP+OZz3r2c577vOcH\
          /IbwAbArRz4AAAAASUVORK5CYII=
          """) ?? Data()))

  let administratorToken: String
  public let administrator: GatewayClient
  public let shop: Member
  /// Friends of each other, of whom each follows the next, and the last the first.
  public let heavies: [Member]
  /// Of each of them, with a countable goal each.
  public let heavyActivities: [[ActivityID]]
  public let partner: PartnerID
  /// What the shop offers for one coin, as often as one likes.
  public let offer: OfferID

  private static let heavyNames = ["growth.heavy1", "growth.heavy2", "growth.heavy3"]

  /// How many have very much of everything.
  public static var heavyCount: Int { heavyNames.count }

  /// Their addresses, by which they log in: their usernames are changed for a moment.
  public static var heavyLogins: [String] { heavyNames.map { "\($0)@example.org" } }

  /// Makes them by calls.
  public init(_ cluster: RunningCluster) async throws {
    _ = try await cluster.join("growth.chief", password: Self.password)
    try cluster.administer("administrator", "growth.chief")
    let chief = try await cluster.signIn("growth.chief")
    (administrator, administratorToken) = (chief.client, chief.accessToken)
    shop = try await cluster.join("growth.shop", password: Self.password)
    var heavies: [Member] = []
    for name in Self.heavyNames {
      heavies.append(try await cluster.join(name, password: Self.password, consentsToLocation: true))
    }
    self.heavies = heavies
    let place = PartnerPlaceDraft(address: "Calle Mayor 1", latitude: 40.4, longitude: -3.7)
    let own = try await shop.client.call(
      RegisterPartner.self,
      .init(name: "Growth Café", about: "Coffee.", contact: "hello@cafe.example", logo: Self.picture, places: [place]))
    partner = own.partner.id
    _ = try await administrator.call(DecidePartner.self, .init(partnerID: partner, decision: .approve))
    let now = Instant.now
    offer = try await shop.client.call(
      CreatePartnerOffer.self,
      .init(
        title: "A cake", reward: "One cake", category: .food, costCoins: 1, stock: 900_000_000,
        validFrom: now.adding(seconds: -3600), validUntil: now.adding(seconds: 30 * 86_400))
    ).offer.id
    _ = try await shop.client.call(PutOfferPicture.self, .init(offerID: offer, content: Self.picture))
    var activities: [[ActivityID]] = []
    for heavy in heavies { activities.append(try await Self.begin(heavy.client)) }
    heavyActivities = activities
    for (index, heavy) in heavies.enumerated() { try await Self.meet(heavy, heavies[(index + 1) % heavies.count]) }
  }

  /// Makes activities, and what else there is for an average account.
  private static func begin(_ client: GatewayClient) async throws -> [ActivityID] {
    var activities: [ActivityID] = []
    for number in 0..<10 {
      activities.append(
        try await client.call(
          CreateActivity.self,
          .init(
            title: "Heavy \(number)", category: .other, goal: .quantity(1, unit: "times"), schedule: .daily,
            startDay: LocalDay.utc.advanced(by: -4000))
        ).id)
    }
    _ = try await client.call(SetStepGoal.self, .init(period: .day, goal: 8000))
    _ = try await client.call(SetLeaderboardVisibility.self, .init(isVisible: true))
    _ = try await client.call(SetBadgeVisibility.self, .init(isVisibleToFriends: true, isVisibleOnPublicProfile: true))
    return activities
  }

  /// Makes two friends, of whom the first follows the second.
  private static func meet(_ one: Member, _ other: Member) async throws {
    let friend = try await one.client.call(SendFriendRequest.self, .init(username: other.account.username))
    _ = try await other.client.call(AcceptFriendRequest.self, .init(friendRequestID: friend.id))
    let follow = try await one.client.call(SendFollowRequest.self, .init(username: other.account.username))
    _ = try await other.client.call(AcceptFollowRequest.self, .init(followRequestID: follow.id))
  }
}

extension LocalDay {
  /// Today by UTC, where all of these accounts live.
  public static var utc: LocalDay { LocalDay(daysSinceEpoch: Int32(Instant.now.milliseconds / 86_400_000)) }
}

extension RunningCluster {
  /// Logs in somebody of these accounts.
  public func signIn(_ username: String) async throws -> Member {
    try await signIn(username, password: GrowthCast.password)
  }
}

extension GrowthCast {
  /// The same with sessions that were begun now: access tokens live for minutes.
  public func signedIn(_ cluster: RunningCluster) async throws -> GrowthCast {
    let (chief, shop) = (try await cluster.signIn("growth.chief"), try await cluster.signIn("growth.shop"))
    var heavies: [Member] = []
    for login in Self.heavyLogins { heavies.append(try await cluster.signIn(login)) }
    return GrowthCast(self, chief: chief, shop: shop, heavies: heavies)
  }

  private init(_ other: GrowthCast, chief: Member, shop: Member, heavies: [Member]) {
    (administrator, administratorToken) = (chief.client, chief.accessToken)
    (self.shop, self.heavies) = (shop, heavies)
    (heavyActivities, partner, offer) = (other.heavyActivities, other.partner, other.offer)
  }
}

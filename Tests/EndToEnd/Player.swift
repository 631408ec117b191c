import ActivityContract
import Client
import Cluster
import Foundation
import IdentityContract
import NotificationsContract
import Operations
import RewardsContract

/// One person of the play: registers, verifies, logs in, sends hours as samples, and afterwards compares.
struct Player: Sendable {
  let client: GatewayClient
  let account: OwnAccount
  let hours: [HourlySteps.Hour]
  let zone: NoonZone

  /// Registers, verifies the address by the mailed link, and logs in, however often a service dies meanwhile.
  static func join(_ username: String, _ hours: [HourlySteps.Hour], _ zone: NoonZone, _ cluster: RunningCluster) async throws
    -> Player
  {
    let member = try await cluster.join(username, password: "Pl4y-\(username)!", timeZone: zone.name)
    return Player(client: member.client, account: member.account, hours: hours, zone: zone)
  }

  /// Every hour as a sample, on days that end yesterday.
  var samples: [MovementSample] {
    hours.map { hour in
      let start = zone.instant(day: zone.day(hour.day), hour: hour.hour)
      return MovementSample(
        id: "fitbit-\(hour.day)-\(hour.hour)", start: start, end: start.adding(seconds: 3600), steps: hour.steps, source: "fitbit"
      )
    }
  }

  /// What the file says of each day.
  var expectedDays: [LocalDay: Int] {
    var days: [LocalDay: Int] = [:]
    for hour in hours where hour.steps > 0 { days[zone.day(hour.day), default: 0] += hour.steps }
    return days
  }

  /// What the formula says: a coin for 100 steps of the last 7 days, at most 20,000 a day, the rest carried over.
  var expectedCoins: Int {
    expectedDays.filter { $0.key.distance(to: zone.today) < 7 }.values.map { min($0, 20_000) }.reduce(0, +) / 100
  }

  /// The steps of the last 7 days.
  var expectedEarningSteps: Int { expectedDays.filter { $0.key.distance(to: zone.today) < 7 }.values.reduce(0, +) }

  /// Chooses to be seen on leaderboards.
  func appear() async throws {
    _ = try await client.callUntilDone(SetLeaderboardVisibility.self, .init(isVisible: true))
  }

  func days() async throws -> [LocalDay: Int] {
    let known = expectedDays.keys
    guard let first = known.min(), let last = known.max() else { return [:] }
    let listed = try await client.callUntilDone(ListMovementDays.self, .init(from: first, to: last))
    return Dictionary(uniqueKeysWithValues: listed.items.filter { $0.steps > 0 }.map { ($0.day, $0.steps) })
  }

  /// The whole inbox, oldest first.
  func inbox() async throws -> [NotificationsContract.Notification] {
    var all: [NotificationsContract.Notification] = []
    while true {
      let page = try await client.callUntilDone(ListNotificationsSince.self, .init(after: all.last?.number ?? 0, limit: 500))
      all += page.items
      if all.last?.number ?? 0 >= page.lastNumber || page.items.isEmpty { return all }
    }
  }
}

/// A time zone without daylight saving in which it is about noon now, so that no midnight falls into the test.
struct NoonZone: Sendable {
  /// Where it is noon at each hour of UTC.
  private static let names = [
    "Pacific/Tarawa", "Pacific/Guadalcanal", "Pacific/Guam", "Asia/Tokyo", "Asia/Singapore", "Asia/Jakarta", "Asia/Dhaka",
    "Asia/Karachi", "Asia/Dubai", "Africa/Nairobi", "Africa/Maputo", "Africa/Lagos", "Africa/Abidjan", "Atlantic/Cape_Verde",
    "America/Noronha", "America/Cayenne", "America/Puerto_Rico", "America/Panama", "America/Costa_Rica", "America/Phoenix",
    "Pacific/Pitcairn", "Pacific/Gambier", "Pacific/Honolulu", "Pacific/Pago_Pago",
  ]

  let name: String
  let offsetHours: Int
  let today: LocalDay

  init(now: Instant = .now) {
    let hourUTC = Int(now.milliseconds / 3_600_000 % 24)
    offsetHours = 12 - hourUTC
    name = NoonZone.names[hourUTC]
    today = LocalDay(daysSinceEpoch: Int32((now.milliseconds + Int64(offsetHours) * 3_600_000) / 86_400_000))
  }

  /// A day of a file whose last day is yesterday.
  func day(_ fileDay: Int) -> LocalDay { today.advanced(by: fileDay - 1) }

  func instant(day: LocalDay, hour: Int) -> Instant {
    Instant(milliseconds: (Int64(day.daysSinceEpoch) * 24 + Int64(hour - offsetHours)) * 3_600_000)
  }
}

import GRDB
import Logging
import NotificationsContract
import Operations
import RewardsContract
import ServiceKit
import Storage

/// Does the daily check, a few accounts at a time: rewards is asked for all of them at once. The check is noted in the transaction that adds
/// its notifications.
struct DailyChecks: DueWork {
  /// Accounts that are asked for at once: as many as the operations take.
  private static let batch = 50

  let rewards: ServiceClient
  let dispatch: DeliveryDispatch
  let logger: Logger

  func doSome(_ store: Store, _ pulse: Pulse) async throws -> Bool {
    let zones = dispatch.quietHours.zones
    let due = try await store.write { try DailyCheckStore.due(limit: Self.batch, zones, $0) }
    if !due.jobs.isEmpty { try await check(of: due.jobs, store) }
    return due.count == Self.batch
  }

  func nextDue(in database: Database) throws -> Instant? { try DailyCheckStore.nextDue(in: database) }

  private func check(of jobs: [DailyCheckStore.Job], _ store: Store) async throws {
    let accounts = jobs.map(\.account)
    let (offers, ranks): (GetExpiringOffers.Output, GetFriendRanks.Output)
    do {
      offers = try await rewards.request(GetExpiringOffers.self, .init(accountIDs: accounts))
      ranks = try await rewards.request(GetFriendRanks.self, .init(accountIDs: accounts))
      guard offers.accounts.count == jobs.count, ranks.ranks.count == jobs.count else {
        throw Failure(RequestFailure.internalError)
      }
    } catch let failure as Failure {
      logger.warning("daily checks wait for rewards", metadata: ["code": .string(failure.code)])
      try await store.write { transaction in
        let again = transaction.now.adding(seconds: DailyCheckRules.retrySeconds)
        for account in accounts { try DailyCheckStore.wait(account, until: again, transaction) }
      }
      return
    }
    try await store.write { transaction in
      for (position, job) in jobs.enumerated() {
        try notify(job, offers.accounts[position].items, ranks.ranks[position], transaction)
      }
    }
  }

  private func notify(
    _ job: DailyCheckStore.Job, _ offers: [ExpiringOffer], _ rank: FriendRank, _ transaction: Transaction
  ) throws {
    guard try DailyCheckStore.advance(job, rank, transaction) else { return }
    let choices = try PreferenceStore.choices(of: job.account, in: transaction.database)
    func isWanted(_ kind: NotificationSpec) -> Bool {
      NotificationChannel.allCases.contains { choices.state(of: kind, $0) == .on }
    }
    if isWanted(.leaderboardPositionsLost), let lost = DailyCheckRules.lost(job.rank, rank) {
      let draft = NotificationDraft.positionsLost(from: lost.from, to: lost.to, of: job.account, on: job.day)
      try dispatch.deliver(.leaderboardPositionsLost, draft, at: transaction.now, transaction)
    }
    guard isWanted(.offerEnding) else { return }
    var count = 0
    for offer in offers where count < DailyCheckRules.maxOffers {
      let draft = NotificationDraft.ending(offer, for: job.account)
      guard try !dispatch.isKnown(draft, in: transaction.database) else { continue }
      try dispatch.deliver(.offerEnding, draft, at: transaction.now, transaction)
      count += 1
    }
  }
}

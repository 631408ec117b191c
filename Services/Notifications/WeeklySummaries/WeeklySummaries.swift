import ActivityContract
import GRDB
import Logging
import NotificationsContract
import Operations
import RewardsContract
import ServiceKit
import SocialContract
import Storage
import Workers

/// Sends weekly summaries, a few accounts at a time. The services that know the week are asked for all of them at once; a part that a
/// service does not supply, after all retries, is marked as missing.
///
/// The summary is noted in the transaction that adds its notification: after any crash, every account gets it exactly once.
struct WeeklySummaries: DueWork {
  /// Accounts that are asked for at once: as many as the operations take.
  private static let batch = 50

  /// The services that know what became of a week.
  let services: ServiceClient
  let dispatch: DeliveryDispatch
  let logger: Logger

  func doSome(_ store: Store, _ pulse: Pulse) async throws -> Bool {
    let zones = dispatch.quietHours.zones
    let due = try await store.write { try WeeklySummaryStore.due(limit: Self.batch, zones, $0) }
    let first = due.jobs.filter { $0.attempts == 0 }
    if !first.isEmpty { try await notify(first, store) }
    // Retries are done one account at a time: a week that takes long to read delays no other.
    for job in due.jobs where job.attempts > 0 {
      pulse.promise(within: DueWorker.round)
      try await notify([job], store)
    }
    return due.count == Self.batch
  }

  func nextDue(in database: Database) throws -> Instant? { try WeeklySummaryStore.nextDue(in: database) }

  private func notify(_ jobs: [WeeklySummaryStore.Job], _ store: Store) async throws {
    let found = await ask(jobs)
    try await store.write { [dispatch] transaction in
      for (position, job) in jobs.enumerated() {
        let summary = found.summary(position, of: job)
        if !found.isWhole,
          let again = WeeklySummaryRules.retry(attempts: job.attempts, isEmpty: summary.isEmpty, at: transaction.now)
        {
          try WeeklySummaryStore.wait(job, until: again, transaction)
          continue
        }
        guard let id = try WeeklySummaryStore.advance(job, summary, transaction), !summary.isEmpty else { continue }
        let draft = NotificationDraft(
          accountID: job.account, subject: ID(linking: id),
          inbox: InboxItem(
            kind: "weeklySummary", content: summary.content, source: "weeklySummaries/\(job.account)/\(job.week)", accounts: []),
          mail: nil)
        try dispatch.deliver(.weeklySummary, draft, at: transaction.now, transaction)
      }
    }
  }

  /// What the services answered; nil of each that did not.
  private struct Answers: Sendable {
    let activities: [ActivityWeek]?
    let coins: [CoinWeek]?
    let social: GetSocialWeeks.Output?

    var isWhole: Bool { activities != nil && coins != nil && social != nil }

    func summary(_ position: Int, of job: WeeklySummaryStore.Job) -> WeeklySummary {
      WeeklySummary(
        firstDay: job.week, activity: activities?[position], coins: coins?[position],
        acceptedChallenges: social?.acceptedChallenges[position], checkpoint: social?.checkpoint)
    }
  }

  private func ask(_ jobs: [WeeklySummaryStore.Job]) async -> Answers {
    let weeks = jobs.map { WeekOfAccount(accountID: $0.account, firstDay: $0.week) }
    let times = jobs.map { CoinTime(accountID: $0.account, from: $0.from, until: $0.until) }
    let socialTimes = jobs.map { SocialTime(accountID: $0.account, from: $0.from, until: $0.until) }
    let (activities, (coins, social)) = await concurrently({
      await answer(GetActivityWeeks.self, .init(weeks: weeks)) { $0.weeks.count == jobs.count }
    }) {
      await concurrently({ await answer(GetCoinWeeks.self, .init(times: times)) { $0.weeks.count == jobs.count } }) {
        await answer(GetSocialWeeks.self, .init(times: socialTimes)) { $0.acceptedChallenges.count == jobs.count }
      }
    }
    return Answers(activities: activities?.weeks, coins: coins?.weeks, social: social)
  }

  private func answer<O: OpenOperation>(
    _ operation: O.Type, _ input: O.Input, _ isRight: (O.Output) -> Bool
  ) async -> O.Output? where O.Output: Sendable {
    do {
      let output = try await services.request(operation, input)
      if isRight(output) { return output }
      logger.error("a part of a summary has an unexpected number of weeks", metadata: ["operation": .string(O.spec.name)])
    } catch {
      logger.warning("a summary waits for a service", metadata: ["operation": .string(O.spec.name)])
    }
    return nil
  }
}

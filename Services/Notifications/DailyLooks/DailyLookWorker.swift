import Logging
import NotificationsContract
import Operations
import RewardsContract
import ServiceKit
import ServiceLifecycle
import Storage

/// Looks once a day for what accounts ask to be told of, a few accounts at a time: rewards is asked for all of them at once. That an account
/// was looked at is noted in the transaction that lets its notifications go.
struct DailyLookWorker: ServiceLifecycle.Service {
  private static let longestWait = Duration.seconds(60)
  private static let round = Duration.seconds(120)
  private static let breath = Duration.seconds(1)
  private static let noRoom = RequestFailure.overloaded.status
  /// Accounts that are asked for at once: as many as the operations take.
  private static let batch = 50

  let store: Store
  let rewards: ServiceClient
  let dispatch: DeliveryDispatch
  let clock: Clock
  let signal: WakeSignal
  let pulse: Pulse
  let logger: Logger

  func run() async throws {
    while !Task.isShuttingDownGracefully && !Task.isCancelled {
      pulse.promise(within: Self.round)
      let wait = try await step()
      await cancelWhenGracefulShutdown { await signal.wait(atMost: wait) }
    }
  }

  /// Looks at the next accounts.
  ///
  /// - Returns: how long nobody else is due.
  private func step() async throws -> Duration {
    do {
      let zones = dispatch.quietHours.zones
      let due = try await store.write { try DailyLookStore.due(limit: Self.batch, zones, $0) }
      if !due.jobs.isEmpty { try await look(at: due.jobs) }
      guard due.count < Self.batch else { return .zero }
      guard let next = try await store.read({ try DailyLookStore.nextDue(in: $0) }) else { return Self.longestWait }
      return min(.milliseconds(max(0, next.milliseconds - clock.now.milliseconds)), Self.longestWait)
    } catch let failure as Failure where failure.status == Self.noRoom {
      return Self.breath
    }
  }

  private func look(at jobs: [DailyLookStore.Job]) async throws {
    let accounts = jobs.map(\.account)
    let (offers, places): (ReadEndingOffers.Output, ReadFriendPlaces.Output)
    do {
      offers = try await rewards.request(ReadEndingOffers.self, .init(accountIDs: accounts))
      places = try await rewards.request(ReadFriendPlaces.self, .init(accountIDs: accounts))
      guard offers.accounts.count == jobs.count, places.places.count == jobs.count else {
        throw Failure(RequestFailure.internalError)
      }
    } catch let failure as Failure {
      logger.warning("daily looks wait for rewards", metadata: ["code": .string(failure.code)])
      try await store.write { transaction in
        let again = transaction.now.adding(seconds: DailyLookRules.retrySeconds)
        for account in accounts { try DailyLookStore.wait(account, until: again, transaction) }
      }
      return
    }
    try await store.write { transaction in
      for (position, job) in jobs.enumerated() {
        try tell(job, offers.accounts[position].items, places.places[position], transaction)
      }
    }
  }

  private func tell(
    _ job: DailyLookStore.Job, _ offers: [EndingOffer], _ place: FriendPlace, _ transaction: Transaction
  ) throws {
    guard try DailyLookStore.advance(job, place, transaction) else { return }
    let choices = try PreferenceStore.choices(of: job.account, in: transaction.database)
    func isWanted(_ kind: NotificationSpec) -> Bool {
      NotificationChannel.allCases.contains { choices.state(of: kind, $0) == .on }
    }
    if isWanted(.leaderboardPlacesLost), let lost = DailyLookRules.lost(job.place, place) {
      let draft = NotificationDraft.placesLost(from: lost.from, to: lost.to, of: job.account, on: job.day)
      try dispatch.deliver(.leaderboardPlacesLost, draft, at: transaction.now, transaction)
    }
    guard isWanted(.offerEnding) else { return }
    var count = 0
    for offer in offers where count < DailyLookRules.maxOffers {
      let draft = NotificationDraft.ending(offer, for: job.account)
      guard try !dispatch.isKnown(draft, in: transaction.database) else { continue }
      try dispatch.deliver(.offerEnding, draft, at: transaction.now, transaction)
      count += 1
    }
  }
}

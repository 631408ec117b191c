import ActivityContract
import InProcess
import Operations
import RewardsContract
import ServiceKit
import SocialContract
import Synchronization

/// Services that know of weeks what a test says, and that may be away.
final class WeekDoubles: Sendable {
  private struct State {
    var activity: [AccountID: ActivityWeek] = [:]
    var coins: [AccountID: CoinWeek] = [:]
    var accepted: [AccountID: Int] = [:]
    var checkpoint: String?
    var away: Set<ServiceName> = []
    var times: [AccountID: [Instant]] = [:]
    var asked = 0
  }

  private let state = Mutex(State())

  /// What becomes of each account's weeks, whichever they are.
  func set(
    _ account: AccountID, steps: Int = 0, kept: [KeptStreak] = [], broken: [String] = [], earned: Int = 0, spent: Int = 0,
    balance: Int = 0, accepted: Int = 0
  ) {
    state.withLock { state in
      state.activity[account] = ActivityWeek(
        accountID: account, steps: steps, walkedDays: steps > 0 ? 5 : 0, doneEntries: kept.count * 7, keptStreaks: kept,
        keptStreakCount: kept.count, brokenStreaks: broken, brokenStreakCount: broken.count)
      state.coins[account] = CoinWeek(accountID: account, earned: earned, spent: spent, balance: balance)
      state.accepted[account] = accepted
    }
  }

  func setCheckpoint(_ note: String) { state.withLock { $0.checkpoint = note } }

  /// Which services do not answer.
  func goAway(_ services: Set<ServiceName>) { state.withLock { $0.away = services } }

  /// The time of which was asked last.
  func time(of account: AccountID) -> [String] { state.withLock { $0.times[account, default: []].map(\.description) } }

  /// How often was asked.
  var asked: Int { state.withLock { $0.asked } }

  var builds: [ServicesInProcess.Build] {
    [
      { _ in
        var service = ServiceDefinition(.activity, migrations: [])
        service.serve(
          GetActivityWeeks.self,
          read: { input, _, _ in
            try self.answer(.activity) { state in
              .init(weeks: input.weeks.map { state.activity[$0.accountID] ?? .none(of: $0.accountID) })
            }
          })
        return service
      },
      { _ in
        var service = ServiceDefinition(.rewards, migrations: [])
        service.serve(
          GetCoinWeeks.self,
          read: { input, _, _ in
            try self.answer(.rewards) { state in
              for time in input.times { state.times[time.accountID] = [time.from, time.until] }
              return .init(
                weeks: input.times.map {
                  state.coins[$0.accountID] ?? CoinWeek(accountID: $0.accountID, earned: 0, spent: 0, balance: 0)
                })
            }
          })
        return service
      },
      { _ in
        var service = ServiceDefinition(.social, migrations: [])
        service.serve(
          GetSocialWeeks.self,
          read: { input, _, _ in
            try self.answer(.social) { state in
              .init(acceptedChallenges: input.times.map { state.accepted[$0.accountID] ?? 0 }, checkpoint: state.checkpoint)
            }
          })
        return service
      },
    ]
  }

  private func answer<T>(_ service: ServiceName, _ body: (inout State) -> T) throws -> T {
    try state.withLock { state in
      state.asked += 1
      guard !state.away.contains(service) else { throw Failure(RequestFailure.unavailable) }
      return body(&state)
    }
  }
}

extension ActivityWeek {
  fileprivate static func none(of account: AccountID) -> ActivityWeek {
    ActivityWeek(
      accountID: account, steps: 0, walkedDays: 0, doneEntries: 0, keptStreaks: [], keptStreakCount: 0, brokenStreaks: [],
      brokenStreakCount: 0)
  }
}

import RewardsContract
import ServiceKit

/// What accounts earned and spent in a week, for the summaries of notifications (NOT-3).
struct CoinWeekFeature: Feature {
  func register(in service: inout ServiceDefinition) {
    service.serve(GetCoinWeeks.self, read: CoinWeekHandlers.get)
  }
}

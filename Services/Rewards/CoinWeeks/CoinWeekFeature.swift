import RewardsContract
import ServiceKit

/// What came and went of accounts' coins in a week, as notifications asks for its summaries (NOT-3).
struct CoinWeekFeature: Feature {
  func register(in service: inout ServiceDefinition) {
    service.serve(ReadCoinWeeks.self, read: CoinWeekHandlers.read)
  }
}

import Operations
import ServiceKit
import Synchronization

/// Budgets of calls, by account and by address, as token buckets in a bounded table.
///
/// A bucket is one number (the generic cell rate algorithm): the time at which it would be full again. A bucket that is full is
/// forgotten; when none is and the table has reached its bound, newcomers share one bucket.
final class RateLimiter: Sendable {
  /// Whose budget.
  enum Party: Hashable, Sendable {
    case account(AccountID)
    case address(ClientAddress)
    case newcomers
  }

  /// The state of a budget after a call.
  struct Standing: Sendable, Hashable {
    let isAllowed: Bool
    let rate: GatewayConfiguration.Rate
    let remaining: Int
    /// Until the budget is full again, or, for a refused call, until the next may pass.
    let seconds: Int
  }

  private struct Key: Hashable {
    let party: Party
    let rateClass: RateClass
  }

  private struct Table {
    /// Nanoseconds at which each bucket is full again.
    var fullAt: [Key: Int64] = [:]
    var sweptAt: Int64 = 0
  }

  private let rates: GatewayConfiguration.Rates
  /// The longest time in which a budget comes back, in nanoseconds.
  private let longestWindow: Int64
  private let table = Mutex(Table())
  private let clock: Clock

  init(_ rates: GatewayConfiguration.Rates, clock: Clock) {
    self.rates = rates
    let seconds = (Array(rates.account.values) + Array(rates.address.values)).map(\.seconds)
    longestWindow = Int64(seconds.max() ?? 0) * 1_000_000_000
    self.clock = clock
  }

  /// How many buckets are not full.
  var count: Int { table.withLock { $0.fullAt.count } }

  /// Takes the given number of calls from the party's budget, or none if the budget is too small.
  func take(_ party: Party, _ rateClass: RateClass, calls: Int = 1) -> Standing {
    let budgets = if case .account = party { rates.account } else { rates.address }
    let rate = budgets[rateClass] ?? GatewayConfiguration.Rate(1_000_000_000, per: 1)
    let now = clock.now.milliseconds * 1_000_000
    return table.withLock { table in
      var key = Key(party: party, rateClass: rateClass)
      if table.fullAt.count >= rates.remembered, table.fullAt[key] == nil {
        sweep(&table, now)
        if table.fullAt.count >= rates.remembered { key = Key(party: .newcomers, rateClass: rateClass) }
      }
      let (standing, fullAt) = RateLimiter.decide(rate, fullAt: table.fullAt[key] ?? 0, now: now, calls: calls)
      if standing.isAllowed || fullAt != table.fullAt[key] { table.fullAt[key] = fullAt }
      return standing
    }
  }

  /// The rule: a call moves the time of fullness by one call's share; it may not lie further ahead than the whole budget. Where it does,
  /// the clock was put back, and the budget counts as spent.
  static func decide(
    _ rate: GatewayConfiguration.Rate, fullAt: Int64, now: Int64, calls: Int = 1
  ) -> (Standing, fullAt: Int64) {
    let window = Int64(rate.seconds) * 1_000_000_000
    let share = max(1, window / Int64(rate.count))
    let fullAt = min(fullAt, now + window)
    // More than the whole budget is refused whatever their number.
    let next = max(fullAt, now) + share * Int64(min(calls, rate.count + 1))
    let excess = next - now - window
    if excess > 0 && next - now > share {
      let standing = Standing(isAllowed: false, rate: rate, remaining: 0, seconds: seconds(excess))
      return (standing, fullAt)
    }
    let remaining = Int((window - (next - now)) / share)
    return (Standing(isAllowed: true, rate: rate, remaining: max(0, remaining), seconds: seconds(next - now)), next)
  }

  private static func seconds(_ nanoseconds: Int64) -> Int { Int((nanoseconds + 999_999_999) / 1_000_000_000) }

  /// Forgets full buckets, at most once a second; those that were filled before the clock was put back will be, too.
  private func sweep(_ table: inout Table, _ now: Int64) {
    guard now - table.sweptAt >= 1_000_000_000 || now < table.sweptAt else { return }
    table.sweptAt = now
    table.fullAt = table.fullAt.filter { $0.value > now }.mapValues { min($0, now + longestWindow) }
  }
}

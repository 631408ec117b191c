import Operations
import ServiceKit

/// How steps become coins (REW-1).
struct CoinFormula: Sendable, Hashable {
  /// How many steps make a coin.
  var stepsPerCoin = 100
  /// The most steps of one day that count.
  var dailyCap = 20_000
  /// A day's steps count if they are recorded on that day or on one of the days after it, so many days in all.
  var earningDays = 7

  /// Whether steps of that day still count when they are recorded on the other. Those of a day that has not begun there do not
  /// yet: they will with that day's next change.
  func earns(_ day: LocalDay, recordedOn recordedDay: LocalDay) -> Bool {
    (0..<earningDays).contains(day.distance(to: recordedDay))
  }

  /// How many of a day's steps count.
  func counted(_ steps: Int) -> Int { min(steps, dailyCap) }
}

extension CoinFormula {
  /// The formula as configured under `racha.coins`.
  init(_ settings: Settings) {
    let usual = CoinFormula()
    stepsPerCoin = settings.int("racha.coins.stepsPerCoin", default: usual.stepsPerCoin, in: 1...1_000_000)
    dailyCap = settings.int("racha.coins.dailyCap", default: usual.dailyCap, in: 0...1_000_000)
    earningDays = settings.int("racha.coins.earningDays", default: usual.earningDays, in: 1...366)
  }
}

/// Turns changes of counted steps into coins, one account at a time.
///
/// What is carried is exact: at any time, carried steps and the steps of all coins ever granted add up to the steps counted. Where
/// the formula changes, coins granted before stay granted.
struct StepPurse: Hashable, Sendable {
  /// Steps not yet turned into coins. Negative where a correction took back more than the balance had: steps to come settle that.
  private(set) var carriedSteps: Int

  init(carriedSteps: Int = 0) { self.carriedSteps = carriedSteps }

  /// Takes a change of the counted steps.
  ///
  /// - Parameter balance: how many coins the account has to take back.
  /// - Returns: coins to grant, or if negative to take back, at most the balance.
  mutating func take(_ change: Int, balance: Int, stepsPerCoin: Int) -> Int {
    carriedSteps += change
    let coins: Int
    if carriedSteps >= 0 {
      coins = carriedSteps / stepsPerCoin
    } else {
      coins = -min(balance, (-carriedSteps + stepsPerCoin - 1) / stepsPerCoin)
    }
    carriedSteps -= coins * stepsPerCoin
    return coins
  }
}

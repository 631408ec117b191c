import Operations
import ServiceKit

/// The formula that turns steps into coins (REW-1).
struct CoinFormula: Sendable, Hashable {
  /// How many steps make a coin.
  var stepsPerCoin = 100
  /// The maximum number of steps per day that count.
  var dailyCap = 20_000
  /// For how many days, the day itself included, recorded steps of a day count.
  var earningDays = 7

  /// Whether steps of one day still count when recorded on the other. Steps of a day that has not begun on the recorded day do not count
  /// yet: they do with that day's next change.
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

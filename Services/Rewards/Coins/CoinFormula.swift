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

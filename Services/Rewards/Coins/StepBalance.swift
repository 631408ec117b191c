/// Turns changes of counted steps into coins, for one account.
///
/// The carried steps are exact: at any time, they and the steps of all coins ever granted add up to the counted steps. Where the formula
/// changes, coins granted before stay granted.
struct StepBalance: Hashable, Sendable {
  /// Steps not yet turned into coins. Negative where a correction took back more than the balance had; further steps settle that.
  private(set) var carriedSteps: Int

  init(carriedSteps: Int = 0) { self.carriedSteps = carriedSteps }

  /// Applies a change of the counted steps.
  ///
  /// - Parameter balance: how many coins can be taken back.
  /// - Returns: coins to grant, or to take back if negative, at most the balance.
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

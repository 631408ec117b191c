/// Turns changes of counted steps into coins, one account at a time.
///
/// What is carried is exact: at any time, carried steps and the steps of all coins ever granted add up to the steps counted. Where
/// the formula changes, coins granted before stay granted.
struct StepBalance: Hashable, Sendable {
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

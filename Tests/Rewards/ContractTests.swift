import Operations
import RewardsContract
import Testing

@Suite("The contract of rewards")
struct ContractTests {
  let words = Words(Contract.rewards.words)

  @Test("The contract of rewards has words for every rule")
  func texts() {
    let rules = [
      "not_after", "not_a_redemption_code", "not_a_leaderboard_period", "not_for_metric", "not_for_window", "not_more_than",
      "not_beside", "only_for_movement",
      "may_not_rise", "may_not_fall", "not_an_icon",
    ].map { "field.\($0)" }
    #expect(Set(rules).subtracting(words.keys(.english)) == [])
  }

  @Test("Missing coins are reported with the source's message (E UC-04, AF-01)")
  func notEnoughCoins() {
    #expect(words.text("failure.not_enough_coins", .english) == "Not enough coins to redeem this reward.")
    #expect(words.text("failure.not_enough_coins", .spanish) == "No tienes monedas suficientes para canjear esta recompensa.")
  }
}

import InProcess
import Operations
import Sampling
import ServiceKit
import Testing

@testable import RewardsService

@Suite("The coin formula")
struct CoinFormulaTests {
  @Test(
    "A day's steps can earn on that day and the six after it",
    arguments: [(-1, false), (0, true), (1, true), (6, true), (7, false), (400, false)])
  func window(daysLater: Int, earns: Bool) {
    let day = LocalDay(daysSinceEpoch: 20_000)
    #expect(CoinFormula().earns(day, recordedOn: day.advanced(by: daysLater)) == earns)
  }

  @Test(
    "The coin formula counts at most 20,000 steps a day",
    arguments: [(0, 0), (19_999, 19_999), (20_000, 20_000), (90_000, 20_000)])
  func cap(steps: Int, counted: Int) {
    #expect(CoinFormula().counted(steps) == counted)
  }

  @Test(
    "The coin formula carries remaining steps over, and takes back at most the balance",
    arguments: [
      // (carried, change, balance, coins, carried after)
      (0, 99, 0, 0, 99), (99, 1, 0, 1, 0), (50, 260, 0, 3, 10), (0, 0, 5, 0, 0),
      (10, -10, 5, 0, 0), (10, -11, 5, -1, 99), (0, -100, 5, -1, 0), (0, -101, 5, -2, 99),
      (0, -500, 2, -2, -300), (-300, 299, 0, 0, -1), (-300, 400, 0, 1, 0), (-300, 50, 9, -3, 50),
    ])
  func stepBalance(carried: Int, change: Int, balance: Int, coins: Int, after: Int) {
    var stepBalance = StepBalance(carriedSteps: carried)
    #expect(stepBalance.take(change, balance: balance, stepsPerCoin: 100) == coins)
    #expect(stepBalance.carriedSteps == after)
  }

  @Test("The coin formula equals dividing the sum of all steps, in 20,000 generated histories with corrections and spending")
  func agreesWithDividing() throws {
    var random = SeededGenerator(7)
    for _ in 0..<20_000 {
      let stepsPerCoin = Int.random(in: 1...150, using: &random)
      var days = Array(repeating: 0, count: 5)
      var stepBalance = StepBalance()
      var balance = 0
      var spent = 0
      for _ in 0..<Int.random(in: 1...20, using: &random) {
        let day = Int.random(in: 0..<days.count, using: &random)
        let steps = Int.random(in: 0...2000, using: &random)
        balance += stepBalance.take(steps - days[day], balance: balance, stepsPerCoin: stepsPerCoin)
        days[day] = steps
        // The slow and obvious way: all steps by the price of a coin, less what was spent, but never below nothing.
        let earned = days.reduce(0, +) / stepsPerCoin
        try #require(balance == max(0, earned - spent))
        try #require(stepBalance.carriedSteps + (balance + spent) * stepsPerCoin == days.reduce(0, +))
        if Bool.random(using: &random) {
          let price = Int.random(in: 0...balance, using: &random)
          balance -= price
          spent += price
        }
      }
    }
  }

  @Test("Existing coins stay when the price of a coin changes")
  func otherPrice() {
    var stepBalance = StepBalance()
    #expect(stepBalance.take(1050, balance: 0, stepsPerCoin: 100) == 10)
    #expect(stepBalance.take(100, balance: 10, stepsPerCoin: 200) == 0)
    #expect(stepBalance.take(50, balance: 10, stepsPerCoin: 200) == 1)
  }

  @Test("The coin formula is configurable, and invalid settings are refused")
  func settings() throws {
    let settings = Settings(["racha.coins.stepsPerCoin": "250", "racha.coins.dailyCap": "10000", "racha.coins.earningDays": "3"])
    #expect(CoinFormula(settings) == CoinFormula(stepsPerCoin: 250, dailyCap: 10_000, earningDays: 3))
    try settings.check()
    let senseless = Settings(["racha.coins.stepsPerCoin": "0"])
    _ = CoinFormula(senseless)
    #expect(throws: Settings.Invalid.self) { try senseless.check() }
  }
}

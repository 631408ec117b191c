import ActivityContract
import Operations
import Testing

@testable import ActivityService

@Suite("Days in a row on which something was done (H CU-5)")
struct ActiveRunTests {
  @Test(
    "Days in a row count up to today, or yesterday while today is open",
    arguments: [
      ([], 0, 0), ([-3, -2, -1, 0], 4, 4), ([-3, -2, -1], 3, 3), ([-4, -3, -2], 0, 3), ([-9, -8, -7, -1, 0], 2, 3), ([0], 1, 1),
      ([-1, 0, 1], 3, 3),
    ])
  func rows(days: [Int], current: Int, longest: Int) {
    let today = LocalDay(daysSinceEpoch: 20_000)
    var run = ActiveRun()
    for day in days { run.add(today.advanced(by: day)) }
    #expect(run.streak(today: today) == Streak(current: current, longest: longest))
    #expect(run.count == days.count && run.first == days.first.map { today.advanced(by: $0) })
  }

  @Test(
    "A run of active days continues over lost days, which add nothing",
    arguments: [
      ([-3, -2, 0], [-1], 3, 3), ([-3, -2], [-1], 2, 2), ([-4, -1, 0], [-3, -2], 3, 3), ([-4, -1, 0], [-3], 2, 2),
      ([-4, -3], [-2], 0, 2), ([-2, -1, 0], [-1], 3, 3),
    ])
  func lost(days: [Int], lost: [Int], current: Int, longest: Int) {
    let today = LocalDay(daysSinceEpoch: 20_000)
    var run = ActiveRun(lost: Set(lost.map { today.advanced(by: $0) }))
    for day in days { run.add(today.advanced(by: day)) }
    #expect(run.streak(today: today) == Streak(current: current, longest: longest))
    #expect(run.count == days.count)
  }
}

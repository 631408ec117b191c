import ActivityContract
import Operations
import Sampling
import Testing

@testable import ActivityService

@Suite("The rule of an activity's versions")
struct VersionRulesTests {
  @Test(
    "The rule of versions agrees with searching all edits for each day, in 10,000 generated activities",
    arguments: [2026, 4, 31, 1] as [UInt64])
  func agree(seed: UInt64) async throws {
    var random = SeededGenerator(seed)
    var editsOfWaiting = 0
    let start = LocalDay(daysSinceEpoch: 20_000)
    let days = (-30...90).map { start.advanced(by: $0) }
    for number in 0..<2500 {
      // Services in other tests wait for the same few threads.
      if number % 20 == 0 { await Task.yield() }
      var model = VersionModel(.random(around: start, &random), today: start)
      var versions = [ActivityVersion(model.terms, from: ActivityVersionStore.beginning, anchor: model.terms.startDay)]
      for _ in 0..<10 {
        switch Int.random(in: 0...6, using: &random) {
        case 0: model.wait(days: Int.random(in: -1...9, using: &random))
        case 1, 2: model.record()
        case 3: model.takeBack(first: Bool.random(using: &random))
        default:
          var terms = model.terms
          terms.vary(around: model.today, &random)
          guard terms != model.terms, model.mayBecome(terms) else { continue }
          let begun = Set(model.entries.keys.filter { $0 >= model.today })
          let putOff = VersionRules.putOff(versions, to: terms, today: model.today, begun: begun)
          try #require(putOff == model.putOff(terms), "\(seed) \(number): \(versions) \(model) \(terms)")
          if let putOff, let end = terms.endDay, end < putOff { continue }
          versions = VersionRules.change(versions, to: terms, today: model.today, begun: begun)
          if model.waits { editsOfWaiting += 1 }
          model.change(to: terms)
        }
        let plan = Plan(versions)
        let goals = days.map { day in
          let version = plan.version(on: day)
          return version.isPlanned(on: day) ? version.goal : nil
        }
        try #require(goals == days.map { model.goal(on: $0) }, "\(seed) \(number): \(versions) \(model)")
        // What was recorded stays asked for, as what it is.
        for (day, goal) in zip(days, goals) {
          guard let recorded = model.entries[day] else { continue }
          try #require(
            goal?.kind == recorded.kind && goal?.unit == recorded.unit, "\(seed) \(number) \(day): \(versions) \(model)")
        }
        try #require(versions.last?.terms == model.terms && plan.firstDay == model.terms.startDay)
        try #require(zip(versions, versions.dropFirst()).allSatisfy { $0.fromDay < $1.fromDay })
      }
    }
    #expect(editsOfWaiting > 100)
  }
}

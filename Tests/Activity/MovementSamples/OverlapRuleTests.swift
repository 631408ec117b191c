import ActivityContract
import InProcess
import Operations
import Sampling
import Testing

@testable import ActivityService

@Suite("Overlapping sources, resolved by interval (MOVE-1)")
struct OverlapRuleTests {
  static let day = LocalDay(daysSinceEpoch: 0)

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Rank, from, until, amount.
    let samples: [(Int, Int64, Int64, Int)]
    let amount: Int
  }

  static let cases = [
    Case(testDescription: "one source alone", samples: [(0, 0, 100, 7), (0, 100, 200, 8)], amount: 15),
    Case(testDescription: "one source's own overlaps add up", samples: [(0, 0, 100, 7), (0, 50, 150, 8)], amount: 15),
    Case(testDescription: "the same walk twice", samples: [(0, 0, 100, 120), (1, 0, 100, 110)], amount: 120),
    Case(testDescription: "half of the phone's time", samples: [(0, 0, 50, 60), (1, 0, 100, 100)], amount: 110),
    Case(testDescription: "the watch in the middle", samples: [(0, 40, 60, 30), (1, 0, 100, 100)], amount: 110),
    Case(
      testDescription: "a watch that stood still hides a phone that was shaken", samples: [(0, 0, 100, 0), (1, 20, 30, 50)],
      amount: 0),
    Case(testDescription: "times that touch do not overlap", samples: [(0, 0, 100, 10), (1, 100, 200, 20)], amount: 30),
    Case(
      testDescription: "three layers", samples: [(2, 0, 90, 90), (1, 30, 60, 300), (0, 40, 50, 1000)], amount: 60 + 200 + 1000),
    Case(testDescription: "a moment under cover", samples: [(0, 0, 100, 10), (1, 50, 51, 9)], amount: 10),
    Case(testDescription: "shares that are not whole", samples: [(0, 33, 66, 0), (1, 0, 100, 10)], amount: 3 + 4),
  ]

  @Test("counts of each stretch of time the first source alone", arguments: cases)
  func table(example: Case) {
    let samples = example.samples.map { rank, from, until, amount in ranked(rank, from, until, amount) }
    for samples in [samples, samples.reversed()] {
      #expect(OverlapRule.count(samples, on: OverlapRuleTests.day).amount == example.amount)
    }
  }

  @Test("agrees with looking at every millisecond, in 1,000 generated days, in any order")
  func generated() throws {
    var random = SeededGenerator(41)
    for _ in 0..<1000 {
      let samples = (0..<Int.random(in: 1...12, using: &random)).map { _ in
        let from = Int64.random(in: 0..<120, using: &random)
        let length = Int64.random(in: 1...60, using: &random)
        let marks: Marks = Int.random(in: 0..<4, using: &random) == 0 ? [Marks(.handTyped)] : []
        return ranked(Int.random(in: 0..<4, using: &random), from, from + length, Int.random(in: 0...200, using: &random), marks)
      }
      let expected = model(samples)
      for _ in 0..<3 {
        let count = OverlapRule.count(samples.shuffled(using: &random), on: OverlapRuleTests.day)
        try #require(count.amount == expected.amount && count.plausible == expected.plausible, "\(samples)")
      }
    }
  }

  /// The slow and obvious way: who counts in this millisecond, and what of each sample falls into it?
  private func model(_ samples: [RankedSample]) -> (amount: Int, plausible: Int) {
    var (amount, plausible) = (0, 0)
    for moment in Int64(0)..<200 {
      let here = samples.filter { $0.spread.from <= moment && moment < $0.spread.until }
      guard let first = here.map(\.rank).min() else { continue }
      for sample in here where sample.rank == first {
        let elapsed = moment - sample.spread.from
        let share = sample.spread.upTo(elapsed + 1) - sample.spread.upTo(elapsed)
        amount += share
        if sample.marks.isEmpty { plausible += share }
      }
    }
    return (amount, plausible)
  }

  private func ranked(_ rank: Int, _ from: Int64, _ until: Int64, _ amount: Int, _ marks: Marks = []) -> RankedSample {
    RankedSample(
      rank: rank, spread: Spread(amount: amount, from: from, until: until, day: OverlapRuleTests.day, pieces: []), marks: marks)
  }
}

@Suite("The usual order of sources (MOVE-1)")
struct SourcePriorityTests {
  @Test(
    "is told by the names of device and program",
    arguments: [
      ("com.apple.health", "Watch6,2", SourcePriority.watch), ("com.apple.health", "iPhone14,3", .phone),
      ("com.fitbit.FitbitMobile", nil, .watch), ("Mi Band", nil, .watch), ("monitoring", nil, .other), ("Strava", nil, .other),
      ("Google Fit", "Pixel 9", .phone), ("Google Fit", "Pixel Watch 3", .watch), (nil, "Galaxy Watch6", .watch),
      (nil, nil, .other), ("Oura", "Ring", .watch), ("com.huawei.health", "ANDROID", .phone),
    ] as [(String?, String?, SourcePriority)])
  func names(source: String?, device: String?, priority: SourcePriority) {
    #expect(SourcePriority(MovementSource(source: source, device: device)) == priority)
    #expect(SourcePriority(MovementSource(source: source, device: device, isHandTyped: true)) == .handTyped)
  }

  @Test("is that of the account where it has chosen one, and never that in which sources came")
  func order() {
    func known(_ number: Int64, _ device: String, _ position: Int?) -> KnownSource {
      KnownSource(number: number, source: MovementSource(device: device), position: position)
    }
    let sources = [known(3, "A phone", nil), known(1, "B watch", nil), known(2, "A watch", nil), known(9, "Scales", 0)]
    for sources in [sources, sources.reversed()] {
      #expect(KnownSource.sorted(sources).map(\.source.device) == ["Scales", "A watch", "B watch", "A phone"])
    }
  }
}

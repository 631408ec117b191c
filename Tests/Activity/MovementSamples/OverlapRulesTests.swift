import ActivityContract
import InProcess
import Operations
import Sampling
import Testing

@testable import ActivityService

@Suite("Overlapping sources, resolved by interval (MOVE-1)")
struct OverlapRulesTests {
  static let day = LocalDay(daysSinceEpoch: 0)

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Rank, from, until, amount; a sample of no length ends where it begins.
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
    Case(testDescription: "a moment under cover", samples: [(0, 0, 100, 10), (1, 50, 50, 9)], amount: 10),
    Case(
      testDescription: "a watch's moment replaces as much of the phone's time",
      samples: [(0, 50, 50, 30), (1, 0, 100, 100)],
      amount: 100),
    Case(
      testDescription: "a moment of more than the phone measured", samples: [(0, 50, 50, 300), (1, 0, 100, 100)], amount: 300),
    Case(
      testDescription: "several moments of one source", samples: [(0, 20, 20, 30), (0, 50, 50, 90), (1, 0, 100, 100)], amount: 120
    ),
    Case(testDescription: "a moment of nothing", samples: [(0, 50, 50, 0), (1, 0, 100, 100)], amount: 100),
    Case(testDescription: "a moment at the end is not within", samples: [(0, 100, 100, 30), (1, 0, 100, 100)], amount: 130),
    Case(testDescription: "a moment of two sources", samples: [(0, 50, 50, 30), (1, 50, 50, 40)], amount: 30),
    Case(testDescription: "a moment of nothing hides another's", samples: [(0, 50, 50, 0), (1, 50, 50, 40)], amount: 0),
    Case(
      testDescription: "a moment replaces one sample of several of a source, and then of the next",
      samples: [(0, 50, 50, 70), (1, 0, 100, 60), (1, 10, 90, 60)], amount: 120),
    Case(
      testDescription: "a moment under a second source is nothing to a third",
      samples: [(0, 50, 50, 70), (1, 40, 60, 10), (2, 0, 100, 100)], amount: 70 + 80),
    Case(testDescription: "one source's own moments add up", samples: [(0, 50, 50, 30), (0, 0, 100, 100)], amount: 130),
    Case(testDescription: "shares that are not whole", samples: [(0, 33, 66, 0), (1, 0, 100, 10)], amount: 3 + 4),
  ]

  @Test("Where sources overlap, only the first source of each stretch of time counts", arguments: cases)
  func table(example: Case) {
    let samples = example.samples.map { rank, from, until, amount in ranked(rank, from, until, amount) }
    for samples in [samples, samples.reversed()] {
      #expect(OverlapRules.count(samples, on: OverlapRulesTests.day).amount == example.amount)
    }
  }

  @Test("The rule of overlapping sources agrees with checking every millisecond, in 1,000 generated days, in any order")
  func generated() throws {
    var random = SeededGenerator(41)
    for _ in 0..<1000 {
      let samples = (0..<Int.random(in: 1...12, using: &random)).map { _ in
        let from = Int64.random(in: 0..<120, using: &random)
        let length = Int.random(in: 0..<3, using: &random) == 0 ? 0 : Int64.random(in: 2...60, using: &random)
        let flags: SampleFlags = Int.random(in: 0..<4, using: &random) == 0 ? [SampleFlags(.handTyped)] : []
        return ranked(Int.random(in: 0..<4, using: &random), from, from + length, Int.random(in: 0...200, using: &random), flags)
      }
      let expected = model(samples)
      for _ in 0..<3 {
        let count = OverlapRules.count(samples.shuffled(using: &random), on: OverlapRulesTests.day)
        let unmarked = count.minutes.sum(ofMinutesUpTo: .max).sum
        try #require(count.amount == expected.amount && unmarked == expected.unmarked, "\(samples)")
      }
    }
  }

  /// The slow and obvious way: who counts in this millisecond, and what of each sample falls into it? And of how much of that does a moment
  /// of somebody before take precedence?
  private func model(_ samples: [RankedSample]) -> (amount: Int, unmarked: Int) {
    func hasZeroLength(_ sample: RankedSample) -> Bool { sample.spread.until == sample.spread.from + 1 }
    func holds(_ sample: RankedSample, _ time: Int64) -> Bool { sample.spread.from <= time && time < sample.spread.until }
    let stretches = samples.filter { !hasZeroLength($0) }
    func rank(at time: Int64) -> Int { stretches.filter { holds($0, time) }.map(\.rank).min() ?? .max }
    var (amount, unmarked) = (0, 0)
    func count(_ share: Int, _ sample: RankedSample) {
      amount += share
      if sample.flags.isEmpty { unmarked += share }
    }
    var zeroLengthSamples: [(sample: RankedSample, left: Int)] = []
    for sample in samples where hasZeroLength(sample) {
      let time = sample.spread.from
      guard rank(at: time) >= sample.rank else { continue }
      guard !samples.contains(where: { hasZeroLength($0) && $0.spread.from == time && $0.rank < sample.rank }) else { continue }
      count(sample.spread.amount, sample)
      zeroLengthSamples.append((sample, sample.spread.amount))
    }
    // Which of a source's equal samples gives way makes no difference but for their marks.
    func order(_ sample: RankedSample) -> (Int, Int64, Int64, Int, UInt8) {
      (sample.rank, sample.spread.from, sample.spread.until, sample.spread.amount, sample.flags.rawValue)
    }
    for sample in stretches.sorted(by: { order($0) < order($1) }) {
      var share = 0
      for time in sample.spread.from..<sample.spread.until where rank(at: time) == sample.rank {
        let elapsed = time - sample.spread.from
        share += sample.spread.upTo(elapsed + 1) - sample.spread.upTo(elapsed)
      }
      zeroLengthSamples.sort { $0.sample.spread.from < $1.sample.spread.from }
      for index in zeroLengthSamples.indices {
        let zeroLengthSample = zeroLengthSamples[index].sample
        guard zeroLengthSample.rank < sample.rank, holds(sample, zeroLengthSample.spread.from),
          rank(at: zeroLengthSample.spread.from) >= sample.rank
        else {
          continue
        }
        let taken = min(zeroLengthSamples[index].left, share)
        zeroLengthSamples[index].left -= taken
        share -= taken
      }
      count(share, sample)
    }
    return (amount, unmarked)
  }

  private func ranked(_ rank: Int, _ from: Int64, _ until: Int64, _ amount: Int, _ flags: SampleFlags = []) -> RankedSample {
    RankedSample(
      rank: rank, spread: Spread(amount: amount, from: from, until: max(until, from + 1), day: OverlapRulesTests.day, pieces: []),
      flags: flags)
  }
}

import ActivityContract
import Operations
import Sampling
import Testing

@testable import ActivityService

@Suite("The minutes of a day (MOVE-6)")
struct MinuteSumsTests {
  private static let day = LocalDay(daysSinceEpoch: 20_000)

  @Test("A sample is spread over minutes by time, with the same shares however it is split, in 2,000 generated cases")
  func spread() throws {
    var random = SeededGenerator(17)
    for round in 0..<2000 {
      let from = 1_728_000_000_000 + Int64.random(in: 0..<3_600_000, using: &random)
      let length = Int64.random(in: 1...(round % 2 == 0 ? 200_000 : 86_400_000), using: &random)
      let spread = Spread(
        amount: Int.random(in: 0...(round % 3 == 0 ? 1_000_000_000 : 5000), using: &random), from: from, until: from + length,
        day: Self.day, pieces: [])
      // As where a day ended on the way: some of the sample's time lies elsewhere.
      let elapsed = Int64.random(in: 0..<length, using: &random)
      let piece = Spread.Piece(day: Self.day, from: from + elapsed, until: from + length, elapsed: elapsed)
      let begin = Int64.random(in: piece.from..<piece.until, using: &random)
      let end = Int64.random(in: begin...piece.until, using: &random)
      guard begin < end else { continue }
      var minutes: [Int64] = []
      var sum = 0
      spread.forEachMinute(of: piece, from: begin, until: end) { minute, amount in
        let (start, stop) = (max(begin, minute * 60_000), min(end, (minute + 1) * 60_000))
        if amount != spread.share(of: piece, from: start, until: stop) { minutes.append(-1) }
        minutes.append(minute)
        sum += amount
      }
      try #require(minutes == Array(begin / 60_000...(end - 1) / 60_000))
      try #require(sum == spread.share(of: piece, from: begin, until: end))
    }
  }

  @Test("A day's minutes are the same in whatever order and parts they are added, also when read from a store")
  func order() throws {
    var random = SeededGenerator(23)
    for _ in 0..<200 {
      let base = Int64.random(in: 0..<200_000, using: &random)
      let added = (0..<60).map { _ in
        (amount: Int.random(in: 0...400, using: &random), minute: base + Int64.random(in: 0..<1500, using: &random))
      }
      var model: [Int64: Int] = [:]
      for (amount, minute) in added { model[minute, default: 0] += amount }
      for _ in 0..<3 {
        var (left, right) = (MinuteSums(), MinuteSums())
        for (amount, minute) in added.shuffled(using: &random) {
          if Bool.random(using: &random) { left.add(amount, at: minute) } else { right.add(amount, at: minute) }
        }
        left.add(right)
        let kept = MinuteSums(first: left.first, bytes: left.bytes)
        try #require(kept == left)
        for maximum in [0, 100, 399, 400, 1000] {
          let (sum, isExceeded) = kept.sum(ofMinutesUpTo: maximum)
          try #require(sum == model.values.filter { $0 <= maximum }.reduce(0, +))
          try #require(isExceeded == model.values.contains { $0 > maximum })
        }
      }
    }
  }

  @Test("A minute's sum is capped at a maximum above every ceiling")
  func full() {
    var minutes = MinuteSums()
    #expect(minutes.isEmpty)
    minutes.add(0, at: 7)
    #expect(minutes.isEmpty)
    for _ in 0..<5 { minutes.add(1_000_000_000, at: 7) }
    #expect(minutes.sum(ofMinutesUpTo: Int(UInt32.max) - 1).isExceeded)
    #expect(minutes.sum(ofMinutesUpTo: Int(UInt32.max)).sum == Int(UInt32.max))
  }
}

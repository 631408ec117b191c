import Operations
import Sampling
import Testing

@testable import ActivityService

@Suite("Reading the days of a history a few at a time")
struct HistoryWindowTests {
  private func day(_ number: Int) -> LocalDay { LocalDay(daysSinceEpoch: Int32(number)) }

  @Test("The days of a history are read once each, the newest first, whatever is found in them")
  func cover() {
    var generator = SeededGenerator(5)
    for _ in 0..<2_000 {
      let first = Int.random(in: -5_000...20_000, using: &generator)
      let last = first + Int.random(in: 0...6_000, using: &generator)
      var window = HistoryWindow(day(first)...day(last))
      var (next, looked, found) = (last, 0, 0)
      let density = Double.random(in: 0...300, using: &generator)
      let fitting = Double.random(in: 0...1, using: &generator)
      while let days = window.next(looked: looked, found: found, of: 51) {
        #expect(days.upperBound == day(next))
        #expect(days.lowerBound >= day(first))
        next = Int(days.lowerBound.daysSinceEpoch) - 1
        looked += Int(Double(days.count) * density)
        found = min(51, Int(Double(looked) * fitting))
      }
      #expect(next == first - 1)
    }
    var none = HistoryWindow(nil)
    #expect(none.next(looked: 0, found: 0, of: 51) == nil)
  }

  @Test("The window of a history's days grows quickly where little is found, and stays small where much is found")
  func lengths() {
    func lengths(_ days: Int, perDay: Double) -> [Int] {
      var window = HistoryWindow(day(1)...day(days))
      var (lengths, found) = ([Int](), 0.0)
      while found < 51, let days = window.next(looked: Int(found), found: Int(found), of: 51) {
        lengths.append(days.count)
        found += Double(days.count) * perDay
      }
      return lengths
    }
    #expect(lengths(5_000, perDay: 200) == [1])
    #expect(lengths(5_000, perDay: 30) == [1, 1])
    #expect(lengths(5_000, perDay: 0.2) == [1, 4, 16, 64, 213])
    #expect(lengths(5_000, perDay: 0) == [1, 4, 16, 64, 256, 1024, 3635])
  }
}

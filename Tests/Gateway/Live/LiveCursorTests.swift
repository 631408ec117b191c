import Operations
import Sampling
import Testing

@testable import GatewayService

@Suite("The cursor of a live connection")
struct LiveCursorTests {
  @Test("The cursor of a live connection delivers the next message, ignores old ones, and fetches after a gap")
  func steps() {
    var cursor = LiveCursor(last: 5)
    #expect([6, 6, 4, 8, 7, 8].map { cursor.step($0) } == [.deliver, .passOver, .passOver, .fetch, .deliver, .deliver])
  }

  @Test("The cursor of a live connection fetches the next message if not all are for the connection")
  func fetches() {
    var cursor = LiveCursor(last: 5)
    #expect([5, 6, 6].map { cursor.step($0, isForAll: false) } == [.passOver, .fetch, .fetch])
  }

  @Test("The cursor of a live connection skips deleted messages, and returns from a number that never existed")
  func takes() {
    let account = AccountID()
    func message(_ number: Int) -> LiveMessage { LiveMessage(account: account, number: number, payload: []) }
    var cursor = LiveCursor(last: 2)
    let first = cursor.take([message(2), message(3), message(6)], lastNumber: 9, limit: 3)
    #expect(first.deliver.map(\.number) == [3, 6])
    #expect(!first.isComplete)
    let second = cursor.take([message(7)], lastNumber: 9, limit: 3)
    #expect(second.isComplete)
    #expect(cursor.last == 9)
    var ahead = LiveCursor(last: 100)
    #expect(ahead.take([], lastNumber: 9, limit: 3).isComplete)
    #expect(ahead.step(10) == .deliver)
  }

  @Test("The cursor of a live connection goes on where a page ended early, and is complete with the one that does not")
  func early() {
    let account = AccountID()
    func message(_ number: Int) -> LiveMessage { LiveMessage(account: account, number: number, payload: []) }
    var cursor = LiveCursor(last: 2)
    let first = cursor.take([message(3)], lastNumber: 9, limit: 3, nextAfter: 7)
    #expect(first.deliver.map(\.number) == [3] && !first.isComplete && cursor.last == 7)
    #expect(!cursor.take([], lastNumber: 9, limit: 3, nextAfter: 8).isComplete && cursor.last == 8)
    #expect(cursor.take([], lastNumber: 9, limit: 3).isComplete && cursor.last == 9)
  }

  /// Numbers published are dropped, doubled and reordered at random; the backlog has them all.
  @Test(
    "The cursor of a live connection delivers each message once and in order, whatever the hub loses",
    arguments: 0..<50 as Range<UInt64>)
  func random(seed: UInt64) {
    var random = SeededGenerator(seed)
    let account = AccountID()
    let all = (1...200).map { LiveMessage(account: account, number: $0, payload: []) }
    var published: [Int] = []
    for number in 1...200 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0, 1: break
      case 2: published += [number, number]
      default: published.append(number)
      }
    }
    for _ in 0..<20 {
      published.swapAt(Int.random(in: 0..<published.count, using: &random), Int.random(in: 0..<published.count, using: &random))
    }
    published.append(200)
    var cursor = LiveCursor(last: 0)
    var shown: [Int] = []
    for number in published {
      switch cursor.step(number) {
      case .deliver: shown.append(number)
      case .passOver: break
      case .fetch:
        var isComplete = false
        while !isComplete {
          let page = Array(all.filter { $0.number > cursor.last && $0.number <= number }.prefix(7))
          let (fresh, end) = cursor.take(page, lastNumber: number, limit: 7)
          shown += fresh.map(\.number)
          isComplete = end
        }
      }
    }
    #expect(shown == Array(1...200))
  }
}

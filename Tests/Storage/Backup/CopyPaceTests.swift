import Testing

@testable import Storage

@Suite("The pace of a copy")
struct CopyPaceTests {
  @Test(
    "A copy pauses as long as its last piece took during commits, longer during slow ones, and not without any",
    arguments: [
      // the longest commit beside each piece, in milliseconds (nil: none), and the pause behind the last, as a multiple of the piece's time
      ([2], 1.0), ([2, 2, 2], 1.0), ([40], 2.0), ([40, 40], 4.0), ([40, 40, 40, 40, 40], 8.0),
      ([40, 40, 40, 2], 7.2), ([nil], 0.875), ([nil, nil, nil, nil, nil, nil, nil, nil, nil], 0.0),
      ([nil, nil, nil, nil, nil, nil, nil, nil, 2], 1.0), ([nil, nil, nil, nil, nil, nil, nil, nil, 40], 1.0),
    ] as [([Int?], Double)])
  func pauses(commits: [Int?], share: Double) {
    var pace = CopyPace()
    var last = Duration.zero
    for commit in commits {
      last = pace.pause(after: .milliseconds(10), slowestCommit: commit.map { .milliseconds($0) }, isBehind: false)
    }
    #expect(abs(last / .milliseconds(10) - share) < 0.001)
  }

  @Test("A copy that is behind schedule does not pause, and no pause is longer than a second")
  func bounds() {
    var pace = CopyPace()
    #expect(pace.pause(after: .milliseconds(10), slowestCommit: .milliseconds(40), isBehind: true) == .zero)
    #expect(pace.pause(after: .seconds(3), slowestCommit: .milliseconds(40), isBehind: false) == .seconds(1))
  }

  @Test(
    "A copy is behind schedule if its share of time or log growth exceeds its share of pages",
    arguments: [
      // the share copied, seconds of 100, bytes of 1000
      (0.0, 0, 0, false), (0.5, 49, 499, false), (0.5, 51, 0, true), (0.5, 0, 501, true), (0.99, 100, 0, true),
      (0.1, 50, 900, true),
    ])
  func schedule(done: Double, seconds: Int, grown: Int, isBehind: Bool) {
    let schedule = CopySchedule(duration: .seconds(100), logBytes: 1000)
    #expect(schedule.isBehind(done: done, elapsed: .seconds(seconds), grown: grown) == isBehind)
  }
}

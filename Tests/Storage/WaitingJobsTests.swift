import Testing

@testable import Storage

@Suite("The order of waiting jobs")
struct WaitingJobsTests {
  /// A job: small, such as `1`, or large, such as `a1` of `a`.
  private func waiting(_ jobs: String) -> WaitingJobs<String> {
    var waiting = WaitingJobs<String> { $0.first?.isLetter == true ? String($0.prefix(1)) : nil }
    for job in jobs.split(separator: " ") { #expect(waiting.append(String(job))) }
    return waiting
  }

  @Test(
    "Small jobs come as they came, and behind them one large one, of the owner whose turn it is",
    arguments: [
      // what waits, and the batches of at most three small jobs
      ("1 2 3 4 5", ["1 2 3", "4 5"]),
      ("1 a1 2", ["1 2 a1"]),
      ("a1 a2 a3 b1 1", ["1 a1", "b1", "a2", "a3"]),
      ("a1 a2 a3 b1 b2 c1", ["a1", "b1", "c1", "a2", "b2", "a3"]),
      ("1 2 3 4 a1 a2", ["1 2 3 a1", "4 a2"]),
    ])
  func order(jobs: String, batches: [String]) {
    var waiting = waiting(jobs)
    var seen: [String] = []
    while !waiting.isEmpty { seen.append(waiting.next(atMost: 3).joined(separator: " ")) }
    #expect(seen == batches)
    #expect(waiting.count == 0 && waiting.next(atMost: 3).isEmpty)
  }

  @Test("Small jobs that come while many large ones of one owner wait go between two of these, and so do large ones of others")
  func turns() {
    var waiting = waiting("a1 a2 a3")
    #expect(waiting.next(atMost: 9) == ["a1"])
    for job in ["1", "b1"] { #expect(waiting.append(job)) }
    #expect(waiting.next(atMost: 9) == ["1", "a2"])
    #expect(waiting.append("2"))
    #expect(waiting.next(atMost: 9) == ["2", "b1"])
    #expect(waiting.next(atMost: 9) == ["a3"])
  }

  @Test("Large jobs of one owner are bounded; those of others and small ones are taken all the same")
  func bound() {
    var waiting = WaitingJobs<String> { $0 == "small" ? nil : $0 }
    for _ in 0..<WaitingJobs<String>.largePerOwner { #expect(waiting.append("a")) }
    #expect(!waiting.append("a"))
    #expect(waiting.append("b") && waiting.append("small"))
    #expect(waiting.count == WaitingJobs<String>.largePerOwner + 2)
    #expect(waiting.next(atMost: 9) == ["small", "a"])
    #expect(waiting.append("a"))
  }
}

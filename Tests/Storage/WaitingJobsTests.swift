import Testing

@testable import Storage

@Suite("The order of waiting jobs")
struct WaitingJobsTests {
  /// Jobs that wait: small, such as `1`, or large, such as `a1` of `a`.
  private struct Line {
    private var waiting = WaitingJobs<String> { $0.first?.isLetter == true ? String($0.prefix(1)) : nil }

    init(_ jobs: String) { for job in jobs.split(separator: " ") { add(String(job)) } }

    var isEmpty: Bool { waiting.isEmpty }
    var count: Int { waiting.count }

    @discardableResult
    mutating func add(_ job: String) -> Bool { waiting.append(job) }

    /// The next batch, of at most so many small jobs.
    mutating func next(_ limit: Int = 9) -> String { waiting.next(atMost: limit).joined(separator: " ") }
  }

  @Test(
    "Small jobs are taken in order, followed by one large one of the owner whose turn it is",
    arguments: [
      // what waits, and the batches of at most three small jobs
      ("1 2 3 4 5", ["1 2 3", "4 5"]),
      ("1 a1 2", ["1 2 a1"]),
      ("a1 a2 a3 b1 1", ["1 a1", "b1", "a2", "a3"]),
      ("a1 a2 a3 b1 b2 c1", ["a1", "b1", "c1", "a2", "b2", "a3"]),
      ("1 2 3 4 a1 a2", ["1 2 3 a1", "4 a2"]),
    ])
  func order(jobs: String, batches: [String]) {
    var line = Line(jobs)
    var seen: [String] = []
    while !line.isEmpty { seen.append(line.next(3)) }
    #expect(seen == batches)
    #expect(line.count == 0)
  }

  @Test("New small jobs, and large ones of other owners, go between the many large ones of one owner")
  func turns() {
    var line = Line("a1 a2 a3")
    var seen = [line.next()]
    line.add("1")
    line.add("b1")
    seen.append(line.next())
    line.add("2")
    for _ in 0..<2 { seen.append(line.next()) }
    #expect(seen == ["a1", "1 a2", "2 b1", "a3"])
  }

  @Test("Large jobs of one owner are limited, and others' and small ones are still accepted")
  func bound() {
    var line = Line("")
    let most = WaitingJobs<String>.largePerOwner
    let taken = (0...most).map { line.add("a\($0)") }
    #expect(taken == Array(repeating: true, count: most) + [false])
    let others = [line.add("b"), line.add("1")]
    #expect(others == [true, true] && line.count == most + 2)
    let next = line.next()
    #expect(next == "1 a0")
    let again = line.add("a")
    #expect(again)
  }
}

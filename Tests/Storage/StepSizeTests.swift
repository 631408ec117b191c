import Testing

@testable import Storage

@Suite("The size of steps for which others wait")
struct StepSizeTests {
  @Test(
    "The size of a step grows while steps are short, and shrinks by as much as one took too long",
    arguments: [
      // how long each step took in milliseconds, and how much each of them did, with the one after them
      ([], [16]), ([1, 1, 1, 1, 1], [16, 32, 64, 128, 256, 256]), ([10, 20], [16, 32, 32]), ([15, 17, 13], [16, 21, 21, 32]),
      ([18, 18], [16, 20, 20]), ([9], [16, 32]),
      ([40], [16, 8]), ([1300, 1300], [16, 1, 1]), ([1, 1, 1, 1, 200, 15, 5], [16, 32, 64, 128, 256, 25, 33, 66]),
    ])
  func sizes(milliseconds: [Int], counts: [Int]) {
    var size = StepSize(first: 16, max: 256, target: .milliseconds(20))
    var seen = [size.count]
    for time in milliseconds {
      size.took(.milliseconds(time))
      seen.append(size.count)
    }
    #expect(seen == counts)
  }

  @Test(
    "Steps grow where commits take long however little is done, and shrink where they take long for what is done",
    arguments: [
      // Milliseconds of each commit, and for each row of its own work and of its commit; how much steps do in the end.
      Cost(commit: 0, work: 1, ofCommit: 0, counts: 11...20), Cost(commit: 30, work: 1, ofCommit: 0, counts: 16...30),
      Cost(commit: 30, work: 0.01, ofCommit: 0, counts: 192...256), Cost(commit: 2, work: 1.4, ofCommit: 5.6, counts: 2...3),
      Cost(commit: 0, work: 0.1, ofCommit: 40, counts: 1...2), Cost(commit: 5, work: 1, ofCommit: 0, counts: 8...15),
      // One that takes less than a step may says what it is at the first sizes, too.
      Cost(commit: 12, work: 0.01, ofCommit: 0, counts: 192...256), Cost(commit: 18, work: 0.01, ofCommit: 0, counts: 192...256),
    ])
  func commits(cost: Cost) {
    var size = StepSize(first: 16, max: 256, target: .milliseconds(20))
    // Alone, and after what says nothing for later ones.
    for spells in [[cost], [Cost(commit: 0.1, work: 0.01, ofCommit: 0), Cost(commit: 30, work: 9, ofCommit: 0), cost]] {
      for spell in spells {
        for _ in 0..<20 {
          let commit = spell.commit + spell.ofCommit * Double(size.count)
          size.took(.milliseconds(commit + spell.work * Double(size.count)), commit: .milliseconds(commit))
        }
      }
      #expect(cost.counts.contains(size.count), "\(size.count)")
      size = StepSize(first: 16, max: 256, target: .milliseconds(20))
    }
  }

  @Test(
    "Steps are neither too small nor too large where commits of one size take now twice as long and now half as long",
    arguments: [
      // Of how many rows a millisecond they get through at least, and how many of 2,000 take over twice the target at most.
      (Cost(commit: 12, work: 0.02, ofCommit: 0.05), 3, 1000), (Cost(commit: 25, work: 0.5, ofCommit: 0.2), 0.4, 2000),
    ])
  func noise(cost: Cost, rowsEachMillisecond: Double, maxTooLong: Int) {
    var size = StepSize(first: 16, max: 500, target: .milliseconds(15))
    var (state, tooLong, rows, time) = (UInt64(1), 0, 0, 0.0)
    for _ in 0..<2000 {
      // From 40 to 160 %.
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let commit = cost.commit * (0.4 + 1.2 * Double(state >> 40) / Double(1 << 24)) + cost.ofCommit * Double(size.count)
      let duration = commit + cost.work * Double(size.count)
      rows += size.count
      time += duration
      if duration > 30 { tooLong += 1 }
      size.took(.milliseconds(duration), commit: .milliseconds(commit))
    }
    #expect(tooLong <= maxTooLong && Double(rows) / time >= rowsEachMillisecond, "\(tooLong), \(Double(rows) / time)")
  }

  struct Cost {
    let commit: Double
    let work: Double
    let ofCommit: Double
    var counts = 1...256
  }

  @Test("The size of a step never begins beyond its maximum")
  func first() { #expect(StepSize(first: 16, max: 8, target: .milliseconds(20)).count == 8) }
}

import Testing

@testable import Storage

@Suite("The size of steps that others wait for")
struct StepSizeTests {
  @Test(
    "A step's size grows while steps are short, and shrinks in proportion when one takes too long",
    arguments: [
      // how long each step took in milliseconds, and how much each of them did, with the one after them
      ([], [16]), ([1, 1, 1, 1, 1], [16, 32, 64, 128, 256, 256]), ([10, 20], [16, 32, 32]), ([15, 17, 13], [16, 21, 21, 32]),
      ([18, 18], [16, 20, 20]), ([9], [16, 32]),
      ([40], [16, 8]), ([1300, 1300], [16, 1, 1]), ([1, 1, 1, 1, 200, 15, 5], [16, 32, 64, 128, 256, 25, 33, 66]),
    ])
  func sizes(milliseconds: [Int], counts: [Int]) {
    var size = StepSize(first: 16, max: 256, target: .milliseconds(20), allowsForOverhead: false)
    var seen = [size.count]
    for time in milliseconds {
      size.took(.milliseconds(time))
      seen.append(size.count)
    }
    #expect(seen == counts)
  }

  @Test(
    "Steps grow if they take long regardless of their work, and shrink if they take long because of it",
    arguments: [
      // Milliseconds of each step, and of each row; how much steps do in the end.
      Cost(step: 0, row: 1, counts: 11...20), Cost(step: 30, row: 1, counts: 16...30),
      Cost(step: 30, row: 0.01, counts: 192...256), Cost(step: 2, row: 7, counts: 1...3),
      Cost(step: 0, row: 40, counts: 1...2), Cost(step: 5, row: 1, counts: 8...15),
      // One that takes less than a step may says what it is at the first sizes, too.
      Cost(step: 12, row: 0.01, counts: 192...256), Cost(step: 18, row: 0.01, counts: 192...256),
    ])
  func overhead(cost: Cost) {
    var size = StepSize(first: 16, max: 256, target: .milliseconds(20))
    // Alone, and after what says nothing for later ones.
    for spells in [[cost], [Cost(step: 0.1, row: 0.01), Cost(step: 30, row: 9), cost]] {
      for spell in spells {
        for _ in 0..<40 {
          size.took(.milliseconds(spell.step + spell.row * Double(size.count)))
        }
      }
      #expect(cost.counts.contains(size.count), "\(size.count)")
      size = StepSize(first: 16, max: 256, target: .milliseconds(20))
    }
  }

  @Test(
    "Steps stay neither too small nor too large if equal ones vary between double and half the time",
    arguments: [
      // Of how many rows a millisecond they get through at least, and how many of 2,000 take over twice the target at most.
      (Cost(step: 12, row: 0.07), 6, 1000), (Cost(step: 25, row: 0.7), 0.6, 2000),
    ])
  func noise(cost: Cost, rowsEachMillisecond: Double, maxTooLong: Int) {
    var size = StepSize(first: 16, max: 500, target: .milliseconds(15))
    var (state, tooLong, rows, time) = (UInt64(1), 0, 0, 0.0)
    for _ in 0..<2000 {
      // From 40 to 160 %.
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let duration = cost.step * (0.4 + 1.2 * Double(state >> 40) / Double(1 << 24)) + cost.row * Double(size.count)
      rows += size.count
      time += duration
      if duration > 30 { tooLong += 1 }
      size.took(.milliseconds(duration))
    }
    #expect(tooLong <= maxTooLong && Double(rows) / time >= rowsEachMillisecond, "\(tooLong), \(Double(rows) / time)")
  }

  struct Cost {
    let step: Double
    let row: Double
    var counts = 1...256
  }

  @Test("Steps whose overhead alone takes longer than they are to take stay large")
  func largeOverhead() {
    var size = StepSize(first: 64, max: 2000, target: .milliseconds(25))
    for _ in 0..<60 { size.took(.milliseconds(60) + .microseconds(5 * size.count)) }
    #expect(size.count >= 1000)
  }

  @Test("A step that did less than half of its size makes the next no larger, but smaller at once")
  func partial() {
    var size = StepSize(first: 64, max: 2000, target: .milliseconds(25))
    for few in [1, 10, 31] { size.took(.microseconds(few), for: few) }
    #expect(size.count == 64)
    size.took(.microseconds(64))
    #expect(size.count == 128)
    size.took(.milliseconds(50), for: 10)
    #expect(size.count < 10)
  }

  @Test("A step's size never starts above its maximum")
  func first() { #expect(StepSize(first: 16, max: 8, target: .milliseconds(20)).count == 8) }
}

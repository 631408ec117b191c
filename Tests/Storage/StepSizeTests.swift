import Testing

@testable import Storage

@Suite("The size of steps for which others wait")
struct StepSizeTests {
  @Test(
    "The size of a step grows while steps are short, and shrinks by as much as one took too long",
    arguments: [
      // how long each step took in milliseconds, and how much each of them did, with the one after them
      ([], [16]), ([1, 1, 1, 1, 1], [16, 32, 64, 128, 256, 256]), ([10, 20], [16, 16, 16]), ([9], [16, 32]),
      ([40], [16, 8]), ([1300, 1300], [16, 1, 1]), ([1, 1, 1, 1, 200, 15, 5], [16, 32, 64, 128, 256, 25, 25, 50]),
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

  @Test("The size of a step never begins beyond its maximum")
  func first() { #expect(StepSize(first: 16, max: 8, target: .milliseconds(20)).count == 8) }
}

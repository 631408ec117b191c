import Testing

@testable import ServiceKit

@Suite("The pauses of a failing runner")
struct RunnerStateTests {
  @Test("The pauses of a failing runner double up to the maximum, and restart after a longer run")
  func pauses() {
    var state = RunnerState()
    var now = ContinuousClock.now
    var pauses: [Duration] = []
    for _ in 0..<11 {
      state.began(at: now)
      pauses.append(state.failed(at: now))
    }
    #expect(pauses.prefix(4) == [.milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800)])
    #expect(pauses.suffix(2) == [.seconds(30), .seconds(30)])
    state.began(at: now)
    now += .seconds(31)
    #expect(state.failed(at: now) == .milliseconds(100))
  }

  @Test("After a failure a runner is healthy again once it has run as long as its pause")
  func wellAgain() {
    var state = RunnerState()
    let now = ContinuousClock.now
    #expect(state.isHealthy(at: now), "not begun yet is no failure")
    state.began(at: now)
    #expect(state.isHealthy(at: now))
    let pause = state.failed(at: now)
    #expect(!state.isHealthy(at: now + .seconds(60)))
    state.began(at: now + pause)
    #expect(!state.isHealthy(at: now + pause))
    #expect(state.isHealthy(at: now + pause * 2))
  }
}

import ActivityContract
import Operations
import Testing

@testable import ActivityService

@Suite("The time on a timer")
struct TimerClockTests {
  private let day = LocalDay(daysSinceEpoch: 20_000)
  private func at(_ seconds: Double) -> Instant { Instant(milliseconds: Int64(seconds * 1000)) }

  @Test("A timer's time adds up over its runs, without the pauses between them and without losing parts of seconds")
  func runs() {
    var clock = TimerClock(day: day)
    clock.start(at: at(0))
    clock.stop(at: at(1.6))
    #expect(clock.seconds(at: at(50)) == 1)
    clock.start(at: at(100))
    #expect(clock.seconds(at: at(101.3)) == 2)
    clock.stop(at: at(101.5))
    #expect(clock.seconds(at: at(1000)) == 3)
  }

  @Test("Starting a running timer or stopping a stopped one changes nothing of its time")
  func again() {
    var clock = TimerClock(day: day)
    clock.start(at: at(0))
    clock.start(at: at(5))
    #expect(clock.seconds(at: at(10)) == 10)
    clock.stop(at: at(10))
    clock.stop(at: at(20))
    #expect(clock.seconds(at: at(30)) == 10)
  }

  @Test("A clock set back takes nothing from a timer's time, which ends at a day's maximum")
  func bounds() {
    var clock = TimerClock(day: day)
    clock.start(at: at(100))
    #expect(clock.seconds(at: at(50)) == 0)
    #expect(clock.seconds(at: at(1_000_000)) == Amounts.maxSeconds)
    clock.stop(at: at(1_000_000))
    clock.start(at: at(2_000_000))
    #expect(clock.seconds(at: at(3_000_000)) == Amounts.maxSeconds)
  }
}

import Operations
import Testing

@testable import Workers

@Suite("Taking turns in a queue")
struct FairQueueTests {
  private let ana = AccountID()
  private let ben = AccountID()
  private let eva = AccountID()

  @Test("Accounts take turns, and each has its own entries in order")
  func turns() {
    var queue = FairQueue<String>(FairLimits(maxRunning: 1, maxWaiting: 10))
    var id: UInt64 = 0
    var running: AccountID?
    func submit(_ entry: String, _ account: AccountID) -> FairQueue<String>.Admission {
      id += 1
      return queue.submit(entry, id, of: account)
    }
    #expect(submit("a0", ana) == .running)
    running = ana
    for (entry, account) in [("a1", ana), ("a2", ana), ("a3", ana), ("b1", ben), ("b2", ben), ("e1", eva)] {
      #expect(submit(entry, account) == .waiting)
    }
    var order: [String] = []
    while let next = queue.finish(0, of: running) {
      order.append(next)
      running = next.first == "a" ? ana : next.first == "b" ? ben : eva
    }
    #expect(order == ["b1", "e1", "a1", "b2", "a2", "a3"])
    #expect(submit("a4", ana) == .running)
  }

  @Test("One job of an account runs at a time even if slots are free; anonymous ones wait for slots only")
  func places() {
    var queue = FairQueue<String>(FairLimits(maxRunning: 3, maxWaiting: 2, maxWaitingPerAccount: 1))
    #expect(queue.submit("a1", 1, of: ana) == .running)
    #expect(queue.submit("a2", 2, of: ana) == .waiting)
    #expect(queue.submit("a3", 3, of: ana) == .refused(.rateLimited))
    #expect(queue.submit("x", 4, of: nil) == .running)
    #expect(queue.submit("y", 5, of: nil) == .running)
    #expect(queue.submit("z", 6, of: nil) == .waiting)
    #expect(queue.submit("b", 7, of: ben) == .refused(.overloaded))
    // Its own account's slot is taken, and whoever comes next has it.
    #expect(queue.finish(4, of: nil) == "z")
    #expect(queue.finish(5, of: nil) == nil)
    #expect(queue.finish(1, of: ana) == "a2")
    #expect(queue.finish(2, of: ana) == nil)
    #expect(queue.finish(6, of: nil) == nil)
  }

  @Test("A caller that gives up passes its turn on")
  func givenUp() {
    var queue = FairQueue<String>(FairLimits(maxRunning: 1, maxWaiting: 1))
    #expect(queue.submit("a1", 1, of: ana) == .running)
    #expect(queue.submit("b1", 2, of: ben) == .waiting)
    #expect(queue.submit("e1", 3, of: eva) == .refused(.overloaded))
    #expect(queue.remove(2, of: ben) == "b1")
    #expect(queue.remove(2, of: ben) == nil)
    #expect(queue.remove(1, of: ana) == nil)
    #expect(queue.submit("e1", 3, of: eva) == .waiting)
    #expect(queue.finish(1, of: ana) == "e1")
    #expect(queue.finish(3, of: eva) == nil)
  }
}

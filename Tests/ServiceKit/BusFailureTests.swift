import Messaging
import Operations
import ServiceKit
import Testing

@Suite("Answers to a caller when the bus has no reply")
struct BusFailureTests {
  private static let answers: [(failure: BusFailure, answer: RequestFailure, seconds: Int?)] = [
    (.unavailable, .unavailable, 1), (.cancelled, .unavailable, 1), (.overloaded, .overloaded, 1), (.timedOut, .timedOut, nil),
    (.tooLarge, .bodyTooLarge, nil),
  ]

  @Test("A bus failure becomes an answer with its code and the time to retry", arguments: answers)
  func kinds(failure: BusFailure, answer: RequestFailure, seconds: Int?) {
    #expect(Failure(failure).code == answer.rawValue && Failure(failure).retryAfterSeconds == seconds)
  }

  @Test("A bus failure has the parameters of its text: for a body that is too large, the maximum size")
  func limit() {
    #expect(Failure(BusFailure.tooLarge).parameters == ["limit": .number(JSONLimits().bytes)])
  }
}

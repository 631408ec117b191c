import Messaging
import Operations
import ServiceKit
import Testing

@Suite("What a caller is answered when the bus has no reply")
struct BusFailureTests {
  private static let answers: [(failure: BusFailure, answer: RequestFailure, seconds: Int?)] = [
    (.unavailable, .unavailable, 1), (.cancelled, .unavailable, 1), (.overloaded, .overloaded, 1), (.timedOut, .timedOut, nil),
    (.tooLarge, .bodyTooLarge, nil),
  ]

  @Test("A bus failure says what it was, and when to try again", arguments: answers)
  func kinds(failure: BusFailure, answer: RequestFailure, seconds: Int?) {
    #expect(Failure(failure).code == answer.rawValue && Failure(failure).retryAfterSeconds == seconds)
  }

  @Test("A bus failure has the values that its words need: what is too large says how large it may be")
  func limit() {
    #expect(Failure(BusFailure.tooLarge).parameters == ["limit": .number(JSONLimits().bytes)])
  }
}

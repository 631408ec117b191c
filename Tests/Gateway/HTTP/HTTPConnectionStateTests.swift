import GatewayContract
import Operations
import Sampling
import Testing

@testable import GatewayService

@Suite("The state of an HTTP connection")
struct HTTPConnectionStateTests {
  typealias State = HTTPConnectionState<String, String>

  /// A course of events, and what each of them leads to.
  struct Course: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let steps: @Sendable () -> [(event: State.Event, actions: [State.Action])]

    init(_ description: String, _ steps: @escaping @Sendable () -> [(event: State.Event, actions: [State.Action])]) {
      testDescription = description
      self.steps = steps
    }
  }

  private static let limits = {
    var limits = GatewayConfiguration.Limits()
    limits.body = 1000
    limits.headers = 500
    limits.headerSeconds = 3
    limits.requestSeconds = 4
    return limits
  }()

  private static let tooLarge = Failure(RequestFailure.bodyTooLarge, ["limit": .number(1000)])
  private static let bad = Malformation.chunk.failure()

  private static func late(_ seconds: Int) -> Failure { Failure(GatewayFailure.requestTimeout, ["seconds": .number(seconds)]) }

  // MARK: - Answering

  private static let answering = [
    Course("a request is answered, and the connection goes on") {
      [
        (.head("a", .init(size: 300)), [.startRequest]),
        (.body(bytes: 10, held: 20), []),
        (.end("x"), [.endRequest, .answer("a", "x")]),
        (.answerReady, [.release(320), .write(keepsAlive: true)]),
        (.written(keepsAlive: true), [.finishRequest]),
        (.head("b", .init(size: 300)), [.startRequest]),
      ]
    },
    Course("requests that come together are answered one after the other, in order") {
      [
        (.head("a", .init(size: 1)), [.startRequest]), (.end(""), [.endRequest, .answer("a", "")]),
        (.head("b", .init(size: 2)), [.startRequest]), (.end(""), [.endRequest]),
        (.head("c", .init(size: 3)), [.startRequest]), (.end(""), [.endRequest]),
        (.answerReady, [.release(1), .write(keepsAlive: true)]),
        (.written(keepsAlive: true), [.finishRequest, .answer("b", "")]),
        (.answerReady, [.release(2), .write(keepsAlive: true)]),
        (.written(keepsAlive: true), [.finishRequest, .answer("c", "")]),
      ]
    },
    Course("one that does not keep the connection ends it, and what waits behind it is given up") {
      [
        (.head("a", .init(size: 1, keepsAlive: false)), [.startRequest]), (.end(""), [.endRequest, .answer("a", "")]),
        (.head("b", .init(size: 2)), [.startRequest]), (.end(""), [.endRequest]),
        (.head("c", .init(size: 3)), [.startRequest]),
        (.answerReady, [.release(1), .write(keepsAlive: false)]),
        (
          .written(keepsAlive: false),
          [.finishRequest, .release(2), .release(3), .dropBody, .discardInput, .closeOutput(isSlow: false)]
        ),
        (.head("d", .init(size: 4)), [.release(4)]), (.refused(bad, of: nil), []), (.inputClosed, [.close]),
      ]
    },
    Course("behind the last one nothing is read") {
      [
        (.head("a", .init(size: 1, isLast: true)), [.startRequest]),
        (.end(""), [.endRequest, .discardInput, .answer("a", "")]),
        (.answerReady, [.release(1), .write(keepsAlive: false)]),
        (.written(keepsAlive: false), [.finishRequest, .discardInput, .closeOutput(isSlow: false)]),
      ]
    },
    Course("behind one that stops the decoder another decoder reads on") {
      [
        (.head("a", .init(size: 1, stopsDecoder: true)), [.startRequest]),
        (.end(""), [.endRequest, .resumeDecoder, .answer("a", "")]),
      ]
    },
    Course("who waits with a body is asked to send it, once the answers before are out") {
      [
        (.head("a", .init(size: 1, expectsContinue: true)), [.startRequest, .sendContinue]),
        (.body(bytes: 1, held: 2), []), (.end("x"), [.endRequest, .answer("a", "x")]),
        (.head("b", .init(size: 1, expectsContinue: true)), [.startRequest]),
        (.answerReady, [.release(3), .write(keepsAlive: true)]),
        (.written(keepsAlive: true), [.finishRequest, .sendContinue]),
      ]
    },
    Course("who sends the body without waiting gets no such answer") {
      [
        (.head("a", .init(size: 1)), [.startRequest]), (.end(""), [.endRequest, .answer("a", "")]),
        (.head("b", .init(size: 1, expectsContinue: true)), [.startRequest]), (.body(bytes: 1, held: 2), []),
        (.answerReady, [.release(1), .write(keepsAlive: true)]), (.written(keepsAlive: true), [.finishRequest]),
      ]
    },
    Course("a stream gives up what waits, and ends when the client sends no more") {
      [
        (.head("a", .init(size: 1)), [.startRequest]), (.end(""), [.endRequest, .answer("a", "")]),
        (.head("b", .init(size: 2)), [.startRequest]), (.body(bytes: 5, held: 10), []),
        (.answerReady, [.release(1), .write(keepsAlive: true)]),
        (.streamBegan, [.release(12), .dropBody]),
        (.body(bytes: 5, held: 10), [.release(10)]), (.end(""), [.endRequest]), (.quiescing, []), (.inputClosed, [.close]),
      ]
    },
  ]

  // MARK: - Refusing

  private static let refusing = [
    Course("a head that is not taken is refused at once, and nothing more is looked at") {
      [
        (.refused(bad, of: "a"), [.discardInput, .endRequest, .report(bad, of: "a")]),
        (.head("b", .init(size: 1)), [.release(1)]), (.end(""), []), (.refused(tooLarge, of: "b"), []),
        (.answerReady, [.write(keepsAlive: false)]),
        (.written(keepsAlive: false), [.finishRequest, .discardInput, .closeOutput(isSlow: false)]),
      ]
    },
    Course("after the answers to those before it") {
      [
        (.head("a", .init(size: 1)), [.startRequest]), (.end(""), [.endRequest, .answer("a", "")]),
        (.head("b", .init(size: 2)), [.startRequest]), (.end(""), [.endRequest]),
        (.refused(bad, of: nil), [.discardInput, .endRequest]),
        (.answerReady, [.release(1), .write(keepsAlive: true)]),
        (.written(keepsAlive: true), [.finishRequest, .answer("b", "")]),
        (.answerReady, [.release(2), .write(keepsAlive: true)]),
        (.written(keepsAlive: true), [.finishRequest, .report(bad, of: nil)]),
        (.answerReady, [.write(keepsAlive: false)]),
      ]
    },
    Course("broken framing is the fault of the request that is arriving") {
      [
        (.head("a", .init(size: 1)), [.startRequest]), (.body(bytes: 5, held: 10), []),
        (.refused(bad, of: nil), [.release(11), .dropBody, .finishRequest, .discardInput, .endRequest, .report(bad, of: "a")]),
      ]
    },
    Course("a body beyond the bound") {
      [
        (.head("a", .init(size: 1)), [.startRequest]), (.body(bytes: 1000, held: 2000), []),
        (
          .body(bytes: 1, held: 2),
          [.release(2003), .dropBody, .finishRequest, .discardInput, .endRequest, .report(tooLarge, of: "a")]
        ),
      ]
    },
    Course("a body for which there is no room") {
      [
        (.head("a", .init(size: 1)), [.startRequest]),
        (
          .body(bytes: 1, held: nil),
          [
            .release(1), .dropBody, .finishRequest, .discardInput, .endRequest,
            .report(HTTPConnectionLimits.noRoom, of: "a"),
          ]
        ),
      ]
    },
    Course("a small body in endless wrapping") {
      [
        (.head("a", .init(size: 1)), [.startRequest]), (.readCompleted(received: 8500), []),
        (
          .readCompleted(received: 8501),
          [.release(1), .dropBody, .finishRequest, .discardInput, .endRequest, .report(tooLarge, of: "a")]
        ),
      ]
    },
    Course("a head that does not come in time, and the end is for a moment only") {
      [
        (.expired(.head), [.discardInput, .endRequest, .report(late(3), of: nil)]),
        (.answerReady, [.write(keepsAlive: false)]),
        (.written(keepsAlive: false), [.finishRequest, .discardInput, .closeOutput(isSlow: true)]),
        (.expired(.head), [.close]),
      ]
    },
    Course("a body that does not come in time") {
      [
        (.head("a", .init(size: 1)), [.startRequest]),
        (
          .expired(.request),
          [.release(1), .dropBody, .finishRequest, .discardInput, .endRequest, .report(late(4), of: "a")]
        ),
        (.expired(.head), [.close]),
      ]
    },
    Course("what is not sent after an answer that ends the connection") {
      [
        (.head("a", .init(size: 1, keepsAlive: false)), [.startRequest]), (.end(""), [.endRequest, .answer("a", "")]),
        (.refused(bad, of: "b"), [.discardInput, .endRequest]),
        (.answerReady, [.release(1), .write(keepsAlive: false)]),
        (.written(keepsAlive: false), [.finishRequest, .discardInput, .closeOutput(isSlow: false)]),
      ]
    },
  ]

  // MARK: - Ending

  private static let ending = [
    Course("an idle connection ends with the server") { [(.quiescing, [.close])] },
    Course("and with its client") { [(.inputClosed, [.close])] },
    Course("silence, idleness and a client that takes nothing end it without a word") {
      [(.expired(.silence), [.close]), (.expired(.idle), [.close]), (.expired(.write), [.close])]
    },
    Course("a server that stops answers what has arrived, then ends the connection") {
      [
        (.head("a", .init(size: 1)), [.startRequest]), (.end(""), [.endRequest, .answer("a", "")]),
        (.head("b", .init(size: 2)), [.startRequest]), (.end(""), [.endRequest]),
        (.quiescing, []),
        (.answerReady, [.release(1), .write(keepsAlive: true)]),
        (.written(keepsAlive: true), [.finishRequest, .answer("b", "")]),
        (.answerReady, [.release(2), .write(keepsAlive: false)]),
        (.written(keepsAlive: false), [.finishRequest, .discardInput, .closeOutput(isSlow: false)]),
      ]
    },
    Course("a client that sends no more is answered what it has sent") {
      [
        (.head("a", .init(size: 1)), [.startRequest]), (.end(""), [.endRequest, .answer("a", "")]),
        (.inputClosed, []), (.answerReady, [.release(1), .write(keepsAlive: false)]),
      ]
    },
    Course("half a request will never be whole") {
      [(.head("a", .init(size: 1)), [.startRequest]), (.quiescing, []), (.inputClosed, [.close])]
    },
    Course("a connection that is gone gives everything back, also what is still being answered") {
      [
        (.head("a", .init(size: 1)), [.startRequest]), (.end(""), [.endRequest, .answer("a", "")]),
        (.head("b", .init(size: 2)), [.startRequest]), (.end(""), [.endRequest]),
        (.head("c", .init(size: 4)), [.startRequest]),
        (.closed, [.release(2), .release(4), .dropBody]), (.answerReady, [.release(1)]),
      ]
    },
  ]

  @Test("The state of an HTTP connection leads from event to action", arguments: answering + refusing + ending)
  func leads(course: Course) {
    var state = State(Self.limits)
    for (number, step) in course.steps().enumerated() {
      #expect(state.handle(step.event) == step.actions, "step \(number + 1): \(step.event)")
    }
  }

  // MARK: - Bounds

  @Test("Reading a connection stops while 16 requests wait, and continues once one of them is handled")
  func manyWait() {
    var state = State(Self.limits)
    for number in 0...HTTPConnectionLimits.maxWaiting {
      _ = state.handle(.head("\(number)", .init(size: 1)))
      #expect(state.handle(.readCompleted(received: 1)) == [])
      _ = state.handle(.end(""))
    }
    #expect(state.handle(.readCompleted(received: 1)) == [.setReading(false)])
    #expect(state.handle(.readCompleted(received: 1)) == [])
    _ = state.handle(.answerReady)
    #expect(state.handle(.written(keepsAlive: true)) == [.finishRequest, .answer("1", ""), .setReading(true)])
  }

  @Test("Reading a connection stops while more is waiting than one body may hold")
  func muchWaits() {
    var state = State(Self.limits)
    for name in ["a", "b"] {
      _ = state.handle(.head(name, .init(size: 1)))
      _ = state.handle(.body(bytes: 1000, held: 2000))
      _ = state.handle(.end(name))
    }
    #expect(state.handle(.readCompleted(received: 1)) == [.setReading(false)])
    // The end is read for, whatever waits.
    _ = state.handle(.answerReady)
    #expect(
      state.handle(.written(keepsAlive: false)) == [
        .finishRequest, .release(2001), .discardInput, .setReading(true), .closeOutput(isSlow: false),
      ])
  }

  @Test("Nothing is answered to a client that does not read, until it does")
  func notWritable() {
    var state = State(Self.limits)
    _ = state.handle(.head("a", .init(size: 1)))
    #expect(state.handle(.end(""), isWritable: false) == [.endRequest])
    #expect(state.handle(.writable) == [.answer("a", "")])
    #expect(state.handle(.writable) == [])
    _ = state.handle(.answerReady)
    // It is asked while the answer is being written, too.
    #expect(state.handle(.writable) == [])
    _ = state.handle(.head("b", .init(size: 1)))
    _ = state.handle(.end(""))
    #expect(state.handle(.written(keepsAlive: true), isWritable: false) == [.finishRequest])
    #expect(state.handle(.writable) == [.answer("b", "")])
  }

  // MARK: - Invariants

  @Test(
    "A connection under any sequence of events answers in order, one at a time, loses no count, and ends after a refusal"
  )
  func invariants() {
    var random = SeededGenerator(7)
    for _ in 0..<2000 {
      var run = RandomRun(Self.limits)
      for _ in 0..<60 { run.step(&random) }
      run.end()
    }
  }
}

/// A connection to which things happen by chance, as far as they can happen.
private struct RandomRun {
  typealias State = HTTPConnectionState<String, String>

  private var state: State
  private var counted = 0
  private var asked = 0
  private var last = -1
  private var isAsked = false
  private var isToBeWritten: Bool?
  private var isOver = false
  private var isRefused = false
  private var requestsInFlight = 0

  init(_ limits: GatewayConfiguration.Limits) { state = State(limits) }

  mutating func step(_ random: inout SeededGenerator) {
    guard !isOver else { return }
    let isWritable = Int.random(in: 0..<4, using: &random) > 0
    switch Int.random(in: 0..<14, using: &random) {
    case 0...3: arrive(isWritable, &random)
    case 4...6:
      if let keepsAlive = isToBeWritten {
        isToBeWritten = nil
        take(.written(keepsAlive: keepsAlive), isWritable)
      } else if isAsked {
        isAsked = false
        take(.answerReady, isWritable)
      }
    case 7: take(.readCompleted(received: Int.random(in: 0..<9000, using: &random)), isWritable)
    case 8: take(.writable, true)
    case 13:
      let bytes = Int.random(in: 1..<600, using: &random)
      take(.consumed(bytes: bytes, held: bytes), isWritable)
    case 9 where Int.random(in: 0..<8, using: &random) == 0: take(.quiescing, isWritable)
    case 10 where Int.random(in: 0..<8, using: &random) == 0: take(.inputClosed, isWritable)
    case 11 where Int.random(in: 0..<8, using: &random) == 0: take(.expired(.head), isWritable)
    case 12 where Int.random(in: 0..<8, using: &random) == 0: take(.refused(Malformation.chunk.failure(), of: nil), isWritable)
    default: break
    }
  }

  private mutating func arrive(_ isWritable: Bool, _ random: inout SeededGenerator) {
    guard state.takesInput else { return }
    if !state.isReceiving {
      counted += 300
      asked += 1
      let keepsAlive = Int.random(in: 0..<10, using: &random) > 0
      let framing = State.Framing(
        size: 300, keepsAlive: keepsAlive, expectsContinue: asked.isMultiple(of: 3),
        streamLimit: asked.isMultiple(of: 4) ? 3000 : nil)
      take(.head("\(asked)", framing), isWritable)
    } else if Bool.random(using: &random) {
      take(.end(""), isWritable)
    } else {
      let bytes = Int.random(in: 1..<600, using: &random)
      let hasRoom = Int.random(in: 0..<10, using: &random) > 0
      if hasRoom { counted += bytes }
      take(.body(bytes: bytes, held: hasRoom ? bytes : nil), isWritable)
    }
  }

  private mutating func take(_ event: State.Event, _ isWritable: Bool) {
    for action in state.handle(event, isWritable: isWritable) {
      switch action {
      case .release(let bytes): counted -= bytes
      case .startRequest: requestsInFlight += 1
      case .finishRequest: requestsInFlight -= 1
      case .answer(let head, _), .answerStream(let head):
        // One whose body arrives meanwhile does not wait for the client to read.
        #expect(!isAsked && isToBeWritten == nil && (isWritable || action == .answerStream(head)) && !isRefused)
        isAsked = true
        let number = Int(head) ?? 0
        #expect(number > last)
        last = number
      case .report:
        #expect(!isAsked && isToBeWritten == nil && !isRefused)
        isAsked = true
        isRefused = true
        requestsInFlight += 1
      case .write(let keepsAlive):
        #expect(isToBeWritten == nil && (!isRefused || !keepsAlive))
        isToBeWritten = keepsAlive
      case .closeOutput, .close: isOver = true
      case .endRequest, .dropBody, .sendContinue, .resumeDecoder, .discardInput, .setReading, .startStream, .endStream,
        .breakStream:
        break
      }
      #expect(counted >= 0 && requestsInFlight >= 0)
    }
  }

  mutating func end() {
    isOver = true
    take(.closed, true)
    if isAsked { take(.answerReady, true) }
    #expect(counted == 0)
  }
}

import GatewayContract
import Operations
import Testing

@testable import GatewayService

@Suite("The state of a connection that answers while the body arrives")
struct StreamedRequestTests {
  typealias State = HTTPConnectionState<String, String>
  typealias Steps = [(event: State.Event, actions: [State.Action])]

  private static let limits = {
    var limits = GatewayConfiguration.Limits()
    limits.body = 1000
    limits.headers = 500
    limits.uploadSeconds = 60
    return limits
  }()

  private static let tooLarge = Failure(RequestFailure.bodyTooLarge, ["limit": .number(5000)])
  private static var begun: [State.Action] { [.startRequest, .startStream, .answerStream("a")] }

  private func expect(_ steps: Steps, sourceLocation: SourceLocation = #_sourceLocation) {
    var state = State(Self.limits)
    for (index, step) in steps.enumerated() {
      #expect(state.handle(step.event) == step.actions, "step \(index)", sourceLocation: sourceLocation)
    }
  }

  @Test("A streamed request is answered from its head on, read bytes free their space, and the connection continues")
  func goesOn() {
    expect([
      (.head("a", .init(size: 300, streamLimit: 5000)), Self.begun),
      (.body(bytes: 2000, held: 4000), []), (.consumed(bytes: 1500, held: 3000), [.release(3000)]),
      (.body(bytes: 3000, held: 6000), []), (.end(""), [.endRequest, .endStream]),
      (.consumed(bytes: 3500, held: 7000), [.release(7000)]), (.answerReady, [.release(300), .write(keepsAlive: true)]),
      (.written(keepsAlive: true), [.finishRequest]), (.head("b", .init(size: 1)), [.startRequest]),
    ])
  }

  @Test("A streamed request waits for earlier answers, and is then begun, or answered in turn if it has arrived")
  func waits() {
    expect([
      (.head("a", .init(size: 1)), [.startRequest]), (.end(""), [.endRequest, .answer("a", "")]),
      (.head("b", .init(size: 2, expectsContinue: true, streamLimit: 5000)), [.startRequest, .startStream]),
      (.answerReady, [.release(1), .write(keepsAlive: true)]),
      (.written(keepsAlive: true), [.finishRequest, .sendContinue, .answerStream("b")]),
      (.end(""), [.endRequest, .endStream]), (.answerReady, [.release(2), .write(keepsAlive: true)]),
    ])
    expect([
      (.head("a", .init(size: 1)), [.startRequest]), (.end(""), [.endRequest, .answer("a", "")]),
      (.head("b", .init(size: 2, streamLimit: 5000)), [.startRequest, .startStream]), (.body(bytes: 5, held: 10), []),
      (.end(""), [.endRequest, .endStream]), (.answerReady, [.release(1), .write(keepsAlive: true)]),
      (.written(keepsAlive: true), [.finishRequest, .answerStream("b")]),
      (.consumed(bytes: 5, held: 10), [.release(10)]), (.answerReady, [.release(2), .write(keepsAlive: true)]),
    ])
  }

  @Test("A streamed request stops reading while too much of it is unread, and continues afterwards")
  func window() {
    let window = HTTPConnectionLimits.streamWindow
    expect([
      (.head("a", .init(size: 1, streamLimit: 1 << 30)), Self.begun), (.body(bytes: window, held: 2 * window), []),
      (.readCompleted(received: window), [.setReading(false)]),
      (.consumed(bytes: 1, held: 2), [.release(2), .setReading(true)]),
    ])
  }

  @Test("A streamed request that is declared or turns out too large is aborted and answered, and the connection ends")
  func tooLarge() {
    let broken: [State.Action] = [.breakStream(Self.tooLarge), .release(0), .dropBody, .discardInput, .endRequest]
    expect([
      (.head("a", .init(size: 7, streamLimit: 5000)), Self.begun), (.body(bytes: 5001, held: 2), broken),
      (.body(bytes: 5, held: 10), [.release(10)]), (.end(""), []), (.answerReady, [.release(7), .write(keepsAlive: false)]),
      (.written(keepsAlive: false), [.finishRequest, .release(2), .discardInput, .closeOutput(isSlow: false)]),
    ])
    expect([
      (.head("a", .init(size: 7, expectsContinue: true, streamLimit: 5000, isTooLarge: true)), Self.begun + broken),
      (.answerReady, [.release(7), .write(keepsAlive: false)]),
      (.written(keepsAlive: false), [.finishRequest, .discardInput, .closeOutput(isSlow: false)]),
    ])
  }

  @Test("A streamed request that is too slow, malformed or without room is aborted and answered")
  func brokenOff() {
    let late = Failure(GatewayFailure.requestTimeout, ["seconds": .number(60)])
    let bad = Malformation.chunk.failure()
    let events: [(State.Event, Failure)] = [
      (.expired(.request), late), (.refused(bad, of: nil), bad), (.body(bytes: 3, held: nil), HTTPConnectionLimits.noRoom),
    ]
    for (event, failure) in events {
      expect([
        (.head("a", .init(size: 7, streamLimit: 5000)), Self.begun),
        (event, [.breakStream(failure), .release(0), .dropBody, .discardInput, .endRequest]),
        (.answerReady, [.release(7), .write(keepsAlive: false)]),
      ])
    }
  }

  @Test("A streamed request answered before its end closes the connection, since the rest is not read")
  func early() {
    expect([
      (.head("a", .init(size: 7, streamLimit: 5000)), Self.begun), (.body(bytes: 5, held: 10), []),
      (.answerReady, [.release(7), .write(keepsAlive: false)]),
      (
        .written(keepsAlive: false),
        [.finishRequest, .release(10), .release(0), .dropBody, .discardInput, .closeOutput(isSlow: false)]
      ),
    ])
  }

  @Test("A streamed request whose client has disconnected is abandoned")
  func gone() {
    expect([
      (.head("a", .init(size: 7, streamLimit: 5000)), Self.begun), (.body(bytes: 5, held: 10), []), (.inputClosed, [.close]),
      (.closed, [.release(10), .release(0), .dropBody]), (.consumed(bytes: 5, held: 10), []), (.answerReady, [.release(7)]),
    ])
  }
}

public import InMemoryBus
import Messaging
public import Operations

/// Somebody who calls, for the most part a signed-in account, for which the gateway would.
public struct Person: Sendable {
  let bus: MemoryBus
  let caller: Caller
  private let clock: Clock

  /// Somebody who calls over that bus.
  ///
  /// - Parameter clock: what the deadlines of the requests go by; the bus goes by the same.
  public init(bus: MemoryBus, caller: Caller, clock: Clock = .system) {
    self.bus = bus
    self.caller = caller
    self.clock = clock
  }

  /// The account.
  public var id: AccountID { caller.account ?? .placeholder }

  /// Its session.
  public var session: SessionID? { caller.session }

  /// The same account, as a script of its own calls, by a personal access token.
  public func withoutSession() -> Person {
    Person(
      bus: bus, caller: Caller(kind: .account, account: caller.account, isVerified: caller.isVerified, language: caller.language),
      clock: clock)
  }

  /// The gateway itself, as it calls in its own name.
  public var asGateway: Person { Person(bus: bus, caller: .service(.gateway), clock: clock) }

  /// The same account, in a session that is in doubt.
  public var inDoubt: Person {
    var caller = caller
    caller.isInDoubt = true
    return Person(bus: bus, caller: caller, clock: clock)
  }

  /// Sends a request and waits for its output.
  ///
  /// - Throws: the operation's `Failure`.
  public func send<O: Operation>(_ operation: O.Type, _ input: O.Input, key: String? = nil) async throws -> O.Output {
    try await send(operation, json: input.json, key: key)
  }

  /// Sends a request with a body as it is.
  public func send<O: Operation>(
    _ operation: O.Type, json: [UInt8], parameters: [String: String]? = nil, key: String? = nil
  ) async throws -> O.Output {
    let header = RequestHeader(
      id: ID<RequestHeader>().description, operation: O.spec.name, caller: caller, deadline: clock.now.adding(seconds: 30),
      idempotencyKey: key, parameters: parameters)
    return try await bus.request(Request(header: header, body: json), to: O.spec.service).output(O.Output.self)
  }

  /// Asks, and asks again whenever the service publishes something and with each beat of its heart, until there is an answer.
  public func answer<T>(
    from service: ServiceName, withinSeconds seconds: Int = 60, _ ask: () async throws -> T?
  ) async throws -> T {
    // Whatever is published from here on is received, so nothing falls between a question and the wait for the next.
    let announcements = bus.announcements(of: service)
    let deadline = ContinuousClock.now + .seconds(seconds)
    if let answer = try await ask() { return answer }
    for await _ in announcements {
      if let answer = try await ask() { return answer }
      guard ContinuousClock.now < deadline else { break }
    }
    throw NoAnswer(service: service)
  }

  /// What was waited for has not come about.
  public struct NoAnswer: Error {
    let service: ServiceName
  }

  /// The fields at fault and their rules, each as `field rule`; none if the request succeeds.
  public func refusedFields<O: Operation>(_ operation: O.Type, _ input: O.Input) async throws -> [String] {
    do {
      _ = try await send(operation, input)
      return []
    } catch let failure as Failure {
      return failure.fields.map { "\($0.field) \($0.code)" }
    }
  }

  /// The code of the failure that the request ends in, or nil if it succeeds.
  public func failure<O: Operation>(_ operation: O.Type, _ input: O.Input, key: String? = nil) async throws -> String? {
    do {
      _ = try await send(operation, input, key: key)
      return nil
    } catch let failure as Failure {
      return failure.code
    }
  }
}

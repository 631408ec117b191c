import BuiltPrograms
import Foundation
public import IdentityContract
import Logging
import Messaging
public import Operations
public import ServiceKit
import ServiceLifecycle
public import Storage
import Synchronization

/// Real services with real stores, in the tests' own process, over a bus in memory; identity is a double that knows whom the test
/// registers.
///
///     try await ServicesInProcess.running([{ .activity($0) }]) { services in
///       let ana = try await services.register(timeZone: "Europe/Madrid")
///       let activity = try await ana.send(CreateActivity.self, …)
///     }
public struct ServicesInProcess: Sendable {
  /// Builds a service, as its executable does.
  public typealias Build = @Sendable (ServiceEnvironment) throws -> ServiceDefinition

  /// The time that all services see.
  public let clock: MovableClock
  /// The folder that they keep everything in.
  public let home: Home
  private let identity: IdentityDouble
  private let stores: [ServiceName: Store]
  private let gateway: MemoryBus

  /// Runs the services for as long as the body takes, in a home folder of their own.
  ///
  /// - Parameters:
  ///   - prepare: puts files into the home folder before the services are built.
  public static func running<T>(
    _ builds: [Build], settings: [String: String] = [:], at now: String = "2026-11-21T12:00:00.000Z",
    prepare: (Home) throws -> Void = { _ in }, _ body: (ServicesInProcess) async throws -> T
  ) async throws -> T {
    let home = Home(path: "/tmp/racha-in-\(UInt64.random(in: .min ... .max))")
    try Home.makePrivateFolder(home.path)
    defer { removeFolder(home.path) }
    try prepare(home)
    let clock = MovableClock(try Instant(text: now))
    let exchange = MemoryExchange()
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    func host(_ service: ServiceName, _ build: (ServiceEnvironment) throws -> ServiceDefinition) throws -> ServiceHost {
      let environment = ServiceEnvironment(
        settings: Settings(settings), home: home, bus: MemoryBus(service, on: exchange), clock: clock.clock, logger: logger,
        program: BuiltProgram.activity)
      let definition = try build(environment)
      try environment.settings.check()
      return try ServiceHost(definition, environment)
    }
    let identity = IdentityDouble()
    let identityHost = try host(.identity) { _ in identity.definition }
    var hosts = [(ServiceName.identity, identityHost)]
    for build in builds {
      // A service takes its bus in its own name, which its definition tells.
      let probe = try build(
        ServiceEnvironment(
          settings: Settings(settings), home: home, bus: MemoryBus(.gateway, on: MemoryExchange()), clock: clock.clock,
          logger: logger))
      hosts.append((probe.contract.service, try host(probe.contract.service, build)))
    }
    let group = ServiceGroup(configuration: .init(services: hosts.map { .init(service: $0.1) }, logger: logger))
    let services = ServicesInProcess(
      clock: clock, home: home, identity: identity, stores: Dictionary(uniqueKeysWithValues: hosts.map { ($0.0, $0.1.store) }),
      gateway: MemoryBus(.gateway, on: exchange))
    return try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await group.run() }
      let result = await Result { try await body(services) }
      await group.triggerGracefulShutdown()
      try await tasks.waitForAll()
      return try result.get()
    }
  }

  private static func removeFolder(_ path: String) {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      // The next run has another folder; what is left under /tmp harms nothing.
    }
  }

  /// The store of a running service.
  public func store(of service: ServiceName) -> Store {
    guard let store = stores[service] else { preconditionFailure("\(service) is not running") }
    return store
  }

  /// Makes an account known to identity, which tells of it.
  ///
  /// - Parameter isTold: whether the event goes out; if not, services must ask.
  public func register(
    timeZone: String = "UTC", dayStartHour: Int = 0, isVerified: Bool = true, isPublished: Bool = true,
    language: Language = .english, consents: [ConsentPurpose] = ConsentPurpose.allCases
  ) async throws -> Person {
    let account = try identity.add(
      timeZone: timeZone, dayStartHour: dayStartHour, isVerified: isVerified, language: language, consents: consents)
    if isPublished { try await store(of: .identity).write { try $0.publish(account) } }
    return Person(
      bus: gateway,
      caller: Caller(
        kind: .account, account: account.accountID, session: SessionID(), isVerified: isVerified, language: language))
  }

  /// Changes an account's time zone, as its owner would, and waits until the service knows.
  public func move(_ person: Person, to timeZone: String, receivedBy service: ServiceName) async throws {
    try await change(person, receivedBy: service) { $0.timeZone = try TimeZoneName(text: timeZone) }
  }

  /// Changes an account, as its owner would, and waits until the service knows, if one is named.
  ///
  /// - Parameter isTold: whether the event goes out; if not, services must ask.
  public func change(
    _ person: Person, receivedBy service: ServiceName? = nil, isPublished: Bool = true,
    _ change: (inout AccountChanged) throws -> Void
  ) async throws {
    let account = try identity.change(person.id, change)
    if isPublished { try await store(of: .identity).write { try $0.publish(account) } }
    if let service { try await hasReceived(service, of: .identity) }
  }

  /// Somebody who may publish offers.
  public func administrator() -> Person {
    Person(
      bus: gateway,
      caller: Caller(kind: .account, account: AccountID(), session: SessionID(), isVerified: true, isAdministrator: true))
  }

  /// Waits until the listener has begun to hear the publisher, and everything told so far has taken effect in it.
  public func hasReceived(_ listener: ServiceName, of publisher: ServiceName) async throws {
    let head = try await store(of: publisher).log.head().number
    let inbox = store(of: listener).inbox { _, _, _ in }
    let deadline = ContinuousClock.now + .seconds(20)
    while try await (inbox.cursor(of: publisher)?.number ?? -1) < head {
      guard ContinuousClock.now < deadline else { throw NeverHeard(listener: listener, publisher: publisher) }
      try await Task.sleep(for: .milliseconds(1))
    }
  }

  /// Everything the service has told, oldest first.
  public func published(by service: ServiceName) async throws -> [LoggedEvent] {
    try await store(of: service).log.events(after: 0, limit: 10_000, bytes: 1 << 24)
  }

  /// A listener that stands still.
  public struct NeverHeard: Error {
    let listener: ServiceName
    let publisher: ServiceName
  }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }
}

/// A clock that stands still until it is moved.
public final class MovableClock: Sendable {
  private let time: Mutex<Instant>

  init(_ now: Instant) { time = Mutex(now) }

  /// For those who only look.
  public var clock: Clock { Clock { self.now } }

  /// The time it shows.
  public var now: Instant { time.withLock { $0 } }

  /// Sets it.
  public func set(_ text: String) throws {
    let now = try Instant(text: text)
    time.withLock { $0 = now }
  }
}

extension ServicesInProcess {
  /// Deletes an account, as its owner would at identity, and waits until the service has erased it.
  public func delete(_ person: Person, receivedBy service: ServiceName) async throws {
    let event = identity.delete(person.id, at: clock.now)
    try await store(of: .identity).write { try $0.publish(event) }
    try await hasReceived(service, of: .identity)
    try await store(of: service).hasErased(person.id)
  }
}

extension ServicesInProcess {
  /// Calls many times at once: nothing is written before so many of the calls wait to write, each of which has read by then what it reads
  /// before.
  ///
  /// - Parameters:
  ///   - waiting: how many of them come to write; the others end before.
  public func together(
    _ count: Int, waiting: Int? = nil, writingTo service: ServiceName, _ call: @escaping @Sendable (Int) async throws -> Void
  ) async throws {
    let store = store(of: service)
    let (isHeld, held) = AsyncStream.makeStream(of: Void.self)
    let release = DispatchSemaphore(value: 0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await store.write { _ in
          held.finish()
          release.wait()
        }
      }
      for await _ in isHeld {}
      defer { release.signal() }
      for number in 0..<count { group.addTask { try await call(number) } }
      let deadline = ContinuousClock.now + .seconds(60)
      while store.waitingWrites < waiting ?? count {
        guard ContinuousClock.now < deadline else { throw TooFew(waiting: store.waitingWrites) }
        try await Task.sleep(for: .milliseconds(1))
      }
      release.signal()
      try await group.waitForAll()
    }
  }

  /// Fewer calls than expected came to write.
  public struct TooFew: Error {
    let waiting: Int
  }
}

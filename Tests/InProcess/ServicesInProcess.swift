import BuiltPrograms
import Foundation
import GRDB
public import IdentityContract
public import InMemoryBus
import Logging
public import Operations
public import ServiceKit
import ServiceLifecycle
public import Storage

/// Real services with real stores, in the tests' own process, over a bus in memory; identity is a double that knows whom the test
/// registers or makes up before.
///
///     try await ServicesInProcess.running([{ Activities.service($0) }]) { services in
///       let ana = try await services.register(timeZone: "Europe/Madrid")
///       let activity = try await ana.send(CreateActivity.self, …)
///     }
///
/// Other services that only publish are definitions without operations: `ServiceDefinition(.rewards, migrations: [])`.
public struct ServicesInProcess: Sendable {
  /// Builds a service, as its executable does.
  public typealias Build = @Sendable (ServiceEnvironment) throws -> ServiceDefinition

  /// The time that all services see.
  public let clock: MovableClock
  /// The folder that they keep everything in.
  public let home: Home
  /// Stands for identity.
  public let identity: IdentityDouble
  private let stores: [ServiceName: Store]
  /// The names of the events that each service subscribes to, by their publisher.
  let subscriptions: [ServiceName: [ServiceName: Set<String>]]
  /// The bus as the gateway has it.
  public let gateway: MemoryBus

  /// Runs the services for as long as the body takes, and stops them gracefully.
  ///
  /// - Parameters:
  ///   - identity: who is known to it, if the test makes them up before.
  ///   - settings: those of all services. Unless they say otherwise, no challenges ship with rewards, so that no coins come of themselves.
  ///   - now: the time at which the clock stands; nil for the system's time.
  ///   - path: the home folder, if the test keeps it; otherwise it is one of their own and goes with them.
  ///   - prepare: puts files into the home folder before the services are built.
  public static func running<T>(
    _ builds: [Build], identity: IdentityDouble = IdentityDouble(), settings: [String: String] = [:],
    at now: String? = "2026-11-21T12:00:00.000Z", home path: String? = nil, prepare: (Home) throws -> Void = { _ in },
    _ body: (ServicesInProcess) async throws -> T
  ) async throws -> T {
    let home = Home(path: path ?? "/tmp/racha-in-\(UInt64.random(in: .min ... .max))")
    try Home.makePrivateFolder(home.path)
    defer { if path == nil { removeFolder(home.path) } }
    try prepare(home)
    let settings = ["racha.challenges.builtIn": "false"].merging(settings) { $1 }
    let clock = MovableClock(try now.map { try Instant(text: $0) })
    let exchange = MemoryExchange()
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    // Who sets a deadline goes by either clock: it is not over where one of them is far from the other.
    let patience = Clock { min(clock.now, .now) }
    func host(_ service: ServiceName, _ build: (ServiceEnvironment) throws -> ServiceDefinition) async throws -> ServiceHost {
      let environment = ServiceEnvironment(
        settings: Settings(settings), home: home, bus: MemoryBus(service, on: exchange, clock: patience), clock: clock.clock,
        logger: logger,
        program: BuiltProgram.activity)
      let definition = try build(environment)
      try environment.settings.check()
      try await EmptyStores.put(for: definition, into: home)
      return try ServiceHost(definition, environment)
    }
    let identityHost = try await host(.identity) { _ in identity.definition }
    var hosts = [(ServiceName.identity, identityHost)]
    var subscriptions: [ServiceName: [ServiceName: Set<String>]] = [:]
    for build in builds {
      // A service takes its bus in its own name, which its definition says.
      let probe = try build(
        ServiceEnvironment(
          settings: Settings(settings), home: home, bus: MemoryBus(.gateway, on: MemoryExchange()), clock: clock.clock,
          logger: logger))
      let service = probe.contract.service
      hosts.append((service, try await host(service, build)))
      for event in probe.subscribedEvents {
        subscriptions[service, default: [:]][event.publisher, default: []].insert(event.name)
      }
    }
    let group = ServiceGroup(configuration: .init(services: hosts.map { .init(service: $0.1) }, logger: logger))
    let services = ServicesInProcess(
      clock: clock, home: home, identity: identity, stores: Dictionary(uniqueKeysWithValues: hosts.map { ($0.0, $0.1.store) }),
      subscriptions: subscriptions,
      gateway: MemoryBus(.gateway, on: exchange))
    return try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await group.run() }
      let result = await Result {
        // What a test publishes without the state behind it is not in the snapshot with which a subscriber begins.
        for (service, publishers) in services.subscriptions {
          for publisher in publishers.keys where services.stores[publisher] != nil {
            try await services.hasReceived(service, of: publisher)
          }
        }
        let value = try await body(services)
        for (service, store) in services.stores { try await StatementPlans.check(store, of: service) }
        return value
      }
      await group.triggerGracefulShutdown()
      try await tasks.waitForAll()
      return try result.get()
    }
  }

  static func removeFolder(_ path: String) {
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

  /// Makes an account known to identity, which publishes it.
  ///
  /// - Parameter isPublished: whether the event goes out; if not, services must ask.
  public func register(
    timeZone: String = "UTC", dayStartHour: Int = 0, isVerified: Bool = true, isPublished: Bool = true,
    language: Language = .english, consents: [ConsentPurpose] = ConsentPurpose.allCases
  ) async throws -> Person {
    let account = try identity.register(
      timeZone: timeZone, dayStartHour: dayStartHour, isVerified: isVerified, language: language, consents: consents)
    if isPublished { try await publish(.identity, account.event) }
    return Person(bus: gateway, caller: account.caller)
  }

  /// Changes an account's time zone, as its owner would, and waits until the service knows.
  public func move(_ person: Person, to timeZone: String, receivedBy service: ServiceName) async throws {
    try await change(person, receivedBy: service) { $0.timeZone = try TimeZoneName(text: timeZone) }
  }

  /// Changes an account, as its owner would, and waits until the service knows, if one is named.
  ///
  /// - Parameter isPublished: whether the event goes out; if not, services must ask.
  public func change(
    _ person: Person, receivedBy service: ServiceName? = nil, isPublished: Bool = true,
    _ change: (inout AccountChanged) throws -> Void
  ) async throws {
    let account = try identity.change(person.id, change)
    if isPublished { try await publish(.identity, account) }
    if let service { try await hasReceived(service, of: .identity) }
  }

  /// Somebody who may publish offers.
  public func administrator() throws -> Person {
    let account = try identity.register(
      timeZone: "UTC", dayStartHour: 0, isVerified: true, language: .english, consents: [])
    return Person(
      bus: gateway,
      caller: Caller(kind: .account, account: account.account, session: SessionID(), isVerified: true, isAdministrator: true))
  }

  /// Every event that the service has published, oldest first, but for the streaks: a worker counts and publishes them in its own time,
  /// within a second or so of what changes them.
  public func published(by service: ServiceName) async throws -> [LoggedEvent] {
    try await store(of: service).allEvents().filter { $0.name != "streaks.changed" }
  }

  /// Publishes events in the name of a service, as its own transactions do.
  public func publish(_ service: ServiceName, _ events: any Event...) async throws {
    try await store(of: service).write { transaction in
      for event in events { try transaction.publish(event) }
    }
  }

  /// A service's whole state as events, as a subscriber without history gets it.
  public func snapshot(of service: ServiceName) async throws -> [LoggedEvent] {
    let log = store(of: service).log
    var page = try await log.snapshot(after: nil)
    var events = page.events
    while let key = page.nextKey {
      page = try await log.snapshot(after: key)
      events += page.events
    }
    return events
  }

  /// Forgets every event that a service has published but the last, as pruning does once all subscribers have received them.
  public func prune(_ service: ServiceName) async throws {
    try await store(of: service).write {
      try $0.database.execute(sql: "DELETE FROM outbox WHERE number < (SELECT max(number) FROM outbox)")
    }
  }

  /// Every byte of the stores' files, write-ahead logs included.
  public func storedBytes() throws -> [UInt8] {
    try FileManager.default.contentsOfDirectory(atPath: home.stores).flatMap { name in
      FileManager.default.contents(atPath: "\(home.stores)/\(name)").map([UInt8].init) ?? []
    }
  }
}

extension ServicesInProcess {
  /// Calls an operation as the gateway does for that caller.
  public func call<O: Operations.Operation>(
    _ operation: O.Type, _ input: O.Input, as caller: Caller, key: String? = nil
  ) async throws -> O.Output {
    try await Person(bus: gateway, caller: caller).send(operation, input, key: key)
  }

  /// The code of the failure that a call ends in; nil where it succeeds.
  public func refusal<O: Operations.Operation>(
    _ operation: O.Type, _ input: O.Input, as caller: Caller, key: String? = nil
  ) async throws -> String? {
    try await Person(bus: gateway, caller: caller).failure(operation, input, key: key)
  }

  /// The fields at fault and their rules, each as `field rule`; none where a call succeeds.
  public func refusedFields<O: Operations.Operation>(
    _ operation: O.Type, _ input: O.Input, as caller: Caller
  ) async throws -> [String] {
    try await Person(bus: gateway, caller: caller).refusedFields(operation, input)
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

extension ServicesInProcess {
  /// Deletes an account, as its owner would at identity, and waits until the service has erased it.
  public func delete(_ person: Person, receivedBy service: ServiceName) async throws {
    let event = identity.delete(person.id, at: clock.now)
    try await publish(.identity, event)
    try await hasReceived(service, of: .identity)
    try await store(of: service).hasErased(person.id)
  }
}

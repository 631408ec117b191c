import Foundation
import Logging
public import Messaging
import Operations
public import ServiceLifecycle
public import Storage
import Synchronization

/// Runs one ``ServiceDefinition``: its store, its endpoint on the bus, its relay, its subscribers and its workers.
///
/// It starts them in the order of their dependencies and stops them in reverse: no new work is accepted, work in flight is finished, events
/// are handed on, the store is closed.
public final class ServiceHost: ServiceLifecycle.Service {
  public let store: Store
  private let environment: ServiceEnvironment
  private let runners: [Runner]

  /// Opens the store and connects the service to the bus, without running yet.
  public init(_ definition: ServiceDefinition, _ environment: ServiceEnvironment) throws {
    let service = definition.contract.service
    let logger = environment.logger
    try Home.makePrivateFolder(environment.home.stores)
    let secret = try environment.home.secret("\(service.rawValue).store")
    let store = try Store(
      path: "\(environment.home.stores)/\(service.rawValue).sqlite", service: service, migrations: definition.migrations,
      secret: secret, snapshot: definition.snapshot, limits: definition.storeLimits, clock: environment.clock, logger: logger)
    let publisher = EventPublisher(service, log: store.log, bus: environment.bus, logger: logger)
    store.relay(to: publisher.publish)
    let (effects, initial) = (definition.effects, definition.stateEvents)
    let subscribers = effects.keys.sorted { $0.rawValue < $1.rawValue }.map { name in
      let subscription = store.subscription { event, publisher, transaction in
        guard let found = effects[publisher]?[event.name] else { return }
        try found.take(event, transaction)
        logger.publish(event, of: publisher, after: transaction)
      }
      return EventSubscriber(
        service, to: name, subscription: subscription, bus: environment.bus, names: effects[name].map { Set($0.keys) },
        initialStateNames: initial[name] ?? [], logger: logger)
    }
    let runners = ServiceHost.runners(definition, publisher, subscribers, store, logger)
    var definition = definition
    let metrics: @Sendable () -> String = {
      for subscriber in subscribers { subscriber.recordLag() }
      return environment.metrics()
    }
    definition.serveSystem(metrics: metrics, started: environment.clock.now) {
      // Other problems may come from waiting for the disk, so none is reported besides it.
      if let problem = store.problem { return [HealthProblem(problem)] }
      return subscribers.compactMap(\.healthProblem) + runners.compactMap(\.healthProblem)
    }
    if definition.knownAccounts != nil { definition.serveSync() }
    let dispatch = Dispatch(
      definition,
      CallContext(
        store: store, bus: environment.bus, service: service, clock: environment.clock, logger: logger,
        keys: ServiceKeys(secret: secret), accountWatch: definition.accountWatch,
        knownAccounts: definition.knownAccounts))
    environment.bus.serve { request in
      if let reply = await publisher.answer(request) { return reply }
      return await dispatch.reply(to: request)
    }
    self.store = store
    self.environment = environment
    self.runners = runners
  }

  /// The background tasks: those that all services have, and those of this service.
  private static func runners(
    _ definition: ServiceDefinition, _ publisher: EventPublisher, _ subscribers: [EventSubscriber], _ store: Store,
    _ logger: Logger
  ) -> [Runner] {
    var runners = [Runner("publisher", logger: logger) { _ in Background { await publisher.run() } }]
    for subscriber in subscribers {
      runners.append(Runner(subscriber.name, logger: logger) { _ in Background { await subscriber.run() } })
    }
    for (name, make) in definition.runners { runners.append(Runner(name, logger: logger) { make(store, $0) }) }
    runners.append(Runner("storeHousekeeping", logger: logger) { StoreHousekeeping(store: store, pulse: $0, logger: logger) })
    if !store.isReadOnly {
      runners.append(
        Runner("storeWatch", logger: logger) { _ in
          Background { try await repeating(every: ServiceHost.watch) { _ = try await store.isWritableAgain() } }
        })
    }
    return runners
  }

  /// The store was opened for reading only, and its disk takes writes again: the service has to be restarted.
  public struct StoreWritableAgain: Error {}

  /// How often a store that refuses writes is retried.
  private static let watch = Duration.seconds(1)

  /// Runs until graceful shutdown or cancellation.
  ///
  /// - Throws: ``StoreWritableAgain``.
  public func run() async throws {
    var services: [any ServiceLifecycle.Service] = [StoreCloser(store: store)]
    let bus = BusRunner(environment.bus)
    // Started before the others run: a bus that has not started refuses their requests.
    try bus.start()
    services.append(bus)
    services += runners
    var configurations = services.map {
      ServiceGroupConfiguration.ServiceConfiguration(service: $0, successTerminationBehavior: .ignore)
    }
    let isWritableAgain = Mutex(false)
    if store.isReadOnly {
      let watch = Background { [store] in
        while try await !store.isWritableAgain() { try await Task.sleep(for: ServiceHost.watch) }
        isWritableAgain.withLock { $0 = true }
      }
      configurations.append(.init(service: watch, successTerminationBehavior: .gracefullyShutdownGroup))
    }
    try await ServiceGroup(configuration: .init(services: configurations, logger: environment.logger)).run()
    if isWritableAgain.withLock({ $0 }) { throw StoreWritableAgain() }
  }
}

/// Removes from the store what is no longer needed, once a minute.
private struct StoreHousekeeping: ServiceLifecycle.Service {
  let store: Store
  let pulse: Pulse
  let logger: Logger

  func run() async throws {
    try await cancelWhenGracefulShutdown {
      while true {
        try await Task.sleep(for: .seconds(60))
        do {
          // Much work takes long, but is not stuck as long as it makes progress.
          try await store.housekeep { pulse.promise(within: .seconds(60)) }
        } catch let failure as Failure where failure.status == RequestFailure.overloaded.status {
          logger.warning("housekeeping was postponed", metadata: ["code": .string(failure.code)])
        }
        pulse.rest()
      }
    }
  }
}

extension EventSubscriber {
  /// Its name among the runners.
  var name: String { "subscriber.\(publisher.rawValue)" }

  /// The subscriber's problem; nil if there is none.
  public var healthProblem: HealthProblem? {
    if isStuck { return HealthProblem(part: name, state: .stuck) }
    guard !hasCaughtUp else { return nil }
    let (done, total) = progress
    return HealthProblem(part: name, state: .catchingUp, done: done > 0 || total != nil ? done : nil, total: total)
  }
}

extension Logger {
  /// Logs, once it is durable, that an event took effect, so that a request's trace leads to all its consequences.
  fileprivate func publish(_ event: LoggedEvent, of publisher: ServiceName, after transaction: Transaction) {
    guard logLevel <= .debug, let traceID = event.traceID else { return }
    transaction.afterCommit {
      debug(
        "event took effect",
        metadata: [
          "event": .string(event.name), "number": "\(event.number)", "publisher": .string(publisher.rawValue),
          "traceID": .string(traceID),
        ])
    }
  }
}

/// Closes the store when everything that uses it has stopped.
private struct StoreCloser: ServiceLifecycle.Service {
  let store: Store

  func run() async throws {
    do {
      try await gracefulShutdown()
    } catch {
      // Cancelled without a graceful shutdown: the store is closed all the same.
    }
    await store.close()
  }
}

/// Runs the bus, and stops it so that work in flight can finish.
public struct BusRunner: ServiceLifecycle.Service {
  private let bus: (any RunnableBus)?

  /// A bus that need not run, such as a test's, is left alone.
  public init(_ bus: any Bus) { self.bus = bus as? any RunnableBus }

  /// Connects the service to the bus; does nothing if it is connected.
  public func start() throws { try bus?.start() }

  /// Runs until graceful shutdown or cancellation.
  public func run() async throws {
    guard let bus else { return try await gracefulShutdown() }
    try await withGracefulShutdownHandler {
      try await bus.run()
    } onGracefulShutdown: {
      bus.beginStop(within: .seconds(3))
    }
  }
}

/// Work that may be cancelled at any time.
struct Background: ServiceLifecycle.Service {
  let body: @Sendable () async throws -> Void

  init(_ body: @escaping @Sendable () async throws -> Void) { self.body = body }

  func run() async throws {
    do {
      try await cancelWhenGracefulShutdown { try await body() }
    } catch is CancellationError {
      // Cancelled, as is allowed at any time.
    }
  }
}

extension ServiceDefinition {
  /// Serves the operations that every service answers.
  ///
  /// - Parameter problems: what keeps the service from being ready at the moment.
  mutating func serveSystem(
    metrics: @escaping @Sendable () -> String, started: Instant, problems: @escaping @Sendable () -> [HealthProblem]
  ) {
    let service = contract.service
    serve(ReadHealth.self) { _, call in
      _ = try await call.read { _ in true }
      let found = problems()
      return .init(
        service: service, isReady: found.allSatisfy(\.state.leavesReading), version: ServiceProcess.version,
        uptimeSeconds: Int((call.now.milliseconds - started.milliseconds) / 1000), problems: found)
    }
    serve(ReadMetrics.self) { _, _ in .init(text: metrics()) }
    serve(HoldStore.self) { _, call in .init(hold: try await call.store.hold()) }
    serve(BackUpStore.self) { input, call in
      let held = try await call.store.copy(input.hold, to: input.path)
      let size = try FileManager.default.attributesOfItem(atPath: input.path)[.size] as? Int
      return .init(bytes: size ?? 0, heldMilliseconds: Int(held / .milliseconds(1)))
    }
    serve(ReleaseStore.self) { input, call in
      try call.store.release(input.hold)
      return Empty()
    }
  }
}

import Foundation
import Logging
public import Messaging
import Operations
public import ServiceLifecycle
public import Storage

/// Runs one ``ServiceDefinition``: its store, its place on the bus, its relay, its listeners and its workers.
///
/// It starts them in the order of their dependence and stops them in reverse: no new work, what is in flight is finished, events
/// are handed on, the store is closed.
public final class ServiceHost: ServiceLifecycle.Service {
  public let store: Store
  private let definition: ServiceDefinition
  private let environment: ServiceEnvironment
  private let teller: EventTeller
  private let listeners: [EventListener]

  /// Opens the store and takes the service's place on the bus, without running yet.
  public init(_ definition: ServiceDefinition, _ environment: ServiceEnvironment) throws {
    let service = definition.contract.service
    let logger = environment.logger
    try Home.makePrivateFolder(environment.home.stores)
    let secret = try environment.home.secret("\(service.rawValue).store")
    let store = try Store(
      path: "\(environment.home.stores)/\(service.rawValue).sqlite", service: service, migrations: definition.migrations,
      secret: secret, snapshot: definition.snapshot, clock: environment.clock, logger: logger)
    let teller = EventTeller(service, log: store.log, bus: environment.bus, logger: logger)
    store.relay(to: teller.tell)
    let effects = definition.effects
    let listeners = effects.keys.sorted { $0.rawValue < $1.rawValue }.map { name in
      let inbox = store.inbox { event, teller, transaction in try effects[teller]?[event.name]?(event, transaction) }
      return EventListener(
        service, to: name, inbox: inbox, bus: environment.bus, names: effects[name].map { Set($0.keys) }, logger: logger)
    }
    var definition = definition
    definition.serveSystem(metrics: environment.metrics, started: environment.clock.now) {
      listeners.allSatisfy(\.hasCaughtUp)
    }
    let dispatch = Dispatch(
      definition,
      CallContext(
        store: store, bus: environment.bus, service: service, clock: environment.clock, logger: logger,
        keys: ServiceKeys(secret: secret)))
    environment.bus.serve { request in
      if let reply = await teller.answer(request) { return reply }
      return await dispatch.reply(to: request)
    }
    self.store = store
    self.definition = definition
    self.environment = environment
    self.teller = teller
    self.listeners = listeners
  }

  /// Runs until graceful shutdown or cancellation.
  public func run() async throws {
    let store = store
    let teller = teller
    var services: [any ServiceLifecycle.Service] = [StoreKeeper(store: store)]
    let bus = BusRunner(environment.bus)
    // Before the others run: what they ask of a bus that has not begun is refused.
    try bus.start()
    services.append(bus)
    services.append(Background { await teller.run() })
    for listener in listeners { services.append(Background { await listener.run() }) }
    services += definition.workers.map { $0(store) }
    let logger = environment.logger
    services.append(
      Background {
        while true {
          try await Task.sleep(for: .seconds(60))
          do {
            try await store.housekeep()
          } catch let failure as Failure {
            logger.warning("housekeeping was put off", metadata: ["code": .string(failure.code)])
          }
        }
      })
    let group = ServiceGroup(
      configuration: .init(services: services.map { .init(service: $0, successTerminationBehavior: .ignore) }, logger: logger))
    try await group.run()
  }
}

/// Closes the store when everything that uses it has stopped.
private struct StoreKeeper: ServiceLifecycle.Service {
  let store: Store

  func run() async throws {
    do {
      try await gracefulShutdown()
    } catch {
      // Cancelled instead of asked: the store is closed all the same.
    }
    await store.close()
  }
}

/// A bus that has a life of its own.
protocol LivingBus: Bus {
  func start() throws
  func run() async throws
  func beginStop(within time: Duration)
}

extension ZeroMQBus: LivingBus {}

extension MemoryBus: LivingBus {
  func start() {}
  func run() async throws { try await gracefulShutdown() }
  func beginStop(within time: Duration) { stop() }
}

/// Runs the bus, and stops it so that what is in flight may end.
public struct BusRunner: ServiceLifecycle.Service {
  private let bus: (any LivingBus)?

  /// A bus without a life of its own, as a test may pass, is just there.
  public init(_ bus: any Bus) { self.bus = bus as? any LivingBus }

  /// Takes the service's place on the bus; does nothing if it has it.
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

/// Work that may be cut off at any time.
struct Background: ServiceLifecycle.Service {
  let body: @Sendable () async throws -> Void

  init(_ body: @escaping @Sendable () async throws -> Void) { self.body = body }

  func run() async throws {
    do {
      try await cancelWhenGracefulShutdown { try await body() }
    } catch is CancellationError {
      // Cut off, as it may be.
    }
  }
}

extension ServiceDefinition {
  /// What every service answers.
  ///
  /// - Parameter hasCaughtUp: whether what was told while the service was away has taken effect here.
  mutating func serveSystem(
    metrics: @escaping @Sendable () -> String, started: Instant, hasCaughtUp: @escaping @Sendable () -> Bool
  ) {
    let service = contract.service
    serve(ReadHealth.self) { _, call in
      _ = try await call.read { _ in true }
      return .init(
        service: service, isReady: hasCaughtUp(), version: ServiceProcess.version,
        uptimeSeconds: Int((call.now.milliseconds - started.milliseconds) / 1000))
    }
    serve(ReadMetrics.self) { _, _ in .init(text: metrics()) }
    serve(BackUpStore.self) { input, call in
      guard !FileManager.default.fileExists(atPath: input.path) else {
        throw BackUpStore.BackupFailure.pathTaken.with(["path": .text(input.path)])
      }
      try await call.store.backup(to: input.path)
      let size = try FileManager.default.attributesOfItem(atPath: input.path)[.size] as? Int
      return .init(bytes: size ?? 0)
    }
  }
}

import BuiltPrograms
import Foundation
import GRDB
import Logging
public import Messaging
public import Operations
public import ServiceKit
import ServiceLifecycle
public import Storage

/// Real services inside the test's process: each with its store in a home folder of its own, joined by one ``MemoryExchange``.
///
///     try await Stage.run([Social.service, identity.service]) { stage in
///       let friends = try await stage.call(ListFriends.self, .init(), as: ana)
///     }
public final class Stage: Sendable {
  public typealias Build = @Sendable (ServiceEnvironment) throws -> ServiceDefinition

  public let home: Home
  private let exchange: MemoryExchange
  private let bus: MemoryBus
  private let hosts: [ServiceName: ServiceHost]

  private init(home: Home, exchange: MemoryExchange, hosts: [ServiceName: ServiceHost]) {
    self.home = home
    self.exchange = exchange
    self.hosts = hosts
    bus = MemoryBus(.gateway, on: exchange)
  }

  /// Runs the services for as long as the body takes, stops them gracefully and removes their folder.
  public static func run<Result: Sendable>(
    _ services: [(ServiceName, Build)], settings: [String: String] = [:], home path: String? = nil, clock: Clock = .system,
    _ body: (Stage) async throws -> Result
  ) async throws -> Result {
    let home = Home(path: path ?? "/tmp/racha-stage-\(UInt32.random(in: .min ... .max))")
    defer {
      // A folder that the caller named is the caller's.
      if path == nil { try? FileManager.default.removeItem(atPath: home.path) }
    }
    let exchange = MemoryExchange()
    let logger = Logger(label: "stage") { _ in SwiftLogNoOpLogHandler() }
    var hosts: [ServiceName: ServiceHost] = [:]
    for (name, build) in services {
      let environment = ServiceEnvironment(
        settings: Settings(settings), home: home, bus: MemoryBus(name, on: exchange), clock: clock, logger: logger,
        program: BuiltProgram.activity)
      hosts[name] = try ServiceHost(try build(environment), environment)
      try environment.settings.check()
    }
    let stage = Stage(home: home, exchange: exchange, hosts: hosts)
    let group = ServiceGroup(configuration: .init(services: hosts.values.map { .init(service: $0) }, logger: logger))
    async let running: Void = group.run()
    let outcome = await Swift.Result { try await body(stage) }
    await group.triggerGracefulShutdown()
    try await running
    return try outcome.get()
  }

  /// Calls an operation as the gateway does for that caller.
  public func call<O: Operations.Operation>(
    _ operation: O.Type, _ input: O.Input, as caller: Caller, key: String? = nil
  ) async throws -> O.Output {
    let header = RequestHeader(
      id: ID<RequestHeader>().description, operation: O.spec.name, caller: caller, deadline: Instant.now.adding(seconds: 20),
      idempotencyKey: key)
    let reply = try await bus.request(Request(header: header, body: input.json), to: O.spec.service)
    return try reply.output(O.Output.self)
  }

  /// The code of the failure that a call ends in; nil where it succeeds.
  public func refusal<O: Operations.Operation>(
    _ operation: O.Type, _ input: O.Input, as caller: Caller, key: String? = nil
  ) async throws -> String? {
    do {
      _ = try await call(operation, input, as: caller, key: key)
      return nil
    } catch let failure as Failure {
      return failure.code
    }
  }

  /// The fields at fault and their rules, each as `field rule`; none where a call succeeds.
  public func refusedFields<O: Operations.Operation>(
    _ operation: O.Type, _ input: O.Input, as caller: Caller
  ) async throws -> [String] {
    do {
      _ = try await call(operation, input, as: caller)
      return []
    } catch let failure as Failure {
      return failure.fields.map { "\($0.field) \($0.code)" }
    }
  }

  /// The store of one of the services.
  public func store(_ service: ServiceName) throws -> Store {
    guard let host = hosts[service] else { throw MissingService(name: service) }
    return host.store
  }

  /// Tells events in the name of a service, as its own transactions do.
  public func publish(_ service: ServiceName, _ events: any Event...) async throws {
    try await store(service).write { transaction in
      for event in events { try transaction.publish(event) }
    }
  }

  /// Returns when the listener has begun to hear the publisher: events that a test tells without the state behind them are not in
  /// the snapshot with which it begins.
  public func untilReceived(_ listener: ServiceName, _ publisher: ServiceName) async throws {
    let inbox = try store(listener).inbox { _, _, _ in }
    // The cursor is durable, and nobody announces it.
    while try await inbox.cursor(of: publisher) == nil { try await Task.sleep(for: .milliseconds(1)) }
  }

  /// What a service announces from now on.
  public func announcements(of service: ServiceName) -> AsyncStream<Announcement> { bus.announcements(of: service) }

  /// Every event that a service has told, oldest first.
  public func published(by service: ServiceName) async throws -> [LoggedEvent] {
    try await store(service).log.events(after: 0, limit: 100_000, bytes: 64 << 20)
  }

  /// A service's whole state as events, as a listener without history gets it.
  public func snapshot(of service: ServiceName) async throws -> [LoggedEvent] { try await store(service).log.wholeSnapshot() }

  /// Forgets every event that a service has told but the last, as pruning does once all who listen have heard them.
  public func prune(_ service: ServiceName) async throws {
    try await store(service).write {
      try $0.database.execute(sql: "DELETE FROM outbox WHERE number < (SELECT max(number) FROM outbox)")
    }
  }

  /// Returns when the service has told that many events; it looks again at each of its announcements.
  public func untilPublished(_ count: Int64, by service: ServiceName) async throws {
    let announcements = announcements(of: service)
    if try await store(service).log.head().number >= count { return }
    for await announcement in announcements {
      switch announcement {
      case .event(let event, _) where event.number >= count: return
      case .burst(_, _, let head) where head.number >= count: return
      case .heartbeat(let head) where head.number >= count: return
      default: continue
      }
    }
  }

  /// Every byte of the stores' files, write-ahead logs included.
  public func storedBytes() throws -> [UInt8] {
    try FileManager.default.contentsOfDirectory(atPath: home.stores).flatMap { name in
      FileManager.default.contents(atPath: "\(home.stores)/\(name)").map([UInt8].init) ?? []
    }
  }

  private struct MissingService: Error {
    let name: ServiceName
  }
}

extension EventLog {
  /// All pages of the snapshot.
  public func wholeSnapshot() async throws -> [LoggedEvent] {
    var page = try await snapshot(after: nil)
    var events = page.events
    while let key = page.nextKey {
      page = try await snapshot(after: key)
      events += page.events
    }
    return events
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

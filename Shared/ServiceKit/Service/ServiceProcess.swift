import CoreMetrics
import Dispatch
import Foundation
import Logging
import Messaging
public import Operations
public import Sandbox
public import ServiceLifecycle
import UnixSignals

/// What the six main programs share: settings, logs, metrics, the bus, signals.
///
///     ServiceProcess.start(.social, decoders: Social.decoders) { try Social.service($0) }
public enum ServiceProcess {
  /// Version of all six programs.
  public static let version = "0.1.0"

  /// Runs a service until SIGTERM or SIGINT, and ends the process: 0 after a graceful stop, 78 (`EX_CONFIG`) for settings that cannot be
  /// used, 75 (`EX_TEMPFAIL`) if it is to be restarted because its disk takes writes again, 1 for any other failure. With `--health
  /// [SECONDS]` it asks the running service instead, waits that long for the answer (2 s by default), and ends as ``ServiceHealth`` says.
  ///
  /// - Parameter decoders: the service's decoders, if any; a process that was started as one of them does nothing else. If they cannot be
  ///   sandboxed, the service does not start.
  public static func start(
    _ service: ServiceName, decoders: [any SandboxedDecoder.Type] = [],
    _ build: @escaping @Sendable (ServiceEnvironment) async throws -> ServiceDefinition
  ) -> Never {
    DecoderProgram.runIfAsked(decoders)
    start(service, health: { try await health(of: service, $0, seconds: $1) }) { environment in
      guard decoders.isEmpty || DecoderProgram.isPossible else {
        throw DecoderFault.notStarted("this kernel has no filters of system calls")
      }
      return [try ServiceHost(try await build(environment), environment)]
    }
  }

  /// The same for a process that is not a ``ServiceDefinition``, such as the gateway.
  ///
  /// - Parameter health: answers `--health`.
  public static func start(
    _ service: ServiceName, health: @escaping @Sendable (ServiceEnvironment, Int) async throws -> ServiceHealth,
    _ build: @escaping @Sendable (ServiceEnvironment) async throws -> [any ServiceLifecycle.Service]
  ) -> Never {
    Heap.configure()
    Task { await run(service, health, build) }
    dispatchMain()
  }

  private static func run(
    _ service: ServiceName, _ health: @Sendable (ServiceEnvironment, Int) async throws -> ServiceHealth,
    _ build: @Sendable (ServiceEnvironment) async throws -> [any ServiceLifecycle.Service]
  ) async {
    signal(SIGPIPE, SIG_IGN)
    // The first process of a container ignores signals that it has no handler for. Until it can stop gracefully, it ends at once.
    for number in [SIGTERM, SIGINT] { signal(number) { _exit(128 + $0) } }
    let metrics = PrometheusMetrics()
    MetricsSystem.bootstrap(metrics)
    var logger = Logger(label: service.rawValue) { _ in JSONLogHandler(service: service, level: .info) }
    BatchScheduling.begin(logger)
    do {
      let settings = try await Settings.ofProcess()
      logger.logLevel = Logger.Level(rawValue: settings.choice("racha.log.level", default: LogLevel.info).rawValue) ?? .info
      ContentLimits.set(ContentLimits(settings))
      let home = Home(settings)
      let endpoints = try BusSettings.endpoints(settings, home, for: service)
      try settings.check()
      let bus = ZeroMQBus(service, endpoints: endpoints, logger: logger)
      let own = ProcessMetrics(service, home: home, started: .now)
      let environment = ServiceEnvironment(
        settings: settings, home: home, bus: bus, logger: logger,
        metrics: {
          own.record()
          return metrics.text(service: service.rawValue)
        })
      if let seconds = healthSeconds(CommandLine.arguments) {
        exit(try await health(environment, seconds).rawValue)
      }
      for key in settings.unknownKeys {
        logger.warning("an unknown setting is ignored", metadata: ["key": .string(key)])
      }
      try home.claim()
      let services = try await build(environment) + [Heap.Trimming()]
      try settings.check()
      // Started before the services run: a bus that has not started refuses their requests.
      try bus.start()
      var configuration = ServiceGroupConfiguration(
        services: services.map { .init(service: $0) }, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
      configuration.maximumGracefulShutdownDuration = .seconds(5)
      configuration.maximumCancellationDuration = .seconds(1)
      // Naming the release of the time zones does more than report it: a linker that takes Foundation's parts from an archive takes
      // the named zones only where something asks for them.
      logger.info(
        "starting",
        metadata: [
          "version": "\(version)", "pid": "\(ProcessInfo.processInfo.processIdentifier)",
          "timeZones": "\(TimeZone.timeZoneDataVersion)",
        ])
      try await ServiceGroup(configuration: configuration).run()
      logger.info("stopped")
      exit(0)
    } catch let invalid as Settings.Invalid {
      for problem in invalid.problems {
        logger.critical("a setting cannot be used", metadata: ["key": .string(problem.key), "rule": .string(problem.rule)])
      }
      exit(78)
    } catch is ServiceHost.StoreWritableAgain {
      logger.notice("the store can be written again and is reopened")
      exit(75)
    } catch {
      logger.critical("ended by an error", metadata: ["error": .string("\(error)")])
      exit(1)
    }
  }

  /// How long a health query waits for its answer; nil if there is none.
  static func healthSeconds(_ arguments: [String]) -> Int? {
    guard let index = arguments.dropFirst().firstIndex(of: "--health") else { return nil }
    let said = arguments[(index + 1)...].first.flatMap { Int($0) }
    return said.map { min(max($0, 1), 3600) } ?? 2
  }

  private static func health(of service: ServiceName, _ environment: ServiceEnvironment, seconds: Int) async throws
    -> ServiceHealth
  {
    try (environment.bus as? ZeroMQBus)?.start()
    let header = RequestHeader(
      id: ID<RequestHeader>().description, operation: ReadHealth.spec.name, caller: .service(service),
      deadline: environment.clock.now.adding(seconds: seconds))
    do {
      let reply = try await environment.bus.request(Request(header: header, body: Empty().json), to: service)
      // A failure is an answer, too: an overloaded service, for example, does not hang.
      guard !reply.header.isFailure else { return .notReady }
      return try ReadHealth.Output.decode(reply.body).isReady ? .ready : .notReady
    } catch BusFailure.unavailable, BusFailure.timedOut {
      return .noAnswer
    }
  }
}

/// The exit status of a process that was started with `--health`.
public enum ServiceHealth: Int32, Sendable {
  case ready = 0
  /// The service answers, and is not ready.
  case notReady = 1
  /// There is no answer (`EX_UNAVAILABLE`): the service does not run, or it hangs.
  case noAnswer = 69
}

/// The levels of swift-log as a setting.
private enum LogLevel: String, Choice { case trace, debug, info, notice, warning, error, critical }

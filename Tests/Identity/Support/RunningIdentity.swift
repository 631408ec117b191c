import BuiltPrograms
import Foundation
import GRDB
import IdentityContract
import InMemoryBus
import InProcess
import Logging
import Operations
import ServiceKit
import Storage
import Synchronization
import Testing

@testable import IdentityService

/// Identity in this process, with a real store in a folder of its own, asked over a bus in memory.
///
/// ``ServicesInProcess`` is for the other services: it runs all that they do by themselves, beside a double of identity. Here identity is
/// the real one, and does nothing by itself unless the test lets it (``housekeeping()``, ``running(_:)``), so that each step can be
/// looked at.
final class RunningIdentity: Sendable {
  let home: Home
  let time: MovableClock
  let store: Store
  /// Where other services can take part.
  let exchange: MemoryExchange
  private let gateway: MemoryBus
  private let notifications: MemoryBus
  private let cost: HashCost
  private let settings: [String: String]

  /// A clock that only the test moves.
  static func clock() -> MovableClock { MovableClock(Instant(milliseconds: 1_800_000_000_000)) }

  /// Starts it and stops it after the body, removing its folder.
  static func run<T: Sendable>(
    cost: HashCost = HashCost(memoryBytes: 64 << 10, passes: 1), time: MovableClock = RunningIdentity.clock(),
    settings: [String: String] = [:], _ body: (RunningIdentity) async throws -> T
  ) async throws -> T {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("racha-identity-\(UUID().uuidString)").path
    let identity = try await RunningIdentity(home: Home(path: folder), time: time, cost: cost, settings: settings)
    let result: Result<T, any Error>
    do {
      let value = try await body(identity)
      try await identity.checkPlans()
      result = .success(value)
    } catch {
      result = .failure(error)
    }
    await identity.store.close()
    try FileManager.default.removeItem(atPath: folder)
    return try result.get()
  }

  init(home: Home, time: MovableClock, cost: HashCost, settings: [String: String] = [:]) async throws {
    let exchange = MemoryExchange()
    self.exchange = exchange
    self.home = home
    self.time = time
    self.cost = cost
    self.settings = settings
    gateway = MemoryBus(.gateway, on: exchange, clock: time.clock)
    notifications = MemoryBus(.notifications, on: exchange, clock: time.clock)
    let environment = Self.environment(home, time, exchange, settings)
    let definition = try await Identity.service(environment, cost: cost)
    try await EmptyStores.put(for: definition, into: home)
    store = try ServiceHost(definition, environment).store
  }

  /// Fails where a statement goes through a whole table, unless the test has closed the store.
  private func checkPlans() async throws {
    do {
      try await StatementPlans.check(store, of: .identity)
    } catch let failure as Failure where failure.code == RequestFailure.unavailable.rawValue {
      return
    }
  }

  /// The same after its process ended and was started again.
  func restarted() async throws -> RunningIdentity {
    try await checkPlans()
    await store.close()
    return try await RunningIdentity(home: home, time: time, cost: cost, settings: settings)
  }

  /// Lets the service run on as its process does, with all that it does by itself, for as long as the body does.
  func running(_ body: () async throws -> Void) async throws {
    await store.close()
    let environment = Self.environment(home, time, MemoryExchange(), settings)
    let host = try ServiceHost(try await Identity.service(environment, cost: cost), environment)
    try await withThrowingTaskGroup { group in
      group.addTask { try await host.run() }
      try await body()
      group.cancelAll()
    }
  }

  /// The same beside other services, until that holds in the store; then it is stopped in the middle of whatever it does.
  func running(on exchange: MemoryExchange, until holds: @escaping @Sendable (Database) throws -> Bool) async throws {
    await store.close()
    // Who subscribes to events waits for them by the system's time.
    let environment = Self.environment(home, time, exchange, settings, bus: .system)
    let host = try ServiceHost(try await Identity.service(environment, cost: cost), environment)
    try await withThrowingTaskGroup { group in
      group.addTask { try await host.run() }
      try await host.store.until { try await host.store.read(holds) }
      group.cancelAll()
    }
    await host.store.close()
  }

  /// All features of the service.
  func features() async throws -> [any Feature] {
    try await Identity.features(Self.environment(home, time, MemoryExchange(), settings), cost: cost)
  }

  /// What it does by itself with what is due, for the test to do.
  func housekeeping() async throws -> Housekeeping { Housekeeping(store, try await features()) }

  /// The migrations of the service's store, in their order.
  static func migrations() async throws -> [Migration] {
    try await run { identity in try await identity.features().flatMap(\.migrations).sorted { $0.number < $1.number } }
  }

  private static func environment(
    _ home: Home, _ time: MovableClock, _ exchange: MemoryExchange, _ settings: [String: String], bus clock: Clock? = nil
  ) -> ServiceEnvironment {
    ServiceEnvironment(
      settings: Settings(settings), home: home, bus: MemoryBus(.identity, on: exchange, clock: clock ?? time.clock),
      clock: time.clock,
      logger: Logger(label: "identity") { _ in SwiftLogNoOpLogHandler() }, program: BuiltProgram.identity)
  }

  /// Asks through the gateway.
  func ask<O: Operations.Operation>(
    _ operation: O.Type, _ input: O.Input, by caller: Caller = .person(), key: String? = nil
  ) async throws -> O.Output {
    try await person(caller, over: gateway).send(operation, input, key: key)
  }

  /// Asks through the gateway with a body of one's own.
  func ask<O: Operations.Operation>(_ operation: O.Type, json: String, by caller: Caller = .person()) async throws -> O.Output {
    try await person(caller, over: gateway).send(operation, json: Array(json.utf8))
  }

  /// Asks in the gateway's own name.
  func askAsGateway<O: Operations.Operation>(_ operation: O.Type, _ input: O.Input) async throws -> O.Output {
    try await person(.service(.gateway), over: gateway).send(operation, input)
  }

  /// Asks as the notifications service.
  func askAsNotifications<O: Operations.Operation>(_ operation: O.Type, _ input: O.Input) async throws -> O.Output {
    try await person(.service(.notifications), over: notifications).send(operation, input)
  }

  private func person(_ caller: Caller, over bus: MemoryBus) -> Person { Person(bus: bus, caller: caller, clock: time.clock) }

  /// What it has published so far, of one kind.
  func published<E: Event>(_ event: E.Type) async throws -> [E] {
    try await store.log.events(after: 0, limit: 5000, bytes: 10_000_000).filter { $0.name == E.spec.name }.map {
      try E.decode($0.body)
    }
  }

  /// A number from the store.
  func count(_ sql: String) async throws -> Int { try await store.read { try Int.fetchOne($0, sql: sql) ?? 0 } }

  /// What happens every day.
  private static let routine = "('accountRegistered', 'loginSucceeded', 'loggedOut')"

  /// The last security event's kind and detail, but for what happens every day.
  func lastSecurityEvent() async throws -> String {
    try await store.read {
      try String.fetchOne(
        $0,
        sql: """
          SELECT kind || ': ' || COALESCE(detail, '') FROM security_events WHERE kind NOT IN \(Self.routine)
          ORDER BY security_event_id DESC LIMIT 1
          """) ?? ""
    }
  }

  /// Kinds of the security events recorded so far, but for what happens every day.
  func securityEvents() async throws -> [String] {
    try await store.read {
      try String.fetchAll(
        $0, sql: "SELECT kind FROM security_events WHERE kind NOT IN \(Self.routine) ORDER BY security_event_id")
    }
  }
}

extension RunningIdentity {
  static let password = "Rio-7-lento"

  /// A sound registration.
  static func form(_ username: String = "ana", email: String? = nil, password: String = password) -> RegisterAccount.Input {
    RegisterAccount.Input(
      email: FormField(text: email ?? "\(username)@example.com"), username: FormField(text: username),
      password: FormField(text: password), passwordConfirmation: FormField(text: password))
  }

  /// A registered account.
  @discardableResult
  func register(_ username: String = "ana") async throws -> OwnAccount {
    try await ask(RegisterAccount.self, Self.form(username)).account
  }

  /// A new session.
  func logIn(_ login: String = "ana", _ password: String = password, from address: String = "192.0.2.1") async throws -> SignedIn
  {
    try await ask(
      LogIn.self, .init(login: login, password: password, device: DeviceName(text: "Ana's phone")), by: .person(from: address))
  }

  /// The newest mailed link's token, as the notifications service gets it.
  func mailedToken() async throws -> String {
    let link = try #require(try await published(VerificationMailRequested.self).last).linkID
    return try await askAsNotifications(GetVerificationSecret.self, .init(linkID: link)).token
  }
}

extension Caller {
  /// Somebody not signed in.
  static func person(from address: String = "192.0.2.1", language: Language = .english) -> Caller {
    Caller(kind: .anonymous, language: language, address: address, userAgent: "Test/1")
  }

  /// Somebody signed in.
  static func signedIn(_ signedIn: SignedIn) -> Caller {
    Caller(
      kind: .account, account: signedIn.account.id, session: signedIn.session.id, isVerified: signedIn.account.isVerified,
      isAdministrator: signedIn.account.isAdministrator, address: "192.0.2.1")
  }
}

/// The failure that the body ends in.
func failure(_ body: () async throws -> some Any) async throws -> Failure {
  do {
    _ = try await body()
  } catch let failure as Failure {
    return failure
  }
  throw NoFailure()
}

/// A body that was to fail succeeded.
struct NoFailure: Error {}

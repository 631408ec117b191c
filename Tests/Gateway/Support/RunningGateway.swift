import GatewayService
import IdentityContract
import Logging
import Operations
import ServiceLifecycle
import Testing

/// Runs a gateway on free ports over a scripted bus, and stops it.
struct RunningGateway: Sendable {
  let httpPort: Int
  let tcpPort: Int
  let bus: FakeBus
  let signer: Signer

  /// - Parameters:
  ///   - change: what differs from the default configuration.
  ///   - metrics: its own metrics as Prometheus text.
  static func with<Result: Sendable>(
    contracts: [Contract] = [.trial], bus: FakeBus = FakeBus(), signer: Signer = Signer(),
    change: (inout GatewayConfiguration) -> Void = { _ in }, metrics: @escaping @Sendable () -> String = { "" },
    _ body: @escaping @Sendable (RunningGateway) async throws -> Result
  ) async throws -> Result {
    let published = signer.published
    bus.answerFirst(.identity) { request in Reply(request, ListKeys.Output(keys: [published])) }
    var configuration = GatewayConfiguration()
    configuration.http.port = 0
    configuration.tcp.port = 0
    configuration.threads = 1
    change(&configuration)
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let gateway = try Gateway(
      configuration: configuration, bus: bus, contracts: contracts, logger: logger, clock: .system, metrics: metrics)
    let group = ServiceGroup(services: [gateway], logger: logger)
    return try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await group.run() }
      let addresses = await gateway.addresses
      let running = RunningGateway(httpPort: addresses.httpPort, tcpPort: addresses.tcpPort, bus: bus, signer: signer)
      do {
        let result = try await body(running)
        await group.triggerGracefulShutdown()
        try await tasks.waitForAll()
        return result
      } catch {
        await group.triggerGracefulShutdown()
        throw error
      }
    }
  }

  /// One HTTP request on a connection of its own.
  func http(_ method: String, _ target: String, _ fields: [String: String] = [:], _ body: String = "") async throws
    -> RawConnection.Response
  {
    let connection = try await RawConnection(port: httpPort)
    var fields = fields
    var text = "\(method) \(target) HTTP/1.1\r\nHost: \(fields.removeValue(forKey: "Host") ?? "localhost")\r\n"
    if !body.isEmpty {
      fields["Content-Length"] = String(body.utf8.count)
      if fields["Content-Type"] == nil { fields["Content-Type"] = "application/json" }
    }
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) { text += "\(name): \(value)\r\n" }
    try await connection.send(text + "\r\n" + body)
    let response = try await connection.receiveResponse()
    try await connection.close()
    return response
  }

  /// What it answers once it is ready: it has to catch up with what it subscribes to first.
  func ready() async throws -> RawConnection.Response {
    let end = ContinuousClock.now + .seconds(20)
    var response = try await http("GET", "/readyz")
    while response.status != 200, ContinuousClock.now < end {
      try await Task.sleep(for: .milliseconds(20))
      response = try await http("GET", "/readyz")
    }
    try #require(response.status == 200, "\(response.body)")
    return response
  }

  func bearer(_ account: AccountID = AccountID(), session: SessionID = SessionID(), language: Language = .english) throws
    -> [String: String]
  {
    ["Authorization": "Bearer \(try signer.token(account: account, session: session, language: language))"]
  }
}

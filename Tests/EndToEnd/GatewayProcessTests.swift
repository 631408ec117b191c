import Cluster
import Foundation
import Operations
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The gateway's program", .serialized, .timeLimit(.minutes(2)))
struct GatewayProcessTests {
  /// Runs the program in that environment and waits for its end.
  private static func run(_ environment: [String: String], _ arguments: [String]) throws -> Int32 {
    let process = try process(environment, arguments)
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  private static func process(_ environment: [String: String], _ arguments: [String]) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "\(try RunningCluster.binaries())/gateway")
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("RACHA_") }
      .merging(environment) { _, new in new }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    return process
  }

  /// A home folder, free ports, and a certificate for localhost where that is wanted.
  private static func environment(host: String, isEncrypted: Bool) throws -> [String: String] {
    let home = "/tmp/racha-\(UInt32.random(in: .min ... .max))"
    try FileManager.default.createDirectory(
      atPath: home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    var environment = [
      "RACHA_HOME": home, "RACHA_HTTP_HOST": host, "RACHA_HTTP_PORT": String(try RunningCluster.freePort()),
      "RACHA_TCP_PORT": String(try RunningCluster.freePort()),
    ]
    guard isEncrypted else { return environment }
    let openssl = Process()
    openssl.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    openssl.arguments = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1", "-subj",
      "/CN=racha.example", "-keyout", "\(home)/key.pem", "-out", "\(home)/chain.pem",
    ]
    openssl.standardError = FileHandle.nullDevice
    try openssl.run()
    openssl.waitUntilExit()
    try #require(openssl.terminationStatus == 0)
    environment["RACHA_TLS_CERTIFICATE_FILE"] = "\(home)/chain.pem"
    environment["RACHA_TLS_KEY_FILE"] = "\(home)/key.pem"
    return environment
  }

  @Test(
    "The gateway's program reports with --health whether the configured gateway answers, in clear and over TLS",
    arguments: [("127.0.0.1", false), ("0.0.0.0", false), ("127.0.0.1", true)])
  func health(host: String, isEncrypted: Bool) throws {
    let environment = try Self.environment(host: host, isEncrypted: isEncrypted)
    defer {
      // What a test leaves under /tmp is not worth failing for.
      try? FileManager.default.removeItem(atPath: environment["RACHA_HOME"] ?? "")
    }
    #expect(try Self.run(environment, ["--health"]) == 69, "nothing listens yet")
    let gateway = try Self.process(environment, [])
    try gateway.run()
    defer {
      gateway.terminate()
      gateway.waitUntilExit()
    }
    // Health is the event waited for; the program offers it by asking only, and an ask takes its time.
    let end = Instant.now.adding(seconds: 30)
    var status: Int32 = 1
    while status != 0, Instant.now < end { status = try Self.run(environment, ["--health"]) }
    #expect(status == 0)
    kill(gateway.processIdentifier, SIGSTOP)
    // Until all of its threads have stopped it may answer still.
    var stopped = siginfo_t()
    #expect(waitid(P_PID, id_t(gateway.processIdentifier), &stopped, WSTOPPED | WNOWAIT) == 0)
    #expect(try Self.run(environment, ["--health", "1"]) == 69, "who does not answer is not healthy")
    kill(gateway.processIdentifier, SIGCONT)
    #expect(try Self.run(environment, ["--health"]) == 0)
    #expect(try Self.run(environment.merging(["RACHA_HTTP_PORT": "x"]) { $1 }, ["--health"]) == 78)
  }

  @Test("Gateway and services name a request by one id and one trace in their logs, at the level that the settings say")
  func logs() async throws {
    let cluster = try RunningCluster(settings: ["RACHA_LOG_LEVEL": "debug"])
    defer { cluster.stop() }
    try await cluster.start()
    var request = URLRequest(url: try #require(URL(string: "\(cluster.url)/v1/accounts/verify")))
    request.httpMethod = "POST"
    request.httpBody = Data(#"{"token":"none"}"#.utf8)
    let trace = "0af7651916cd43dd8448eb211c80319c"
    let fields = [
      "Content-Type": "application/json", "X-Request-ID": "follow-me", "traceparent": "00-\(trace)-b7ad6b7169203331-01",
    ]
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    func lines(_ service: ServiceName) -> [Substring] {
      cluster.log(service).split(separator: "\n").filter { $0.contains("\"request answered\"") && $0.contains("follow-me.") }
    }
    // One that takes longer than a second is logged otherwise; a busy machine gets several tries.
    for _ in 0..<10 where lines(.gateway).isEmpty {
      let (_, response) = try await URLSession.shared.data(for: request)
      #expect((response as? HTTPURLResponse)?.statusCode == 404)
    }
    let ids = try [ServiceName.gateway, .identity].map { service in
      let line = try #require(lines(service).last, "\(service)")
      let json = try JSONTape(Array(line.utf8)).json
      #expect(json["level"] == "debug" && json["traceID"] == .string(trace) && json["operation"] == "accounts.verify")
      return json["requestID"]
    }
    #expect(ids[0] == ids[1])
  }
}

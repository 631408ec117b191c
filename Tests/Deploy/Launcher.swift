import Cluster
import Foundation
import Glibc
import Testing

/// `deploy/racha` of this package, run in a home folder of its own on free ports, with stand-ins for the six services.
struct Launcher: Sendable {
  static let services = ["gateway", "identity", "activity", "social", "rewards", "notifications"]
  static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path
  static let standIns = "\(package)/Tests/Deploy/StandIns"

  /// Runs what follows `--default-signal` so that it receives signals: a thread of Swift's pool has them blocked, and a process
  /// started from it inherits that. (What `up` starts must receive them all the same, so `up` itself is run without this.)
  static let eventExecutor = URL(fileURLWithPath: "/usr/bin/env")

  let home: String
  let httpPort: Int
  let tcpPort: Int
  var environment: [String: String] = [:]

  /// How a run ended, and what it said.
  struct Outcome: Sendable {
    let status: Int32
    let output: String
    let errors: String
  }

  /// Gives a launcher to `body`; afterwards its cluster is stopped and its home is gone, whatever happened.
  static func with(binaries: String = standIns, _ body: (Launcher) async throws -> Void) async throws {
    let ports = try freePorts(2)
    var launcher = Launcher(
      home: "/tmp/racha-deploy-\(UInt32.random(in: .min ... .max))", httpPort: ports[0], tcpPort: ports[1])
    launcher.environment["RACHA_BIN"] = binaries
    do {
      try await body(launcher)
    } catch {
      try await launcher.remove()
      throw error
    }
    try await launcher.remove()
  }

  /// Runs a command on the home folder and waits for its end.
  func run(_ arguments: String...) async throws -> Outcome {
    try await Launcher.bash("\(Launcher.package)/deploy/racha", arguments + ["--home", home], environment)
  }

  func up() async throws -> Outcome {
    try await run("up", "--http", "\(httpPort)", "--tcp", "\(tcpPort)")
  }

  func status() async throws -> Status {
    try JSONDecoder().decode(Status.self, from: Data(try await run("status", "--json").output.utf8))
  }

  /// Makes a stand-in behave as `Tests/Deploy/StandIns/stand-in` describes.
  func instruct(_ standIn: String, _ behaviour: String, _ text: String = "") throws {
    let folder = "\(home)/stand-ins"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(standIn).\(behaviour)"))
  }

  /// The processes, other than zombies, that were started for this home folder.
  func processes() throws -> [Int32] {
    let setting = Data("RACHA_HOME=\(home)\0".utf8)
    return try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap(Int32.init).filter { pid in
      FileManager.default.contents(atPath: "/proc/\(pid)/environ")?.range(of: setting) != nil
    }
  }

  /// The stand-ins of this home folder, but for those that ask a health question.
  func standIns() throws -> [Int32] {
    try processes().filter { pid in
      let line = Launcher.commandLine(pid)
      return line.contains { $0.contains("/StandIns/") } && !line.contains("--health") && !line.contains { $0.hasSuffix("/keep") }
    }
  }

  /// The processes that lead a session of their own with a keeper's program: what they start for a moment has their name, too.
  func keepers() throws -> Set<Int32> {
    Set(try processes().filter { pid in getsid(pid) == pid && Launcher.commandLine(pid).contains { $0.hasSuffix("/lib/keep") } })
  }

  /// The process that is noted as the service's keeper.
  func keeper(_ service: String) throws -> Int32 {
    let note = try String(contentsOfFile: "\(home)/run/\(service).keeper", encoding: .utf8)
    return try #require(note.split(separator: " ").first.flatMap { Int32($0) })
  }

  private static func commandLine(_ pid: Int32) -> [String] {
    let line = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") ?? Data()
    return line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  func sockets() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: "\(home)/sockets") }

  private func remove() async throws {
    guard FileManager.default.fileExists(atPath: home) else { return }
    _ = try await run("down")
    try FileManager.default.removeItem(atPath: home)
  }

  /// Runs a program with what it says going to files: a pipe would stay open as long as anything it started holds it.
  static func bash(_ program: String, _ arguments: [String], _ environment: [String: String] = [:]) async throws -> Outcome {
    let said = "/tmp/racha-deploy-said-\(UInt64.random(in: .min ... .max))"
    let process = try process(program, arguments, environment, output: "\(said).out", errors: "\(said).err")
    defer { for end in ["out", "err"] { unlink("\(said).\(end)") } }
    try await finish(process)
    for end in [process.standardOutput, process.standardError] { try (end as? FileHandle)?.close() }
    let texts = try ["out", "err"].map { try String(contentsOfFile: "\(said).\($0)", encoding: .utf8) }
    return Outcome(status: process.terminationStatus, output: texts[0], errors: texts[1])
  }

  static func process(
    _ program: String, _ arguments: [String], _ environment: [String: String], output: String, errors: String
  ) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("RACHA_") }
      .merging(environment) { _, new in new }
    process.standardInput = FileHandle.nullDevice
    process.currentDirectoryURL = URL(fileURLWithPath: "/")
    for path in [output, errors] { try Data().write(to: URL(fileURLWithPath: path)) }
    process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: errors))
    return process
  }

  /// Starts the process and returns when it has ended.
  static func finish(_ process: Process) async throws {
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in done.resume() }
      do {
        try process.run()
      } catch {
        process.terminationHandler = nil
        done.resume(throwing: error)
      }
    }
  }

  /// Ports that nobody listens at, all different, and that nobody is given meanwhile who connects or asks for any port.
  static func freePorts(_ count: Int) throws -> [Int] { try (0..<count).map { _ in try RunningCluster.freePort() } }
}

/// What `status --json` says.
struct Status: Decodable, Sendable {
  struct Service: Decodable, Sendable {
    let name: String
    let running: Bool
    let pid: Int32?
    let uptimeSeconds: Int?
    let restarts: Int?
    let memoryBytes: Int?
  }

  struct Readiness: Decodable, Sendable { let status: String }

  let state: String
  let home: String
  let http: String?
  let tcp: String?
  let readiness: Readiness?
  let services: [Service]

  func pid(_ service: String) -> Int32? { services.first { $0.name == service }?.pid }
}

/// Listens at a free port of 127.0.0.1 as long as it lives.
final class Listener: Sendable {
  let port: Int
  private let descriptor: CInt

  init() throws {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    self.descriptor = descriptor
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let failed = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) != 0 || listen(descriptor, 1) != 0 || getsockname(descriptor, $0, &length) != 0
      }
    }
    port = Int(UInt16(bigEndian: address.sin_port))
    if failed { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  }

  deinit { close(descriptor) }
}

/// Follows what the services of a cluster say, by `racha logs -f`.
final class LogFollower: Sendable {
  let lines: AsyncStream<String>
  private let process: Process

  init(_ launcher: Launcher, _ service: String) throws {
    process = Process()
    process.executableURL = Launcher.eventExecutor
    process.arguments = ["--default-signal", "\(Launcher.package)/deploy/racha", "logs", service, "-f", "--home", launcher.home]
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    let pipe = Pipe()
    process.standardOutput = pipe
    lines = AsyncStream { lines in
      Thread {
        var rest = Data()
        while case let more = pipe.fileHandleForReading.availableData, !more.isEmpty {
          rest += more
          while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            lines.yield(String(decoding: rest[..<end], as: UTF8.self))
            rest = Data(rest[(end + 1)...])
          }
        }
        lines.finish()
      }.start()
    }
    try process.run()
  }

  /// The next line that holds the text; nil when there are no more.
  func next(holding text: String) async -> String? {
    for await line in lines where line.contains(text) { return line }
    return nil
  }

  func stop() {
    guard process.isRunning else { return }
    process.terminate()
    process.waitUntilExit()
  }

  deinit { stop() }
}

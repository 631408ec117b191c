public import Client
import Foundation
public import Operations
import Synchronization

/// The six real programs, started from their executables in a home folder of their own, on free ports.
///
/// A program that ends, by ``kill(_:)`` or by itself, is started again at once, as the launcher does.
public final class RunningCluster: @unchecked Sendable {  // Every mutable part is guarded by `lock`.
  public let home: String
  public let httpPort: Int
  public let tcpPort: Int
  private let binaries: String
  private let environment: [String: String]
  private let ownSettings: @Sendable (ServiceName, String) -> [String: String]
  private let lock = NSLock()
  private var processes: [ServiceName: Process] = [:]
  private var isStopping = false
  private var held: Set<ServiceName> = []
  /// Those that were killed since all were last ready.
  private var killed: Set<ServiceName> = []
  private var watchdog: ClusterWatchdog?

  public var url: String { "http://127.0.0.1:\(httpPort)" }
  public var client: GatewayClient { GatewayClient(url: url) }

  public struct NotReady: Error, CustomStringConvertible {
    public let description: String

    public init(description: String) { self.description = description }
  }

  /// - Parameters:
  ///   - settings: further environment, such as `RACHA_REWARDS_EARNING_DAYS`.
  ///   - files: texts by their names in the home folder.
  ///   - ownSettings: the further environment of one service, by its name and the home folder.
  public init(
    settings: [String: String] = [:], files: [String: String] = [:],
    ownSettings: @escaping @Sendable (ServiceName, String) -> [String: String] = { _, _ in [:] }
  ) throws {
    self.ownSettings = ownSettings
    home = "/tmp/racha-\(UInt32.random(in: .min ... .max))"
    try FileManager.default.createDirectory(
      atPath: home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    for (name, text) in files { try Data(text.utf8).write(to: URL(fileURLWithPath: "\(home)/\(name)")) }
    httpPort = try RunningCluster.freePort()
    tcpPort = try RunningCluster.freePort()
    binaries = try RunningCluster.binaries()
    var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("RACHA_") }
    environment["RACHA_HOME"] = home
    environment["RACHA_HTTP_PORT"] = String(httpPort)
    environment["RACHA_TCP_PORT"] = String(tcpPort)
    environment.merge(settings) { _, new in new }
    self.environment = environment
  }

  /// Where the executables are: `RACHA_TEST_BIN`, or beside the test bundle.
  public static func binaries() throws -> String {
    if let named = ProcessInfo.processInfo.environment["RACHA_TEST_BIN"] { return named }
    let own = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent().path
    for folder in [own, FileManager.default.currentDirectoryPath + "/.build/debug"]
    where FileManager.default.isExecutableFile(atPath: folder + "/gateway") { return folder }
    throw NotReady(description: "no executables beside \(own); set RACHA_TEST_BIN")
  }

  /// Starts all six and waits until the gateway says that all are ready.
  public func start() async throws {
    let watchdog = try ClusterWatchdog(home: home)
    lock.withLock { self.watchdog = watchdog }
    for service in ServiceName.allCases { try launch(service) }
    try await waitUntilReady()
  }

  public func waitUntilReady(seconds: Int = 30) async throws {
    let end = Instant.now.adding(seconds: seconds)
    var last = "no answer"
    while Instant.now < end {
      do {
        // The gateway's answer may be a second old: those that were killed are asked first.
        for service in lock.withLock({ killed.subtracting(held) }) where try answersHealth(service) {
          lock.withLock { _ = killed.remove(service) }
        }
        guard lock.withLock({ killed.isSubset(of: held) }) else {
          last = "not started again"
          try await Task.sleep(for: .milliseconds(20))
          continue
        }
        let answer = try await client.get("/readyz")
        if answer.status == 200 { return }
        last = answer.text
      } catch {
        last = "\(error)"
      }
      // Readiness is the event waited for; the gateway offers it by asking only.
      try await Task.sleep(for: .milliseconds(20))
    }
    throw NotReady(description: "not ready: \(last)\n\(log(.gateway).suffix(2000))")
  }

  /// Ends one program without warning (SIGKILL); it is started again at once.
  public func kill(_ service: ServiceName) {
    let running = lock.withLock {
      killed.insert(service)
      return processes[service]
    }
    if let running, running.isRunning { _ = Foundation.kill(running.processIdentifier, SIGKILL) }
  }

  /// Whether a program answers the question for its health, ready or not, as containers ask it.
  private func answersHealth(_ service: ServiceName) throws -> Bool {
    let question = Process()
    question.executableURL = URL(fileURLWithPath: "\(binaries)/\(service.rawValue)")
    question.arguments = ["--health", "1"]
    question.environment = environment.merging(ownSettings(service, home)) { _, own in own }
    question.standardInput = FileHandle.nullDevice
    question.standardOutput = FileHandle.nullDevice
    question.standardError = FileHandle.nullDevice
    try question.run()
    question.waitUntilExit()
    return question.terminationReason == .exit && [0, 1].contains(question.terminationStatus)
  }

  /// Ends one program gracefully (SIGTERM), as `racha restart` does; returns when it has been started again.
  public func restart(_ service: ServiceName) async throws {
    let former = lock.withLock { processes[service] }
    former?.terminate()
    // Whoever starts it again informs nobody.
    while lock.withLock({ processes[service] === former || processes[service] == nil }) {
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  /// Ends one program without warning and leaves it away until ``release(_:)``.
  public func hold(_ service: ServiceName) {
    lock.withLock { _ = held.insert(service) }
    kill(service)
  }

  /// Starts a program that was held.
  public func release(_ service: ServiceName) throws {
    lock.withLock { _ = held.remove(service) }
    // One that has not quite ended yet is started again when it has.
    try launch(service)
  }

  /// The program's process id, 0 while it is not running.
  public func processID(_ service: ServiceName) -> Int32 {
    lock.withLock { processes[service].map { $0.isRunning ? $0.processIdentifier : 0 } ?? 0 }
  }

  /// What the program has logged.
  public func log(_ service: ServiceName) -> String {
    FileManager.default.contents(atPath: "\(home)/\(service.rawValue).log").map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// Ends all six gracefully, waits for them, and removes the home folder, unless it is to be kept. Returns the exit code of each, -1 of one
  /// that was not running.
  @discardableResult
  public func stop(keepingHome: Bool = false) -> [ServiceName: Int32] {
    let (running, watchdog) = lock.withLock {
      isStopping = true
      defer { self.watchdog = nil }
      return (processes, self.watchdog)
    }
    for process in running.values where process.isRunning { process.terminate() }
    var codes = Dictionary(uniqueKeysWithValues: ServiceName.allCases.map { ($0, Int32(-1)) })
    for (service, process) in running {
      process.waitUntilExit()
      codes[service] = process.terminationStatus
    }
    watchdog?.stop()
    let isKept = keepingHome || ProcessInfo.processInfo.environment["RACHA_TEST_KEEP"] != nil
    if !isKept { try? FileManager.default.removeItem(atPath: home) }
    return codes
  }

  /// Runs the operators' tool against the cluster, as `racha administrator` does.
  public func administer(_ arguments: String...) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "\(binaries)/racha-admin")
    process.arguments = arguments
    process.environment = environment
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw NotReady(description: "racha-admin \(arguments) ended in \(process.terminationStatus)")
    }
  }

  /// Starts a program, unless it runs, is held or all stop.
  private func launch(_ service: ServiceName) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "\(binaries)/\(service.rawValue)")
    process.environment = environment.merging(ownSettings(service, home)) { _, own in own }
    process.standardInput = FileHandle.nullDevice
    let path = "\(home)/\(service.rawValue).log"
    if !FileManager.default.fileExists(atPath: path) { _ = FileManager.default.createFile(atPath: path, contents: nil) }
    let output = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try output.seekToEnd()
    process.standardOutput = output
    process.standardError = output
    process.terminationHandler = { [weak self] _ in
      guard let self else { return }
      // From here on it is away, whenever this handler comes to run: only so is it started again once.
      self.lock.withLock { if !self.isStopping { self.processes[service] = nil } }
      try? self.launch(service)
    }
    try lock.withLock {
      guard !isStopping, !held.contains(service), processes[service] == nil else { return }
      try process.run()
      processes[service] = process
    }
  }

  /// A port that is free now, as ``freePort()``, and so is the one behind it.
  public static func freePair() throws -> Int { try freePorts(2) }

  private static func isFree(_ port: Int) throws -> Bool {
    guard let number = UInt16(exactly: port) else { return false }
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = number.bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  /// A port that is free now, and stays so for a while: below those that the system gives to whoever connects, and at random, for
  /// the tests of other processes look for some at the same time. None is given twice.
  public static func freePort() throws -> Int { try freePorts(1) }

  /// The ports that were given.
  private static let given = Mutex<Set<Int>>([])

  /// The first of so many side by side.
  private static func freePorts(_ count: Int) throws -> Int {
    for _ in 0..<1000 {
      let first = Int.random(in: 10_000..<32_768)
      let ports = first..<first + count
      let areNew = given.withLock { given in
        guard given.isDisjoint(with: ports) else { return false }
        given.formUnion(ports)
        return true
      }
      if areNew, try ports.allSatisfy({ try isFree($0) }) { return first }
    }
    throw NotReady(description: "no free port")
  }
}

extension RunningCluster {
  /// The newest mail to that address, waited for.
  public func mail(to address: String, seconds: Int = 30) async throws -> MailFolder.Mail {
    let end = Instant.now.adding(seconds: seconds)
    while Instant.now < end {
      if let mail = try MailFolder(home: home).mails(to: address).last { return mail }
      // The folder is what is waited for; files inform nobody of their arrival.
      try await Task.sleep(for: .milliseconds(20))
    }
    throw NotReady(description: "no mail to \(address) under \(home)/mails")
  }
}

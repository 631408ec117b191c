import Foundation
public import NotificationsContract
import Synchronization

/// A push service of the tests' own (`push_service.py`) and the device behind it, for as long as a test needs them: it checks who pushes, and
/// reads what is pushed by other programs than ours.
public final class PushService: Sendable {
  /// What it was given.
  public struct Push: Decodable, Sendable {
    public let path: String
    /// What it answered, `hang` where nothing.
    public let status: String
    /// What was wrong with the request; nothing, if all is well.
    public let faults: [String]
    public let sub: String
    public let key: String
    public let ttl: Int
    public let urgency: String
    public let topic: String
    public let length: Int
    /// What the device reads.
    public let text: String
  }

  private struct Ready: Decodable {
    let port: Int
    let p256dh: String
    let auth: String
  }

  /// Where it is.
  public let origin: String
  /// The device's keys, as a browser gives them.
  public let p256dh: String
  public let auth: String
  private let lines: AsyncStream<String>
  private let process: Mutex<Process>
  private let input: Pipe

  /// It has not started, or has ended.
  public struct NotThere: Error {}

  /// The interpreter that has the packages of `Tests/requirements.txt`, if there is one.
  public static let python: String? = {
    let named = ProcessInfo.processInfo.environment["RACHA_TEST_PYTHON"] ?? ".venv/bin/python"
    return FileManager.default.isExecutableFile(atPath: named) ? named : nil
  }()

  private init() async throws {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("push_service.py")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.python ?? "python3")
    process.arguments = [script.path]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    lines = output.fileHandleForReading.lines()
    self.input = input
    guard let first = await lines.first(where: { _ in true }) else { throw NotThere() }
    let ready = try JSONDecoder().decode(Ready.self, from: Data(first.utf8))
    (origin, p256dh, auth) = ("http://127.0.0.1:\(ready.port)", ready.p256dh, ready.auth)
    self.process = Mutex(process)
  }

  private func stop() {
    input.fileHandleForWriting.closeFile()
    process.withLock { $0.waitUntilExit() }
  }

  /// Runs a service while the body does.
  public static func run(_ body: (PushService) async throws -> Void) async throws {
    let service = try await PushService()
    defer { service.stop() }
    try await body(service)
  }

  /// What the device sends to be pushed to at a path of this service.
  public func subscription(_ path: String) throws -> CreatePushSubscription.Input {
    .init(
      endpoint: try PushEndpoint(text: origin + path),
      keys: .init(p256dh: try PushKey(text: p256dh), auth: try PushSecret(text: auth)))
  }

  /// The next push that it was given.
  public func next() async throws -> Push {
    guard let line = await lines.first(where: { _ in true }) else { throw NotThere() }
    return try JSONDecoder().decode(Push.self, from: Data(line.utf8))
  }
}

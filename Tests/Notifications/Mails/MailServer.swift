import BuiltPrograms
import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#endif

/// A real SMTP server (`smtp_server.py`, aiosmtpd) for as long as a test needs it.
final class MailServer: Sendable {
  /// What the server says that it took.
  struct Mail: Decodable {
    let mail: Data
    let sender: String
    let recipients: [String]
    let encrypted: Bool
    let login: Bool
  }

  private struct Ready: Decodable {
    let port: Int
  }

  let port: Int
  private let lines: AsyncStream<String>
  private let process: Mutex<Process>
  private let input: Pipe

  /// The interpreter that has the packages of `Tests/requirements.txt`, if there is one.
  static let python: String? = {
    let named = ProcessInfo.processInfo.environment["RACHA_TEST_PYTHON"] ?? ".venv/bin/python"
    return FileManager.default.isExecutableFile(atPath: named) ? named : nil
  }()

  struct NotStarted: Error {}

  private init(_ arguments: [String]) async throws {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("smtp_server.py")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: MailServer.python ?? "python3")
    process.arguments = [script.path] + arguments
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    lines = output.fileHandleForReading.lines()
    self.input = input
    guard let first = await lines.first(where: { _ in true }) else { throw NotStarted() }
    port = try JSONDecoder().decode(Ready.self, from: Data(first.utf8)).port
    self.process = Mutex(process)
  }

  private func stop() {
    input.fileHandleForWriting.closeFile()
    process.withLock { $0.waitUntilExit() }
  }

  /// Runs a server while the body does.
  static func run(_ arguments: [String] = [], _ body: (MailServer) async throws -> Void) async throws {
    let server = try await MailServer(arguments)
    defer { server.stop() }
    try await body(server)
  }

  /// The next mail that it takes.
  func next() async throws -> Mail {
    guard let line = await lines.first(where: { _ in true }) else { throw NotStarted() }
    return try JSONDecoder().decode(Mail.self, from: Data(line.utf8))
  }
}

/// Sockets of the tests themselves.
enum LocalPort {
  /// A port that nobody listens on.
  static func free() throws -> Int {
    let listener = try Listener()
    defer { listener.close() }
    return listener.port
  }

  /// Takes connections and never says a word.
  struct Listener {
    let port: Int
    private let socket: Int32

    init() throws {
      let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isBound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          bind(socket, pointer, length) == 0 && getsockname(socket, pointer, &length) == 0
        }
      }
      guard socket >= 0, isBound, listen(socket, 16) == 0 else { throw MailServer.NotStarted() }
      self.socket = socket
      port = Int(UInt16(bigEndian: address.sin_port))
    }

    func close() { _ = Glibc.close(socket) }
  }
}

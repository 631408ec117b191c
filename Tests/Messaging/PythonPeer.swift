import Foundation
import Synchronization

/// Runs the scripts in `Peers` by a Python that has pyzmq: peers that share no code with us, not even libzmq's build.
enum PythonPeer {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Peers")

  /// `RACHA_TEST_PYTHON`, or the package's own environment; nil if there is none.
  static let interpreter: String? = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let path = ProcessInfo.processInfo.environment["RACHA_TEST_PYTHON"] ?? root.appending(path: ".venv/bin/python").path
    return FileManager.default.isExecutableFile(atPath: path) ? path : nil
  }()

  /// Runs a script to its end and returns the lines that it printed.
  static func run(_ script: String, _ arguments: String...) async throws -> [String] {
    let process = Process()
    process.executableURL = URL(filePath: interpreter ?? "")
    process.arguments = [folder.appending(path: script).path] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      process.terminationHandler = { _ in continuation.resume() }
      do { try process.run() } catch { continuation.resume() }
    }
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    return text.split(separator: "\n").map(String.init)
  }

  /// Starts a script, waits for its first line, and returns what ends it.
  static func start(_ script: String, _ arguments: String...) async throws -> @Sendable () -> Void {
    let process = Process()
    process.executableURL = URL(filePath: interpreter ?? "")
    process.arguments = [folder.appending(path: script).path] + arguments
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    _ = output.fileHandleForReading.availableData
    let writing = input.fileHandleForWriting
    return {
      writing.closeFile()
      process.waitUntilExit()
    }
  }
}

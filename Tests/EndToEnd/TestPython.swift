import Foundation
import Testing

/// The Python that runs tests written in it: `RACHA_TEST_PYTHON`, or the package's own.
enum TestPython {
  /// Its path; nil if there is none.
  static let path: String? = {
    let named = ProcessInfo.processInfo.environment["RACHA_TEST_PYTHON"] ?? ".venv/bin/python"
    return FileManager.default.isExecutableFile(atPath: named) ? URL(fileURLWithPath: named).path : nil
  }()

  /// Runs it to its end, and prints what it says.
  ///
  /// - Parameters:
  ///   - environment: what it is told beside this process's own.
  ///   - folder: where it runs, and may leave files; here if nil.
  /// - Returns: its exit status, and what it said.
  static func run(
    _ arguments: [String], environment: [String: String] = [:], in folder: String? = nil
  ) async throws -> (status: Int32, said: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(path))
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, own in own }
      .merging(["PYTHONDONTWRITEBYTECODE": "1"]) { _, own in own }
    if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
    let path = "/tmp/racha-python-\(UInt32.random(in: .min ... .max)).txt"
    try Data().write(to: URL(fileURLWithPath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let output = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in done.resume() }
      do {
        try process.run()
      } catch {
        process.terminationHandler = nil
        done.resume(throwing: error)
      }
    }
    let said = try String(contentsOfFile: path, encoding: .utf8)
    print(said)
    return (process.terminationStatus, said)
  }
}

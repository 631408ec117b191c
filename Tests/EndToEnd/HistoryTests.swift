import Cluster
import Foundation
import Testing

/// The Python that runs it: `RACHA_TEST_PYTHON`, or the package's own; nil if there is none.
private enum HistoryPython {
  static let path: String? = {
    let named = ProcessInfo.processInfo.environment["RACHA_TEST_PYTHON"] ?? ".venv/bin/python"
    return FileManager.default.isExecutableFile(atPath: named) ? URL(fileURLWithPath: named).path : nil
  }()
}

/// The short form of `deploy/racha faults history`: `Tests/Faults/History/README.md` says what it does and what it proves.
///
/// `RACHA_HISTORY_SEED` and `RACHA_HISTORY_SECONDS` choose another run.
@Suite(
  "A history of calls under faults", .serialized,
  .enabled(if: HistoryPython.path != nil, "needs a Python and a C compiler: set RACHA_TEST_PYTHON"), .timeLimit(.minutes(10)))
struct HistoryTests {
  @Test("Nothing acknowledged is lost and nothing takes effect twice in a history of everything under every kind of fault")
  func history() async throws {
    let environment = ProcessInfo.processInfo.environment
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Faults/History").path
    let process = Process()
    process.executableURL = URL(fileURLWithPath: HistoryPython.path ?? "")
    process.arguments = [
      folder, "--programs", try RunningCluster.binaries(), "--seed", environment["RACHA_HISTORY_SEED"] ?? "1", "--seconds",
      environment["RACHA_HISTORY_SECONDS"] ?? "20",
    ]
    process.environment = environment.merging(["PYTHONDONTWRITEBYTECODE": "1"]) { _, own in own }
    let path = "/tmp/racha-history-\(UInt32.random(in: .min ... .max)).txt"
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
    #expect(process.terminationStatus == 0, "\(said.suffix(20_000))")
  }

  @Test("Each mutant that a history is to find can be made of the sources as they are")
  func mutants() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let folder = root.appending(path: "Tests/Faults/History/mutants")
    let patches = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".patch") }
    #expect(patches.count == 9)
    for patch in patches {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["git", "apply", "--check", folder.appending(path: patch).path]
      process.currentDirectoryURL = root
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0, "\(patch)")
    }
  }
}

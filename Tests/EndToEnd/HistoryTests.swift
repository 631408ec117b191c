import Cluster
import Foundation
import Testing

/// The short form of `deploy/racha faults history`: `Tests/Faults/History/README.md` says what it does and what it proves.
///
/// `RACHA_HISTORY_SEED` and `RACHA_HISTORY_SECONDS` choose another run.
@Suite(
  "A history of calls under faults", .serialized,
  .enabled(if: TestPython.path != nil, "needs a Python and a C compiler: set RACHA_TEST_PYTHON"), .timeLimit(.minutes(10)))
struct HistoryTests {
  @Test("Nothing acknowledged is lost and nothing takes effect twice in a history of everything under every kind of fault")
  func history() async throws {
    let environment = ProcessInfo.processInfo.environment
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Faults/History").path
    let (status, said) = try await TestPython.run([
      folder, "--programs", try RunningCluster.binaries(), "--seed", environment["RACHA_HISTORY_SEED"] ?? "2", "--seconds",
      environment["RACHA_HISTORY_SECONDS"] ?? "20",
    ])
    #expect(status == 0, "\(said.suffix(20_000))")
  }

  @Test("Each mutant that a history must detect can be applied to the current sources")
  func mutants() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let folder = root.appending(path: "Tests/Faults/History/mutants")
    let patches = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".patch") }
    #expect(patches.count == 10)
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

import Cluster
import Foundation
import Testing

/// The short form of `deploy/racha faults soak`: `Tests/Faults/Soak/README.md` says what it does.
///
/// `RACHA_SOAK_SECONDS` and `RACHA_SOAK_RATE` choose another run.
@Suite(
  "A soak test", .serialized, .enabled(if: TestPython.path != nil, "needs a Python: set RACHA_TEST_PYTHON"),
  .timeLimit(.minutes(10)))
struct SoakTests {
  private let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Faults/Soak").path

  @Test("Under a mixed load each call is answered correctly, and the report says what grew")
  func soak() async throws {
    let environment = ProcessInfo.processInfo.environment
    let (status, said) = try await TestPython.run([
      folder, "--programs", try RunningCluster.binaries(), "--seed", "1", "--processes", "1", "--accounts", "8",
      "--streams", "3", "--seconds", environment["RACHA_SOAK_SECONDS"] ?? "6", "--rate",
      environment["RACHA_SOAK_RATE"] ?? "60",
    ])
    #expect(status == 0, "\(said.suffix(20_000))")
    for found in [
      "gateway own memory, MiB", "identity own heap, MiB", "rewards SQLite's, MiB", "notifications WAL, MiB",
      "0 not answered as they should be", "of the time", "passed",
    ] {
      #expect(said.contains(found), "\(found) is missing in \(said.suffix(20_000))")
    }
  }

  @Test("An artificial slope is detected, and noise, steps and filling caches are not")
  func fit() async throws {
    let (status, said) = try await TestPython.run([folder + "/tests.py"])
    #expect(status == 0, "\(said)")
  }
}

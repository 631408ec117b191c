import Foundation
import Testing

/// The rules in `deploy/lib/keeping.sh`, each called by itself.
@Suite("Keeping a service")
struct KeepingTests {
  @Test(
    "The delay before a restart doubles from 0.1 s to 10 s, and starts again after 30 s of running",
    arguments: [
      // the delay before, the life since, the delay now: all in milliseconds
      (0, 5, 100), (100, 5, 200), (200, 29_999, 400), (400, 30_000, 100), (6400, 0, 10_000), (10_000, 5, 10_000),
      (10_000, 86_400_000, 100),
    ])
  func nextDelay(delay: Int, life: Int, expected: Int) async throws {
    let outcome = try await call("next_delay \(delay) \(life)")
    #expect(outcome.output == "\(expected)")
  }

  @Test("A service's log is rotated at its limit, and no line of it is lost or cut")
  func rotation() async throws {
    try await withFolder { folder in
      let outcome = try await call("seq 1 20000 | keep_log \(folder)/log 20000 9")
      #expect(outcome.status == 0)
      let names = ["log.5", "log.4", "log.3", "log.2", "log.1", "log"]
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == names.sorted())
      let all = try names.map { try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) }
      #expect(all.joined() == (1...20000).map { "\($0)\n" }.joined())
      let texts = all.dropLast()
      for text in texts {
        #expect((20000..<20010).contains(text.utf8.count))
        #expect(text.hasSuffix("\n"))
      }
    }
  }

  @Test("Only a limited number of a service's log files are kept, and the oldest is removed first")
  func bounds() async throws {
    try await withFolder { folder in
      _ = try await call("seq 1 20000 | keep_log \(folder)/log 20000 3")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["log", "log.1", "log.2"])
      let kept = try String(contentsOfFile: "\(folder)/log", encoding: .utf8)
      #expect(kept.hasSuffix("\n20000\n"))
    }
  }

  @Test("A service's log goes on where the last keeper left it, and ends a line that was cut off")
  func goingOn() async throws {
    try await withFolder { folder in
      _ = try await call("printf 'one\\n' | keep_log \(folder)/log 100 3; printf 'two' | keep_log \(folder)/log 100 3")
      #expect(try String(contentsOfFile: "\(folder)/log", encoding: .utf8) == "one\ntwo\n")
    }
  }

  private func call(_ command: String) async throws -> Launcher.Outcome {
    try await Launcher.bash(
      "/bin/bash", ["-euo", "pipefail", "-c", "source \(Launcher.package)/deploy/lib/keeping.sh; \(command)"])
  }

  private func withFolder(_ body: (String) async throws -> Void) async throws {
    let folder = "/tmp/racha-deploy-\(UInt32.random(in: .min ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await body(folder)
  }
}

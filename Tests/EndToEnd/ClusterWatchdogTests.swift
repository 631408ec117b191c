import Foundation
import Testing

@testable import Cluster

@Suite("The watchdog of a cluster in tests", .timeLimit(.minutes(1)))
struct ClusterWatchdogTests {
  @Test("When the tests have ended, the watchdog ends only the processes of its cluster's home, and removes that")
  func ended() throws {
    let homes = try (0..<2).map { _ in
      let home = FileManager.default.temporaryDirectory.appendingPathComponent("racha-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: home, withIntermediateDirectories: false)
      return home
    }
    defer { for home in homes { try? FileManager.default.removeItem(at: home) } }
    let programs = try homes.map { home in
      let program = Process()
      program.executableURL = URL(fileURLWithPath: "/bin/sleep")
      program.arguments = ["60"]
      program.environment = ["RACHA_HOME": home.path]
      try program.run()
      return program
    }
    defer { for program in programs where program.isRunning { kill(program.processIdentifier, SIGKILL) } }
    let watchdog = try ClusterWatchdog(home: homes[0].path)
    // As the end of this process would.
    close(watchdog.input)
    watchdog.process.waitUntilExit()
    programs[0].waitUntilExit()
    #expect(programs[0].terminationReason == .uncaughtSignal && programs[0].terminationStatus == SIGKILL)
    #expect(!FileManager.default.fileExists(atPath: homes[0].path))
    #expect(programs[1].isRunning && FileManager.default.fileExists(atPath: homes[1].path))
  }

  @Test("A stopped watchdog kills no cluster")
  func stopped() throws {
    let home = FileManager.default.temporaryDirectory.appendingPathComponent("racha-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: home) }
    let watchdog = try ClusterWatchdog(home: home.path)
    watchdog.stop()
    #expect(!watchdog.process.isRunning && FileManager.default.fileExists(atPath: home.path))
  }
}

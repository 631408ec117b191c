import BuiltPrograms
import Foundation
import Operations
import Testing

/// What releases run: one program under the names of all.
@Suite("The names of a cluster's programs")
struct ProgramNamesTests {
  @Test("The released program is the service by whose name it is started", arguments: ServiceName.allCases)
  func service(_ service: ServiceName) throws {
    let outcome = try run(service.rawValue, [], ["RACHA_LOG_LEVEL": "loud"])
    #expect(outcome.status == 78)
    #expect(outcome.said.contains("\"service\":\"\(service.rawValue)\""), "\(outcome)")
    #expect(outcome.said.contains("racha.log.level"), "\(outcome)")
  }

  @Test("The released program is the launcher's tool by that tool's name, and refuses any other name")
  func others() throws {
    let tool = try run("racha-admin", ["--help"])
    #expect(tool.status == 0 && tool.said.contains("USAGE: racha-admin <subcommand>"), "\(tool)")
    let other = try run("social-service", ["--help"])
    #expect(
      other.status == 64
        && other.said
          == "Start this by one of its names: gateway, identity, activity, social, rewards, notifications, racha-admin\n",
      "\(other)")
  }

  /// Runs the program by a name that it has in a folder of its own.
  private func run(_ name: String, _ arguments: [String], _ settings: [String: String] = [:]) throws -> (
    status: Int32, said: String
  ) {
    let folder = "/tmp/racha-names-\(UInt32.random(in: .min ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder)/\(name)", withDestinationPath: BuiltProgram.path("racha-programs"))
    let process = Process()
    process.executableURL = URL(filePath: "\(folder)/\(name)")
    process.arguments = arguments
    process.environment = settings.merging(["RACHA_HOME": folder]) { own, _ in own }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, said)
  }
}

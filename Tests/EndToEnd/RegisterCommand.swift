import BuiltPrograms
import Foundation

/// `racha-admin register …`, as anybody runs it who watches a register.
enum RegisterCommand {
  /// Runs it and returns its status and what it said.
  static func run(_ arguments: String...) throws -> (status: Int32, said: String) {
    let process = Process()
    process.executableURL = URL(filePath: BuiltProgram.path("racha-admin"))
    process.arguments = ["register"] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, said)
  }
}

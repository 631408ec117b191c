import Foundation

/// A program of the machine that speaks HTTP in its own way.
enum Program {
  /// Runs it to its end.
  ///
  /// - Returns: its exit code, and what it wrote.
  static func run(_ path: String, _ arguments: [String]) async throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    return try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { process in
        do {
          // What these programs say fits into a pipe.
          let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
          continuation.resume(returning: (process.terminationStatus, text))
        } catch {
          continuation.resume(throwing: error)
        }
      }
      do {
        try process.run()
      } catch {
        process.terminationHandler = nil
        continuation.resume(throwing: error)
      }
    }
  }

  static func isThere(_ path: String) -> Bool { FileManager.default.isExecutableFile(atPath: path) }
}

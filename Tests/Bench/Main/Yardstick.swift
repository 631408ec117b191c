import ArgumentParser
import BuiltPrograms
import Client
import Foundation

/// The bare server beside which all else is measured, running; it is the push service of the bench, too.
final class Yardstick {
  let url: String
  /// A line for each request to push.
  let pushes: AsyncStream<String>
  private let process = Process()

  init(binaries: String, port: Int) async throws {
    url = "http://127.0.0.1:\(port)"
    process.executableURL = URL(fileURLWithPath: binaries + "/racha-bench-hello")
    process.arguments = [String(port)]
    process.standardError = FileHandle.nullDevice
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    pushes = output.fileHandleForReading.lines()
    for _ in 0..<500 {
      if let answer = try? await GatewayClient(url: url).get("/"), answer.status == 200 { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    stop()
    throw ValidationError("the yardstick does not answer at \(url)")
  }

  func stop() {
    process.terminate()
    process.waitUntilExit()
  }
}

import ArgumentParser
import Client
import Foundation

/// The bare server beside which all else is measured, running.
final class Yardstick {
  let url: String
  private let process = Process()

  init(binaries: String, port: Int) async throws {
    url = "http://127.0.0.1:\(port)"
    process.executableURL = URL(fileURLWithPath: binaries + "/racha-bench-hello")
    process.arguments = [String(port)]
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
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

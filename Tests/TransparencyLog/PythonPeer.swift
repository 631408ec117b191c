import Foundation

/// Runs the scripts in `Peers` by a Python that has the packages of `Tests/requirements.txt`.
enum PythonPeer {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Peers")

  /// `RACHA_TEST_PYTHON`, or the package's own environment, if it has the module; nil otherwise.
  static func interpreter(with module: String) -> String? {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let path = ProcessInfo.processInfo.environment["RACHA_TEST_PYTHON"] ?? root.appending(path: ".venv/bin/python").path
    guard FileManager.default.isExecutableFile(atPath: path) else { return nil }
    return (try? run(path, ["-c", "import \(module)"], input: ""))?.status == 0 ? path : nil
  }

  /// Runs a script to its end and returns the lines that it printed.
  static func lines(_ script: String, by interpreter: String?, _ arguments: [String], input: String) throws -> [String] {
    try run(interpreter ?? "", [folder.appending(path: script).path] + arguments, input: input).output
      .split(separator: "\n").map(String.init)
  }

  private static func run(_ program: String, _ arguments: [String], input: String) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    let file = FileManager.default.temporaryDirectory.appending(path: "peer-\(UUID()).txt")
    try Data(input.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let output = Pipe()
    process.standardInput = try FileHandle(forReadingFrom: file)
    process.standardOutput = output
    try process.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }
}

import Foundation
import Testing

/// `deploy/lib/imports.py`, on a package of two targets.
@Suite("Imports between targets")
struct ImportsTests {
  static let manifest = """
    {"targets": [
      {"name": "SocialService", "path": "Social", "exclude": ["Main"], "dependencies": [{"byName": ["Storage", null]}]},
      {"name": "Storage", "path": "Storage", "exclude": [], "dependencies": []},
      {"name": "IdentityService", "path": "Identity", "exclude": [], "dependencies": []}
    ]}
    """

  @Test(
    "one that the manifest does not declare is refused by file and line, however it is written",
    arguments: [
      "import IdentityService", "@testable import IdentityService", "public import IdentityService",
      "@_spi(Tests) internal import struct IdentityService.Account", "  import IdentityService",
    ])
  func undeclared(statement: String) async throws {
    let outcome = try await check(["Social/Friends.swift": "import Foundation\n\(statement)\n"])
    #expect(outcome.status == 1)
    #expect(
      outcome.errors == "Social/Friends.swift:2: SocialService imports IdentityService, which the manifest does not allow it\n")
  }

  @Test("declared ones, those of other packages and excluded folders are let through")
  func declared() async throws {
    let outcome = try await check([
      "Social/Friends.swift": "import Foundation\nimport GRDB\nimport Storage\n// import IdentityService\n",
      "Social/Main/main.swift": "import IdentityService\n",
    ])
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  private func check(_ files: [String: String]) async throws -> Launcher.Outcome {
    let root = "/tmp/racha-deploy-\(UInt32.random(in: .min ... .max))"
    defer { try? FileManager.default.removeItem(atPath: root) }
    for (name, text) in files.merging(["manifest.json": ImportsTests.manifest], uniquingKeysWith: { file, _ in file }) {
      let url = URL(fileURLWithPath: "\(root)/\(name)")
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    }
    let script = "python3 \(Launcher.package)/deploy/lib/imports.py \(root) <\(root)/manifest.json"
    return try await Launcher.bash("/bin/bash", ["-c", script])
  }
}

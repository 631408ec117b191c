import Foundation
import Testing

/// `deploy/lib/imports.py`, on a package of two targets.
@Suite("Imports between targets")
struct ImportsTests {
  static let manifest = """
    {"targets": [
      {
        "name": "SocialService", "type": "regular", "path": "Social", "exclude": ["Main"],
        "dependencies": [{"byName": ["Storage", null]}, {"product": ["GRDB", "GRDB.swift", null, null]}, {"byName": ["admin", null]}]
      },
      {"name": "Storage", "type": "regular", "path": "Storage", "exclude": [], "dependencies": [{"target": ["CDisk", null]}]},
      {"name": "CDisk", "type": "regular", "path": "CDisk", "exclude": [], "dependencies": []},
      {"name": "IdentityService", "type": "regular", "path": "Identity", "exclude": [], "dependencies": []},
      {"name": "admin", "type": "executable", "path": "Admin", "exclude": [], "dependencies": []}
    ]}
    """

  @Test(
    "An import that the manifest does not declare is refused by file and line, however it is written",
    arguments: [
      "import IdentityService", "@testable import IdentityService", "public import IdentityService",
      "@_spi(Tests) internal import struct IdentityService.Account", "  import IdentityService",
    ])
  func undeclared(statement: String) async throws {
    let outcome = try await check(["Social/Friends.swift": "import Foundation\n\(statement)\n", "Social/Store.swift": Self.used])
    #expect(outcome.status == 1)
    #expect(
      outcome.errors == "Social/Friends.swift:2: SocialService imports IdentityService, which the manifest does not allow it\n")
  }

  @Test("The check of imports accepts those that are declared, of other packages, or in excluded folders")
  func declared() async throws {
    let outcome = try await check([
      "Social/Friends.swift": "import Foundation\nimport Crypto\n// import IdentityService\n", "Social/Store.swift": Self.used,
      "Social/Main/main.swift": "import IdentityService\n",
    ])
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test(
    "The check of imports refuses a dependency that is never imported, on Swift or C targets or on another package")
  func unused() async throws {
    let outcome = try await check([
      "Social/Friends.swift": "import Foundation\n", "Storage/Store.swift": "import Foundation\n",
    ])
    #expect(outcome.status == 1)
    #expect(
      outcome.errors == """
        Package.swift: SocialService depends on Storage and does not import it
        Package.swift: SocialService depends on GRDB and does not import it
        Package.swift: Storage depends on CDisk and does not import it

        """)
  }

  /// Imports what the manifest says.
  private static let used = "import GRDB\nimport Storage\n"

  private func check(_ files: [String: String]) async throws -> Launcher.Outcome {
    let root = "/tmp/racha-deploy-\(UInt32.random(in: .min ... .max))"
    defer { try? FileManager.default.removeItem(atPath: root) }
    let others = ["manifest.json": ImportsTests.manifest, "Storage/Store.swift": "import CDisk\n"]
    for (name, text) in others.merging(files, uniquingKeysWith: { _, file in file }) {
      let url = URL(fileURLWithPath: "\(root)/\(name)")
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    }
    let script = "python3 \(Launcher.package)/deploy/lib/imports.py \(root) <\(root)/manifest.json"
    return try await Launcher.bash("/bin/bash", ["-c", script])
  }
}

import Foundation
import Operations
import ServiceKit
import Testing

@Suite("The file of settings")
struct SettingsFileTests {
  @Test(
    "The file of settings yields to the environment, and is in the home folder or where the environment says",
    arguments: [true, false])
  func read(isNamed: Bool) async throws {
    try await SettingsFileTests.with(#"{"racha":{"http":{"port":9000,"host":"::1"}}}"#, isNamed: isNamed) { environment in
      let settings = try await Settings.of(environment.merging(["RACHA_HTTP_HOST": "127.0.0.2"]) { $1 })
      #expect(settings.int("racha.http.port", default: 8080, in: 0...65535) == 9000)
      #expect(settings.string("racha.http.host") == "127.0.0.2")
      #expect(settings.unknownKeys.isEmpty)
      try settings.check()
    }
  }

  @Test("The file of settings may be missing in the home folder, and not if it was named")
  func missing() async throws {
    let home = "/tmp/racha-kit-\(UInt32.random(in: .min ... .max))"
    let settings = try await Settings.of(["RACHA_HOME": home])
    #expect(settings.string("racha.home") == home)
    await #expect(throws: Settings.Invalid.self) { try await Settings.of(["RACHA_CONFIG": "\(home)/racha.json"]) }
  }

  @Test(
    "A malformed file of settings is reported by path and position",
    arguments: [
      ("{\"racha\": {\n  \"http\": {\"port\": 80,}\n}}", "line 2, byte 23 holds"),
      ("{\"racha\": {", "it ends at line 1, byte 12"),
      ("[]", "holds something else"), (#"{"racha":{"http":[{}]}}"#, "racha.http.0"),
    ])
  func broken(text: String, position: String) async throws {
    try await SettingsFileTests.with(text) { environment in
      await #expect {
        try await Settings.of(environment)
      } throws: { error in
        guard let invalid = error as? Settings.Invalid, let path = environment["RACHA_HOME"] else { return false }
        return invalid.description.contains("\(path)/racha.json: ") && invalid.description.contains(position)
          && !invalid.description.contains("NSCocoa")
      }
    }
  }

  @Test("Unknown keys in the file of settings are reported")
  func unknown() async throws {
    let text = """
      {"http":1,"racha":{"bogus":1,"limit":{"bodyBytes":5},"limits":{"rate":{"read":{"account":"9/1"}}},
      "externalProviders":{"google":{"clientId":"a","clientID":"b"}}}}
      """
    try await SettingsFileTests.with(text) { environment in
      let found = try await Settings.of(environment).unknownKeys
      #expect(found == ["http", "racha.bogus", "racha.limit.bodyBytes", "racha.externalProviders.google.clientID"])
    }
  }

  @Test("A former name of a setting is refused with the new one, in the file and in the environment", arguments: [true, false])
  func renamed(inFile: Bool) async throws {
    try await SettingsFileTests.with(inFile ? #"{"racha":{"smtp":{"lanes":3}}}"# : "{}") { environment in
      var environment = environment
      if !inFile { environment["RACHA_SMTP_LANES"] = "3" }
      let settings = try await Settings.of(environment)
      #expect(settings.unknownKeys.isEmpty)
      #expect { try settings.check() } throws: { error in
        "\(error)" == "racha.smtp.lanes is called racha.smtp.connections now"
      }
    }
  }

  @Test("An empty former name of a setting is ignored, as compose passes unset ones")
  func emptyFormer() async throws {
    try await SettingsFileTests.with("{}") { environment in
      var environment = environment
      environment["RACHA_SMTP_LANES"] = ""
      try await Settings.of(environment).check()
    }
  }

  /// From the sources: `settings.int("racha.limits.batch", …)`, with `*` for what is put into a key.
  @Test("The known keys of settings are those that the services read")
  func known() throws {
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().path
    var read: Set<String> = []
    for folder in ["Services", "Shared"] {
      let files = try #require(FileManager.default.enumerator(atPath: "\(package)/\(folder)"))
      for case let file as String in files where file.hasSuffix(".swift") && !file.hasSuffix("SettingKeys.swift") {
        let source = try String(contentsOfFile: "\(package)/\(folder)/\(file)", encoding: .utf8)
        for match in source.matches(of: /(label: )?"(racha\.[^"]+)"/) where match.1 == nil {
          read.insert(String(match.2).replacing(/\\\([^)]*\)/, with: "*"))
        }
      }
    }
    // The beginning of a provider's keys, which are put together of it.
    read.remove("racha.externalProviders.*")
    #expect(read.count > 50)
    #expect(read.subtracting(Settings.knownKeys).isEmpty)
    #expect(Settings.knownKeys.subtracting(read).allSatisfy { $0.hasPrefix("racha.externalProviders.*.") })
  }

  private static func with(_ text: String, isNamed: Bool = false, _ body: ([String: String]) async throws -> Void) async throws {
    let home = "/tmp/racha-kit-\(UInt32.random(in: .min ... .max))"
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: home) }
    let path = "\(home)/\(isNamed ? "other" : "racha").json"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    try await body(isNamed ? ["RACHA_CONFIG": path] : ["RACHA_HOME": home])
  }
}

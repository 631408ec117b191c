import Operations
import ServiceKit
import Testing

@Suite("Settings")
struct SettingsTests {
  @Test("Settings fall back to their defaults")
  func defaults() throws {
    let settings = Settings([:])
    #expect(settings.int("racha.http.port", default: 8080, in: 0...65535) == 8080)
    #expect(settings.bool("racha.tls", default: true))
    #expect(settings.string("racha.home") == nil)
    #expect(settings.choice("racha.language", default: Language.spanish) == .spanish)
    try settings.check()
  }

  @Test("Settings are read as numbers, booleans, choices and texts")
  func read() throws {
    let settings = Settings([
      "racha.http.port": "9000", "racha.tls": "false", "racha.share": "0.5", "racha.language": "es", "racha.empty": "",
    ])
    #expect(settings.int("racha.http.port", default: 8080, in: 0...65535) == 9000)
    #expect(!settings.bool("racha.tls", default: true))
    #expect(settings.double("racha.share", default: 1, in: 0...1) == 0.5)
    #expect(settings.choice("racha.language", default: Language.english) == .spanish)
    #expect(settings.string("racha.empty") == nil)
    try settings.check()
  }

  @Test("Invalid settings are all named, with key and rule")
  func broken() {
    let settings = Settings(["racha.http.port": "70000", "racha.tcp.port": "x", "racha.tls": "perhaps", "racha.language": "fr"])
    _ = settings.int("racha.http.port", default: 8080, in: 0...65535)
    _ = settings.int("racha.tcp.port", default: 8090, in: 0...65535)
    _ = settings.bool("racha.tls", default: true)
    _ = settings.choice("racha.language", default: Language.english)
    #expect {
      try settings.check()
    } throws: { error in
      guard let invalid = error as? Settings.Invalid else { return false }
      return invalid.problems.map(\.key) == ["racha.http.port", "racha.tcp.port", "racha.tls", "racha.language"]
        && invalid.description.contains("racha.http.port must be a whole number from 0 to 65535, not \"70000\"")
    }
  }
}

public import Configuration
import Foundation
public import Operations
import Synchronization
import SystemPackage

/// The process's settings: the environment before the file `racha.json` of the home folder.
///
/// Keys begin with `racha`: `racha.http.port` is `RACHA_HTTP_PORT` in the environment and `{"racha": {"http": {"port": 8080}}}` in
/// the file. A value that breaks its rule is recorded with its key; ``check()`` reports all of them at once.
public final class Settings: Sendable {
  /// A setting that cannot be used.
  public struct Problem: Sendable, CustomStringConvertible {
    public let key: String
    public let rule: String

    public var description: String { "\(key) \(rule)" }
  }

  /// Everything wrong with the settings.
  public struct Invalid: Error, CustomStringConvertible {
    public let problems: [Problem]

    public var description: String { problems.map(\.description).joined(separator: "; ") }
  }

  private let reader: ConfigReader
  private let problems = Mutex<[Problem]>([])

  public init(_ reader: ConfigReader) { self.reader = reader }

  /// Settings given in code, for tests: `["racha.http.port": "0"]`.
  public convenience init(_ values: [String: String]) {
    var known: [AbsoluteConfigKey: ConfigValue] = [:]
    for (key, value) in values {
      known[AbsoluteConfigKey(key.split(separator: ".").map(String.init))] = ConfigValue(.string(value), isSecret: false)
    }
    self.init(ConfigReader(provider: InMemoryProvider(values: known)))
  }

  /// The environment of the process over the file `racha.json` in the home folder, or the one `RACHA_CONFIG` names.
  public static func ofProcess() async throws -> Settings {
    let environment = ConfigReader(provider: EnvironmentVariablesProvider())
    let home = environment.string(forKey: "racha.home") ?? Home.defaultPath
    let named = environment.string(forKey: "racha.config")
    let file: FileProvider<JSONSnapshot>
    do {
      file = try await FileProvider<JSONSnapshot>(filePath: FilePath(named ?? "\(home)/racha.json"), allowMissing: named == nil)
    } catch {
      throw Invalid(problems: [Problem(key: "racha.config", rule: "must name a readable file of JSON: \(error)")])
    }
    return Settings(ConfigReader(providers: [EnvironmentVariablesProvider(), file]))
  }

  /// A text, or nil where it is not set.
  public func string(_ key: String, isSecret: Bool = false) -> String? {
    reader.string(forKey: ConfigKey(key), isSecret: isSecret).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A text with a default.
  public func string(_ key: String, default value: String) -> String { string(key) ?? value }

  /// A whole number in a range.
  public func int(_ key: String, default value: Int, in range: ClosedRange<Int>) -> Int {
    guard let found = raw(key) else { return value }
    guard let number = Int(found), range.contains(number) else {
      refuse(key, "must be a whole number from \(range.lowerBound) to \(range.upperBound), not \"\(found)\"")
      return value
    }
    return number
  }

  /// A decimal number in a range.
  public func double(_ key: String, default value: Double, in range: ClosedRange<Double>) -> Double {
    guard let found = raw(key) else { return value }
    guard let number = Double(found), range.contains(number) else {
      refuse(key, "must be a number from \(range.lowerBound) to \(range.upperBound), not \"\(found)\"")
      return value
    }
    return number
  }

  /// `true` or `false`.
  public func bool(_ key: String, default value: Bool) -> Bool {
    guard let found = raw(key) else { return value }
    switch found.lowercased() {
    case "true", "yes", "1": return true
    case "false", "no", "0": return false
    default:
      refuse(key, "must be true or false, not \"\(found)\"")
      return value
    }
  }

  /// One of a closed list of words.
  public func choice<C: Choice>(_ key: String, default value: C) -> C {
    guard let found = raw(key) else { return value }
    guard let choice = C(rawValue: found) else {
      refuse(key, "must be one of \(C.allCases.map(\.rawValue).joined(separator: ", ")), not \"\(found)\"")
      return value
    }
    return choice
  }

  /// Records that a setting cannot be used.
  public func refuse(_ key: String, _ rule: String) { problems.withLock { $0.append(Problem(key: key, rule: rule)) } }

  /// Throws ``Invalid`` with every problem recorded so far.
  public func check() throws {
    let found = problems.withLock { $0 }
    if !found.isEmpty { throw Invalid(problems: found) }
  }

  /// The value as text, whatever JSON type the file gives it.
  private func raw(_ key: String) -> String? {
    let key = ConfigKey(key)
    return reader.string(forKey: key) ?? reader.int(forKey: key).map { String($0) } ?? reader.double(forKey: key).map {
      String($0)
    }
      ?? reader.bool(forKey: key).map { String($0) }
  }
}

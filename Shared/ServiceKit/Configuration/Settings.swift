public import Configuration
import Foundation
public import Operations
import Synchronization
import SystemPackage

/// The process's settings: from the environment, then from the file `racha.json` of the home folder.
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
  /// The file's keys that none of the six services reads, see ``isKnown(_:)``.
  public let unknownKeys: [String]

  public init(_ reader: ConfigReader, unknownKeys: [String] = []) {
    self.reader = reader
    self.unknownKeys = unknownKeys
  }

  /// Settings given in code, for tests: `["racha.http.port": "0"]`.
  public convenience init(_ values: [String: String]) {
    var known: [AbsoluteConfigKey: ConfigValue] = [:]
    for (key, value) in values {
      known[AbsoluteConfigKey(key.split(separator: ".").map(String.init))] = ConfigValue(.string(value), isSecret: false)
    }
    self.init(ConfigReader(provider: InMemoryProvider(values: known)))
  }

  /// The environment of the process over the file `racha.json` in the home folder, or the one `RACHA_CONFIG` names.
  ///
  /// - Throws: ``Invalid`` for a file that cannot be read, with its path and the position in it.
  public static func ofProcess() async throws -> Settings { try await of(ProcessInfo.processInfo.environment) }

  /// The same with another environment.
  public static func of(_ environment: [String: String]) async throws -> Settings {
    let variables = EnvironmentVariablesProvider(environmentVariables: environment)
    let reader = ConfigReader(provider: variables)
    let home = reader.string(forKey: "racha.home") ?? Home.defaultPath
    let named = reader.string(forKey: "racha.config")
    let path = named ?? "\(home)/racha.json"
    if named == nil, !FileManager.default.fileExists(atPath: path) { return Settings(reader) }
    let unknown = try keys(ofFile: path).filter { !isKnown($0) }
    do {
      let file = try await FileProvider<JSONSnapshot>(filePath: FilePath(path))
      return Settings(ConfigReader(providers: [variables, file]), unknownKeys: unknown)
    } catch {
      throw unreadable(path, "\(error)")
    }
  }

  private static func keys(ofFile path: String) throws -> [String] {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw unreadable(path, FileManager.default.fileExists(atPath: path) ? "It cannot be read." : "There is no such file.")
    }
    let bytes = [UInt8](data)
    do throws(JSONSyntaxError) {
      let json = try JSONTape(bytes).json
      if case .object = json { return keys(in: json, under: []) }
    } catch {
      let failure = Failure(error, in: bytes)
      throw unreadable(path, Words([]).text("failure.\(failure.code)", .english, failure.parameters) ?? failure.code)
    }
    throw unreadable(path, "It holds something else.")
  }

  private static func keys(in value: JSON, under path: [String]) -> [String] {
    guard case .object(let members) = value else { return [path.joined(separator: ".")] }
    return members.flatMap { keys(in: $0.value, under: path + [$0.name]) }
  }

  private static func unreadable(_ path: String, _ reason: String) -> Invalid {
    Invalid(problems: [
      Problem(key: "racha.config", rule: "must be a file of JSON with an object of settings: \(path): \(reason)")
    ])
  }

  /// A text; nil if it is not set.
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

  /// Throws ``Invalid`` with every problem recorded so far, and with each setting that is given under a former name.
  public func check() throws {
    let renamed = Settings.renamedKeys.sorted { $0.key < $1.key }.filter { raw($0.key)?.isEmpty == false }.map {
      Problem(key: $0.key, rule: "is called \($0.value) now")
    }
    let found = problems.withLock { $0 } + renamed
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

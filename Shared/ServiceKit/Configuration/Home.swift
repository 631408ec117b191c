import Foundation

/// The folder under which a cluster on one machine keeps everything.
public struct Home: Sendable {
  public let path: String

  /// `~/.racha`.
  public static var defaultPath: String { NSHomeDirectory() + "/.racha" }

  public init(path: String) { self.path = path }

  public init(_ settings: Settings) { self.init(path: settings.string("racha.home", default: Home.defaultPath)) }

  /// One SQLite file per service.
  public var stores: String { path + "/stores" }
  /// Unix sockets of the bus, mode 0700.
  public var sockets: String { path + "/sockets" }
  /// Secrets, mode 0700, files 0600.
  public var keys: String { path + "/keys" }
  /// Mails as files where no SMTP server is set.
  public var mails: String { path + "/mails" }

  /// Makes a folder that only its owner may enter, if it is missing.
  public static func makePrivateFolder(_ path: String) throws {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  /// A secret that lasts: read from `keys/<name>`, made of that many random bytes at first use, mode 0600.
  public func secret(_ name: String, bytes count: Int = 32) throws -> [UInt8] {
    try Home.makePrivateFolder(keys)
    let file = "\(keys)/\(name)"
    if let found = FileManager.default.contents(atPath: file) {
      guard found.count == count else { throw HomeFailure.damagedSecret(file: file, expected: count, found: found.count) }
      return [UInt8](found)
    }
    var random = SystemRandomNumberGenerator()
    let fresh = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    // Written aside and linked into place, so that a process killed in between never leaves half a secret, and of two that
    // race, both end with the same one.
    let aside = "\(file).\(ProcessInfo.processInfo.processIdentifier)"
    guard FileManager.default.createFile(atPath: aside, contents: Data(fresh), attributes: [.posixPermissions: 0o600]) else {
      throw HomeFailure.cannotWrite(file: aside)
    }
    do {
      try FileManager.default.linkItem(atPath: aside, toPath: file)
    } catch {
      try FileManager.default.removeItem(atPath: aside)
      guard FileManager.default.fileExists(atPath: file) else { throw error }
      return try secret(name, bytes: count)
    }
    try FileManager.default.removeItem(atPath: aside)
    return fresh
  }
}

/// Why the home folder cannot be used.
public enum HomeFailure: Error, CustomStringConvertible {
  case damagedSecret(file: String, expected: Int, found: Int)
  case cannotWrite(file: String)

  public var description: String {
    switch self {
    case .damagedSecret(let file, let expected, let found): "\(file) must hold \(expected) bytes, not \(found)"
    case .cannotWrite(let file): "\(file) cannot be written"
    }
  }
}

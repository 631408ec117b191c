import Foundation
import Glibc

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
  /// The services' logs, if the launcher keeps them.
  public var logs: String { path + "/logs" }
  /// A file written by each backup of the cluster: its modification time is that of the last backup.
  public var lastBackup: String { path + "/last-backup" }
  /// Mails as files if no SMTP server is set.
  public var mails: String { path + "/mails" }

  /// Creates a folder that only its owner may enter, if it is missing.
  public static func makePrivateFolder(_ path: String) throws {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  /// Creates the folder if it is missing, and lets only its owner write in it and in its existing folders: otherwise other users of this
  /// machine could replace its keys or stores.
  ///
  /// - Throws: ``HomeFailure`` if a folder belongs to another user, or stays open.
  public func claim() throws {
    try Home.makePrivateFolder(path)
    for folder in [path, stores, sockets, keys, mails] { try Home.close(folder) }
  }

  private static func close(_ folder: String) throws {
    var found = stat()
    guard stat(folder, &found) == 0 else {
      if errno == ENOENT { return }
      throw HomeFailure.cannotWrite(file: folder)
    }
    guard found.st_uid == geteuid() else { throw HomeFailure.notOurs(folder: folder) }
    guard found.st_mode & 0o022 != 0 else { return }
    guard chmod(folder, found.st_mode & 0o7755) == 0, stat(folder, &found) == 0, found.st_mode & 0o022 == 0 else {
      throw HomeFailure.openToOthers(folder: folder)
    }
  }

  /// A lasting secret: read from `keys/<name>`, or created there from that many random bytes at first use, mode 0600.
  public func secret(_ name: String, bytes count: Int = 32) throws -> [UInt8] {
    try Home.makePrivateFolder(keys)
    let file = "\(keys)/\(name)"
    if let found = FileManager.default.contents(atPath: file) {
      guard found.count == count else { throw HomeFailure.damagedSecret(file: file, expected: count, found: found.count) }
      return [UInt8](found)
    }
    var random = SystemRandomNumberGenerator()
    let fresh = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    // Written to a temporary file and linked into place: a killed process never leaves half a secret, and two processes that race end with
    // the same one.
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
  case notOurs(folder: String)
  case openToOthers(folder: String)

  public var description: String {
    switch self {
    case .damagedSecret(let file, let expected, let found): "\(file) must hold \(expected) bytes, not \(found)"
    case .cannotWrite(let file): "\(file) cannot be written"
    case .notOurs(let folder): "\(folder) belongs to another user, who could put other keys and stores there"
    case .openToOthers(let folder): "\(folder) can be written by others, who could put other keys and stores there"
    }
  }
}

import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// A disk of its own of a few megabytes (a tmpfs), to be filled and made read-only; it goes with this value. Mounting takes root.
public final class SmallDisk: Sendable {
  /// A command did not succeed.
  public struct CommandFailed: Error { public let arguments: [String] }

  /// Whether this process may mount.
  public static let isAvailable: Bool = {
    guard geteuid() == 0 else { return false }
    do {
      let path = FileManager.default.temporaryDirectory.appending(path: "racha-disk-\(UUID().uuidString.prefix(8))").path
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      defer { rmdir(path) }
      _ = try SmallDisk(at: path, bytes: 1 << 20)
      return true
    } catch {
      return false
    }
  }()

  public let path: String

  /// - Parameter path: a folder that is there.
  public init(at path: String, bytes: Int) throws {
    self.path = path
    try SmallDisk.run("mount", "-t", "tmpfs", "-o", "size=\(bytes),mode=0700", "racha-test", path)
  }

  deinit { try? SmallDisk.run("umount", "--lazy", path) }

  private var filler: String { "\(path)/filler" }

  /// Takes all the room that is left.
  public func fill() throws {
    let file = open(filler, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw CommandFailed(arguments: ["open", filler]) }
    defer { close(file) }
    let zeroes = [UInt8](repeating: 0, count: 1 << 16)
    for size in [1 << 16, 1 << 12, 1] { while write(file, zeroes, size) == size {} }
  }

  /// Gives the room back.
  public func empty() throws { try FileManager.default.removeItem(atPath: filler) }

  public func makeReadOnly() throws { try SmallDisk.run("mount", "-o", "remount,ro", path) }

  public func makeWritable() throws { try SmallDisk.run("mount", "-o", "remount,rw", path) }

  private static func run(_ arguments: String...) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw CommandFailed(arguments: arguments) }
  }
}

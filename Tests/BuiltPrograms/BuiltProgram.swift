import Foundation
import Glibc

/// The executables that lie beside that of the tests. Tests in whose own process a service runs start its decoders from the service's
/// executable: their own knows none.
public enum BuiltProgram {
  /// Where an executable of that name lies; `RACHA_TEST_BIN` names the folder of others than those of the tests' own build.
  public static func path(_ name: String) -> String {
    if let folder = ProcessInfo.processInfo.environment["RACHA_TEST_BIN"],
      FileManager.default.fileExists(atPath: "\(folder)/\(name)")
    {
      return "\(folder)/\(name)"
    }
    return URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent(
      name
    ).path
  }

  /// Has all decoders.
  public static let activity = path("activity")
  public static let identity = path("identity")

  /// The decoders that this process has started and that are there.
  public static func decoders() -> Set<Int32> {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return Set(
      names.compactMap(Int32.init).filter { process in
        // What ends meanwhile has no files.
        guard
          let status = FileManager.default.contents(atPath: "/proc/\(process)/stat").map({ String(decoding: $0, as: UTF8.self) }),
          let line = FileManager.default.contents(atPath: "/proc/\(process)/cmdline").map({ String(decoding: $0, as: UTF8.self) })
        else { return false }
        let fields = status.split(separator: ") ").last?.split(separator: " ") ?? []
        return fields.count > 1 && fields[0] != "Z" && fields[1] == "\(getpid())" && line.contains("\0--decoder\0")
      })
  }
}

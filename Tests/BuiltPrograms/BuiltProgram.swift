import Foundation

/// The executables that lie beside that of the tests. Tests in whose own process a service runs start its decoders from the service's
/// executable: their own knows none.
public enum BuiltProgram {
  /// Where an executable of that name lies; `RACHA_TEST_BIN` names another folder than that of the tests' own build.
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

  /// The decoders that this process has started and that are there. What ends meanwhile has no files.
  public static func decoders() -> Set<Int32> {
    let word = Data("\0--decoder\0".utf8)
    let parent = Data("\(ProcessInfo.processInfo.processIdentifier)".utf8)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return Set(
      names.compactMap(Int32.init).filter { process in
        guard FileManager.default.contents(atPath: "/proc/\(process)/cmdline")?.range(of: word) != nil,
          let status = FileManager.default.contents(atPath: "/proc/\(process)/stat")
        else { return false }
        // Behind the name in brackets, which has no blanks, stand the state and the parent.
        let fields = status.split(separator: UInt8(ascii: " "))
        return fields.count > 3 && fields[2] != Data("Z".utf8) && fields[3] == parent
      })
  }
}

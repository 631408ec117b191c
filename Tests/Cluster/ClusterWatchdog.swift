import Foundation

/// Ends what a cluster runs, and removes its home, once this process has ended without doing so: whoever ends a test run by a signal leaves nothing
/// running.
///
/// The programs are groups of their own and would outlive it. The watchdog sees that it has ended by its standard input, which ends then.
final class ClusterWatchdog: @unchecked Sendable {  // Nothing changes after its start.
  let process = Process()
  /// What only this process holds open.
  let input: CInt

  private static let script = """
    while read -r _; do :; done
    for process in /proc/[0-9]*; do
      if grep -qszxF "RACHA_HOME=$0" "$process/environ"; then kill -9 "${process#/proc/}"; fi
    done
    rm -rf "$0"
    """

  init(home: String) throws {
    var ends: [CInt] = [0, 0]
    // No other program that is started may hold it open.
    guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE)
    }
    input = ends[1]
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", ClusterWatchdog.script, home]
    process.environment = ["PATH": "/usr/bin:/bin"]
    process.standardInput = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  /// Ends it without effect.
  func stop() {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    close(input)
  }
}

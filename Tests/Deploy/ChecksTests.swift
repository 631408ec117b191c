import Foundation
import Testing

/// What `deploy/racha test` runs its stages by.
@Suite("The stages of the launcher's tests", .timeLimit(.minutes(1)))
struct ChecksTests {
  @Test("Ending only the launcher also ends what the running stage has started")
  func ended() async throws {
    let output = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    defer { unlink(output) }
    let script = """
      launcher='set -euo pipefail; source "$0/common.sh"; source "$0/checks.sh"
        long() { sleep 60 & echo "$BASHPID" "$!" >"$1"; wait; }
        failed=(); stage_signals; stage long long "$1"; echo "the stage ended by itself"'
      # The signals that the tests' own threads block it would block, too.
      env --default-signal=TERM bash -c "$launcher" "$1" "$2" 2>/dev/null &
      until [[ -s $2 ]]; do sleep 0.01; done
      kill "$!"
      status=0; wait "$!" || status=$?
      read -r stage child <"$2"
      # Whoever takes over the children may take a moment to see that they have ended.
      for pid in "$stage" "$child"; do
        for _ in {1..500}; do
          state=$(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null | cut -c1) || :
          [[ -n $state && $state != Z ]] || break
          sleep 0.01
        done
        printf '%s ' "${state/Z/}"
      done
      printf '%s' "$status"
      """
    let library = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("deploy/lib").path
    let outcome = try await Launcher.bash("/bin/bash", ["-c", script, "test", library, output])
    #expect(outcome.output == "  143", "\(outcome.output) \(outcome.errors)")
  }
}

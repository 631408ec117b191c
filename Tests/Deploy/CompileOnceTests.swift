import Foundation
import Testing

/// `deploy/lib/compile-once`, with a stand-in for the compiler.
@Suite("C files of packages are compiled once")
struct CompileOnceTests {
  @Test(
    "A package's file compiled by one build is reused by another, whatever its optimization, with the build's own dependencies")
  func once() async throws {
    let made = try await call(
      """
      compile one -O2; compile two -O0 -DDEBUG=1; cmp one/a.o two/a.o && cat two/a.o two/a.d; calls
      """)
    #expect(
      made.output == """
        int a;
        -O2
        a.o: FOLDER/two/checkouts/package/a.c \\
          FOLDER/header.h
        a.c

        """, "\(made.errors)")
  }

  @Test(
    "A package's file is compiled again if it, a system header, a version, the compiler or its options changed")
  func anew() async throws {
    let made = try await call(
      """
      compile one -O2; calls
      echo 'int b;' >one/checkouts/package/a.c; compile one -O2; cat one/a.o; calls
      touch --date='1 hour' header.h; compile one -O2; calls; touch --date='1 hour ago' header.h
      echo 2 >resolved; compile one -O2; calls
      RACHA_COMPILER=other compile one -O2; calls
      compile one -O2 -DB=1; calls; compile one -O2; calls
      """)
    #expect(made.output == "a.c\nint b;\n-O2\na.c\na.c\na.c\na.c\na.c\n", "\(made.errors)")
  }

  @Test("A package's file that two builds request at once is compiled once")
  func atOnce() async throws {
    let made = try await call(
      """
      : >held; compile one -O2 & first=$!; becomes [ -s calls ]
      compile two -O2 & second=$!; becomes waits; rm held; wait "$first"; wait "$second"; cmp one/a.o two/a.o; calls
      """)
    #expect(made.status == 0 && made.output == "a.c\n", "\(made.output)\(made.errors)")
  }

  @Test("A package's file that could not be compiled leaves nothing behind, and is tried again")
  func failing() async throws {
    let made = try await call(
      """
      COMPILER_FAILS=yes compile one -O2 || echo "failed"; [[ ! -e one/a.o ]]; compile one -O2; cat one/a.o; calls
      """)
    #expect(made.status == 0 && made.output == "failed\nint a;\n-O2\na.c\na.c\n", "\(made.output)\(made.errors)")
  }

  @Test("A file of no package is compiled each time, with its own options")
  func others() async throws {
    let made = try await call(
      """
      echo 'int own;' >own.c
      for build in one two; do "$once" -O0 -DDEBUG=1 -MF own.d -c own.c -o own.o; done; cat own.o; calls; [[ ! -e objects ]]
      """)
    #expect(made.status == 0 && made.output == "int own;\n-O0\n-DDEBUG=1\nown.c\nown.c\n", "\(made.errors)")
  }

  /// Runs commands in a folder with a space in its name that has two build folders, `one` and `two`, with the same package in each. `compile BUILD FLAG...`
  /// compiles the package's file, and `calls` prints what the compiler was called for since it was asked last.
  private func call(_ commands: String) async throws -> Launcher.Outcome {
    let folder = "/tmp/racha compile-\(UInt32.random(in: .min ... .max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let setUp = """
      cd '\(folder)'; once='\(Launcher.package)/deploy/lib/compile-once'
      export RACHA_CLANG='\(Launcher.package)/Tests/Deploy/StandIns/clang' RACHA_OBJECTS=$PWD/objects RACHA_RESOLVED=$PWD/resolved RACHA_COMPILER=this
      export COMPILER_LOG=$PWD/calls COMPILER_HELD=$PWD/held COMPILER_HEADER=$PWD/header.h
      touch resolved calls; touch --date='1 hour ago' header.h
      for build in one two; do
        mkdir -p $build/checkouts/package; : >$build/workspace-state.json; echo 'int a;' >$build/checkouts/package/a.c
      done
      compile() {
        local build=$1; shift
        "$once" "$@" -MD -MF "$PWD/$build/a.d" -c "$PWD/$build/checkouts/package/a.c" -o "$PWD/$build/a.o"
      }
      calls() { cat calls; : >calls; }
      becomes() { local tries; for ((tries = 0; tries < 1000; tries++)); do ! "$@" || return 0; sleep 0.01; done; rm -f held; return 1; }
      # Whether somebody waits for the lock of what is compiled.
      waits() { grep --quiet -- "-> FLOCK .*:$(stat --format=%i objects/*.d) " /proc/locks; }
      """
    let outcome = try await Launcher.bash("/bin/bash", ["-euo", "pipefail", "-c", "\(setUp)\n\(commands)"])
    let named = outcome.output.replacingOccurrences(of: folder.replacingOccurrences(of: " ", with: "\\ "), with: "FOLDER")
    return Launcher.Outcome(
      status: outcome.status, output: named.replacingOccurrences(of: folder, with: "FOLDER"), errors: outcome.errors)
  }
}

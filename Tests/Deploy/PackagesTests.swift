import Foundation
import Testing

/// What the launcher does on machines that lack something, with stand-ins for Debian's and Swift's commands.
@Suite("The launcher on a machine that lacks something")
struct PackagesTests {
  @Test(
    "An old Swift is reported with the required version, and one that does not run with its output",
    arguments: [
      ("echo 'Swift version 6.2.4 (swift-6.2.4-RELEASE)'", "Swift 6.2 is too old: Racha needs 6.3 or later"),
      ("echo 'swift-driver version: 1.90 Apple Swift version 5.10 (swiftlang-5.10)'", "Swift 5.10 is too old"),
      ("echo 'libncurses.so.6: cannot open' >&2; exit 127", "Swift does not run: libncurses.so.6: cannot open"),
      ("echo hello", "Swift does not print its version: hello"),
      // These are new enough, and go on to a build that fails.
      ("[ $1 = --version ] && echo 'Swift version 6.3.1 (swift-6.3.1-RELEASE)'", "the build failed"),
      ("[ $1 = --version ] && echo 'Swift version 6.10-dev (LLVM 1, Swift 2)'", "the build failed"),
    ])
  func swiftVersion(swift: String, word: String) async throws {
    try await Machine.with(["swift": swift, "dpkg-query": "printf 'installed %s\\n' \"$@\""]) { machine in
      let outcome = try await machine.up()
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains(word), "\(outcome.errors)")
    }
  }

  @Test("The launcher installs missing packages, and if that fails reports which ones and what it needs")
  func missingPackages() async throws {
    let refusing = """
      echo "apt-get $*" >>"$(dirname "$0")/asked"
      exit 100
      """
    // Whoever runs this without being root has a sudo.
    let sudo = "[ \"$1\" != -n ] || shift; exec \"$@\""
    try await Machine.with(["swift": "exit 1", "dpkg-query": "exit 1", "apt-get": refusing, "sudo": sudo]) { machine in
      let outcome = try await machine.up()
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("apt-get update failed; trying with the present lists"))
      #expect(outcome.errors.contains("racha: could not install: "))
      #expect(outcome.errors.contains("it needs the network"))
      let asked = try String(contentsOfFile: "\(machine.commands)/asked", encoding: .utf8).split(separator: "\n")
      #expect(asked.count == 2)
      #expect(asked.last?.contains("install --yes --no-install-recommends") == true)
      // The toolchain's own needs, and a library's headers.
      for package in ["binutils", "libstdc++-12-dev", "libzmq3-dev"] {
        #expect(asked.last?.contains(" \(package)") == true, "\(package)")
      }
    }
  }

  @Test("The launcher refuses a home that is a file")
  func homeIsFile() async throws {
    try await Machine.with([:]) { machine in
      try Data().write(to: URL(fileURLWithPath: machine.home))
      let outcome = try await machine.up()
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("the home folder \(machine.home) is not a folder"))
    }
  }
}

/// A machine whose commands named are these scripts.
private struct Machine: Sendable {
  let folder: String
  var commands: String { "\(folder)/commands" }
  var home: String { "\(folder)/home" }

  static func with(_ commands: [String: String], _ body: (Machine) async throws -> Void) async throws {
    let machine = Machine(folder: "/tmp/racha-deploy-\(UInt32.random(in: .min ... .max))")
    try FileManager.default.createDirectory(atPath: machine.commands, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: machine.folder) }
    for (name, script) in commands {
      let file = "\(machine.commands)/\(name)"
      try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(fileURLWithPath: file))
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
    }
    try await body(machine)
  }

  func up() async throws -> Launcher.Outcome {
    let path = "\(commands):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
    return try await Launcher.bash("\(Launcher.package)/deploy/racha", ["up", "--home", home], ["PATH": path])
  }
}

import Foundation
import Testing

@Suite("The launcher's command line")
struct CommandLineTests {
  @Test(
    "The launcher ends with status 2 and a message for arguments that it does not know",
    arguments: [
      (["fly"], "there is no command \"fly\""),
      (["up", "--speed", "9"], "unknown option --speed"),
      (["up", "--http", "0"], "--http must be a port from 1 to 65535"),
      (["up", "--tcp=65536"], "--tcp must be a port from 1 to 65535"),
      (["up", "--http", "9000", "--tcp", "9000"], "both are 9000"),
      (["up", "--home"], "--home needs a value"),
      (["up", "now"], "up takes no \"now\""),
      (["down", "--json"], "unknown option --json"),
      (["logs", "postgres"], "there is no service \"postgres\""),
      (["backup"], "backup needs the folder"),
      (["test", "--fast"], "test takes no \"--fast\""),
    ])
  func misuse(arguments: [String], word: String) async throws {
    let home = "/tmp/racha-deploy-\(UInt32.random(in: .min ... .max))"
    let outcome = try await Launcher.bash(
      "\(Launcher.package)/deploy/racha", arguments, ["RACHA_BIN": Launcher.standIns, "RACHA_HOME": home])
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains(word))
    #expect(!FileManager.default.fileExists(atPath: home))
  }

  @Test("The launcher's help goes to standard output, and the help after an unknown command to standard error")
  func help() async throws {
    let asked = try await Launcher.bash("\(Launcher.package)/deploy/racha", ["help"])
    #expect(asked.status == 0)
    for command in ["up", "down", "status", "logs", "restart", "test", "bench", "faults", "demo", "backup", "restore", "keys"] {
      #expect(asked.output.contains("\n  \(command) ") || asked.output.contains("\n  \(command)\n"), "\(command)")
    }
    for arguments in [
      ["up", "--help"], ["down", "-h"], ["status", "--json", "--help"], ["demo", "--help"], ["backup", "--help"],
    ] {
      let published = try await Launcher.bash("\(Launcher.package)/deploy/racha", arguments)
      #expect(published.status == 0 && published.output == asked.output, "\(arguments)")
    }
    let wrong = try await Launcher.bash("\(Launcher.package)/deploy/racha", ["fly"])
    #expect(wrong.output.isEmpty)
    #expect(wrong.errors.contains("usage:"))
  }

  @Test("The launcher refuses a home folder whose sockets would have too long a path before anything is made")
  func longPath() async throws {
    let longest = "/tmp/" + String(repeating: "x", count: 107 - "/tmp/".count - "/sockets/notifications.requests".count)
    let tooLong = try await Launcher.bash("\(Launcher.package)/deploy/racha", ["up", "--home", longest + "x"])
    #expect(tooLong.status == 1)
    #expect(tooLong.errors.contains("it may have 76 bytes and has 77"))
    #expect(!FileManager.default.fileExists(atPath: longest + "x"))
    let fits = try await Launcher.bash("\(Launcher.package)/deploy/racha", ["status", "--home", longest])
    #expect(fits.status == 3)
  }

  @Test("A symbolic link to the launcher works from any folder")
  func link() async throws {
    let link = "/tmp/racha-deploy-\(UInt32.random(in: .min ... .max))"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "\(Launcher.package)/deploy/racha")
    defer { try? FileManager.default.removeItem(atPath: link) }
    #expect(try await Launcher.bash(link, ["help"]).status == 0)
  }

  @Test("The launcher's commands that need a cluster say that none runs")
  func noCluster() async throws {
    try await Launcher.with { launcher in
      let status = try await launcher.status()
      #expect(status.state == "stopped")
      #expect(status.services.map(\.name) == Launcher.services)
      #expect(!status.services.contains { $0.running })
      for command in ["restart", "demo"] {
        let outcome = try await launcher.run(command)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("no cluster runs in \(launcher.home)"))
      }
      #expect(try await launcher.run("down").status == 0)
      #expect(!FileManager.default.fileExists(atPath: launcher.home))
    }
  }
}

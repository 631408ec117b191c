import Foundation
import Testing

extension Clusters {
  /// racha-demo and racha-admin, and what the real services say of their settings.
  @Suite(
    "The launcher's tools",
    .enabled(if: ProcessInfo.processInfo.environment["RACHA_TEST_BIN"] != nil, "RACHA_TEST_BIN names no executables"))
  struct ToolsTests {
    private static let openssl = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

    /// As it was built with the tests, beside them: where the other programs lie it may be of an earlier day.
    private static let demo = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent("racha-demo").path

    private func binaries() throws -> String { try #require(ProcessInfo.processInfo.environment["RACHA_TEST_BIN"]) }

    /// A folder in a home, with links to the programs of a cluster and to the demo.
    private func programs(in home: String) throws -> String {
      let (files, folder, binaries) = (FileManager.default, "\(home)/programs", try binaries())
      try files.createDirectory(atPath: folder, withIntermediateDirectories: false)
      for name in try files.contentsOfDirectory(atPath: binaries) where name != "racha-demo" {
        try files.createSymbolicLink(atPath: "\(folder)/\(name)", withDestinationPath: "\(binaries)/\(name)")
      }
      try files.createSymbolicLink(atPath: "\(folder)/racha-demo", withDestinationPath: Self.demo)
      return folder
    }

    @Test(
      "The demo fills a cluster whose certificate is unknown, and publishes its offers once",
      .enabled(if: openssl, "needs /usr/bin/openssl"))
    func demo() async throws {
      try await Launcher.with { plain in
        var launcher = plain
        try await makeCertificate(in: launcher.home)
        launcher.environment["RACHA_BIN"] = try programs(in: launcher.home)
        launcher.environment["RACHA_TLS_CERTIFICATE_FILE"] = "\(launcher.home)/chain.pem"
        launcher.environment["RACHA_TLS_KEY_FILE"] = "\(launcher.home)/key.pem"
        try Data(#"{"racha":{"bogus":1,"smtp":{"connections":1}}}"#.utf8)
          .write(to: URL(fileURLWithPath: "\(launcher.home)/racha.json"))
        let up = try await launcher.up()
        #expect(up.status == 0, "\(up.errors)")
        let unknown = try await launcher.run("logs", "gateway").output.split(separator: "\n").filter {
          $0.contains("an unknown setting is ignored")
        }
        #expect(unknown.count == 1 && unknown[0].contains("\"key\":\"racha.bogus\""))

        let url = "https://127.0.0.1:\(launcher.httpPort)"
        // The address of the mailbox opens it, once with the code and then by the cookie; without it nothing does.
        let mailbox = try #require(up.output.firstMatch(of: /mails +(https:\S+\/mailbox\?code=\S{43})\n/)?.1)
        #expect(mailbox.hasPrefix(url))
        let opened = try await Launcher.bash(
          "/bin/bash",
          [
            "-c",
            "curl -skL -c '\(launcher.home)/jar' -o /dev/null -o /dev/null -w '%{http_code} ' '\(mailbox)' '\(url)/mailbox'; curl -sk -o /dev/null -w '%{http_code}' \(url)/mailbox",
          ])
        #expect(opened.output == "200 200 403", "\(opened.output) \(opened.errors)")
        let begin = ContinuousClock.now
        let careful = try await Launcher.bash(Self.demo, ["--http", url, "--home", launcher.home])
        #expect(careful.status == 1)
        #expect(
          careful.errors.hasPrefix("Error: There is no answer from \(url). Its certificate is not one"), "\(careful.errors)")
        #expect(careful.errors.contains("--insecure"))
        #expect(ContinuousClock.now - begin < .seconds(10))

        var said = ""
        for _ in 0..<2 {
          let demo = try await launcher.run("demo")
          #expect(demo.status == 0, "\(demo.errors)")
          said = demo.output
        }
        let login = try #require(said.firstMatch(of: /"login":"([^"]+)"/)?.1)
        let offers = try await Launcher.bash(
          "/bin/bash",
          [
            "-c",
            """
            token=$(curl -sk \(url)/v1/sessions -H 'Content-Type: application/json' \
              -d '{"login":"\(login)","password":"Racha-demo-2026!"}' | sed 's/.*"accessToken":"\\([^"]*\\)".*/\\1/')
            curl -sk \(url)/v1/offers -H "Authorization: Bearer $token"
            """,
          ])
        #expect(offers.output.matches(of: /"title":"Yoga trial"/).count == 1, "\(offers.output)")
      }
    }

    @Test("The launcher reports a broken file of settings by path and position when nothing starts")
    func brokenSettings() async throws {
      try await Launcher.with(binaries: try binaries()) { launcher in
        try FileManager.default.createDirectory(atPath: launcher.home, withIntermediateDirectories: true)
        try Data("{\"racha\":\n  oops}".utf8).write(to: URL(fileURLWithPath: "\(launcher.home)/racha.json"))
        let up = try await launcher.up()
        #expect(up.status == 1)
        #expect(up.errors.contains("\(launcher.home)/racha.json: This is not acceptable JSON: line 2, byte 3"), "\(up.errors)")
      }
    }

    @Test("The launcher's tools report failures in sentences")
    func failures() async throws {
      let home = "/tmp/racha-deploy-\(UInt32.random(in: .min ... .max))"
      defer { try? FileManager.default.removeItem(atPath: home) }
      try FileManager.default.createDirectory(atPath: "\(home)/stores", withIntermediateDirectories: true)
      try FileManager.default.createDirectory(atPath: "\(home)/keys", withIntermediateDirectories: true)
      try Data("no store".utf8).write(to: URL(fileURLWithPath: "\(home)/stores/identity.sqlite"))
      try Data("no key".utf8).write(to: URL(fileURLWithPath: "\(home)/keys/gateway.key"))
      let port = try Launcher.freePorts(1)[0]
      for (program, arguments, words) in [
        ("racha-admin", ["backup", "\(home)/copies"], "notifications could not be copied: the cluster does not answer"),
        ("racha-admin", ["backup", "/proc/nowhere"], "the folder /proc/nowhere cannot be made: "),
        ("racha-admin", ["administrator", "ana"], "the cluster does not answer"),
        ("racha-admin", ["restore-epochs"], "the store \(home)/stores/identity.sqlite cannot be taken over"),
        ("racha-admin", ["keys", "\(home)/keys"], "\(home)/keys/gateway.key holds no secret key of the bus"),
        ("racha-admin", ["keys", "\(home)/keys/gateway.key"], "the keys could not be made"),
        (
          "racha-demo", ["--http", "http://127.0.0.1:\(port)"], "There is no answer from http://127.0.0.1:\(port). Nobody listens"
        ),
      ] {
        let path = program == "racha-demo" ? Self.demo : "\(try binaries())/\(program)"
        let outcome = try await Launcher.bash(path, arguments, ["RACHA_HOME": home])
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasPrefix("Error: ") && outcome.errors.contains(words), "\(arguments): \(outcome.errors)")
        #expect(!outcome.errors.contains("(code:") && !outcome.errors.contains("Usage:") && !outcome.errors.contains("Domain="))
      }
    }

    /// Signed by itself, for a name that nobody asks for.
    private func makeCertificate(in home: String) async throws {
      try FileManager.default.createDirectory(
        atPath: home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      let made = try await Launcher.bash(
        "/usr/bin/openssl",
        [
          "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1", "-subj",
          "/CN=racha.example", "-keyout", "\(home)/key.pem", "-out", "\(home)/chain.pem",
        ])
      try #require(made.status == 0, "\(made.errors)")
    }
  }
}

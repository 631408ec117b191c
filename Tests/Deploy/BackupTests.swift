import Foundation
import Testing

extension Clusters {
  /// Backup and restore as the launcher does its part of them; racha-admin is a stand-in.
  @Suite("Backup and restore")
  struct BackupTests {
    @Test("The backup of a running cluster brings stores and keys back, in new epochs, and keeps what it replaced")
    func backAndForth() async throws {
      try await withBackup { launcher, backup in
        #expect(Set(try FileManager.default.contentsOfDirectory(atPath: backup)) == ["keys", "manifest", "settings", "stores"])
        let key = try FileManager.default.attributesOfItem(atPath: "\(backup)/keys/identity.secret")
        #expect(key[.posixPermissions] as? Int == 0o600)

        try write("later", "\(launcher.home)/stores/identity.sqlite")
        try write("later", "\(launcher.home)/keys/identity.secret")
        try write("{ }", "\(launcher.home)/racha.json")
        try FileManager.default.removeItem(atPath: "\(launcher.home)/offers.json")
        let restore = try await launcher.run("restore", backup)
        #expect(restore.status == 0, "\(restore.errors)")
        #expect(try read("\(launcher.home)/racha.json") == "{}")
        #expect(try read("\(launcher.home)/offers.json") == #"{"offers":[]}"#)
        #expect(try read("\(launcher.home)/stores/identity.sqlite") == "identity's data\nnew epoch\n")
        #expect(try read("\(launcher.home)/keys/identity.secret") == "a secret")
        let replaced = try #require(try FileManager.default.contentsOfDirectory(atPath: "\(launcher.home)/replaced").first)
        #expect(try read("\(launcher.home)/replaced/\(replaced)/stores/identity.sqlite") == "later")
        #expect(try read("\(launcher.home)/replaced/\(replaced)/settings/racha.json") == "{ }")
        #expect(try read("\(launcher.home)/last-backup") == "\(backup)\n")
        #expect(try await launcher.status().state == "ready", "it ran before and runs again")
      }
    }

    @Test("Restoring a backup of an earlier release, without settings, keeps the existing ones")
    func withoutSettings() async throws {
      try await withBackup { launcher, backup in
        let earlier = "cd \(backup) && rm -r settings && sed -i '/settings/d' manifest"
        #expect(try await Launcher.bash("/bin/bash", ["-c", earlier]).status == 0)
        try write("{ }", "\(launcher.home)/racha.json")
        let restore = try await launcher.run("restore", backup)
        #expect(restore.status == 0, "\(restore.errors)")
        #expect(try read("\(launcher.home)/racha.json") == "{ }")
        #expect(try read("\(launcher.home)/offers.json") == #"{"offers":[]}"#)
      }
    }

    @Test(
      "Files attached to tasks are backed up and restored; existing ones are kept aside, and none is removed meanwhile"
    )
    func attachments() async throws {
      try await withBackup { launcher, earlier in
        #expect(!FileManager.default.fileExists(atPath: "\(earlier)/attachments"), "there were none")
        let contents = "\(launcher.home)/attachments/contents"
        try FileManager.default.createDirectory(atPath: "\(contents)/ab", withIntermediateDirectories: true)
        try write("a file", "\(contents)/ab/abcd")
        try FileManager.default.createDirectory(atPath: "\(launcher.home)/attachments/uploads", withIntermediateDirectories: true)
        try write("on its way", "\(launcher.home)/attachments/uploads/1")
        try launcher.instruct("racha-admin", "notes-lock")
        let backup = "\(launcher.home)/backup-2"
        #expect(try await launcher.run("backup", backup).status == 0)
        #expect(try read("\(launcher.home)/stand-ins/racha-admin.lock") == "held\n")
        #expect(try read("\(backup)/attachments/contents/ab/abcd") == "a file")
        #expect(!FileManager.default.fileExists(atPath: "\(backup)/attachments/uploads"))
        #expect(try read("\(backup)/manifest").contains("attachments/contents/ab/abcd"))

        try write("another", "\(contents)/ab/abce")
        try FileManager.default.removeItem(atPath: "\(contents)/ab/abcd")
        let restore = try await launcher.run("restore", backup)
        #expect(restore.status == 0, "\(restore.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(contents)/ab") == ["abcd"])
        let replaced = try #require(try FileManager.default.contentsOfDirectory(atPath: "\(launcher.home)/replaced").first)
        #expect(try read("\(launcher.home)/replaced/\(replaced)/attachments/contents/ab/abce") == "another")

        // Where the stores cannot be taken over, the files are those of before, too.
        try launcher.instruct("racha-admin", "fails")
        #expect(try await launcher.run("restore", earlier).status == 1)
        #expect(try read("\(contents)/ab/abcd") == "a file")
      }
    }

    @Test("A backup needs a new folder")
    func existing() async throws {
      try await withBackup { launcher, backup in
        let again = try await launcher.run("backup", backup)
        #expect(again.status == 1)
        #expect(again.errors.contains("already exists"))
      }
    }

    @Test(
      "A damaged backup is refused, and the cluster goes on untouched",
      arguments: [
        ("printf x >>stores/identity.sqlite", "stores/identity.sqlite: FAILED"),
        ("rm stores/activity.sqlite", "stores/activity.sqlite: FAILED open or read"),
        ("printf x >stores/foreign.sqlite", "stores/foreign.sqlite"),
        ("printf x >>settings/racha.json", "settings/racha.json: FAILED"),
        ("mkdir attachments && printf x >attachments/foreign", "attachments/foreign"),
        ("rm manifest", "it has no manifest"),
      ])
    func damaged(damage: String, word: String) async throws {
      try await withBackup { launcher, backup in
        #expect(try await Launcher.bash("/bin/bash", ["-c", "cd \(backup) && \(damage)"]).status == 0)
        let before = try await launcher.status()
        let restore = try await launcher.run("restore", backup)
        #expect(restore.status == 1)
        #expect(restore.errors.contains(word))
        let after = try await launcher.status()
        #expect(before.services.map(\.pid) == after.services.map(\.pid))
      }
    }

    @Test("A restore whose stores cannot be taken over puts the former ones back")
    func failing() async throws {
      try await withBackup { launcher, backup in
        try write("later", "\(launcher.home)/stores/identity.sqlite")
        try write("{ }", "\(launcher.home)/racha.json")
        try launcher.instruct("racha-admin", "fails")
        let restore = try await launcher.run("restore", backup)
        #expect(restore.status == 1)
        #expect(restore.errors.contains("the former ones are back in place"))
        #expect(try read("\(launcher.home)/stores/identity.sqlite") == "later")
        #expect(try read("\(launcher.home)/racha.json") == "{ }")
        #expect(try await launcher.up().status == 0)
      }
    }

    @Test("A restore whose stores do not start puts the former ones back, and they run")
    func notStarting() async throws {
      try await withBackup { launcher, backup in
        try write("later", "\(launcher.home)/stores/identity.sqlite")
        try write("a later secret", "\(launcher.home)/keys/identity.secret")
        try write("{ }", "\(launcher.home)/racha.json")
        // What was backed up is what identity cannot start from.
        try launcher.instruct("identity", "refuses", "identity's data")
        let restore = try await launcher.run("restore", backup)
        #expect(restore.status == 1)
        #expect(restore.errors.contains("the restored stores did not start"))
        #expect(restore.errors.contains("a stand-in that cannot read its store"), "the reason is shown")
        #expect(try read("\(launcher.home)/stores/identity.sqlite") == "later")
        #expect(try read("\(launcher.home)/keys/identity.secret") == "a later secret")
        #expect(try read("\(launcher.home)/racha.json") == "{ }")
        #expect(try await launcher.status().state == "ready")
        // Nothing of either is lost.
        let replaced = try #require(try FileManager.default.contentsOfDirectory(atPath: "\(launcher.home)/replaced").first)
        let refused = "\(launcher.home)/replaced/\(replaced)/refused"
        #expect(try read("\(refused)/stores/identity.sqlite") == "identity's data\nnew epoch\n")
        #expect(try read("\(refused)/keys/identity.secret") == "a secret")
        #expect(try read("\(refused)/settings/racha.json") == "{}")
        #expect(try await launcher.run("down").status == 0)
        #expect(try await launcher.up().status == 0)
      }
    }

    @Test("The launcher's up refuses to start after an interrupted restore until it is repeated")
    func cutOff() async throws {
      try await withBackup { launcher, backup in
        #expect(try await launcher.run("down").status == 0)
        try FileManager.default.createDirectory(atPath: "\(launcher.home)/restoring", withIntermediateDirectories: true)
        let up = try await launcher.up()
        #expect(up.status == 1)
        #expect(up.errors.contains("was interrupted"))
        #expect(try await launcher.run("restore", backup).status == 0)
        #expect(try await launcher.up().status == 0)
      }
    }

    /// A running cluster with two stores and a key, and a backup of it.
    private func withBackup(_ body: (Launcher, String) async throws -> Void) async throws {
      try await Launcher.with { launcher in
        #expect(try await launcher.up().status == 0)
        try write("identity's data\n", "\(launcher.home)/stores/identity.sqlite")
        try write("activity's data\n", "\(launcher.home)/stores/activity.sqlite")
        try write("a secret", "\(launcher.home)/keys/identity.secret")
        try write("{}", "\(launcher.home)/racha.json")
        try write(#"{"offers":[]}"#, "\(launcher.home)/offers.json")
        let backup = "\(launcher.home)/backup"
        let outcome = try await launcher.run("backup", backup)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("keys"))
        try await body(launcher, backup)
      }
    }

    private func write(_ text: String, _ path: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }
    private func read(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }
  }
}

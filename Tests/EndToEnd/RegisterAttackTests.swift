import Client
import Cluster
import Foundation
import GRDB
import IdentityContract
import Operations
import SocialContract
import Testing

/// What whoever runs a cluster can do to its register, with the store and all keys in hand, found by who reads it from outside (TASK-9).
@Suite("Attacks on a register, found by racha-admin", .serialized, .timeLimit(.minutes(5)))
struct RegisterAttackTests {
  /// A cluster with some leaves, and what a verifier remembers of it.
  private struct Scene {
    let cluster: RunningCluster
    let ana: Member
    let folder: URL

    var url: String { "\(cluster.url)/register" }
    var memory: String { folder.appending(path: "memory").path }
    private var store: String { "\(cluster.home)/stores/social.sqlite" }

    func confirmTask() async throws {
      let task = try await ana.client.callUntilDone(
        CreateTask.self, .init(name: TaskName(text: "Paint"), participants: []), idempotencyKey: "\(UUID())")
      _ = try await ana.client.callUntilDone(ConfirmTaskCompletion.self, .init(taskID: task.id))
    }

    /// How many leaves the checkpoint covers.
    func size() async throws -> Int { try await cluster.client.callUntilDone(ProveRegisterConsistency.self, .init(from: 0)).to }

    func covered(_ count: Int) async throws {
      let size = try await eventually {
        try await self.size()
      } until: {
        $0 >= count
      }
      #expect(size == count)
    }

    /// Stops social, does something with its file, and starts it again.
    func whileStopped(_ body: (_ store: String) throws -> Void) async throws {
      cluster.hold(.social)
      // The end of a process is waited for; there is nothing that reports it.
      while cluster.processID(.social) != 0 { try await Task.sleep(for: .milliseconds(5)) }
      try body(store)
      try cluster.release(.social)
      try await cluster.waitUntilReady()
    }

    /// Keeps the store as it is, or puts it back.
    func copy(from name: String, to other: String, _ store: String) throws {
      for suffix in ["", "-wal", "-shm"] {
        let (source, target) = (path(name, store) + suffix, path(other, store) + suffix)
        if FileManager.default.fileExists(atPath: target) { try FileManager.default.removeItem(atPath: target) }
        if FileManager.default.fileExists(atPath: source) { try FileManager.default.copyItem(atPath: source, toPath: target) }
      }
    }

    private func path(_ name: String, _ store: String) -> String { name == "store" ? store : folder.appending(path: name).path }

    func verify() throws -> (status: Int32, said: String) { try RegisterCommand.run("verify", url, "--checkpoint", memory) }
  }

  private func scene(_ body: (Scene) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "register-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let cluster = try RunningCluster(settings: Play.settings)
    defer { cluster.stop() }
    try await cluster.start()
    let ana = try await cluster.join("ana", password: "Rio-7-lento")
    let scene = Scene(cluster: cluster, ana: ana, folder: folder)
    // The account's own leaf is the first.
    try await scene.covered(1)
    for _ in 0..<3 { try await scene.confirmTask() }
    try await scene.covered(7)
    #expect(try scene.verify().status == 0)
    try await body(scene)
  }

  /// What is done to the store, with the triggers gone that keep others from it.
  private enum Attack: String, CaseIterable {
    case changedWhereServed, changed, removed, addedInThePast, exchanged, rewound

    /// Makes what is left over to be hashed and signed anew by the service itself.
    private static let again = """
      DELETE FROM register_tiles; DELETE FROM register_checkpoints; DELETE FROM register_people; DELETE FROM register_records;
      """

    var sql: String {
      switch self {
      case .changedWhereServed: "UPDATE register_leaves SET entry = replace(entry, 'T', 'U') WHERE number = 3;"
      case .changed: "UPDATE register_leaves SET entry = replace(entry, 'T', 'U') WHERE number = 3;" + Self.again
      case .removed:
        """
        DELETE FROM register_leaves WHERE number = 3;
        UPDATE register_leaves SET number = number - 1 WHERE number > 3;
        """ + Self.again
      case .addedInThePast:
        """
        UPDATE register_leaves SET number = -number - 1 WHERE number >= 3;
        UPDATE register_leaves SET number = -number WHERE number < 0;
        INSERT INTO register_leaves (number, entry) SELECT 3, replace(entry, 'T', 'U') FROM register_leaves WHERE number = 2;
        """ + Self.again
      case .exchanged:
        """
        UPDATE register_leaves SET number = 1000 WHERE number = 3;
        UPDATE register_leaves SET number = 3 WHERE number = 4;
        UPDATE register_leaves SET number = 4 WHERE number = 1000;
        """ + Self.again
      case .rewound: "DELETE FROM register_leaves WHERE number >= 5;" + Self.again
      }
    }

    /// What the verifier says, while as many leaves are there as it leaves, and when others have come.
    var finding: String {
      switch self {
      case .changedWhereServed: "entry 3 is not the one whose hash the tree has"
      case .changed, .exchanged: "is forked"
      case .removed, .rewound: "was rewound"
      case .addedInThePast: "was rewritten"
      }
    }

    var findingLater: String { self == .changedWhereServed ? finding : "was rewritten" }

    func apply(to path: String) throws {
      var configuration = Configuration()
      configuration.foreignKeysEnabled = false
      let store = try DatabaseQueue(path: path, configuration: configuration)
      try store.write { database in
        let triggers = try String.fetchAll(
          database, sql: "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'register_%'")
        for trigger in triggers { try database.execute(sql: "DROP TRIGGER \(trigger)") }
        // The number's own check, for the numbers that leaves have on their way.
        try database.execute(sql: "PRAGMA ignore_check_constraints = ON")
        try database.execute(sql: sql)
      }
      try store.close()
    }
  }

  @Test("Leaves changed, removed, backdated, exchanged or rewound in the store are detected, also after new ones came")
  func store() async throws {
    try await scene { scene in
      try await scene.whileStopped { try scene.copy(from: "store", to: "honest", $0) }
      #expect(try scene.verify().status == 0)
      for attack in Attack.allCases {
        try await scene.whileStopped { store in
          try scene.copy(from: "honest", to: "store", store)
          try attack.apply(to: store)
        }
        let left = attack == .removed ? 6 : attack == .rewound ? 5 : attack == .addedInThePast ? 8 : 7
        try await scene.covered(left)
        let first = try scene.verify()
        #expect(first.status == 1 && first.said.contains(attack.finding), "\(attack): \(first)")
        for _ in 0..<2 { try await scene.confirmTask() }
        try await scene.covered(left + 4)
        let later = try scene.verify()
        #expect(later.status == 1 && later.said.contains(attack.findingLater), "\(attack): \(later)")
      }
      try await scene.whileStopped { try scene.copy(from: "honest", to: "store", $0) }
      let (status, said) = try scene.verify()
      #expect(status == 0, "\(said)")
    }
  }

  @Test(
    "A log that shows two histories is detected with the other's checkpoint, also with the one of a notification alone")
  func forked() async throws {
    try await scene { scene in
      try await scene.whileStopped { try scene.copy(from: "store", to: "fork", $0) }
      for _ in 0..<2 { try await scene.confirmTask() }
      try await scene.covered(11)
      #expect(try scene.verify().status == 0)
      let note = try await scene.cluster.client.callUntilDone(ProveRegisterInclusion.self, .init(number: 10)).checkpoint
      let alone = scene.folder.appending(path: "note").path
      // To somebody else the other history is shown.
      try await scene.whileStopped { try scene.copy(from: "fork", to: "store", $0) }
      for _ in 0..<3 { try await scene.confirmTask() }
      try await scene.covered(13)
      let theirs = try scene.verify()
      #expect(theirs.status == 1 && theirs.said.contains("was rewritten"), "\(theirs)")
      try Data(note.utf8).write(to: URL(filePath: alone))
      let kept = try RegisterCommand.run("verify", scene.url, "--checkpoint", alone)
      #expect(kept.status == 1 && kept.said.contains("was rewritten"), "\(kept)")
    }
  }

  @Test("A register signed by an unknown key is detected, and a next key named by a leaf is trusted from then on")
  func keys() async throws {
    try await scene { scene in
      let keys = "\(scene.cluster.home)/keys"
      try await scene.whileStopped { _ in try FileManager.default.moveItem(atPath: "\(keys)/register", toPath: "\(keys)/kept") }
      let foreign = try scene.verify()
      #expect(foreign.status == 1 && foreign.said.contains("not signed by any key"), "\(foreign)")
      try await scene.whileStopped { _ in
        try FileManager.default.moveItem(atPath: "\(keys)/register", toPath: "\(keys)/register-2")
        try FileManager.default.moveItem(atPath: "\(keys)/kept", toPath: "\(keys)/register")
      }
      // A leaf named it when it signed alone, and another one when the first key was back.
      let both = try scene.verify()
      #expect(both.status == 0, "\(both)")
      try await scene.whileStopped { _ in try FileManager.default.removeItem(atPath: "\(keys)/register") }
      let next = try scene.verify()
      #expect(next.status == 0 && next.said.contains("all is well"), "\(next)")
    }
  }

  @Test("A register restored from a backup says so and is followed to its new address; one restored by hand is detected")
  func restored() async throws {
    try await scene { scene in
      let backup = scene.folder.appending(path: "backup").path
      try scene.cluster.administer("backup", backup)
      for _ in 0..<2 { try await scene.confirmTask() }
      try await scene.covered(11)
      #expect(try scene.verify().status == 0)
      try await scene.whileStopped { store in
        try scene.copy(from: "store", to: "later", store)
        try FileManager.default.copyItem(atPath: backup + "/social.sqlite", toPath: scene.folder.appending(path: "copy").path)
        try scene.copy(from: "copy", to: "store", store)
      }
      try await scene.covered(8)
      let (status, said) = try scene.verify()
      #expect(
        status == 0 && said.contains("goes on as after a restore of") && said.contains("8 leaves, 1 of them new"), "\(said)")
      let again = try scene.verify()
      #expect(again.status == 0 && again.said.contains("0 of them new"), "\(again)")
      // Should the log come back that was left, whoever has followed finds it.
      try await scene.whileStopped { try scene.copy(from: "later", to: "store", $0) }
      let back = try scene.verify()
      #expect(back.status == 1 && back.said.contains("This is the log"), "\(back)")
    }
  }

  @Test(
    "An unreadable or damaged file is never treated as a first visit, and an address without an answer is no finding")
  func files() async throws {
    try await scene { scene in
      let good = try Data(contentsOf: URL(filePath: scene.memory))
      let text = String(decoding: good, as: UTF8.self)
      for damaged in ["", "x", String(text.dropLast()), text.replacing("\n7\n", with: "\n6\n"), String(text.dropFirst(10))] {
        try Data(damaged.utf8).write(to: URL(filePath: scene.memory))
        let said = try scene.verify()
        #expect(said.status == 2 && said.said.contains("damaged"), "\(said)")
        #expect(try Data(contentsOf: URL(filePath: scene.memory)) == Data(damaged.utf8))
      }
      let unreadable = scene.folder.appending(path: "folder").path
      try FileManager.default.createDirectory(atPath: unreadable, withIntermediateDirectories: false)
      let said = try RegisterCommand.run("verify", scene.url, "--checkpoint", unreadable)
      #expect(said.status == 2 && said.said.contains("cannot be read"), "\(said)")
      #expect(try RegisterCommand.run("verify", scene.cluster.url, "--checkpoint", scene.memory + "2").status == 2)
      #expect(!FileManager.default.fileExists(atPath: scene.memory + "2"))
    }
  }
}

import Crypto
import Foundation
import GRDB
import IdentityContract
import InProcess
import Operations
import ServiceKit
import SocialContract
import Storage
import Testing
import TransparencyLog

@testable import SocialService

@Suite("The register (TASK-9)")
struct RegisterTests {
  @Test("Tasks, completions, teams and their changes each become one leaf, in order")
  func kinds() async throws {
    try await ServicesInProcess.withPeople(3) { services, people in
      let task = try await services.makeTask(by: people[0], with: [people[1]], key: "once")
      _ = try await services.makeTask(by: people[0], with: [people[1]], key: "once")
      try await people[1].confirm(task)
      try await people[1].confirm(task)
      try await people[1].withdraw(task)
      try await people[1].withdraw(task)
      #expect(try await services.registerKinds() == ["taskCreated", "completionConfirmed", "completionWithdrawn"])
      let names = try services.usernames(of: [people[1], people[2]])
      let team = try await people[0].send(
        CreateTeam.self, .init(name: TeamName(text: "Owls"), usernames: names), key: nil)
      let edit = UpdateTeam.Input(teamID: team.id, name: .set(try TeamName(text: "Night Owls")))
      for _ in 0..<2 { _ = try await people[0].send(UpdateTeam.self, edit) }
      _ = try await people[1].send(LeaveTeam.self, .init(teamID: team.id))
      _ = try await people[0].send(HandOverTeam.self, .init(teamID: team.id, accountID: people[2].id))
      #expect(
        try await services.registerKinds().dropFirst(3)
          == ["teamCreated", "teamChanged", "teamChanged", "teamChanged"])
    }
  }

  @Test("A refused request leaves no leaf")
  func refused() async throws {
    try await ServicesInProcess.withPeople(2) { services, people in
      let task = try await services.makeTask(by: people[0])
      _ = try await people[1].failure(ConfirmTaskCompletion.self, NamedTask(taskID: task.id))
      _ = try await people[0].failure(
        CreateTask.self,
        .init(name: TaskName(text: "No"), description: nil, participants: [Username(text: "nobody")], dueDay: nil))
      #expect(try await services.registerKinds() == ["taskCreated"])
    }
  }

  @Test("Participants notified of a completed task get the last confirmation's leaf, and a checkpoint that covers it")
  func notices() async throws {
    try await ServicesInProcess.withPeople(3) { services, people in
      let task = try await services.makeTask(by: people[0], with: [people[1], people[2]])
      for person in people { try await person.confirm(task) }
      func notices() async throws -> [TaskNoticeCreated] {
        try await services.published(TaskNoticeCreated.self).filter { $0.notice == .completed }
      }
      let store = services.store(of: .social)
      try await store.until { try await notices().count >= 2 }
      let completed = try await notices()
      #expect(Set(completed.map(\.accountID)) == [people[0].id, people[1].id] && completed.count == 2)
      for notice in completed {
        let note = try SignedNote(parsing: Array(try #require(notice.checkpoint).utf8))
        #expect(try note.verify(by: try await services.registerKeys()).count == 1)
        let (checkpoint, leaf) = (try Checkpoint(text: note.text), try #require(notice.leafNumber))
        #expect(try await services.registerKinds()[leaf] == "completionConfirmed")
        #expect(leaf == 3 && checkpoint.size == 4)
      }
      #expect(try await store.rows("register_notices") == 0)
      // If the checkpoint already covers the leaf, as when the last one missing leaves later, the notice is sent at once.
      let other = try await services.makeTask(by: people[0], with: [people[1]])
      try await people[0].confirm(other)
      _ = try await services.registered(6)
      _ = try await people[1].send(OptOutOfTask.self, .init(taskID: other.id, confirm: true))
      let last = try #require(try await notices().last)
      #expect(last.taskID == other.id && last.leafNumber == 5 && last.checkpoint != nil)
    }
  }

  @Test("Checkpoint, tiles and entries of hundreds of leaves form one tree, in which each leaf and checkpoint is proven")
  func tree() async throws {
    try await ServicesInProcess.withPeople(1) { services, people in
      let first = try await services.makeTask(by: people[0], with: [])
      let early = try await services.registered(1)
      let others = try await register(600, of: first, services)
      let (checkpoint, note) = try await services.registered(1 + others)
      #expect(checkpoint.size == 601 && checkpoint.origin == "127.0.0.1:8080/register" && checkpoint.extensions.isEmpty)
      #expect(try note.verify(by: try await services.registerKeys()).count == 1)
      let entries = try await services.registerEntries(601)
      var edge = TileEdge()
      var tiles: [Tile: [TreeHash]] = [:]
      for entry in entries { edge.append(.leaf(entry)) { tiles[$0] = $1 } }
      #expect(edge.root == checkpoint.root)
      for (tile, hashes) in edge.tiles { tiles[tile] = hashes }
      for tile in Tile.all(in: 601) {
        let path = String(TilePath.hashes(tile).description.dropFirst(5))
        let file = try await services.call(GetRegisterTile.self, .init(path: path), as: .nobody)
        #expect(try TileHashes.decoded(file.content.bytes, width: tile.width) == tiles[tile])
        #expect(file.isImmutable == true && file.isPublic == true)
      }
      for number in [0, 1, 255, 256, 600] {
        let proof = try await services.call(ProveRegisterInclusion.self, .init(number: number), as: .nobody)
        let hashes = try proof.hashes.map { try #require(TreeHash(bytes: $0.bytes)) }
        #expect(proof.entry == String(decoding: entries[number], as: UTF8.self))
        try InclusionProof(hashes).verify(.leaf(Array(proof.entry.utf8)), at: number, in: proof.size, root: checkpoint.root)
        let file = try await services.call(GetRegisterProof.self, .init(number: number), as: .nobody)
        try LogProof(parsing: file.content.bytes).verify(
          entries[number], origin: checkpoint.origin, by: try await services.registerKeys())
      }
      let output = try await services.call(ProveRegisterConsistency.self, .init(from: 1), as: .nobody)
      let consistency = ConsistencyProof(try output.hashes.map { try #require(TreeHash(bytes: $0.bytes)) })
      try consistency.verify(from: 1, early.checkpoint.root, to: output.to, checkpoint.root)
    }
  }

  /// Registers completions without their tasks.
  private func register(_ count: Int, of task: SharedTask, _ services: ServicesInProcess) async throws -> Int {
    try await services.store(of: .social).write { transaction in
      for _ in 0..<count { try RegisterStore.append(.completion(.confirmed, of: task.id, by: AccountID()), transaction) }
    }
    return count
  }

  @Test(
    "Missing tiles and invalid paths are not found",
    arguments: [
      "0/000", "0/001", "0/000.p/4", "0/000.p/0", "1/000", "1/000.p/1", "entries/000", "entries/001.p/1", "entries/000.p/4",
      "63/000",
      "0/x999/x999/x999/x999/x999/999", "x", "..", "0", "0/", "0//000", "0/000/000", "0/000.p", "0/../0/000.p/3", "entries/٠٠٠",
      "0/000.p/٣", "checkpoint", String(repeating: "x", count: 100),
    ])
  func nonsense(_ path: String) async throws {
    try await ServicesInProcess.withPeople(1) { services, people in
      for _ in 0..<3 { _ = try await services.makeTask(by: people[0]) }
      _ = try await services.registered(3)
      #expect(try await services.refusal(GetRegisterTile.self, .init(path: path), as: .nobody) == "not_found")
      _ = try await services.call(GetRegisterTile.self, .init(path: "0/000.p/2"), as: .nobody)
    }
  }

  @Test("Proofs for leaves and sizes that do not exist are refused by name")
  func outOfRange() async throws {
    try await ServicesInProcess.withPeople(1) { services, people in
      _ = try await services.makeTask(by: people[0])
      _ = try await services.registered(1)
      #expect(try await services.refusal(ProveRegisterInclusion.self, .init(number: 1), as: .nobody) == "not_found")
      #expect(try await services.refusal(GetRegisterProof.self, .init(number: 1), as: .nobody) == "not_found")
      for input in [ProveRegisterConsistency.Input(from: 2), .init(from: 0, to: 2), .init(from: 1, to: 0)] {
        #expect(try await services.refusal(ProveRegisterConsistency.self, input, as: .nobody) == "invalid_fields")
      }
    }
  }

  @Test("Each participant gets a record with its openings, strangers get none, and no leaf names anybody")
  func openings() async throws {
    try await ServicesInProcess.withPeople(3) { services, people in
      let task = try await services.makeTask("Paint", by: people[0], with: [people[1]], description: "PLANTED")
      try await people[1].confirm(task)
      _ = try await services.registered(2)
      let entries = try await services.registerEntries(2)
      for (person, roles) in [(people[0], [RegisterRole.creator]), (people[1], [.participant, .participant])] {
        let records = try await person.send(ListOwnRegisterRecords.self, .init()).items
        #expect(records.map(\.role) == roles)
        for record in records {
          #expect(Array(record.entry.utf8) == entries[record.number])
          #expect(record.entry.contains(Commitment(record.record, salt: record.salt.bytes).description))
          let own = Commitment(#"{"account":"\#(person.id)"}"#, salt: record.ownSalt.bytes)
          #expect(record.record.contains(#"{"commitment":"\#(own)","role":"\#(record.role.rawValue)"}"#))
          for other in people { #expect(!(record.record + record.entry).contains(other.id.description)) }
        }
      }
      #expect(try await people[2].send(ListOwnRegisterRecords.self, .init()).items.isEmpty)
      let shown = entries.map { String(decoding: $0, as: UTF8.self) }.joined()
      #expect(!shown.contains("PLANTED") && !shown.contains(task.id.description))
    }
  }

  @Test("A deleted account's openings are removed from store and files, and every proof stays valid")
  func erased() async throws {
    try await ServicesInProcess.withPeople(2) { services, people in
      let alone = try await services.makeTask("PLANTED alone", by: people[0])
      let shared = try await services.makeTask("Shared", by: people[0], with: [people[1]])
      try await people[0].confirm(shared)
      let before = try await services.registered(3)
      let salts = try await people[0].send(ListOwnRegisterRecords.self, .init()).items.map(\.ownSalt.bytes)
      #expect(salts.count == 3 && alone.id != shared.id)
      try await services.publish(.identity, AccountDeleted(deletionID: ID(), accountID: people[0].id, at: .now))
      let store = services.store(of: .social)
      try await store.hasErased(people[0].id)
      try await store.clean()
      let kept = try await people[1].send(ListOwnRegisterRecords.self, .init()).items
      #expect(kept.map(\.number) == [1])
      try expectStored(nothingOf: salts, "PLANTED", but: kept[0].ownSalt.bytes, Data(try services.storedBytes()))
      // A backup that is made now has nothing of it either.
      let copy = services.home.path + "/copy.sqlite"
      _ = try await store.copy(try await store.hold(), to: copy)
      let copied = try Data(contentsOf: URL(filePath: copy))
      try expectStored(nothingOf: salts, "PLANTED", but: kept[0].ownSalt.bytes, copied)
      let records = try await store.read { try Int.fetchAll($0, sql: "SELECT number FROM register_records ORDER BY number") }
      #expect(records == [1])
      try await expectProof(of: 0, asBefore: before.checkpoint, services)
    }
  }

  /// Looks for what was deleted in files.
  private func expectStored(nothingOf salts: [[UInt8]], _ text: String, but kept: [UInt8], _ bytes: Data) throws {
    for salt in salts { #expect(bytes.range(of: Data(salt)) == nil) }
    #expect(bytes.range(of: Data(text.utf8)) == nil)
    #expect(bytes.range(of: Data(kept)) != nil)
  }

  /// Proves a leaf in the tree, which is still what it was.
  private func expectProof(of leaf: Int, asBefore before: Checkpoint, _ services: ServicesInProcess) async throws {
    let after = try await services.registered(before.size).checkpoint
    #expect(after.root == before.root)
    let proof = try await services.call(GetRegisterProof.self, .init(number: leaf), as: .nobody)
    let (entries, keys) = (try await services.registerEntries(before.size), try await services.registerKeys())
    try LogProof(parsing: proof.content.bytes).verify(entries[leaf], origin: after.origin, by: keys)
  }

  @Test("Leaves added while an account is being erased do not open anything about it")
  func whileErased() async throws {
    try await ServicesInProcess.withPeople(1) { services, people in
      let (store, account) = (services.store(of: .social), people[0].id)
      try await store.write { transaction in
        try transaction.noteErasure(of: account, by: ID<AccountDeleted>(), counts: "{}")
        try RegisterStore.append(.completion(.confirmed, of: ID(), by: account), transaction)
        #expect(try Int.fetchOne(transaction.database, sql: "SELECT count(*) FROM register_people") == 0)
        #expect(try Int.fetchOne(transaction.database, sql: "SELECT count(*) FROM register_records") == 0)
        #expect(try RegisterStore.leafCount(transaction.database) == 1)
      }
    }
  }

  @Test(
    "The store refuses gaps, changes and deletions of leaves and tiles",
    arguments: [
      "INSERT INTO register_leaves (number, entry) VALUES (3, '{}')",
      "INSERT INTO register_leaves (number, entry) VALUES (1, '{}')",
      "INSERT OR REPLACE INTO register_leaves (number, entry) VALUES (0, '{}')", "UPDATE register_leaves SET entry = '{}'",
      "DELETE FROM register_leaves", "UPDATE register_tiles SET hashes = zeroblob(64)",
      "UPDATE register_tiles SET hashes = zeroblob(32)",
      "UPDATE register_tiles SET number = 1", "DELETE FROM register_tiles",
      "UPDATE register_tiles SET hashes = hashes || zeroblob(1)",
    ])
  func invariants(_ sql: String) async throws {
    try await ServicesInProcess.withPeople(1) { services, people in
      for _ in 0..<2 { _ = try await services.makeTask(by: people[0]) }
      _ = try await services.registered(2)
      await #expect(throws: DatabaseError.self) {
        try await services.store(of: .social).write { try $0.database.execute(sql: sql) }
      }
    }
  }

  @Test("After a restart the same log continues, and a new key first signs beside the old one and then alone")
  func restart() async throws {
    let path = "/tmp/racha-in-register-\(UInt64.random(in: .min ... .max))"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let builds: [ServicesInProcess.Build] = [{ Social.service($0) }]
    let task = ID<SharedTask>()
    func run(_ leaves: Int, _ count: Int) async throws -> (Checkpoint, SignedNote, [VerifierKey]) {
      try await ServicesInProcess.running(builds, home: path) { services in
        try await services.store(of: .social).write { transaction in
          for _ in 0..<leaves { try RegisterStore.append(.completion(.confirmed, of: task, by: AccountID()), transaction) }
        }
        let keys = try await services.registerKeys()
        let (checkpoint, note) = try await services.registered(count, signers: keys.count)
        let named = try await services.registerEntries(checkpoint.size).compactMap { LogKeyAddition(entry: $0)?.key }
        #expect(named == (count > 3 ? [try #require(keys.last)] : []))
        return (checkpoint, note, keys)
      }
    }
    let first = try await run(3, 3)
    let second = try await run(0, 3)
    #expect(second.1 == first.1)
    _ = try Home(path: path).secret("register-2")
    // One more leaf names the new key.
    let third = try await run(300, 304)
    #expect(third.2.count == 2 && third.2[0] == first.2[0])
    #expect(try third.1.verify(by: first.2) == first.2)
    #expect(try third.1.verify(by: [third.2[1]]) == [third.2[1]])
    try FileManager.default.removeItem(atPath: path + "/keys/register")
    let fourth = try await run(0, 304)
    #expect(fourth.2 == [third.2[1]] && fourth.0 == third.0 && fourth.1.signatures.count == 1)
  }

  @Test(
    "A log is named after the address where it is served",
    arguments: [
      ("https://racha.example", "racha.example/register"), ("http://127.0.0.1:8080/", "127.0.0.1:8080/register"),
      ("https://example.org/a b+c//", "example.org/abc/register"), ("racha.example", "racha.example/register"),
    ])
  func names(_ url: String, _ origin: String) {
    #expect(RegisterOrigin.name(of: url) == origin)
  }
}

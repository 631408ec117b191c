import Foundation
import GRDB
import IdentityContract
import InProcess
import Logging
import Operations
import ServiceKit
import SocialContract
import Storage
import Testing
import TransparencyLog

@testable import SocialService

@Suite("The register in stores of earlier versions (TASK-9)")
struct RegisterUpgradeTests {
  @Test("Tasks from before the register stay as they are, and their later events become leaves")
  func upgraded() async throws {
    let path = "/tmp/racha-in-register-\(UInt64.random(in: .min ... .max))"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let identity = IdentityDouble()
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    // In the first, ben has to confirm yet; in the second, he has to leave.
    let (first, second) = (ID<SharedTask>(), ID<SharedTask>())
    try await plant(path) { transaction in
      for (sequence, task) in [(1, first), (2, second)] {
        try Self.insert(task, sequence, by: ana.account, with: ben.account, transaction.database)
      }
    }
    try await ServicesInProcess.running([{ Social.service($0) }], identity: identity, home: path) { services in
      for account in [ana, ben] { try await services.publish(.identity, account.event) }
      try await services.hasReceived(.social, of: .identity)
      #expect(try await services.registerKinds() == [])
      let (one, other) = (Person(bus: services.gateway, caller: ana.caller), Person(bus: services.gateway, caller: ben.caller))
      #expect(try await one.send(ListTasks.self, .init(state: .open)).items.map(\.id) == [second, first])
      _ = try await other.send(ConfirmTaskCompletion.self, .init(taskID: first))
      _ = try await services.registered(1)
      #expect(try await services.registerKinds() == ["completionConfirmed"])
      #expect(try await one.send(ListOwnRegisterRecords.self, .init()).items.isEmpty)
      #expect(try await other.send(ListOwnRegisterRecords.self, .init()).items.map(\.number) == [0])
      _ = try await other.send(OptOutOfTask.self, .init(taskID: second, confirm: true))
      let store = services.store(of: .social)
      try await store.until { try await services.published(TaskNoticeCreated.self).count { $0.notice == .completed } == 2 }
      let notices = try await services.published(TaskNoticeCreated.self).filter { $0.notice == .completed }
      let leaves = notices.map {
        [$0.taskID == first ? "first" : "second", $0.leafNumber.map(String.init), $0.checkpoint.map { _ in "" }]
      }
      #expect(Set(leaves) == [["first", "0", ""], ["second", nil, nil]] && notices.allSatisfy { $0.accountID == ana.account })
    }
  }

  /// Makes a store by the migrations before the register's.
  private func plant(_ path: String, _ body: @escaping @Sendable (Transaction) throws -> Void) async throws {
    let home = Home(path: path)
    try Home.makePrivateFolder(home.path)
    try Home.makePrivateFolder(home.stores)
    let migrations = SocialMigrations.all
    let register = try #require(migrations.first { $0.name == "register" }).number
    let store = try Store(
      path: "\(home.stores)/social.sqlite", service: .social, migrations: migrations.filter { $0.number < register },
      secret: Array(repeating: 1, count: 32), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    try await store.write(body)
    await store.close()
  }

  /// An open task of two, of whom who made it has confirmed.
  private static func insert(
    _ task: ID<SharedTask>, _ sequence: Int, by creator: AccountID, with other: AccountID, _ database: Database
  ) throws {
    try database.execute(
      sql: """
        INSERT INTO tasks (sequence, task_id, creator_account, name, state, participant_count, confirmed_count, created_at,
          changed_at, revision)
        VALUES (?, ?, ?, 'Paint', 'open', 2, 1, 1, 1, 1)
        """, arguments: [sequence, task, creator])
    for (account, enroller, confirmed) in [(creator, AccountID?.none, Int?.some(1)), (other, creator, nil)] {
      try database.execute(
        sql: """
          INSERT INTO task_participants (task_id, account_id, task_sequence, state, enrolled_by, enrolled_at, confirmed_at)
          VALUES (?, ?, ?, 'open', ?, 1, ?)
          """, arguments: [task, account, sequence, enroller, confirmed])
    }
  }
}

import Client
import Cluster
import Foundation
import IdentityContract
import Operations
import SocialContract
import Testing

@Suite("A deleted account's records of the register (TASK-9)", .serialized, .timeLimit(.minutes(5)))
struct RegisterDeletionTests {
  @Test(
    "After an account is deleted, no file, tile or new backup holds what opens its records, and the register verifies"
  )
  func backup() async throws {
    let memory = FileManager.default.temporaryDirectory.appending(path: "register-\(UUID()).checkpoint").path
    defer { try? FileManager.default.removeItem(atPath: memory) }
    let cluster = try RunningCluster(settings: Play.settings)
    defer { cluster.stop() }
    try await cluster.start()
    let password = "Rio-7-lento"
    let (ana, ben) = (try await cluster.join("ana", password: password), try await cluster.join("ben", password: "Mar-9-bravo"))
    _ = try await ana.client.callUntilDone(
      UpdateProfile.self, .init(name: .set("Ana Plantada")))
    for others in [[], [ben.account.username]] {
      let task = try await ana.client.callUntilDone(
        CreateTask.self, .init(name: TaskName(text: "Zephyrpaint \(others.count)"), participants: others),
        idempotencyKey: "\(UUID())")
      _ = try await ana.client.callUntilDone(ConfirmTaskCompletion.self, .init(taskID: task.id))
    }
    // The record that ben is named in stays his; ana's own salt in it goes.
    let profile = try await ana.client.callUntilDone(ListOwnAccountRecords.self, .init()).items
    let records = try await ana.client.callUntilDone(ListOwnRegisterRecords.self, .init()).items
    let shared = try await ben.client.callUntilDone(ListOwnRegisterRecords.self, .init()).items
    #expect(profile.count == 2 && records.count == 4 && shared.count == 1)
    let secrets =
      profile.flatMap { [$0.salt, $0.ownSalt] } + records.map(\.ownSalt)
      + records.filter { $0.number != shared[0].number }.map(\.salt)
    let texts = profile.map(\.record) + records.filter { $0.number != shared[0].number }.map(\.record)
    let openings =
      secrets.flatMap { [Data($0.bytes), Data(Data($0.bytes).base64EncodedString().utf8)] } + texts.map { Data($0.utf8) }
    #expect(try RegisterCommand.run("verify", "\(cluster.url)/register", "--checkpoint", memory).status == 0)
    #expect(try files(with: openings, under: cluster.home).contains { $0.hasPrefix("stores/") })

    let deleted = try await ana.client.callUntilDone(DeleteAccount.self, .init(password: .init(text: password)))
    _ = try await eventually(seconds: 60) {
      try await cluster.client.callUntilDone(GetAccountDeletion.self, .init(token: deleted.token))
    } until: {
      $0.state == .finished
    }
    // The last look at the files may come a moment later.
    let left = try await eventually {
      try files(with: openings, under: cluster.home)
    } until: {
      $0.isEmpty
    }
    #expect(left == [])
    let folder = "\(cluster.home)/after"
    try cluster.administer("backup", folder)
    #expect(FileManager.default.fileExists(atPath: "\(folder)/social.sqlite"))
    #expect(try files(with: openings, under: folder) == [])
    #expect(try files(with: [Data(shared[0].salt.bytes)], under: folder).contains("social.sqlite"))
    let (status, said) = try RegisterCommand.run("verify", "\(cluster.url)/register", "--checkpoint", memory)
    #expect(status == 0, "\(said)")
    let proof = try #require(URL(string: "\(cluster.url)/v1/register/leaves/\(records[0].number)/proof"))
    #expect(String(decoding: try Data(contentsOf: proof), as: UTF8.self).hasPrefix("c2sp.org/tlog-proof@v1\n"))
  }

  /// The files that hold one of these.
  private func files(with openings: [Data], under folder: String) throws -> [String] {
    let walk = try #require(FileManager.default.enumerator(atPath: folder))
    return walk.compactMap { $0 as? String }.filter { name in
      guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)") else { return false }
      return openings.contains { data.range(of: $0) != nil }
    }
  }
}

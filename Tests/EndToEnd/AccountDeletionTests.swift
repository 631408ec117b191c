import ActivityContract
import Client
import Cluster
import Foundation
import IdentityContract
import NotificationsContract
import Operations
import RewardsContract
import SocialContract
import Testing

@Suite("Deleting an account, through all six services (ID-12)", .serialized)
struct AccountDeletionTests {
  /// What is planted, and must be nowhere afterwards: address, username, names, texts, a network address, a sample's source.
  private static let words = [
    "zephyrine.mail", "zephyrine_u", "Zephyrine Nom", "Zephyrick", "Zephyrtitle", "zephyrreason", "zephyrwrote", "zephyrwatch",
    "zephyrphone", "zephyrunit", "zephyrnew.mail", "zephyrtablet",
  ]

  @Test("Deleting an account under load leaves no word of it in any file or encoding, and its friend's data untouched")
  func traces() async throws {
    try await run(rounds: 0)
  }

  @Test("Deleting an account in steps of a single row ends the same while each of the six services is killed repeatedly")
  func killed() async throws {
    try await run(rounds: Play.rounds(3), rowsPerTransaction: 1)
  }

  @Test("A service that was down erases a deleted account once it is back")
  func away() async throws {
    try await run(rounds: 0, away: .rewards)
  }

  private func run(rounds: Int, away: ServiceName? = nil, rowsPerTransaction: Int = 500) async throws {
    let offer = OfferID()
    var settings = Play.settings
    // The report's file is the one that holds the address after all; here it goes at once after it was read.
    settings["RACHA_EMAIL_REPORT_RETENTION_SECONDS"] = "6"
    // Administrators would be mailed one more where midnight falls into the test.
    settings["RACHA_SECURITY_REPORTS"] = "none"
    settings["RACHA_ERASURE_ROWS_PER_TRANSACTION"] = "\(rowsPerTransaction)"
    let cluster = try RunningCluster(settings: settings, files: ["offers.json": Play.offers(offer)])
    defer { cluster.stop() }
    try await cluster.start()
    let friend = try await Player.join("friend", [], NoonZone(), cluster)
    let leaver = try await Leaver.join(cluster)
    try await leaver.live(with: friend, offer)
    // The second appointment is an incident about the account that leaves: both administrators are mailed of it.
    try cluster.administer("administrator", friend.account.username.description)
    try cluster.administer("administrator", leaver.account.username.description)
    let mails = MailFolder(home: cluster.home)
    _ = try await eventually {
      try mails.mails(to: "friend@example.org")
    } until: {
      $0.count == 3
    }
    for word in Self.words {
      let files = try Planted(word).files(under: cluster.home)
      #expect(!files.isEmpty, "\(word) was planted")
    }

    if let away { cluster.hold(away) }
    let deleted = try await leaver.delete(cluster)
    if let away {
      // Time for the others to finish.
      _ = try await eventually {
        try await leaver.state(deleted, cluster)
      } until: {
        $0.services.count == 4
      }
      #expect(try await leaver.state(deleted, cluster).state == .erasing)
      try cluster.release(away)
    }
    let isOver = Flag()
    async let load: Void = friend.write(until: isOver)
    async let chaos: Void = Chaos(cluster: cluster, rounds: rounds).run()
    let finished = try await eventually(seconds: 120) {
      try await leaver.state(deleted, cluster)
    } until: {
      $0.state == .finished
    }
    try await chaos
    #expect(finished.state == .finished)
    let (erasedAt, finishedAt) = (try #require(finished.erasedAt), try #require(finished.finishedAt))
    #expect(finished.requestedAt < erasedAt && erasedAt <= finishedAt && finishedAt < finished.cleanBy)
    #expect(Set(finished.services.map(\.service)) == [.identity, .activity, .social, .rewards, .notifications])
    #expect(finished.services.first { $0.service == .activity }?.counts.contains { $0.kind == .entries && $0.count == 1 } == true)

    let left = try await eventually {
      try Self.words.flatMap { word -> [String] in
        try Planted(word).files(under: cluster.home).map { file in "\(word) in \(file)" }
      }
    } until: {
      $0.isEmpty
    }
    #expect(left == [])
    isOver.raise()
    try await load
    #expect(try mails.mails(to: "friend@example.org").count == 3)
    try await leaver.isGone(for: friend, cluster)
    try Play.checkLedger(cluster)
  }
}

extension Player {
  /// Writes again and again.
  fileprivate func write(until isOver: Flag) async throws {
    var goal = 100
    while !isOver.isUp {
      goal = goal % 10_000 + 1
      _ = try await client.callUntilDone(SetStepGoal.self, .init(period: .day, goal: goal))
    }
  }
}

/// Somebody who leaves something everywhere, and then leaves.
private struct Leaver: Sendable {
  static let password = "Pl4nted-secret!"
  let client: GatewayClient
  let account: OwnAccount

  static func join(_ cluster: RunningCluster) async throws -> Leaver {
    let email = "zephyrine.mail@example.org"
    _ = try await cluster.client.callUntilDone(
      RegisterAccount.self,
      .init(
        email: .init(text: email), username: .init(text: "zephyrine_u"), password: .init(text: password),
        passwordConfirmation: .init(text: password), name: .init(text: "Zephyrine Nom"), nickname: .init(text: "Zephyrick"),
        consents: .init(activityData: true)),
      idempotencyKey: "register")
    let mail = try await cluster.mail(to: email, seconds: 60)
    _ = try await cluster.client.callUntilDone(VerifyAccount.self, .init(token: mail.token ?? ""))
    let session = try await cluster.client.callUntilDone(
      LogIn.self, .init(login: email, password: password, device: DeviceName(text: "zephyrphone")))
    let leaver = Leaver(client: cluster.client.authorized(session.accessToken), account: session.account)
    try await leaver.beFound(cluster)
    return leaver
  }

  /// Leaves something in each part of identity: the directory, a login from a device that is unlike the account, a change of address under way.
  private func beFound(_ cluster: RunningCluster) async throws {
    _ = try await client.callUntilDone(UpdateSettings.self, .init(directoryVisibility: .set(.listed)))
    _ = try await client.callUntilDone(CreatePublicLink.self, .init())
    _ = try await cluster.client.callUntilDone(
      LogIn.self, .init(login: "zephyrine_u", password: Leaver.password, device: DeviceName(text: "zephyrtablet")))
    let address = "zephyrnew.mail@example.org"
    _ = try await client.callUntilDone(
      RequestEmailChange.self, .init(email: .init(text: address), currentPassword: .init(text: Leaver.password)))
    _ = try await cluster.mail(to: address, seconds: 60)
  }

  /// Leaves something in every service.
  func live(with friend: Player, _ offer: OfferID) async throws {
    let activity = try await client.callUntilDone(
      CreateActivity.self,
      .init(
        title: "Zephyrtitle", reason: "zephyrreason", category: .reading,
        goal: .quantity(2, unit: "zephyrunit"), schedule: .daily), idempotencyKey: "activity")
    _ = try await client.callUntilDone(RecordEntry.self, .init(activityID: activity.id, day: .today, isDone: true))
    let end = Instant.now.adding(seconds: -60)
    let sample = MovementSample(id: "walk", start: end.adding(seconds: -1800), end: end, steps: 3000, source: "zephyrwatch")
    _ = try await client.callUntilDone(RecordMovementSamples.self, .init(samples: [sample]))
    _ = try await eventually {
      try await client.callUntilDone(GetBalance.self, .init())
    } until: {
      $0.coins >= Play.cost
    }
    _ = try await client.callUntilDone(RedeemOffer.self, .init(offerID: offer), idempotencyKey: "redeem")
    let request = try await client.callUntilDone(
      SendFriendRequest.self, .init(username: friend.account.username), idempotencyKey: "ask")
    _ = try await friend.client.callUntilDone(
      AcceptFriendRequest.self, .init(friendRequestID: request.id), idempotencyKey: "accept")
    _ = try await client.callUntilDone(
      SendMessage.self, .init(accountID: friend.account.id, text: try ChatText(text: "zephyrwrote this")), idempotencyKey: "hi")
    _ = try await friend.client.callUntilDone(
      SendMessage.self, .init(accountID: account.id, text: try ChatText(text: "an answer")), idempotencyKey: "answer")
    _ = try await eventually {
      try await friend.inbox()
    } until: {
      $0.contains { $0.kind == "messageReceived" }
    }
  }

  func delete(_ cluster: RunningCluster) async throws -> DeleteAccount.Output {
    try await client.call(DeleteAccount.self, .init(password: .init(text: Self.password)))
  }

  func state(_ deleted: DeleteAccount.Output, _ cluster: RunningCluster) async throws -> AccountDeletion {
    try await cluster.client.callUntilDone(GetAccountDeletion.self, .init(token: deleted.token))
  }

  /// Nobody sees it, nobody can be it, and what the friend wrote is there.
  func isGone(for friend: Player, _ cluster: RunningCluster) async throws {
    func status<O: Operations.Operation>(_ client: GatewayClient, _ operation: O.Type, _ input: O.Input) async throws -> Int {
      do {
        _ = try await client.callUntilDone(operation, input)
        return 200
      } catch let problem as GatewayClient.Problem {
        return problem.status
      }
    }
    #expect(try await status(client, GetOwnAccount.self, .init()) == 401)
    #expect(try await status(client, ListActivities.self, .init()) == 401)
    #expect(try await status(cluster.client, LogIn.self, .init(login: "zephyrine_u", password: Self.password)) == 401)
    #expect(try await friend.client.callUntilDone(ListFriends.self, .init()).items.isEmpty)
    #expect(try await status(friend.client, SendFriendRequest.self, .init(username: account.username)) == 404)
    let conversations = try await friend.client.callUntilDone(ListConversations.self, .init()).items
    #expect(conversations.map(\.username) == [nil])
    #expect(conversations.map(\.lastMessage.text?.description) == ["an answer"])
    #expect(Set(try await friend.inbox().map(\.kind)) == ["accountVerified", "incidentRaised"])
  }
}

/// A word in every way in which a file may hold it.
private struct Planted {
  let forms: [Data]

  init(_ word: String) throws {
    var forms = [Data(word.utf8)]
    for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian] {
      forms.append(try #require(word.data(using: encoding)))
    }
    // In base64 at each of the three offsets at which it can begin, without the characters that depend on its neighbours.
    for lead in 0..<3 {
      let text = (Data(repeating: 0, count: lead) + Data(word.utf8)).base64EncodedString()
      forms.append(Data(text.dropFirst(lead == 0 ? 0 : lead + 1).prefix { $0 != "=" }.dropLast(1).utf8))
    }
    let percent = word.utf8.map { String(format: "%%%02X", $0) }.joined()
    forms.append(Data(percent.utf8))
    forms.append(Data(percent.lowercased().utf8))
    forms.append(Data(word.replacing(" ", with: "%20").utf8))
    forms.append(Data(word.utf8.map { String(format: "%02x", $0) }.joined().utf8))
    self.forms = forms
  }

  /// The files that hold it.
  func files(under home: String) throws -> [String] {
    guard let walk = FileManager.default.enumerator(atPath: home) else { throw RunningCluster.NotReady(description: home) }
    return walk.compactMap { $0 as? String }.filter { name in
      guard let data = FileManager.default.contents(atPath: "\(home)/\(name)") else { return false }
      return forms.contains { data.range(of: $0) != nil }
    }
  }
}

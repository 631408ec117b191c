import ActivityContract
import Client
import Cluster
import Foundation
import GRDB
import IdentityContract
import NotificationsContract
import Operations
import RewardsContract
import SocialContract
import Testing

/// The people of the access tests, in one running cluster: an owner with one of each thing, those who want to get at it, and those who may.
struct AccessScene: Sendable {
  let cluster: RunningCluster
  let things: Things
  let callers: [Role: Caller]
  /// An account whose address is not verified.
  let unverifiedToken: String
  let administratorToken: String
  /// A session of an account that was suspended since.
  let suspendedToken: String

  static let password = "Rio-7-lento"

  /// A file of a track that activity can import.
  static let track = Array(
    """
    <?xml version="1.0"?><gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1"><trk><name>Walk</name><trkseg>\
    <trkpt lat="40.0" lon="-3.0"><time>2026-11-01T08:00:00Z</time></trkpt>\
    <trkpt lat="40.001" lon="-3.0"><time>2026-11-01T08:02:00Z</time></trkpt></trkseg></trk></gpx>
    """.utf8)

  /// A file of a task.
  static let file = Array("Private".utf8)

  /// What all tests of the suite share.
  @TaskLocal static var current: AccessScene?

  func caller(_ role: Role) throws -> Caller { try #require(callers[role]) }
}

/// Runs the suite with one cluster for all of its tests.
struct AccessSceneTrait: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
  ) async throws {
    let cluster = try RunningCluster(settings: Play.settings)
    defer { cluster.stop() }
    try await cluster.start()
    try await AccessScene.$current.withValue(try await AccessScene.prepared(cluster)) { try await body() }
  }
}

extension AccessScene {
  /// Makes everybody and everything by the calls by which people do.
  static func prepared(_ cluster: RunningCluster) async throws -> AccessScene {
    // No midnight falls between two of the steps.
    let zone = NoonZone()
    @Sendable func join(_ name: String) async throws -> Member {
      try await cluster.join(name, password: password, timeZone: zone.name, consentsToLocation: true)
    }
    let names = [
      "ana", "friend", "former", "blocked", "stranger", "first.asker", "second.asker", "asked", "suspended", "marta",
    ]
    let people = try await withThrowingTaskGroup(of: (String, Member).self) { group in
      for name in names { group.addTask { (name, try await join(name)) } }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    func person(_ name: String) throws -> Member { try #require(people[name]) }
    let (owner, friend, former, blocked) = (
      try person("ana"), try person("friend"), try person("former"), try person("blocked")
    )
    let crowd = Crowd(
      owner: owner, friend: friend, former: former, blocked: blocked,
      askers: [try person("first.asker"), try person("second.asker")], asked: try person("asked"))
    var things = Things(today: zone.today)
    try await crowd.meet(&things)
    let second = try await owner.addActivity("Second")
    try await owner.keepActivity(&things)
    try await owner.keepAccount(&things, cluster)
    try await crowd.challenge(&things, second)
    let administratorToken = try await administratorToken(person("marta"), cluster)
    let administrator = cluster.client.authorized(administratorToken)
    things.offer = try await administrator.call(CreateOffer.self, offer).id
    try await owner.keepShop(&things, administrator, clerk: friend)
    let asker = crowd.askers[0]
    things.moderationCase = try await administrator.decide(owner, reportedBy: asker, .warned)
    _ = try await administrator.decide(try person("suspended"), reportedBy: asker, .suspended, days: 1)
    var callers: [Role: Caller] = [
      .owner: Caller(role: .owner, client: owner.client, token: owner.accessToken, activity: second)
    ]
    let others = [(Role.stranger, try person("stranger")), (.formerFriend, former), (.blocked, blocked), (.friend, friend)]
    for (role, person) in others {
      callers[role] = Caller(
        role: role, client: person.client, token: person.accessToken, activity: try await person.addActivity("Own"))
    }
    try await owner.remind(&things, of: second, cluster)
    try await owner.waitForNotifications(&things)
    let scene = AccessScene(
      cluster: cluster, things: things, callers: callers, unverifiedToken: try await unverifiedToken(cluster),
      administratorToken: administratorToken, suspendedToken: try person("suspended").accessToken)
    try await scene.waitUntilFollowersSee()
    return scene
  }

  private static var offer: CreateOffer.Input {
    let now = Instant.now
    return .init(
      title: "A coffee", reward: "One coffee", partnerName: "Café Elcano", costCoins: 1000, stock: 10,
      validFrom: now.adding(seconds: -3600), validUntil: now.adding(seconds: 86_400))
  }

  private static func administratorToken(_ member: Member, _ cluster: RunningCluster) async throws -> String {
    try cluster.administer("administrator", member.account.username.description)
    let session = try await cluster.client.call(LogIn.self, .init(login: member.account.username.description, password: password))
    return session.accessToken
  }

  private static func unverifiedToken(_ cluster: RunningCluster) async throws -> String {
    let registered = try await cluster.client.call(
      RegisterAccount.self,
      .init(
        email: .init(text: "new@example.org"), username: .init(text: "newcomer"), password: .init(text: password),
        passwordConfirmation: .init(text: password), beginsSession: true))
    return try #require(registered.signedIn).accessToken
  }

  /// Activity learns of follows by events.
  private func waitUntilFollowersSee() async throws {
    let followers = [try caller(.friend), try caller(.formerFriend), try caller(.blocked)]
    let seen = try await eventually {
      var counts: [Int] = []
      for follower in followers {
        counts.append(try await follower.client.callUntilDone(ListFollowedActivities.self, .init()).items.count)
      }
      return counts
    } until: {
      $0 == [2, 0, 0]
    }
    try #require(seen == [2, 0, 0])
    // Identity learns of the block by an event, too.
    let account = things.account
    let isClosed = try await eventually {
      do {
        _ = try await followers[2].client.callUntilDone(GetProfile.self, .init(accountID: account))
        return false
      } catch let problem as GatewayClient.Problem {
        return problem.status == 404
      }
    } until: {
      $0
    }
    try #require(isClosed)
  }
}

/// Those who have to do with the owner.
private struct Crowd {
  let owner: Member
  let friend: Member
  let former: Member
  let blocked: Member
  let askers: [Member]
  let asked: Member

  /// Friendships, follows, messages and requests, in both directions.
  func meet(_ things: inout Things) async throws {
    things.account = owner.account.id
    things.username = owner.account.username
    things.friend = friend.account.id
    for other in [friend, former, blocked] {
      try await other.befriend(owner)
      try await other.follow(owner)
      try await owner.follow(other)
      try await owner.write(to: other)
      things.message = try await other.write(to: owner)
    }
    things.message = try await friend.write(to: owner)
    things.sentMessage = try await owner.write(to: friend)
    things.photoMessage = try await owner.client.call(
      SendMessagePhoto.self,
      .init(accountID: things.friend, content: Base64Bytes([UInt8](Picture.noise(width: 8, height: 8))))
    ).id
    _ = try await owner.client.call(CreateBlock.self, .init(accountID: blocked.account.id))
    try await share(&things)
    _ = try await owner.client.call(RemoveFriend.self, .init(accountID: former.account.id))
    _ = try await owner.client.call(RemoveFollower.self, .init(accountID: former.account.id))
    _ = try await owner.client.call(RemoveFollow.self, .init(accountID: former.account.id))
    things.friendRequest = try await askers[0].ask(owner)
    things.followRequest = try await askers[0].askToFollow(owner)
    things.otherFriendRequest = try await askers[1].ask(owner)
    things.otherFollowRequest = try await askers[1].askToFollow(owner)
    things.sentFriendRequest = try await owner.ask(asked)
    things.sentFollowRequest = try await owner.askToFollow(asked)
    try await team(&things)
  }

  /// Challenges in both directions.
  func challenge(_ things: inout Things, _ activity: ActivityID) async throws {
    things.challenge = try await friend.challenge(owner, try await friend.addActivity("First"))
    things.otherChallenge = try await friend.challenge(owner, try await friend.addActivity("Other"))
    things.sentChallenge = try await owner.challenge(friend, activity)
  }

  /// A task of the owner's, with a comment and a request for help, in which the friend takes part and the former friend no more.
  private func share(_ things: inout Things) async throws {
    let task = try await owner.client.call(
      CreateTask.self,
      .init(name: TaskName(text: "Secret work"), participants: [friend.account.username, former.account.username]))
    things.task = task.id
    let comment = CreateTaskComment.Input(taskID: task.id, text: try ChatText(text: "Nobody's business"))
    things.taskComment = try await owner.client.call(CreateTaskComment.self, comment).id
    things.taskHelp = try await owner.client.call(RequestTaskHelp.self, .init(taskID: task.id)).id
    _ = try await owner.client.call(RemoveTaskParticipant.self, .init(taskID: task.id, accountID: former.account.id))
    _ = try await owner.client.call(RenewTaskToken.self, .init(taskID: task.id))
    things.taskPart = try await owner.client.call(
      CreateTaskPart.self, .init(taskID: task.id, title: TaskName(text: "Secret part"))
    ).id
    things.friendsPart = try await owner.client.call(
      CreateTaskPart.self, .init(taskID: task.id, title: TaskName(text: "Other part"), assigneeID: friend.account.id)
    ).id
    let series = CreateTaskSeries.Input(
      name: try TaskName(text: "Secret habit"), participants: [friend.account.username], schedule: .daily)
    things.taskSeries = try await owner.client.call(CreateTaskSeries.self, series).id
    things.attachment = try await owner.announce(task.id)
    let content = TaskAttachmentChunk(attachmentID: things.attachment, offset: 0, content: Base64Bytes(AccessScene.file))
    _ = try await owner.client.call(UploadTaskAttachmentChunk.self, content)
    _ = try await owner.client.call(CompleteTaskAttachment.self, .init(attachmentID: things.attachment))
    things.upload = try await owner.announce(task.id)
    things.otherUpload = try await owner.announce(task.id)
    things.completedTask = try await owner.client.call(CreateTask.self, .init(name: TaskName(text: "Secret walk"))).id
    _ = try await owner.client.call(ConfirmTaskCompletion.self, .init(taskID: things.completedTask))
    things.taskLink = try await owner.client.call(CreateTaskLink.self, .init(taskID: things.completedTask)).id
  }

  /// Who is in a team is not invited: so the invitation that the owner has received came before the owner's own team.
  private func team(_ things: inout Things) async throws {
    let others = try await askers[0].client.call(CreateTeam.self, .init(name: TeamName(text: "Others"), usernames: []))
    things.teamInvitation = try await askers[0].client.call(
      SendTeamInvitation.self, .init(teamID: others.id, username: owner.account.username)
    ).id
    let own = CreateTeam.Input(name: try TeamName(text: "Own"), usernames: [friend, former].map(\.account.username))
    things.team = try await owner.client.call(CreateTeam.self, own).id
    _ = try await former.client.call(LeaveTeam.self, .init(teamID: things.team))
    let teamTask = CreateTask.Input(name: try TaskName(text: "Team secret"), teamID: things.team)
    things.teamTask = try await owner.client.call(CreateTask.self, teamTask).id
    things.sentTeamInvitation = try await owner.client.call(
      SendTeamInvitation.self, .init(teamID: things.team, username: askers[1].account.username)
    ).id
  }
}

extension Member {
  fileprivate func ask(_ other: Member) async throws -> ID<FriendRequest> {
    try await client.call(SendFriendRequest.self, .init(username: other.account.username)).id
  }

  fileprivate func askToFollow(_ other: Member) async throws -> ID<FollowRequest> {
    try await client.call(SendFollowRequest.self, .init(username: other.account.username)).id
  }

  fileprivate func befriend(_ other: Member) async throws {
    _ = try await other.client.call(AcceptFriendRequest.self, .init(friendRequestID: try await ask(other)))
  }

  fileprivate func follow(_ other: Member) async throws {
    _ = try await other.client.call(AcceptFollowRequest.self, .init(followRequestID: try await askToFollow(other)))
  }

  @discardableResult
  fileprivate func write(to other: Member) async throws -> ID<ChatMessage> {
    try await client.call(SendMessage.self, .init(accountID: other.account.id, text: try ChatText(text: "Hello"))).id
  }

  fileprivate func announce(_ task: ID<SharedTask>) async throws -> ID<TaskAttachment> {
    try await client.call(
      CreateTaskAttachment.self,
      .init(taskID: task, name: TaskAttachmentName(text: "a.txt"), totalBytes: AccessScene.file.count)
    ).id
  }

  fileprivate func challenge(_ other: Member, _ activity: ActivityID) async throws -> ID<FriendChallenge> {
    try await client.call(SendFriendChallenge.self, .init(accountID: other.account.id, activityID: activity)).id
  }

  fileprivate func addActivity(_ title: String) async throws -> ActivityID {
    try await client.call(
      CreateActivity.self, .init(title: title, category: .reading, goal: .duration(seconds: 7200), schedule: .daily)
    ).id
  }

  /// An activity with entries, a photo, a pause, a skip and a timer, samples of movement, and an import under way.
  fileprivate func keepActivity(_ things: inout Things) async throws {
    let activity = try await client.call(
      CreateActivity.self,
      .init(
        title: "Secret", reason: "Nobody's business", category: .reading, goal: .duration(seconds: 7200), schedule: .daily,
        startDay: things.day(-20))
    ).id
    things.activity = activity
    _ = try await client.call(
      RecordEntry.self,
      .init(
        activityID: activity, day: .today, durationSeconds: 600, comment: "Private",
        location: EntryLocation(latitude: 40.4, longitude: -3.7), photo: Base64Bytes([UInt8](Picture.noise(width: 8, height: 8))))
    )
    _ = try await client.call(UpdateEntry.self, .init(activityID: activity, day: .today, durationSeconds: .set(900)))
    things.pause = try await client.call(
      CreatePause.self, .init(activityID: activity, firstDay: things.day(10), lastDay: things.day(11))
    ).id
    _ = try await client.call(CreateSkip.self, .init(activityID: activity, day: .day(things.day(1))))
    _ = try await client.call(StartTimer.self, .init(activityID: activity))
    _ = try await client.call(StopTimer.self, .init(activityID: activity))
    let end = Instant.now.adding(seconds: -60)
    things.sample = "walk"
    let sample = MovementSample(id: things.sample, start: end.adding(seconds: -1800), end: end, steps: 3000, source: "watch")
    _ = try await client.call(RecordMovementSamples.self, .init(samples: [sample]))
    let track = CreateImport.Input(name: "walk.gpx", totalBytes: AccessScene.track.count)
    things.importID = try await client.call(CreateImport.self, track).id
  }

  /// A public profile, a photo, another session with an alert of its login, a personal access token and a linked identity.
  fileprivate func keepAccount(_ things: inout Things, _ cluster: RunningCluster) async throws {
    _ = try await client.call(CreatePublicLink.self, .init())
    _ = try await client.call(PutPhoto.self, .init(content: Base64Bytes([UInt8](Picture.noise(width: 8, height: 8)))))
    let session = try await cluster.client.call(
      LogIn.self,
      .init(login: account.username.description, password: AccessScene.password, device: DeviceName(text: "tablet")))
    things.session = session.session.id
    things.alert = try #require(try await client.call(ListLoginAlerts.self, .init()).items.first).id
    things.token = try await client.call(
      CreatePersonalAccessToken.self, .init(name: PersonalAccessTokenName(text: "script"), scopes: [.activityRead])
    ).token.id
    let keys = CreatePushSubscription.Keys(
      p256dh: try PushKey(text: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
      auth: try PushSecret(text: "BTBZMqHH6r4Tts7J_aSIgg"))
    things.pushSubscription = try await client.call(
      CreatePushSubscription.self, .init(endpoint: PushEndpoint(text: "https://push.example.org/device"), keys: keys)
    ).id
    // A provider would be another program: what it comes to is put where identity keeps it.
    let identity = ExternalIdentityID()
    try await DatabaseQueue(path: "\(cluster.home)/stores/identity.sqlite").write { [account] database in
      try database.execute(
        sql: """
          INSERT INTO external_identities (identity_id, account_id, provider, issuer, subject, linked_at)
          VALUES (?, ?, 'corp', 'https://corp.example.org', 'person-1', 0)
          """, arguments: [Data(identity.bytes), Data(account.id.bytes)])
    }
    things.identity = identity
  }

  /// A reminder, which nobody waits for: it is due now.
  fileprivate func remind(_ things: inout Things, of activity: ActivityID, _ cluster: RunningCluster) async throws {
    let today = things.today
    try await DatabaseQueue(path: "\(cluster.home)/stores/activity.sqlite").write { database in
      try database.execute(
        sql: "INSERT INTO activity_reminders (activity_id, minute) VALUES (?, 0)", arguments: [Data(activity.bytes)])
      try database.execute(
        sql: "UPDATE due_reminders SET due_at = ?, day = ? WHERE activity_id = ?",
        arguments: [Instant.now.milliseconds, today.daysSinceEpoch, Data(activity.bytes)])
    }
    let reminders = try await eventually {
      try await client.callUntilDone(ListNotifications.self, .init(category: .reminders)).items
    } until: {
      !$0.isEmpty
    }
    things.reminder = try #require(reminders.first).id
  }

  /// Two requests each, a message of each of the two, and what identity says of the account.
  fileprivate func waitForNotifications(_ things: inout Things) async throws {
    let wanted = ["friendRequestReceived": 4, "followRequestReceived": 4, "messageReceived": 3, "followRequestAccepted": 2]
    let inbox = try await eventually {
      try await client.callUntilDone(ListNotifications.self, .init(limit: 100)).items
    } until: { inbox in
      wanted.allSatisfy { kind, count in inbox.count { $0.kind.rawValue == kind } >= count }
    }
    things.notification = try #require(inbox.first).id
    let pushes = try await eventually {
      try await client.callUntilDone(ListDeliveries.self, .init(channel: .push)).items
    } until: {
      !$0.isEmpty
    }
    things.push = try #require(pushes.first).id
  }
}

extension GatewayClient {
  /// Lets an account be reported, and decides the case; an administrator's.
  fileprivate func decide(
    _ accused: Member, reportedBy reporter: Member, _ outcome: ModerationOutcome, days: Int? = nil
  ) async throws -> ID<ModerationCase> {
    _ = try await reporter.client.call(CreateReport.self, .init(subject: .account(accused.account.id), reason: .spam))
    let found = try await call(ListModerationCases.self, .init()).items.first { $0.accountID == accused.account.id }
    let id = try #require(found).id
    _ = try await call(
      DecideModerationCase.self, .init(caseID: id, outcome: outcome, days: days, reason: try ReportText(text: "No spam.")))
    return id
  }
}

import ActivityContract
import Client
public import Cluster
import Foundation
import IdentityContract
import NotificationsContract
import Operations
import RewardsContract
import SocialContract

/// The few accounts of which the others are copies, made by calls as people make theirs: of an average one 5 friends, 3 activities,
/// 20 entries, 14 days of movement, 2 tasks and some 10 notifications; some have what only few people have.
public struct AccountTemplates: Sendable {
  /// How many there are.
  public static let count = 10

  /// When they were made, by all that tells of it.
  public let milliseconds: ClosedRange<Int64>

  /// The username of an account; copy 0 are those that were made by calls.
  public static func username(copy: Int, number: Int) -> String { CopiedTable.username(copy) + "\(number)" }

  public init(_ cluster: RunningCluster, offers cast: GrowthCast) async throws {
    // No id of what was before has the same millisecond.
    try await StoreRest(home: cluster.home).wait()
    let first = Instant.now.milliseconds + 2
    while Instant.now.milliseconds < first { try await Task.sleep(for: .milliseconds(1)) }
    let members = try await withThrowingTaskGroup(of: (Int, Member).self) { group in
      for number in 0..<Self.count {
        group.addTask {
          let name = Self.username(copy: 0, number: number)
          return (number, try await cluster.join(name, password: GrowthCast.password, consentsToLocation: true))
        }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    let group = TemplateGroup(members: (0..<Self.count).compactMap { members[$0] })
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for number in 0..<Self.count { tasks.addTask { try await group.keep(number) } }
      try await tasks.waitForAll()
    }
    try await group.meet()
    try await group.work()
    try await group.spend(cast)
    try await group.keepRare()
    try await StoreRest(home: cluster.home).wait()
    milliseconds = first...Instant.now.milliseconds
  }
}

/// What the templates do.
struct TemplateGroup: Sendable {
  let members: [Member]

  /// The one so many behind another.
  private func other(_ number: Int, _ distance: Int) -> Member { members[(number + distance) % members.count] }

  // MARK: - Each for itself

  /// Activities, entries, movement, goals and settings.
  func keep(_ number: Int) async throws {
    let client = members[number].client
    let today = LocalDay.utc
    // At least an hour ago: none is due while something is measured.
    let hour = (Instant.now.milliseconds / 3_600_000 + 22) % 24
    let activities = [
      CreateActivity.Input(
        title: "Walk", reason: "To be outside.", category: .other, goal: .check, schedule: .daily,
        startDay: today.advanced(by: -20), reminders: [try ReminderTime(text: "\(hour < 10 ? "0" : "")\(hour):15")],
        tags: [try Tag(text: "outside")]),
      CreateActivity.Input(
        title: "Water", category: .other, goal: .quantity(8, unit: "glasses"), schedule: .daily,
        startDay: today.advanced(by: -20)),
      CreateActivity.Input(
        title: "Read", category: .reading, goal: .duration(seconds: 1800), schedule: .daily, startDay: today.advanced(by: -20)),
    ]
    for (index, input) in activities.enumerated() {
      let id = try await client.call(CreateActivity.self, input).id
      for day in 0..<(index == 2 ? 6 : 7) {
        let name = DayName.day(today.advanced(by: -day))
        let input =
          switch index {
          case 0:
            RecordEntry.Input(
              activityID: id, day: name, isDone: true, comment: "Round \(day) by the river",
              location: day == 0 ? EntryLocation(latitude: 40.4 + Double(number) / 1000, longitude: -3.7) : nil)
          case 1: RecordEntry.Input(activityID: id, day: name, amount: Double(5 + (day + number) % 5))
          default: RecordEntry.Input(activityID: id, day: name, durationSeconds: 1200 + 300 * ((day + number) % 4))
          }
        _ = try await client.call(RecordEntry.self, input)
      }
    }
    let now = Instant.now
    // An hour that reaches over midnight would be minutes of both ends of two days, and let stores be four times as large.
    let isJustAfterMidnight = now.milliseconds % 86_400_000 < 2 * 3_600_000
    let last = isJustAfterMidnight ? now.adding(seconds: -2 * 3600) : now
    let samples = (0..<14 * 3).map { index in
      // An hour of each day in three parts.
      let end = last.adding(seconds: -60 - (index / 3) * 86_400 - (index % 3) * 1200 - number * 7)
      return MovementSample(
        id: "walk-\(index)", start: end.adding(seconds: -1200), end: end, steps: 1000 + number * 31 + index * 13,
        source: "health",
        device: "Watch6,2")
    }
    _ = try await client.call(RecordMovementSamples.self, .init(samples: samples))
    _ = try await client.call(SetStepGoal.self, .init(period: .day, goal: 8000))
    _ = try await client.call(SetLeaderboardVisibility.self, .init(isVisible: true))
    _ = try await client.call(SetInactivityNotice.self, .init(days: 30))
    _ = try await client.call(SetBadgeVisibility.self, .init(isVisibleToFriends: true, isVisibleOnPublicProfile: true))
  }

  // MARK: - Together

  /// Friendships, follows and messages.
  func meet() async throws {
    for number in members.indices {
      let own = members[number]
      for distance in number < 5 ? [1, 2, 5] : [1, 2] {
        let friend = other(number, distance)
        let request = try await own.client.call(SendFriendRequest.self, .init(username: friend.account.username))
        _ = try await friend.client.call(AcceptFriendRequest.self, .init(friendRequestID: request.id))
      }
      let next = other(number, 1)
      let request = try await own.client.call(SendFollowRequest.self, .init(username: next.account.username))
      _ = try await next.client.call(AcceptFollowRequest.self, .init(followRequestID: request.id))
      for text in ["Hello, how was your walk?", "See you at seven."] {
        let message = try await own.client.call(
          SendMessage.self, .init(accountID: next.account.id, text: try ChatText(text: text)))
        _ = try await next.client.call(
          MarkConversationRead.self, .init(accountID: own.account.id, messageID: message.id))
      }
    }
  }

  /// A task each, with the next one, of which one half is done.
  func work() async throws {
    for number in members.indices {
      let (own, next) = (members[number], other(number, 1))
      let task = try await own.client.call(
        CreateTask.self,
        .init(
          name: TaskName(text: "Water the plants"), participants: [next.account.username], dueDay: .utc.advanced(by: 20)))
      _ = try await next.client.call(CreateTaskComment.self, .init(taskID: task.id, text: ChatText(text: "I have a can.")))
      _ = try await own.client.call(CreateTaskPart.self, .init(taskID: task.id, title: TaskName(text: "The balcony")))
      guard number % 2 == 0 else { continue }
      for member in [own, next] { _ = try await member.client.call(ConfirmTaskCompletion.self, .init(taskID: task.id)) }
    }
  }

  /// One redeems an offer of the shop; no copy of it plays rounds, since its code cannot be opened.
  func spend(_ cast: GrowthCast) async throws {
    let client = members[2].client
    // The coins come by an event.
    while try await client.callUntilDone(GetBalance.self, .init()).coins < 2 { try await Task.sleep(for: .milliseconds(20)) }
    _ = try await client.call(RedeemOffer.self, .init(offerID: cast.offer))
  }

  // MARK: - What few have

  func keepRare() async throws {
    let (first, third, fourth) = (members[0].client, members[3].client, members[4].client)
    _ = try await first.call(PutPhoto.self, .init(content: GrowthCast.picture))
    let walk = try await first.call(ListActivities.self, .init()).items[0].activity.id
    _ = try await first.call(PutEntryPhoto.self, .init(activityID: walk, day: .today, content: GrowthCast.picture))
    _ = try await first.call(UpdateSettings.self, .init(directoryVisibility: .set(.listed)))
    _ = try await first.call(CreatePublicLink.self, .init())
    _ = try await first.call(CreateCalendarFeedLink.self, .init())
    _ = try await third.call(
      CreatePersonalAccessToken.self, .init(name: PersonalAccessTokenName(text: "script"), scopes: [.activityRead]))
    _ = try await third.call(
      CreateTaskSeries.self,
      .init(
        name: TaskName(text: "Take the bins out"), participants: [members[4].account.username], schedule: .everyNDays(30),
        startDay: .utc.advanced(by: 10)))
    let done = try await fourth.call(CreateTask.self, .init(name: TaskName(text: "A long walk")))
    _ = try await fourth.call(ConfirmTaskCompletion.self, .init(taskID: done.id))
    _ = try await fourth.call(CreateTaskLink.self, .init(taskID: done.id))
    _ = try await fourth.call(
      SetQuietHours.self, .init(startsAt: QuietTime(text: "23:00"), endsAt: QuietTime(text: "06:00")))
    try await keepFile()
    _ = try await members[5].client.call(
      CreateTeam.self, .init(name: TeamName(text: "Early birds"), usernames: [members[6].account.username]))
    _ = try await members[6].client.call(CreateBlock.self, .init(accountID: members[9].account.id))
    let challenged = try await members[1].client.call(ListActivities.self, .init()).items[0].activity.id
    let challenge = try await members[1].client.call(
      SendFriendChallenge.self, .init(accountID: members[2].account.id, activityID: challenged))
    _ = try await members[2].client.call(AcceptFriendChallenge.self, .init(friendChallengeID: challenge.id))
  }

  /// A file of a task.
  private func keepFile() async throws {
    let client = members[4].client
    let task = try await client.call(CreateTask.self, .init(name: TaskName(text: "Plan the trip")))
    let content = Array("By train.".utf8)
    let upload = try await client.call(
      CreateTaskAttachment.self,
      .init(taskID: task.id, name: TaskAttachmentName(text: "plan.txt"), totalBytes: content.count))
    _ = try await client.call(
      UploadTaskAttachmentChunk.self, .init(attachmentID: upload.id, offset: 0, content: Base64Bytes(content)))
    _ = try await client.call(CompleteTaskAttachment.self, .init(attachmentID: upload.id))
  }
}

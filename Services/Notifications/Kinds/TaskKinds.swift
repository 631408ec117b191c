import NotificationsContract
import Operations
import SocialContract

/// Tasks: for accounts that are enrolled or removed, for the creator when a participant opts out, and for all when a task is completed,
/// cancelled, commented on or recurs; recurring tasks when one is enrolled, leaves, or they end; requests, offers and thanks for help.
extension NotificationSpec {
  static let ofTasks: [NotificationSpec] = [
    taskEnrolled, taskRemoved, taskOptedOut, taskCompleted, taskCancelled, taskCommented, taskCommentRemoved, taskCommentRestored,
    taskHelpRequested, taskHelpOffered, taskHelpThanked, taskRecurred, taskSeriesEnrolled, taskSeriesRemoved, taskSeriesOptedOut,
    taskSeriesEnded,
    taskPartAssigned, taskAttached, taskAttachedByToken,
  ]

  private static let taskEnrolled = named("taskEnrolled", .enrolled)
  private static let taskRemoved = named("taskRemoved", .removed)
  private static let taskOptedOut = named("taskOptedOut", .optedOut)
  private static let taskCancelled = named("taskCancelled", .cancelled)

  /// Nobody alone did it.
  private static let taskCompleted = NotificationSpec(
    "taskCompleted", .tasks, on: TaskNoticeCreated.self, when: { $0.notice == .completed }, about: { $0.noticeID },
    to: { $0.accountID },
    inbox: .init(
      values: [task],
      links: {
        NotificationLinks(taskID: ID(linking: $0.taskID), registerLeaf: $0.leafNumber, registerCheckpoint: $0.checkpoint)
      }))

  /// Nobody did it: the day began.
  private static let taskRecurred = NotificationSpec(
    "taskRecurred", .tasks, on: TaskNoticeCreated.self, when: { $0.notice == .recurred }, about: { $0.noticeID },
    to: { $0.accountID }, inbox: .init(values: [task], links: links))

  private static let taskSeriesEnrolled = series("taskSeriesEnrolled", .enrolled)
  private static let taskSeriesRemoved = series("taskSeriesRemoved", .removed)
  private static let taskSeriesOptedOut = series("taskSeriesOptedOut", .optedOut)
  private static let taskSeriesEnded = series("taskSeriesEnded", .ended)

  private static let taskPartAssigned = NotificationSpec(
    "taskPartAssigned", .tasks, on: TaskNoticeCreated.self, when: { $0.notice == .partAssigned }, about: { $0.noticeID },
    to: { $0.accountID },
    inbox: .init(
      values: [
        .text("username") { $0.byUsername?.description ?? "" }, task, .text("part") { $0.partTitle?.description ?? "" },
      ], links: links))

  /// A notice about a recurring task.
  private static func series(_ name: String, _ notice: TaskSeriesNotice) -> NotificationSpec {
    NotificationSpec(
      name, .tasks, on: TaskSeriesNoticeCreated.self, when: { $0.notice == notice }, about: { $0.noticeID }, to: { $0.accountID },
      inbox: .init(
        values: [.text("username") { $0.byUsername.description }, .text("task") { $0.seriesName.description }],
        links: { NotificationLinks(accountID: $0.byAccountID, seriesID: ID(linking: $0.seriesID)) }))
  }

  /// A notice that says who did it.
  private static func named(_ name: String, _ notice: TaskNotice) -> NotificationSpec {
    NotificationSpec(
      name, .tasks, on: TaskNoticeCreated.self, when: { $0.notice == notice }, about: { $0.noticeID }, to: { $0.accountID },
      inbox: .init(values: [.text("username") { $0.byUsername?.description ?? "" }, task], links: links))
  }

  private static let task = NotificationValue<TaskNoticeCreated>.text("task") { $0.taskName.description }

  private static let taskCommented = NotificationSpec(
    "taskCommented", .tasks, on: TaskCommentCreated.self, when: { $0.accountID != $0.comment.author.accountID },
    about: { $0.comment.id }, to: { $0.accountID },
    inbox: .init(
      values: [
        .text("username") { $0.comment.author.username?.description ?? "" }, .text("task") { $0.taskName.description },
        .text("comment") { excerpt($0.comment) },
      ], links: { links($0.comment) }))

  /// Takes effect in the notification of the comment, which says again what it said.
  private static let taskCommentRestored = NotificationSpec(
    "taskCommentRestored", .tasks, on: TaskCommentRestored.self, when: { $0.accountID != $0.comment.author.accountID },
    about: { $0.comment.id }, to: { $0.accountID },
    inbox: .init(
      amending: TaskCommentCreated.self,
      values: [
        .text("username") { $0.comment.author.username?.description ?? "" }, .text("task") { $0.taskName.description },
        .text("comment") { excerpt($0.comment) },
      ], links: { links($0.comment) }))

  private static func excerpt(_ comment: TaskComment) -> String { comment.text.map { Excerpt.of($0.description) } ?? "" }

  private static func links(_ comment: TaskComment) -> NotificationLinks {
    NotificationLinks(
      accountID: comment.author.accountID, taskID: ID(linking: comment.taskID), taskCommentID: ID(linking: comment.id))
  }

  /// Takes effect in the notification of the comment: nothing of what it said is left in it. Its author or moderators removed it, so it
  /// names whose it was.
  private static let taskCommentRemoved = NotificationSpec(
    "taskCommentRemoved", .tasks, on: TaskCommentRemoved.self, when: { $0.accountID != $0.authorAccountID },
    about: { $0.commentID }, to: { $0.accountID },
    inbox: .init(
      amending: TaskCommentCreated.self, isRemoval: true,
      values: [.text("username") { $0.authorUsername?.description ?? "" }, .text("task") { $0.taskName.description }],
      links: {
        NotificationLinks(
          accountID: $0.authorAccountID, taskID: ID(linking: $0.taskID), taskCommentID: ID(linking: $0.commentID))
      }))

  /// For all but who attached it.
  private static let taskAttached = NotificationSpec(
    "taskAttached", .tasks, on: TaskAttachmentsChanged.self,
    when: { $0.change == .attached && $0.taskName != nil && $0.byAccountID != nil && $0.byAccountID != $0.accountID },
    about: { $0.attachmentID }, to: { $0.accountID },
    inbox: .init(
      values: [.text("username") { $0.byUsername?.description ?? "" }] + attached,
      links: { NotificationLinks(accountID: $0.byAccountID, taskID: ID(linking: $0.taskID)) }))

  /// For all: nobody knows who it was that had the task's token.
  private static let taskAttachedByToken = NotificationSpec(
    "taskAttachedByToken", .tasks, on: TaskAttachmentsChanged.self,
    when: { $0.change == .attached && $0.taskName != nil && $0.byAccountID == nil }, about: { $0.attachmentID },
    to: { $0.accountID },
    inbox: .init(values: attached, links: { NotificationLinks(taskID: ID(linking: $0.taskID)) }))

  private static let attached: [NotificationValue<TaskAttachmentsChanged>] = [
    .text("task") { $0.taskName?.description ?? "" }, .text("file") { $0.name?.description ?? "" },
  ]

  private static let taskHelpRequested = help("taskHelpRequested", .request)
  private static let taskHelpOffered = help("taskHelpOffered", .offer)

  /// For the others, and once for each request or offer. Who mutes help has switched the category off (NOT-4).
  private static func help(_ name: String, _ kind: TaskHelpKind) -> NotificationSpec {
    NotificationSpec(
      name, .help, on: TaskHelpChanged.self,
      when: {
        $0.help.kind == kind && $0.help.closedAt == nil && $0.help.thankedAccountIDs.isEmpty
          && $0.accountID != $0.help.person.accountID
      }, about: { $0.help.id }, to: { $0.accountID },
      inbox: .init(
        values: [.text("username") { $0.help.person.username?.description ?? "" }, .text("task") { $0.taskName.description }],
        links: {
          NotificationLinks(
            accountID: $0.help.person.accountID, taskID: ID(linking: $0.help.taskID), taskHelpID: ID(linking: $0.help.id))
        }))
  }

  private static let taskHelpThanked = NotificationSpec(
    "taskHelpThanked", .tasks, on: TaskHelpThanked.self, about: { $0.helpID }, to: { $0.accountID },
    inbox: .init(
      values: [.text("username") { $0.byUsername.description }, .text("task") { $0.taskName.description }],
      links: {
        NotificationLinks(accountID: $0.byAccountID, taskID: ID(linking: $0.taskID), taskHelpID: ID(linking: $0.helpID))
      }))

  private static let links: @Sendable (TaskNoticeCreated) -> NotificationLinks = {
    NotificationLinks(accountID: $0.byAccountID, taskID: ID(linking: $0.taskID))
  }
}

public import Operations

/// All that the screen of a task shows (TASK-2, UC4, UC7).
public struct TaskDetails: Document, Hashable {
  /// The task.
  public var task: SharedTask
  /// The participants, in the order in which they were enrolled.
  public var participants: [TaskParticipant]
  /// The last comments, the newest last.
  public var comments: [TaskComment]
  /// Whether there are earlier ones.
  public var hasEarlierComments: Bool
  /// Requests for help and offers of it that are open, the newest last.
  public var help: [TaskHelp]
  /// The last attached files, the newest first.
  public var attachments: [TaskAttachment]
  /// Whether there are more.
  public var hasMoreAttachments: Bool
  /// Its parts, in the order in which they were made.
  public var parts: [TaskPart]
  /// The caller's public link to it; nil where there is none.
  public var link: TaskLink?

  /// The details from their parts.
  public init(
    task: SharedTask, participants: [TaskParticipant], comments: [TaskComment], hasEarlierComments: Bool, help: [TaskHelp],
    attachments: [TaskAttachment], hasMoreAttachments: Bool, parts: [TaskPart], link: TaskLink?
  ) {
    self.task = task
    self.participants = participants
    self.comments = comments
    self.hasEarlierComments = hasEarlierComments
    self.help = help
    self.attachments = attachments
    self.hasMoreAttachments = hasMoreAttachments
    self.parts = parts
    self.link = link
  }

  public static let notes: Notes = [
    "task": "The task.", "participants": "The participants in the order in which they were enrolled, each with their completion.",
    "comments": "The last 20 comments, newest last.",
    "hasEarlierComments": "Whether `taskComments.list` has earlier ones.",
    "help": "The open requests for help and offers of help, newest last.",
    "attachments": "The last 50 attached files, newest first.",
    "hasMoreAttachments": "Whether `taskAttachments.list` has more.",
    "parts": "Its parts in the order in which they were created; at most 50.",
    "link": "The caller's public link to it; absent without one.",
  ]
}

/// A person in a task: only the data of an account that anybody may see (TASK-1), and neither names nor photo if the account has blocked
/// the reader (SOC-8).
public struct TaskPerson: Document, Hashable {
  /// The account.
  public var accountID: AccountID
  /// Its username; nil where it is not shown to the caller.
  public var username: Username?
  /// Its nickname, if it has one that the caller may see.
  public var nickname: String?
  /// The URL of the person's photo, if there is one that the caller may see.
  public var photoURL: PhotoURL?

  /// The person from its parts.
  public init(accountID: AccountID, username: Username?, nickname: String?, photoURL: PhotoURL?) {
    self.accountID = accountID
    self.username = username
    self.nickname = nickname
    self.photoURL = photoURL
  }

  public static let notes: Notes = [
    "accountID": "The account.", "username": "Its username; absent if it is not shown to the caller.",
    "nickname": "Its nickname, if it has one that the caller may see.",
    "photoURL": "Its photo, if it has one that the caller may see.",
  ]
}

import Operations
import SocialContract

/// Who may mark a part of a task as done, and how many there may be (TASK-1).
enum TaskPartRules {
  /// How many parts one task may have.
  static let maxParts = 50

  /// Whether a participant may mark a part as done, or reopen it: its assignee, or anybody where it is unassigned.
  static func mayComplete(_ account: AccountID, assignee: AccountID?) -> Bool { assignee == nil || assignee == account }
}

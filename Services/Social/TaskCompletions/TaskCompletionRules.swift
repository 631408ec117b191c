import SocialContract

/// When a completion can be confirmed and taken back (TASK-5).
enum TaskCompletionRules {
  /// Whether confirming changes anything: again it does not, also when the task is completed by then.
  static func isChangedByConfirming(_ state: TaskState, isConfirmed: Bool) throws(TaskFailure) -> Bool {
    if state == .cancelled { throw .cancelled }
    return !isConfirmed
  }

  /// Whether taking back changes anything; of a completed task nothing is taken back.
  static func isChangedByWithdrawing(_ state: TaskState, isConfirmed: Bool) throws(TaskFailure) -> Bool {
    try TaskRules.expectOpen(state)
    return isConfirmed
  }
}

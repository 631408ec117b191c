public import Operations

extension FeatureContract {
  static let taskCompletions = FeatureContract(operations: [ConfirmTaskCompletion.self, WithdrawTaskCompletion.self])
}

/// Confirms that the caller has done its part of an open task (TASK-5). The task is completed once all participants have. Confirming again
/// changes nothing.
public enum ConfirmTaskCompletion: AccountOperation {
  public typealias Input = NamedTask
  public typealias Output = SharedTask

  public static let spec = OperationSpec(
    "taskCompletions.confirm", of: .social, .post("/v1/tasks/{taskID}/completion"), by: .account, effect: .write,
    rate: .registered,
    failures: [RequestFailure.notFound.kind, TaskFailure.cancelled.kind], requirements: ["TASK-5"],
    "Confirms that the caller has done their part of a task; it is completed once all participants have.")
}

/// Withdraws the caller's confirmation, while not all participants have confirmed (TASK-5). Without a confirmation it changes nothing.
public enum WithdrawTaskCompletion: AccountOperation {
  public typealias Input = NamedTask
  public typealias Output = SharedTask

  public static let spec = OperationSpec(
    "taskCompletions.withdraw", of: .social, .delete("/v1/tasks/{taskID}/completion"), by: .account, effect: .write,
    rate: .registered,
    failures: [RequestFailure.notFound.kind, TaskFailure.completed.kind, TaskFailure.cancelled.kind], requirements: ["TASK-5"],
    "Withdraws the caller's confirmation, as long as not all participants have confirmed.")
}

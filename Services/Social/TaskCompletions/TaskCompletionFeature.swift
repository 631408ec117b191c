import Operations
import ServiceKit
import SocialContract
import Storage

/// Completions of tasks: confirmed by each participant, and taken back while not all have (TASK-5).
struct TaskCompletionFeature: Feature {
  let completions: TaskCompletionWriter

  func register(in service: inout ServiceDefinition) {
    let handlers = TaskCompletionHandlers(completions: completions)
    service.serve(ConfirmTaskCompletion.self, write: handlers.confirm)
    service.serve(WithdrawTaskCompletion.self, write: handlers.withdraw)
  }
}

/// Runs the steps of handlers, and of readers of announcements, on the thread that owns the sockets.
///
/// A small request is read, passed to the store and answered without switching threads, apart from the store's own: waking threads is most
/// of the cost of a small request. Work that needs much processor time leaves this thread first: handlers of large requests run elsewhere
/// from the start, and reads and writes run on the store's connections.
final class BusExecutor: TaskExecutor {
  private let commandQueue: CommandQueue

  init(_ commandQueue: CommandQueue) { self.commandQueue = commandQueue }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // A handler may outlive its bus.
    if !commandQueue.push(.run(job)) { globalConcurrentExecutor.enqueue(job) }
  }
}

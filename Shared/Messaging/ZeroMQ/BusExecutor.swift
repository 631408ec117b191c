/// Runs the steps of handlers, and of those who receive announcements, on the thread that owns the sockets.
///
/// A small request is read, handed to the store, and answered without changing threads but for the store's own: what is woken and
/// how often is most of what a small request costs. Whoever needs a processor for long leaves the thread first: large requests
/// have their handlers elsewhere from the start, reads and writes run on the store's connections.
final class BusExecutor: TaskExecutor {
  private let commandQueue: CommandQueue

  init(_ commandQueue: CommandQueue) { self.commandQueue = commandQueue }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // A handler may outlive the bus it came by.
    if !commandQueue.push(.run(job)) { globalConcurrentExecutor.enqueue(job) }
  }
}

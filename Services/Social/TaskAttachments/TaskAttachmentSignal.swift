/// Lets the worker look for files that are of no use any more; several calls before it looks are one.
final class TaskAttachmentSignal: Sendable {
  let signals: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() { (signals, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

  func callAsFunction() { continuation.yield() }
}

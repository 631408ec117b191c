/// Wakes the worker that removes unreferenced files; several calls before it runs count as one.
final class TaskAttachmentSignal: Sendable {
  let signals: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() { (signals, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

  func callAsFunction() { continuation.yield() }
}

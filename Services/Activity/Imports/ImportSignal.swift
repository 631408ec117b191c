/// Lets somebody look for what is to be done; several calls before it looks are one.
final class ImportSignal: Sendable {
  let rings: AsyncStream<Void>
  private let ring: AsyncStream<Void>.Continuation

  init() { (rings, ring) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

  func callAsFunction() { ring.yield() }
}

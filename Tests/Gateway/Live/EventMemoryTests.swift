import Operations
import Testing

@testable import GatewayService

@Suite("The gateway's memory of its subscriptions")
struct EventMemoryTests {
  private let head = LogHead(epoch: "1", number: 5)

  private func memory(_ pages: Int64...) async throws -> EventMemory {
    let memory = EventMemory([:])
    for (index, number) in pages.enumerated() {
      let page = SnapshotPage(head: LogHead(epoch: "1", number: number), events: [], nextKey: nil)
      try await memory.apply(page, of: .identity, isLast: index == pages.count - 1, from: head)
    }
    return memory
  }

  @Test("The event memory enters a publisher's next epoch only if that contains everything that it has seen")
  func entering() async throws {
    let memory = try await memory(5, 7)
    #expect(await memory.cursor(of: .identity) == head)
    #expect(
      await memory.enter("2", after: LogHead(epoch: "1", number: 6), of: .identity) == nil, "the snapshot showed the seventh")
    #expect(await memory.enter("2", after: LogHead(epoch: "0", number: 9), of: .identity) == nil)
    #expect(await memory.enter("2", after: LogHead(epoch: "1", number: 7), of: .social) == nil)
    #expect(await memory.enter("2", after: LogHead(epoch: "1", number: 7), of: .identity) == LogHead(epoch: "2", number: 5))
    _ = try await memory.apply(EventPage([], through: 9), after: 5, of: .identity, epoch: "2")
    #expect(await memory.enter("3", after: LogHead(epoch: "2", number: 8), of: .identity) == nil)
    #expect(await memory.cursor(of: .identity) == LogHead(epoch: "2", number: 9))
  }

  @Test("The event memory has no cursor until its snapshot is complete")
  func half() async throws {
    let memory = try await memory(5)
    let page = SnapshotPage(head: LogHead(epoch: "2", number: 3), events: [], nextKey: "next")
    try await memory.apply(page, of: .identity, isLast: false, from: page.head)
    #expect(await memory.cursor(of: .identity) == nil)
  }
}

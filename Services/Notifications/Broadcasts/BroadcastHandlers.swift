import GRDB
import IdentityContract
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// Messages to many: previewed, tried on oneself, sent, listed and cancelled by administrators.
struct BroadcastHandlers: Sendable {
  private static let usualRate = 6000

  let dispatch: DeliveryDispatch
  /// Wakes the worker.
  let signal: WakeSignal

  @Sendable
  func count(_ input: BroadcastMessage, _ call: AccountCall) async throws -> Int {
    try await call.request(CountAudience.self, input.audience(at: call.now)).count
  }

  @Sendable
  func preview(
    _ input: BroadcastMessage, _ count: Int, _ call: AccountCall, _ database: Database
  ) throws -> PreviewBroadcast.Output {
    let words = input.words(call.language)
    return PreviewBroadcast.Output(count: count, title: words.title, text: words.text)
  }

  @Sendable
  func send(_ input: SendBroadcast.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Broadcast {
    let broadcast = try BroadcastStore.add(input.message, perMinute: input.perMinute ?? Self.usualRate, transaction)
    transaction.afterCommit { [signal] in signal.send() }
    return broadcast
  }

  @Sendable
  func test(_ input: BroadcastMessage, _ call: AccountCall, _ transaction: Transaction) throws -> Empty {
    try dispatch.deliver(
      .announcement, input.draft(ID(), for: call.account, call.language), at: transaction.now, transaction)
    return Empty()
  }

  @Sendable
  func list(_ input: ListPage, _ call: AccountCall, _ database: Database) throws -> Page<Broadcast> {
    let page = try call.page(input)
    let rows = try BroadcastStore.list(
      before: page.cursor(ID<BroadcastMark>.init(text:)), limit: page.fetchLimit, in: database)
    return try page.page(of: rows, key: { $0["broadcast_id"] as ID<BroadcastMark> }) { try Broadcast($0) }
  }

  @Sendable
  func cancel(_ input: CancelBroadcast.Input, _ call: AccountCall, _ transaction: Transaction) throws -> Broadcast {
    try BroadcastStore.finish(input.broadcastID, .cancelled, transaction)
    guard let broadcast = try BroadcastStore.find(input.broadcastID, in: transaction.database) else {
      throw Failure(RequestFailure.notFound)
    }
    return broadcast
  }
}

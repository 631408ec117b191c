import GRDB
import NotificationsContract
import Operations
import ServiceKit
import Storage

/// The log of deliveries: listed by who they went to, counted for operators.
enum DeliveryHandlers {
  /// What waits is counted no further.
  private static let maxWaiting = 100_000

  static func list(_ input: ListDeliveries.Input, _ call: AccountCall, _ database: Database) throws -> Page<NotificationDelivery>
  {
    // A session in doubt learns nothing of logins.
    let hidden = call.caller.isInDoubt == true ? NotificationSpec.all.filter { $0.category == .logins }.map(\.name) : []
    return try DeliveryStore.list(
      of: call.account, input, without: hidden, since: call.now.adding(seconds: -ListDeliveries.days * 86_400),
      call.page(input), call.language, in: database)
  }

  static func statistics(
    _ input: GetDeliveryStatistics.Input, _ call: AccountCall, _ database: Database
  ) throws -> GetDeliveryStatistics.Output {
    let first = DeliveryStore.day(of: call.now).adding(seconds: ((input.days ?? 7) - 1) * -86_400)
    return GetDeliveryStatistics.Output(
      figures: try DeliveryStore.figures(since: first, in: database),
      waiting: try DeliveryStore.waiting(limit: maxWaiting, in: database))
  }
}

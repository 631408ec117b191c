import ActivityContract
import GRDB
import Operations
import ServiceKit

/// Lists the days of movement, with what earns nothing and why.
struct MovementDayHandlers: Sendable {
  let rules: FairnessRules
  private let words = Words(Contract.activity.words)

  init(rules: FairnessRules) { self.rules = rules }

  func list(_ input: ListMovementDays.Input, _ call: AccountCall, _ database: Database) throws -> ListMovementDays.Output {
    let days = try MovementDayStore.list(of: call.account, from: input.from, to: input.to, in: database)
    return Page(items: days.map { $0.shown(rules, call.language, words) })
  }
}

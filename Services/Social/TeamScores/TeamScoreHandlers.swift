import GRDB
import Operations
import ServiceKit
import SocialContract
import Storage

/// The list of all teams by their scores.
enum TeamScoreHandlers {
  static func list(_ input: ListTeams.Input, _ call: AccountCall, _ database: Database) throws -> ListTeams.Output {
    let period = TeamScoreRules.period(input.month)
    let own = try TeamMemberStore.membership(of: call.account, in: database)?.team
    let request = try call.page(input)
    let rows = try TeamScoreStore.rows(
      .behind, of: try request.cursor(TeamPosition.init(text:)), in: period, limit: request.fetchLimit, database)
    let page = request.page(
      of: try TeamScoreStore.ranked(rows, in: period, own: own, database), key: { TeamPosition(score: $0.score, team: $0.id) },
      item: { $0 })
    let ownTeam = try own.flatMap { try TeamScoreStore.ranked($0, input.month, isMine: true, in: database) }
    return ListTeams.Output(
      items: page.items, nextCursor: page.nextCursor, mine: ownTeam,
      neighbours: try ownTeam.map { try neighbours(of: $0, in: period, database) } ?? [])
  }

  /// A team between its neighbours in the list.
  private static func neighbours(of team: RankedTeam, in period: Int, _ database: Database) throws -> [RankedTeam] {
    let position = TeamPosition(score: team.score, team: team.id)
    func side(_ side: TeamScoreStore.Side) throws -> [RankedTeam] {
      let rows = try TeamScoreStore.rows(side, of: position, in: period, limit: ListTeams.Output.neighbours, database)
      return try TeamScoreStore.ranked(rows, in: period, own: team.id, database)
    }
    return try side(.before) + [team] + side(.behind)
  }
}

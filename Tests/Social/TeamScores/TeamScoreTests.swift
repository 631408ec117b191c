import GRDB
import InProcess
import Operations
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("A team's score and its rank among all teams (TEAM-2, B UC10)")
struct TeamScoreTests {
  let identity = IdentityDouble()

  private func teams(
    _ services: ServicesInProcess, _ month: String? = nil, as person: IdentityDouble.Account, limit: Int? = nil,
    cursor: PageCursor? = nil
  ) async throws -> ListTeams.Output {
    try await services.call(
      ListTeams.self, .init(month: try month.map { try TeamMonth(text: $0) }, limit: limit, cursor: cursor), as: person.caller)
  }

  /// Teams of one person each, whose names and scores these are.
  private func compete(
    _ scores: [(name: String, score: Int)], _ body: (ServicesInProcess, [IdentityDouble.Account]) async throws -> Void
  ) async throws {
    let people = try scores.indices.map { try identity.person("person\($0)") }
    try await ServicesInProcess.teaming(identity) { services in
      for (person, team) in zip(people, scores) {
        try await services.createTeam(team.name, by: person)
        try await services.score(team.score, by: person)
      }
      try await body(services, people)
    }
  }

  @Test("B UC10 main: a member sees the team's rank among all teams, of all time and of the month")
  func own() async throws {
    try await compete([("A", 2), ("B", 5), ("C", 2), ("D", 0)]) { services, people in
      var standings: [TeamStanding?] = []
      for person in people { standings.append(try await services.team(of: person)?.allTime) }
      #expect(
        standings == [
          TeamStanding(score: 2, rank: 2), TeamStanding(score: 5, rank: 1), TeamStanding(score: 2, rank: 2),
          TeamStanding(score: 0, rank: 4),
        ])
      // A new month begins, in which one of them has scored.
      services.clock.advance(days: 10)
      try await services.score(1, by: people[3])
      let last = try #require(try await services.team(of: people[3]))
      #expect(last.allTime == TeamStanding(score: 1, rank: 4) && last.month == TeamStanding(score: 1, rank: 1))
      #expect(try await services.team(of: people[1])?.month == TeamStanding(score: 0, rank: 2))
    }
  }

  @Test("A team's score counts members' confirmations while in it, once for each member and task of at least two")
  func counted() async throws {
    let (ana, ben, eva) = (try identity.person("ana"), try identity.person("ben"), try identity.person("eva"))
    try await ServicesInProcess.teaming(identity) { services in
      // Before there is a team.
      try await services.score(3, by: ana)
      let team = try await services.createTeam(by: ana, with: [ben])
      let task = ID<SharedTask>()
      for person in [ana, ben, eva, ana, ben] { try await services.confirm(task, by: person, participants: 3) }
      try await services.confirm(ID(), by: ana, participants: 1)
      #expect(try await services.team(of: ana)?.allTime.score == 2)
      // Who leaves leaves the points, and scores for the team no more.
      try await services.leave(team, as: ben)
      try await services.score(4, by: ben)
      #expect(try await services.team(of: ana)?.allTime.score == 2)
      try await services.createTeam("Others", by: ben)
      try await services.confirm(task, by: ben, participants: 3)
      #expect(try await services.team(of: ben)?.allTime.score == 0)
    }
  }

  @Test("A completion taken back is subtracted once, from the team and month that it counted for, and can count again")
  func takenBack() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.teaming(identity) { services in
      let team = try await services.createTeam(by: ana, with: [ben])
      let (one, two) = (ID<SharedTask>(), ID<SharedTask>())
      try await services.confirm(one, by: ben)
      try await services.confirm(two, by: ben)
      try await services.leave(team, as: ben)
      try await services.createTeam("Others", by: ben)
      services.clock.advance(days: 10)
      for _ in 0..<2 { try await services.withdraw(one, by: ben) }
      try await services.withdraw(one, by: ana)
      #expect(try await services.team(of: ana)?.allTime.score == 1)
      let june = try #require(try await teams(services, "2026-06", as: ana).mine)
      #expect(june.score == 1 && june.rank == 1)
      try await services.confirm(one, by: ben)
      let bens = try #require(try await services.team(of: ben))
      #expect(bens.allTime.score == 1 && bens.month.score == 1)
      try await services.withdraw(two, by: ben)
      #expect(try await teams(services, "2026-06", as: ana).items.isEmpty)
      #expect(try await teams(services, "2026-07", as: ana).items.map(\.name.description) == ["Others"])
      // Of a team that has ended nothing is subtracted.
      try await services.leave(bens, as: ben)
      try await services.withdraw(one, by: ben)
      try await expectCounts(services)
    }
  }

  @Test("The list of teams has the best of all time or of a month, page by page, and shows nothing of their members")
  func list() async throws {
    try await compete([("A", 1), ("B", 3), ("C", 2), ("D", 2), ("E", 0), ("F", 300)]) { services, people in
      let stranger = try identity.person("stranger")
      let all = try await teams(services, as: stranger)
      #expect(all.items.map(\.name.description) == ["F", "B", "D", "C", "A", "E"])
      #expect(all.items.map(\.rank) == [1, 2, 3, 3, 5, 6] && all.items.map(\.score) == [300, 3, 2, 2, 1, 0])
      #expect(all.mine == nil && all.neighbours.isEmpty && all.nextCursor == nil && all.items.allSatisfy { $0.memberCount == 1 })
      #expect(!String(decoding: all.json, as: UTF8.self).contains("person"))
      var pages: [RankedTeam] = []
      var cursor: PageCursor?
      repeat {
        let page = try await teams(services, as: stranger, limit: 1, cursor: cursor)
        pages += page.items
        cursor = page.nextCursor
      } while cursor != nil
      #expect(pages == all.items)
      let month = try await teams(services, "2026-06", as: people[4])
      #expect(month.items.map(\.name.description) == ["F", "B", "D", "C", "A"])
      #expect(month.mine?.rank == 6 && month.mine?.score == 0 && month.mine?.isMine == true)
      #expect(month.neighbours.map(\.name.description) == ["F", "B", "D", "C", "A", "E"])
      #expect(try await teams(services, "2026-05", as: people[4]).items.isEmpty)
    }
  }

  @Test("The list of teams shows one's own between up to five neighbours on each side, on every page")
  func neighbours() async throws {
    try await compete((0..<14).map { ("Team \($0)", $0 / 2) }) { services, people in
      let page = try await teams(services, as: people[7], limit: 1)
      #expect(page.items.map(\.score) == [6] && page.mine?.score == 3 && page.mine?.rank == 7)
      #expect(page.neighbours.count { $0.isMine } == 1)
      let all = try await teams(services, as: people[7]).items
      let index = try #require(all.firstIndex { $0.isMine })
      #expect(page.neighbours == Array(all[(index - 5)...(index + 5)]))
      let first = try await teams(services, as: people[13])
      #expect(first.mine?.rank == 1 && first.neighbours.map(\.id) == all.prefix(6).map(\.id))
    }
  }

  @Test("Each team is counted once for each period, whatever is confirmed, taken back, left and ended")
  func invariants() async throws {
    let people = try (0..<6).map { try identity.person("person\($0)") }
    try await ServicesInProcess.teaming(identity) { services in
      var random = SystemRandomNumberGenerator()
      let tasks = (0..<8).map { _ in ID<SharedTask>() }
      for step in 0..<200 {
        guard let person = people.randomElement(using: &random), let task = tasks.randomElement(using: &random) else { break }
        switch step % 5 {
        case 0:
          if let team = try await services.team(of: person) {
            if step % 3 == 0 { try await services.leave(team, as: person) }
          } else {
            try await services.createTeam("Team \(step)", by: person)
          }
        case 1: try await services.withdraw(task, by: person)
        case 2: services.clock.advance(days: 3)
        default: try await services.confirm(task, by: person)
        }
      }
      try await expectCounts(services)
    }
  }

  /// What the triggers have counted is what a count of all comes to.
  private func expectCounts(_ services: ServicesInProcess) async throws {
    func rows(_ sql: String) async throws -> [[Int]] {
      try await services.store(of: .social).read { database in
        try Row.fetchAll(database, sql: sql).map { row in (0..<3).map { row[$0] as Int } }
      }
    }
    #expect(
      try await rows("SELECT period, score, team_count FROM team_score_counts ORDER BY 1, 2")
        == rows("SELECT period, score, count(*) FROM team_scores GROUP BY 1, 2 ORDER BY 1, 2"))
    #expect(
      try await rows("SELECT period, band, team_count FROM team_score_bands ORDER BY 1, 2")
        == rows("SELECT period, score / 256, count(*) FROM team_scores GROUP BY 1, 2 ORDER BY 1, 2"))
    // And a score is the number of points, but for those of deleted accounts.
    #expect(
      try await rows(
        """
        SELECT p.period, count(*), s.score FROM team_points p JOIN team_scores s USING (team_id, period) GROUP BY p.team_id, p.period
        """
      ).allSatisfy { $0[1] == $0[2] })
  }
}

import ActivityContract
import GRDB
import IdentityContract
import InProcess
import Operations
import RewardsContract
import Sampling
import ServiceKit
import SocialContract
import Storage
import Testing

@testable import RewardsService

@Suite("Leaderboards compared with a slow and simple model (REW-6)")
struct LeaderboardHistoryTests {
  @Test(
    "Random histories of steps, corrections, choices, suspensions, blocks, teams and erasures equal the model",
    arguments: [1, 2, 3] as [UInt64])
  func histories(seed: UInt64) async throws {
    try await ServicesInProcess.ranking(at: "2026-10-20T12:00:00.000Z") { services in
      var history = try await RandomHistory(services, seed: seed)
      for _ in 0..<150 {
        try await history.step()
        try await history.compare()
      }
      #expect(history.operations > 1000 && history.comparisons > 1000, "\(history.operations) \(history.comparisons)")
      try await services.countsAreRight(in: [0, LeaderboardRules.month(of: LocalCalendar.day(services.clock.now.milliseconds))])
      try await services.ledgerIsSound()
    }
  }
}

/// A history of people on leaderboards, in the services and in the model.
private struct RandomHistory {
  private let services: ServicesInProcess
  private var random: SeededGenerator
  private var model: LeaderboardModel
  private var persons: [Person] = []
  private let teams = (0..<3).map { _ in ID<Team>() }
  private var revision = 1
  private(set) var operations = 0
  private(set) var comparisons = 0

  init(_ services: ServicesInProcess, seed: UInt64) async throws {
    self.services = services
    random = SeededGenerator(seed)
    let zones = TimeZones()
    var people: [LeaderboardModel.Person] = []
    for index in 0..<14 {
      let zone = ["Etc/GMT+12", "America/Los_Angeles", "UTC", "Europe/Madrid", "Pacific/Kiritimati"][index % 5]
      let hour = [0, 3, 6][index % 3]
      let person = try await services.register(timeZone: zone, dayStartHour: hour)
      persons.append(person)
      people.append(.init(id: person.id, calendar: LocalCalendar(zones.offsets(zone), dayStartHour: hour)))
    }
    model = LeaderboardModel(people)
    for index in 0..<10 { try await see(index, true) }
  }

  private var months: LeaderboardMonths { LeaderboardMonths(at: services.clock.now, earningDays: model.formula.earningDays) }

  private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  private mutating func anybody(_ isEligible: (LeaderboardModel.Person) -> Bool = { !$0.isErased }) -> Int? {
    model.people.indices.filter { isEligible(model.people[$0]) }.randomElement(using: &random)
  }

  mutating func step() async throws {
    switch Int.random(in: 0..<12, using: &random) {
    case 0..<4: try await walk(Int.random(in: 20...60, using: &random))
    case 4..<6: services.clock.advance(seconds: Int.random(in: 0...60, using: &random) * 3600)
    case 6:
      guard let person = anybody({ !$0.isErased && !$0.isSuspended }) else { return }
      try await see(person, !model.people[person].isVisible)
    case 7: try await suspend()
    case 8: try await consent()
    case 9: try await relate()
    case 10: try await team()
    default:
      if chance(15), model.people.count(where: { !$0.isErased }) > 8 { try await erase() } else { try await walk(5) }
    }
  }

  private mutating func walk(_ count: Int) async throws {
    var events: [MovementDaysChanged] = []
    for _ in 0..<count {
      // Activity takes no steps without consent. Of who was erased some come late.
      guard let person = anybody({ $0.consents }) else { return }
      // Received late, sometimes, and of a day that is long over, sometimes.
      let recorded = model.people[person].calendar.day(of: services.clock.now).advanced(by: -(chance(20) ? 3 : 0))
      let day = recorded.advanced(by: -Int.random(in: 0...8, using: &random))
      let steps = Int.random(in: 0...30, using: &random) * 50
      revision += 1
      let given = chance(10) ? max(1, revision - 100) : revision
      events.append(
        MovementDaysChanged(
          accountID: model.people[person].id, recordedDay: recorded,
          days: [.init(day: day, steps: steps + 70, earningSteps: steps, revision: given)]))
      model.walk(person, steps, on: day, recordedOn: recorded, revision: given)
    }
    let published = events
    try await services.store(of: .activity).write { transaction in for event in published { try transaction.publish(event) } }
    try await services.hasReceived(.rewards, of: .activity)
    operations += count
    try await readCoins()
  }

  /// What the ledger has, which others prove.
  private mutating func readCoins() async throws {
    let rows = try await services.store(of: .rewards).read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT a.account_id, t.day, iif(t.credit_id = a.ledger_account_id, t.coins, -t.coins) AS coins
          FROM transfers t JOIN ledger_accounts a ON a.ledger_account_id IN (t.debit_id, t.credit_id)
          WHERE t.kind IN ('earned', 'corrected') AND a.account_id IS NOT NULL AND a.erased_at IS NULL
          """
      ).map { (account: $0["account_id"] as AccountID, day: $0["day"] as LocalDay, coins: $0["coins"] as Int) }
    }
    for index in model.people.indices {
      let own = rows.filter { $0.account == model.people[index].id }
      model.people[index].coins = Dictionary(own.map { (LeaderboardRules.month(of: $0.day), $0.coins) }, uniquingKeysWith: +)
    }
  }

  private mutating func see(_ person: Int, _ isVisible: Bool) async throws {
    _ = try await persons[person].send(SetLeaderboardVisibility.self, .init(isVisible: isVisible))
    model.change(person, at: months) { $0.isVisible = isVisible }
    operations += 1
  }

  private mutating func suspend() async throws {
    guard let person = anybody() else { return }
    let isSuspended = !model.people[person].isSuspended
    try await services.suspend(persons[person], until: isSuspended ? .endOfTime : nil)
    model.change(person, at: months) { $0.isSuspended = isSuspended }
    operations += 1
  }

  private mutating func consent() async throws {
    guard let person = anybody() else { return }
    let consents = !model.people[person].consents
    try await services.consent(persons[person], consents)
    model.change(person, at: months) { $0.consents = consents }
    operations += 1
  }

  private mutating func relate() async throws {
    guard let one = anybody(), let other = anybody(), one != other else { return }
    let (areFriends, oneHasBlocked) = chance(60) ? (chance(70), false) : (false, true)
    try await services.relate(persons[one], persons[other], areFriends: areFriends, oneHasBlocked: oneHasBlocked)
    for (person, other) in [(one, other), (other, one)] {
      model.people[person].friends.remove(other)
      model.people[person].apart.remove(other)
      if areFriends { model.people[person].friends.insert(other) }
      if oneHasBlocked { model.people[person].apart.insert(other) }
    }
    operations += 1
  }

  private mutating func team() async throws {
    guard let person = anybody(), let team = teams.indices.randomElement(using: &random) else { return }
    let isMember = chance(75)
    try await services.join(teams[team], persons[person], isMember: isMember)
    model.people[person].team = isMember ? team : nil
    operations += 1
  }

  private mutating func erase() async throws {
    guard let person = anybody() else { return }
    try await services.delete(persons[person], receivedBy: .rewards)
    model.change(person, at: months) { $0.isErased = true }
    model.people[person].team = nil
    for other in model.people.indices {
      model.people[other].friends.remove(person)
      model.people[other].apart.remove(person)
    }
    operations += 1
  }

  /// Asks for leaderboards as somebody, and looks whether they are those of the model.
  mutating func compare() async throws {
    guard let reader = anybody({ !$0.isErased && !$0.isSuspended }) else { return }
    let today = model.people[reader].calendar.day(of: services.clock.now)
    let lastMonth = today.advanced(by: -today.parts.day)
    let periods = [LeaderboardPeriod(of: today), LeaderboardPeriod(of: lastMonth), .allTime]
    for period in periods {
      for metric in LeaderboardMetric.allCases {
        for scope in LeaderboardScope.allCases where scope != .team || model.people[reader].team != nil {
          try await compare(metric, period, scope, reader)
        }
      }
    }
  }

  private mutating func compare(
    _ metric: LeaderboardMetric, _ period: LeaderboardPeriod, _ scope: LeaderboardScope, _ reader: Int
  ) async throws {
    let number = LeaderboardRules.number(of: period)
    let expected = model.leaderboard(metric, number, scope, for: reader, isOver: months.isOver(number))
    let limit = Int.random(in: 1...6, using: &random)
    let whole = try await persons[reader].wholeLeaderboard(metric, period.description, scope, limit: limit)
    try #require(ranks(whole) == expected.ranks, "\(metric) \(period) \(scope) after \(operations)")
    let page = try await persons[reader].leaderboard(metric, period.description, scope, limit: 1)
    let own = expected.own
    try #require(page.me.map { [$0] }.map(ranks) == [own], "\(metric) \(period) \(scope) after \(operations)")
    func isBefore(_ rank: LeaderboardModel.Rank) -> Bool { (own.score, own.account) < (rank.score, rank.account) }
    let others = expected.ranks.filter { $0.account != own.account }
    let around = others.filter(isBefore).suffix(5) + [own] + others.filter { !isBefore($0) }.prefix(5)
    try #require(ranks(page.neighbours) == Array(around), "\(metric) \(period) \(scope) after \(operations)")
    try #require((page.message != nil) == expected.ranks.isEmpty)
    comparisons += 1
  }

  private func ranks(_ people: [RankedPerson]) -> [LeaderboardModel.Rank] {
    people.map { .init(account: $0.accountID, score: $0.score, rank: $0.rank) }
  }
}

import Foundation
import InProcess
import Operations
import RewardsContract
import ServiceKit
import Storage
import Testing

@testable import RewardsService

@Suite("Definitions of challenges and achievements (REW-7, REW-8)")
struct ChallengeDefinitionTests {
  @Test("Definitions can be created, edited, retired and listed by administrators only")
  func strangers() async throws {
    let item = ChallengeScene.challenge("Walk", 100)
    try await ChallengeScene.running([item]) { services in
      let ana = try await services.register()
      let edit = UpdateChallenge.Input(challengeID: item.id, threshold: .set(1))
      #expect(try await ana.failure(CreateChallenge.self, item.terms) == "forbidden")
      #expect(try await ana.failure(UpdateChallenge.self, edit) == "forbidden")
      #expect(try await ana.failure(RetireChallenge.self, .init(challengeID: item.id)) == "forbidden")
      #expect(try await ana.failure(ListChallengeDefinitions.self, .init()) == "forbidden")
    }
  }

  @Test("An edit changes texts, lowers the threshold, and counts earlier activity again")
  func edit() async throws {
    let item = ChallengeScene.challenge("Walk", 100, coins: 5)
    try await ChallengeScene.running([item]) { services in
      let (ana, marta) = (try await services.register(), try services.administrator())
      try await services.move(ana.id, steps: 90)
      let texts = ChallengeScene.texts("Stroll")
      func input(_ threshold: Int, coins: Int) -> UpdateChallenge.Input {
        .init(challengeID: item.id, threshold: .set(threshold), coins: .set(coins), texts: .set(texts))
      }
      #expect(
        try await marta.refusedFields(UpdateChallenge.self, input(101, coins: 4)) == [
          "threshold may_not_rise", "coins may_not_fall",
        ])
      let edited = try await marta.send(UpdateChallenge.self, input(80, coins: 6), key: "edit")
      #expect(edited.terms.threshold == 80 && edited.terms.coins == 6 && edited.terms.texts == texts)
      let completed = try await ana.answer(from: .rewards) {
        let items = try await ana.send(ListCompletedChallenges.self, .init()).items
        return items.isEmpty ? nil : items
      }
      #expect(completed.map(\.title) == ["Stroll"] && completed.map(\.coins) == [6])
      let missing = UpdateChallenge.Input(challengeID: ID(), threshold: .set(1))
      #expect(try await marta.failure(UpdateChallenge.self, missing) == "challenge_not_found")
    }
  }

  @Test("An edit keeps the fields that it leaves out, refuses null by name, and tiers beside a threshold")
  func parts() async throws {
    let item = ChallengeScene.challenge("Walk", 100, coins: 5)
    try await ChallengeScene.running([item]) { services in
      let marta = try services.administrator()
      let edited = try await marta.send(UpdateChallenge.self, .init(challengeID: item.id, threshold: .set(80)), key: "edit")
      #expect(edited.terms.threshold == 80 && edited.terms.coins == 5)
      #expect(edited.terms.texts == item.terms.texts && edited.terms.icon == item.terms.icon)
      #expect(try await marta.send(UpdateChallenge.self, .init(challengeID: item.id), key: "nothing") == edited)
      let tiers = UpdateChallenge.Input(challengeID: item.id, tiers: .set(ChallengeTiers(bronze: 1, silver: 2, gold: 3)))
      #expect(try await marta.refusedFields(UpdateChallenge.self, tiers) == ["tiers not_beside"])
      let null = await #expect(throws: Failure.self) {
        try await marta.send(UpdateChallenge.self, json: Array(#"{"challengeID":"\#(item.id)","coins":null}"#.utf8))
      }
      #expect(null?.fields.map { "\($0.field) \($0.code)" } == ["coins null"])
    }
  }

  @Test("A retired challenge can no longer be completed, and stays with those who completed it")
  func retire() async throws {
    let item = ChallengeScene.challenge("Walk", 100, coins: 5)
    try await ChallengeScene.running([item]) { services in
      let (ana, ben, marta) = (try await services.register(), try await services.register(), try services.administrator())
      try await services.move(ana.id, steps: 100)
      let retired = try await marta.send(RetireChallenge.self, .init(challengeID: item.id), key: "retire")
      #expect(retired.retiredAt == services.clock.clock.now)
      #expect(try await marta.send(RetireChallenge.self, .init(challengeID: item.id)) == retired)
      try await services.move(ben.id, steps: 100)
      #expect(try await ben.send(ListCompletedChallenges.self, .init()).items.isEmpty)
      #expect(try await ben.send(ListChallenges.self, .init()).items.isEmpty)
      #expect(try await ana.send(ListBadges.self, .init()).items.count == 1)
      let edit = UpdateChallenge.Input(challengeID: item.id, threshold: .set(1))
      #expect(try await marta.failure(UpdateChallenge.self, edit) == "challenge_retired")
      // A correction still takes back what it has given.
      try await services.move(ana.id, steps: 99)
      #expect(try await ana.send(ListBadges.self, .init()).items.isEmpty)
      #expect(try await marta.failure(RetireChallenge.self, .init(challengeID: ID())) == "challenge_not_found")
    }
  }

  @Test("Definitions are listed page by page, retired ones included, and at most 200 are active")
  func list() async throws {
    let items = (1...3).map { ChallengeScene.challenge("Walk \($0)", 100) }
    try await ChallengeScene.running(items) { services in
      let marta = try services.administrator()
      _ = try await marta.send(RetireChallenge.self, .init(challengeID: items[1].id), key: "retire")
      let first = try await marta.send(ListChallengeDefinitions.self, .init(limit: 2))
      let second = try await marta.send(ListChallengeDefinitions.self, .init(limit: 2, cursor: first.nextCursor))
      #expect(first.items.map(\.id) == items[..<2].map(\.id) && second.items.map(\.id) == [items[2].id])
      #expect(first.items.map { $0.retiredAt != nil } == [false, true] && second.nextCursor == nil)
      try await services.store(of: .rewards).write { transaction in
        for number in 0..<198 {
          try ChallengeDefinitionStore.add(ID(), ChallengeScene.challenge("More \(number)", 100).terms, transaction)
        }
      }
      #expect(try await marta.failure(CreateChallenge.self, items[0].terms) == "too_many_definitions")
    }
  }

  @Test("The operator's file is read at each start, and defines each challenge only once")
  func file() async throws {
    let home = "/tmp/racha-challenges-\(UInt64.random(in: .min ... .max))"
    defer { try? FileManager.default.removeItem(atPath: home) }
    let item = ChallengeScene.challenge("Walk", 100)
    func run(_ threshold: Int, shipped: Bool) async throws -> [ChallengeDefinition] {
      let terms = ChallengeTerms(
        rule: item.terms.rule, threshold: threshold, icon: item.terms.icon, texts: item.terms.texts)
      let file = ChallengesFile(challenges: [.init(id: item.id, terms: terms)])
      return try await ServicesInProcess.running(
        [{ try Rewards.service($0) }], settings: ["racha.challenges.builtIn": "\(shipped)"], home: home,
        prepare: { try Data(file.json).write(to: URL(fileURLWithPath: "\($0.path)/\(ChallengesFile.name)")) },
        { services in
          let wanted = shipped ? 32 : 1
          try await services.store(of: .rewards).until { try await services.store(of: .rewards).rows("challenges") == wanted }
          return try await services.administrator().send(ListChallengeDefinitions.self, .init(limit: 200)).items
        })
    }
    #expect(try await run(100, shipped: false).map(\.terms.threshold) == [100])
    let all = try await run(50, shipped: true)
    #expect(all.count == 32 && all.first { $0.id == item.id }?.terms.threshold == 100)
  }

  @Test("An error in the operator's file stops the start, and is reported with its position")
  func mistake() throws {
    let home = "/tmp/racha-challenges-\(UInt64.random(in: .min ... .max))"
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: home) }
    let texts = String(decoding: ChallengeScene.texts("x").json, as: UTF8.self)
    let json = """
      {"challenges":[{"id":"019aa5a0-0000-7000-8000-000000000001","terms":{"rule":{"metric":"friends","window":"day"},
      "threshold":1,"coins":2,"icon":"star","texts":\(texts)}}]}
      """
    try Data(json.utf8).write(to: URL(fileURLWithPath: "\(home)/\(ChallengesFile.name)"))
    let invalid = #expect(throws: ChallengesFile.Invalid.self) { try ChallengesFile.read(inHome: home) }
    #expect(
      invalid?.description
        == "\(home)/challenges.json cannot be used: invalid_fields challenges[0].terms.rule.window: not_for_metric")
  }
}

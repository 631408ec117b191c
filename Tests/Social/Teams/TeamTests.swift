import GRDB
import IdentityContract
import InProcess
import Operations
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("A new team (TEAM-1, B UC9)")
struct TeamTests {
  let identity = IdentityDouble()

  @Test("B UC9 2: a person without a team gets a hint to create one, in their language")
  func hint() async throws {
    let (ana, eva) = (try identity.person("ana"), try identity.person("eva", language: .spanish))
    try await ServicesInProcess.teaming(identity) { services in
      let own = try await services.call(GetOwnTeam.self, .init(), as: ana.caller)
      #expect(own.team == nil && own.hint?.hasPrefix("You are not in a team yet.") == true)
      #expect(
        try await services.call(GetOwnTeam.self, .init(), as: eva.caller).hint?.hasPrefix("Aún no estás en ningún equipo.")
          == true)
    }
  }

  @Test("B UC9 main: a team is created with a name and usernames, whose accounts are members at once and notified")
  func created() async throws {
    let (ana, ben, eva) = (
      try identity.person("ana"), try identity.person("ben", nickname: "Benny"), try identity.person("eva")
    )
    try await ServicesInProcess.teaming(identity) { services in
      let team = try await services.createTeam(" Early Birds ", by: ana, with: [eva, ben])
      #expect(team.name.description == "Early Birds" && team.isOwner && team.createdAt == services.clock.now)
      #expect(team.members.map(\.accountID) == [ana.account, eva.account, ben.account])
      #expect(team.members.map(\.isOwner) == [true, false, false] && team.members[2].nickname == "Benny")
      #expect(team.allTime == TeamStanding(score: 0, rank: 1) && team.month == TeamStanding(score: 0, rank: 1))
      let bens = try await services.call(GetOwnTeam.self, .init(), as: ben.caller)
      #expect(bens.hint == nil && bens.team?.isOwner == false && bens.team?.members == team.members)
      let events = try await services.memberships()
      #expect(events.map(\.accountID) == [ana.account, eva.account, ben.account])
      #expect(events.map(\.change) == [.created, .added, .added] && events.map(\.isOwner) == [true, false, false])
      #expect(events.allSatisfy { $0.isMember && $0.teamID == team.id && $0.teamName == team.name })
      // Each names its own account alone, so that it outlives the others.
      for event in try await services.published(by: .social) {
        let body = String(decoding: event.body, as: UTF8.self)
        #expect([ana, ben, eva].count { body.contains($0.account.description) } == 1 && !body.contains("ana"))
      }
    }
  }

  @Test(
    "B UC9 alternative: a new team with unavailable usernames is refused with all of them: in a team, unknown, suspended"
  )
  func listed() async throws {
    let people = try ["ana", "ben", "eva", "leo", "mia", "zoe"].map { try identity.person($0) }
    let (ana, ben, eva, leo, mia, zoe) = (people[0], people[1], people[2], people[3], people[4], people[5])
    try await ServicesInProcess.teaming(identity) { services in
      try await services.createTeam("Others", by: ben, with: [eva])
      try await services.block(leo, as: ana)
      try await services.block(ana, as: mia)
      var suspended = zoe.event
      (suspended.revision, suspended.suspendedUntil) = (2, .endOfTime)
      try await services.publish(.identity, suspended)
      try await services.hasReceived(.social, of: .identity)
      let names = try ["eva", "nobody.there", "leo", "mia", "zoe", "ben", "ana", "nobody.there"].map { try Username(text: $0) }
      let before = try await services.published(by: .social).count
      let input = CreateTeam.Input(name: try TeamName(text: "Ours"), usernames: names)
      do {
        _ = try await services.call(CreateTeam.self, input, as: ana.caller)
        Issue.record("it was created")
      } catch let failure as Failure {
        #expect(failure.code == "invalid_fields")
        #expect(
          failure.fields.map { "\($0.field) \($0.code) \($0.parameters["username"]?.description ?? "")" } == [
            "usernames[0] already_in_a_team eva", "usernames[1] unknown_user nobody.there",
            "usernames[2] unknown_user leo", "usernames[3] unknown_user mia", "usernames[4] unknown_user zoe",
            "usernames[5] already_in_a_team ben",
          ])
      }
      #expect(try await services.team(of: ana) == nil)
      #expect(try await services.published(by: .social).count == before)
      #expect(try await services.store(of: .social).rows("teams") == 1)
    }
  }

  @Test("B UC9 alternative: people who let only friends or nobody enrol them are refused, unless a friend creates the team")
  func enrollment() async throws {
    let (ana, eva, leo) = (try identity.person("ana"), try identity.person("eva"), try identity.person("leo"))
    try await ServicesInProcess.teaming(identity) { services in
      for (person, enrollment) in [(eva, TaskEnrollment.friends), (leo, .nobody)] {
        var event = person.event
        (event.revision, event.taskEnrollment) = (2, enrollment)
        try await services.publish(.identity, event)
      }
      try await services.hasReceived(.social, of: .identity)
      func create() async throws -> [String] {
        let input = CreateTeam.Input(name: try TeamName(text: "Ours"), usernames: [eva, leo].map(\.username))
        do {
          _ = try await services.call(CreateTeam.self, input, as: ana.caller)
          return []
        } catch let failure as Failure {
          return failure.fields.map { "\($0.field) \($0.code)" }
        }
      }
      #expect(try await create() == ["usernames[0] enrollment_not_allowed", "usernames[1] enrollment_not_allowed"])
      try await services.befriend(ana, eva)
      #expect(try await create() == ["usernames[1] enrollment_not_allowed"])
      #expect(try await services.team(of: ana) == nil)
    }
  }

  @Test("B UC9 alternative: invalid fields of a new team are reported together with people who cannot be in it")
  func form() async throws {
    try await ServicesInProcess.teaming(identity) { services in
      let ana = try await services.register()
      do {
        _ = try await ana.send(CreateTeam.self, json: Array(#"{"name":" ","usernames":["nobody.there","?"],"color":1}"#.utf8))
        Issue.record("it was created")
      } catch let failure as Failure {
        #expect(
          Set(failure.fields.map { "\($0.field) \($0.code)" }) == [
            "name empty", "usernames[0] unknown_user", "usernames[1] invalid_username", "color unknown_field",
          ])
      }
      #expect(try await services.store(of: .social).rows("teams") == 0)
      // More names than there may be are not looked up.
      let lookUps = services.identity.lookUps
      let many = CreateTeam.Input(
        name: try TeamName(text: "Crowd"), usernames: try (0..<51).map { try Username(text: "nobody\($0)") })
      #expect(try await ana.refusedFields(CreateTeam.self, many) == ["usernames wrong_count"])
      #expect(services.identity.lookUps == lookUps)
    }
  }

  @Test("B UC9 precondition: a member of a team cannot create one, and the schema allows one team for each account")
  func one() async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.teaming(identity) { services in
      let team = try await services.createTeam(by: ana, with: [ben])
      for person in [ana, ben] {
        let input = CreateTeam.Input(name: try TeamName(text: "Another"), usernames: [])
        #expect(try await services.refusal(CreateTeam.self, input, as: person.caller) == "already_in_team")
      }
      let account = ben.account
      let store = services.store(of: .social)
      await #expect(throws: (any Error).self) {
        try await store.write { transaction in
          try transaction.database.execute(
            sql: """
              INSERT INTO team_members (account_id, team_id, position, is_owner, joined_at, change, changed_at, revision)
              VALUES (?, randomblob(16), 1, 1, 0, 'created', 0, 1)
              """, arguments: [account])
        }
      }
      #expect(try await services.team(of: ben)?.id == team.id)
    }
  }

  @Test("A team is created once for one idempotency key, and only one of many concurrent ones gets the same account")
  func once() async throws {
    let people = try ["ana", "ben", "eva", "leo"].map { try identity.person($0) }
    let (ana, ben) = (people[0], people[1])
    try await ServicesInProcess.teaming(identity) { services in
      let first = try await services.createTeam(by: ana, key: "one")
      #expect(try await services.createTeam(by: ana, key: "one") == first)
      #expect(try await services.memberships().count == 1)
      for person in people { _ = try await services.team(of: person) }
      try await services.together(2, writingTo: .social) { number in
        let input = CreateTeam.Input(name: try TeamName(text: "Team \(number)"), usernames: [ben.username])
        let refusal = try await services.refusal(CreateTeam.self, input, as: people[2 + number].caller)
        #expect(refusal == nil || refusal == "invalid_fields")
      }
      #expect(try await services.store(of: .social).rows("teams") == 2)
      #expect(try await services.team(of: ben)?.members.count == 2)
    }
  }

  @Test("A new team has at most fifty members, without counting one's own name and repetitions")
  func full() async throws {
    let ana = try identity.person("ana")
    let others = try (0..<50).map { try identity.person("person\($0)") }
    try await ServicesInProcess.teaming(identity) { services in
      let tooMany = CreateTeam.Input(name: try TeamName(text: "Crowd"), usernames: others.map(\.username))
      #expect(try await services.refusal(CreateTeam.self, tooMany, as: ana.caller) == "team_full")
      let enough = CreateTeam.Input(
        name: try TeamName(text: "Crowd"), usernames: others.dropLast().map(\.username) + [ana.username])
      let team = try await services.call(CreateTeam.self, enough, as: ana.caller)
      #expect(team.members.count == 50 && Set(team.members.map(\.accountID)).count == 50)
      let last = others[49].account
      let store = services.store(of: .social)
      await #expect(throws: (any Error).self) {
        try await store.write { try TeamMemberStore.add(last, to: team.id, .joined, $0) }
      }
    }
  }

  @Test("A team hides photos between members of whom one has blocked the other, and both stay in it")
  func blocked() async throws {
    let (ana, ben, eva) = (try identity.person("ana"), try identity.person("ben"), try identity.person("eva"))
    try await ServicesInProcess.teaming(identity) { services in
      try await services.createTeam(by: ana, with: [ben, eva])
      for person in [ana, ben, eva] {
        var event = person.event
        (event.revision, event.photoTag) = (2, "0123456789abcdef0123456789abcdef")
        try await services.publish(.identity, event)
      }
      try await services.hasReceived(.social, of: .identity)
      try await services.block(ben, as: ana)
      func photos(_ person: IdentityDouble.Account) async throws -> [Bool]? {
        try await services.team(of: person)?.members.map { $0.photoURL != nil }
      }
      #expect(try await photos(ana) == [true, false, true])
      #expect(try await photos(ben) == [false, true, true])
      #expect(try await photos(eva) == [true, true, true])
    }
  }
}

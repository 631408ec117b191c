import GRDB
import IdentityContract
import InProcess
import NotificationsContract
import NotificationsService
import Operations
import ServiceKit
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("Invitations to a team (TEAM-1)")
struct TeamInvitationTests {
  let identity = IdentityDouble()

  /// Ana's team, in which ben is too, with a clock that never shows more than the real time, so that no request is late.
  private func withTeam(
    _ body: (ServicesInProcess, Team, _ ana: IdentityDouble.Account, _ ben: IdentityDouble.Account) async throws -> Void
  ) async throws {
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben"))
    try await ServicesInProcess.running(
      [{ Social.service($0) }], identity: identity, at: "2026-08-01T12:00:00.000Z"
    ) { services in
      try await body(services, try await services.createTeam(by: ana, with: [ben]), ana, ben)
    }
  }

  private func invitations(
    _ services: ServicesInProcess, of person: IdentityDouble.Account, _ direction: ConnectionRequestDirection? = nil,
    _ state: ConnectionRequestState? = nil
  ) async throws -> [TeamInvitation] {
    try await services.call(ListTeamInvitations.self, .init(direction: direction, state: state), as: person.caller).items
  }

  @Test("An invited person sees team and inviter, accepts and becomes a member; accepting again changes nothing")
  func accepted() async throws {
    let eva = try identity.person("eva", nickname: "Evita")
    try await withTeam { services, team, ana, ben in
      let sent = try await services.invite(eva, to: team, by: ana)
      #expect(sent.direction == .sent && sent.state == .pending && sent.username == eva.username && sent.nickname == "Evita")
      let received = try #require(try await invitations(services, of: eva).first)
      #expect(received.id == sent.id && received.direction == .received && received.username == ana.username)
      #expect(received.teamName == team.name && received.memberCount == 2)
      let accepted = try await services.answer(AcceptTeamInvitation.self, received, as: eva)
      #expect(accepted.state == .accepted && accepted.memberCount == 3 && accepted.answeredAt == services.clock.now)
      #expect(try await services.answer(AcceptTeamInvitation.self, received, as: eva) == accepted)
      #expect(
        try await services.team(of: eva)?.members.map(\.accountID) == [ana.account, ben.account, eva.account])
      let event = try #require(try await services.memberships().last)
      #expect(event.accountID == eva.account && event.change == .joined)
      #expect(try await services.memberships().count == 3)
      #expect(
        try await services.refusal(RejectTeamInvitation.self, .init(teamInvitationID: sent.id), as: eva.caller)
          == "team_invitation_answered")
    }
  }

  @Test("A team invitation can be rejected by the invited person or withdrawn by the owner, and then sent again")
  func ended() async throws {
    let eva = try identity.person("eva")
    try await withTeam { services, team, ana, ben in
      let first = try await services.invite(eva, to: team, by: ana)
      #expect(try await services.answer(RejectTeamInvitation.self, first, as: eva).state == .rejected)
      let second = try await services.invite(eva, to: team, by: ana)
      #expect(try await services.answer(WithdrawTeamInvitation.self, second, as: ana).state == .withdrawn)
      #expect(
        try await services.refusal(AcceptTeamInvitation.self, .init(teamInvitationID: second.id), as: eva.caller)
          == "team_invitation_ended")
      _ = try await services.invite(eva, to: team, by: ana)
      #expect(try await invitations(services, of: eva).map(\.state) == [.pending, .withdrawn, .rejected])
      #expect(try await invitations(services, of: ana, .sent).map(\.state) == [.pending, .withdrawn, .rejected])
      #expect(try await invitations(services, of: eva, .received, .rejected).map(\.id) == [first.id])
      #expect(try await invitations(services, of: eva, .sent).isEmpty)
      #expect(try await invitations(services, of: ben).isEmpty)
    }
  }

  @Test("After three rejected or withdrawn invitations within a day a person is not invited to the team a fourth time")
  func repeated() async throws {
    let eva = try identity.person("eva")
    try await withTeam { services, team, ana, _ in
      for number in 0..<3 {
        let sent = try await services.invite(eva, to: team, by: ana)
        if number == 1 {
          _ = try await services.answer(WithdrawTeamInvitation.self, sent, as: ana)
        } else {
          _ = try await services.answer(RejectTeamInvitation.self, sent, as: eva)
        }
      }
      let again = SendTeamInvitation.Input(teamID: team.id, username: eva.username)
      #expect(try await services.refusal(SendTeamInvitation.self, again, as: ana.caller) == "asked_too_often")
      services.clock.advance(days: 1)
      #expect(try await services.refusal(SendTeamInvitation.self, again, as: ana.caller) == nil)
    }
  }

  @Test("A team invitation without an answer expires for both after 90 days")
  func expired() async throws {
    let eva = try identity.person("eva")
    try await withTeam { services, team, ana, _ in
      let sent = try await services.invite(eva, to: team, by: ana)
      let worker = TeamInvitationWorker(store: services.store(of: .social), life: .init())
      for (days, state) in [(89, ConnectionRequestState.pending), (1, .expired)] {
        services.clock.advance(days: days)
        try await worker.expire()
        for person in [ana, eva] { #expect(try await invitations(services, of: person).map(\.state) == [state]) }
      }
      for (operation, person) in [(true, eva), (false, ana)] {
        let name = AnswerTeamInvitation(teamInvitationID: sent.id)
        let refusal =
          operation
          ? try await services.refusal(AcceptTeamInvitation.self, name, as: person.caller)
          : try await services.refusal(WithdrawTeamInvitation.self, name, as: person.caller)
        #expect(refusal == "team_invitation_ended")
      }
    }
  }

  @Test("A team invitation to team members, unknown names, twice or by others is refused, and reveals no team to strangers")
  func refused() async throws {
    let (eva, leo) = (try identity.person("eva"), try identity.person("leo"))
    try await withTeam { services, team, ana, ben in
      func refusal(_ username: String, by person: IdentityDouble.Account) async throws -> String? {
        try await services.refusal(
          SendTeamInvitation.self, .init(teamID: team.id, username: try Username(text: username)), as: person.caller)
      }
      try await services.createTeam("Others", by: leo)
      for name in ["ben", "leo", "ana"] { #expect(try await refusal(name, by: ana) == "user_in_team", "\(name)") }
      #expect(try await refusal("nobody.there", by: ana) == "unknown_user")
      #expect(try await refusal("eva", by: ana) == nil)
      #expect(try await refusal("eva", by: ana) == "team_invitation_pending")
      #expect(try await refusal("eva", by: ben) == "forbidden")
      for person in [leo, eva] { #expect(try await refusal("eva", by: person) == "not_found") }
    }
  }

  @Test("A team has at most a hundred pending invitations")
  func bounded() async throws {
    let eva = try identity.person("eva")
    try await withTeam { services, team, ana, _ in
      let account = ana.account
      try await services.store(of: .social).write { transaction in
        for _ in 0..<TeamInvitationRules.maximum {
          _ = try TeamInvitationStore.add(to: team.id, from: account, to: AccountID(), isHidden: false, transaction)
        }
      }
      let input = SendTeamInvitation.Input(teamID: team.id, username: eva.username)
      #expect(try await services.refusal(SendTeamInvitation.self, input, as: ana.caller) == "too_many_team_invitations")
    }
  }

  @Test("A team invitation can be accepted only by a person in no team, while there is room")
  func noRoom() async throws {
    let eva = try identity.person("eva")
    try await withTeam { services, team, ana, _ in
      let sent = try await services.invite(eva, to: team, by: ana)
      let others = try await services.createTeam("Others", by: eva)
      let name = AnswerTeamInvitation(teamInvitationID: sent.id)
      #expect(try await services.refusal(AcceptTeamInvitation.self, name, as: eva.caller) == "already_in_team")
      try await services.leave(others, as: eva)
      let store = services.store(of: .social)
      try await store.write { transaction in
        for _ in 0..<48 { try TeamMemberStore.add(AccountID(), to: team.id, .joined, transaction) }
      }
      #expect(try await services.refusal(AcceptTeamInvitation.self, name, as: eva.caller) == "team_full")
      #expect(try await invitations(services, of: eva).map(\.state) == [.pending])
      let leo = SendTeamInvitation.Input(teamID: team.id, username: try identity.person("leo").username)
      #expect(try await services.refusal(SendTeamInvitation.self, leo, as: ana.caller) == "team_full")
    }
  }

  @Test("A team invitation belongs to the team: a new owner sees and can withdraw it, and it ends with the team")
  func handedOver() async throws {
    let (eva, leo) = (try identity.person("eva"), try identity.person("leo"))
    try await withTeam { services, team, ana, ben in
      let sent = try await services.invite(eva, to: team, by: ana)
      let other = try await services.invite(leo, to: team, by: ana)
      try await services.handOver(team, to: ben, by: ana)
      #expect(try await invitations(services, of: ana).isEmpty)
      let name = AnswerTeamInvitation(teamInvitationID: sent.id)
      #expect(try await services.refusal(WithdrawTeamInvitation.self, name, as: ana.caller) == "not_found")
      #expect(try await invitations(services, of: ben).map(\.id) == [other.id, sent.id])
      #expect(try await services.answer(WithdrawTeamInvitation.self, sent, as: ben).state == .withdrawn)
      for person in [ana, ben] { try await services.leave(team, as: person) }
      #expect(try await invitations(services, of: leo).isEmpty)
      let left = AnswerTeamInvitation(teamInvitationID: other.id)
      #expect(try await services.refusal(AcceptTeamInvitation.self, left, as: leo.caller) == "not_found")
    }
  }

  @Test("A team invitation to an account that blocked the inviter looks sent, and blocking the invited person ends it (SOC-8)")
  func blocked() async throws {
    let (eva, leo) = (try identity.person("eva"), try identity.person("leo"))
    try await withTeam { services, team, ana, _ in
      // Sent to one that has blocked, and one that waited when it blocked.
      try await services.block(ana, as: eva)
      let hidden = try await services.invite(eva, to: team, by: ana)
      let waiting = try await services.invite(leo, to: team, by: ana)
      try await services.block(ana, as: leo)
      #expect(try await invitations(services, of: ana).map(\.state) == [.pending, .pending])
      for (person, invitation) in [(eva, hidden), (leo, waiting)] {
        #expect(try await invitations(services, of: person).isEmpty)
        let name = AnswerTeamInvitation(teamInvitationID: invitation.id)
        for isBlocked in [true, false] {
          if !isBlocked { _ = try await services.call(DeleteBlock.self, .init(accountID: ana.account), as: person.caller) }
          #expect(try await services.refusal(AcceptTeamInvitation.self, name, as: person.caller) == "not_found")
        }
      }
      let events = try await services.invitationEvents()
      #expect(events.filter { $0.accountID == eva.account }.isEmpty && events.count { $0.accountID == leo.account } == 1)
      // Whom one has blocked oneself one does not invite, and what waits for it ends.
      let mia = try identity.person("mia")
      let mias = try await services.invite(mia, to: team, by: ana)
      try await services.block(mia, as: ana)
      #expect(
        try await services.refusal(AcceptTeamInvitation.self, .init(teamInvitationID: mias.id), as: mia.caller) == "not_found")
      let input = SendTeamInvitation.Input(teamID: team.id, username: mia.username)
      #expect(try await services.refusal(SendTeamInvitation.self, input, as: ana.caller) == "blocked_by_you")
    }
  }

  @Test("A team invitation is hidden and cannot be answered while its sender is suspended")
  func suspended() async throws {
    let eva = try identity.person("eva")
    try await withTeam { services, team, ana, _ in
      let sent = try await services.invite(eva, to: team, by: ana)
      var event = ana.event
      (event.revision, event.suspendedUntil) = (2, .endOfTime)
      try await services.publish(.identity, event)
      try await services.hasReceived(.social, of: .identity)
      #expect(try await invitations(services, of: eva).isEmpty)
      let name = AnswerTeamInvitation(teamInvitationID: sent.id)
      #expect(try await services.refusal(AcceptTeamInvitation.self, name, as: eva.caller) == "not_found")
    }
  }

  @Test("A team invitation is published for both accounts, and in the snapshot in its present state")
  func snapshot() async throws {
    let (eva, leo) = (try identity.person("eva"), try identity.person("leo"))
    try await withTeam { services, team, ana, _ in
      let sent = try await services.invite(eva, to: team, by: ana)
      _ = try await services.invite(leo, to: team, by: ana)
      _ = try await services.answer(RejectTeamInvitation.self, sent, as: eva)
      let events = try await services.invitationEvents()
      #expect(events.map(\.accountID) == [eva, ana, leo, ana, eva, ana].map(\.account))
      let snapshot = try await services.snapshot(of: .social).filter { $0.name == TeamInvitationChanged.spec.name }
        .map { try TeamInvitationChanged.decode($0.body) }
      #expect(Set(snapshot) == Set(events.dropFirst(2)) && snapshot.count == 4)
    }
  }

  @Test("A team invitation is removed with the invited person and with its sender (ID-12)", arguments: [0, 1])
  func erased(who: Int) async throws {
    let eva = try identity.person("eva")
    try await withTeam { services, team, ana, ben in
      _ = try await services.invite(eva, to: team, by: ana)
      let deleted = [ana, eva][who]
      try await services.erase(deleted)
      let store = services.store(of: .social)
      #expect(try await store.rows("team_invitations") == 0)
      #expect(try await store.traces(of: deleted.account).isEmpty)
      #expect(try await invitations(services, of: ben).isEmpty)
      #expect(try await services.team(of: ben)?.isOwner == (who == 0))
    }
  }

  @Test("Lists of team invitations read along an index from the newest on, whatever the filter")
  func plans() async throws {
    try await withTeam { services, _, _, _ in
      for direction in [ConnectionRequestDirection.received, .sent, nil] {
        for isOfState in [false, true] {
          let sql = TeamInvitationStore.listSQL(direction, isOfState: isOfState).replacing(/:[a-z]+/, with: "'a'")
          let steps = try await services.store(of: .social).read {
            try Row.fetchAll($0, sql: "EXPLAIN QUERY PLAN \(sql)").map { $0["detail"] as String }
          }
          #expect(!steps.contains { $0.hasPrefix("SCAN i") || $0.hasPrefix("SCAN t") || $0.hasPrefix("SCAN a") }, "\(steps)")
          let walks = steps.filter { $0.contains("team_invitations_received") || $0.contains("team_invitations_sent") }
          #expect(
            walks.count == (direction == nil ? 2 : 1) && walks.allSatisfy { $0.contains("by_state") == isOfState }, "\(steps)")
          // What is ordered besides is a page of each.
          #expect(steps.filter { $0.contains("TEMP B-TREE") }.count == (direction == nil ? 2 : 0), "\(steps)")
        }
      }
    }
  }

  @Test("A team invitation by a blocked inviter looks sent, whether the other is in a team or not, who gets none")
  func hidden() async throws {
    let (eva, leo) = (try identity.person("eva"), try identity.person("leo"))
    try await withTeam { services, team, ana, _ in
      for person in [eva, leo] {
        _ = try await services.call(CreateBlock.self, .init(accountID: ana.account), as: person.caller)
      }
      try await services.createTeam("Others", by: eva)
      for person in [eva, leo] {
        let sent = try await services.invite(person, to: team, by: ana)
        #expect(sent.state == .pending && sent.username == person.username && sent.nickname == nil)
        let again = SendTeamInvitation.Input(teamID: team.id, username: person.username)
        #expect(try await services.refusal(SendTeamInvitation.self, again, as: ana.caller) == "team_invitation_pending")
        #expect(try await invitations(services, of: person).isEmpty)
      }
    }
  }
}

@Suite("Notifications about teams (TEAM-1)")
struct TeamNotificationTests {
  @Test(
    "B UC9 main: added, invited and removed people, inviters and new owners are notified in their language")
  func notified() async throws {
    let identity = IdentityDouble()
    let (ana, ben) = (try identity.person("ana"), try identity.person("ben", language: .spanish))
    let eva = try identity.person("eva")
    try await ServicesInProcess.running(
      [{ Social.service($0) }, { try Notifications.service($0) }], identity: identity
    ) { services in
      try await services.publish(.identity, ana.event, ben.event, eva.event)
      try await services.hasReceived(.notifications, of: .identity)
      let team = try await services.createTeam(by: ana, with: [ben])
      let invitation = try await services.invite(eva, to: team, by: ana)
      _ = try await services.answer(AcceptTeamInvitation.self, invitation, as: eva)
      try await services.handOver(team, to: ben, by: ana)
      _ = try await services.call(
        RemoveTeamMember.self, .init(teamID: team.id, accountID: eva.account), as: ben.caller)
      try await services.hasReceived(.notifications, of: .social)
      func inbox(_ person: IdentityDouble.Account) async throws -> [NotificationsContract.Notification] {
        try await services.call(ListNotifications.self, .init(), as: person.caller).items.reversed()
      }
      #expect(try await inbox(ana).map(\.text) == ["eva has joined the team “Early Birds”."])
      let bens = try await inbox(ben)
      #expect(bens.map(\.kind) == ["teamMemberAdded", "teamHandedOver"])
      #expect(bens[0].text == "Te han añadido al equipo «Early Birds». Puedes dejarlo en cualquier momento.")
      #expect(bens[0].links.teamID?.description == team.id.description)
      #expect(
        try await inbox(eva).map(\.text) == [
          "ana invites you to the team “Early Birds”.", "You were removed from the team “Early Birds” by its owner.",
        ])
    }
  }
}

extension ServicesInProcess {
  fileprivate func invite(
    _ other: IdentityDouble.Account, to team: Team, by person: IdentityDouble.Account
  ) async throws -> TeamInvitation {
    try await call(SendTeamInvitation.self, .init(teamID: team.id, username: other.username), as: person.caller)
  }

  fileprivate func answer<O: Operations.Operation>(
    _ operation: O.Type, _ invitation: TeamInvitation, as person: IdentityDouble.Account
  ) async throws -> TeamInvitation where O.Input == AnswerTeamInvitation, O.Output == TeamInvitation {
    try await call(operation, .init(teamInvitationID: invitation.id), as: person.caller)
  }

  fileprivate func invitationEvents() async throws -> [TeamInvitationChanged] {
    try await published(by: .social).filter { $0.name == TeamInvitationChanged.spec.name }
      .map { try TeamInvitationChanged.decode($0.body) }
  }
}

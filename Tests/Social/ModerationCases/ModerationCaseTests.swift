import GRDB
import IdentityContract
import InProcess
import Operations
import SocialContract
import Storage
import Testing

@testable import SocialService

@Suite("Moderation (SOC-8)")
struct ModerationCaseTests {
  @Test("Moderation cases wait in order of arrival, page by page, of one kind or all")
  func queue() async throws {
    try await Moderating.running { people in
      let messages = [
        try await people.services.send("one", from: people.ben, to: people.ana),
        try await people.services.send("two", from: people.ben, to: people.ana),
      ]
      try await people.report(.message(messages[0].id), by: people.ana)
      try await people.report(.account(people.ben.account), by: people.eva)
      try await people.report(.message(messages[1].id), by: people.ana)
      func page(_ input: ListModerationCases.Input) async throws -> Page<ModerationCase> {
        try await people.services.call(ListModerationCases.self, input, as: people.vera.caller)
      }
      let first = try await page(.init(limit: 2))
      #expect(first.items.map(\.subject.kind) == [.message, .account])
      let second = try await page(.init(limit: 2, cursor: first.nextCursor))
      #expect(second.items.map(\.subject) == [.message(messages[1].id)] && second.nextCursor == nil)
      #expect(try await page(.init(kind: .message)).items.map(\.subject.messageID) == messages.map(\.id))
      #expect(try await page(.init(kind: .photo)).items.isEmpty)
      #expect(first.items[1].username == people.ben.username && first.items[1].nickname == "Benji")
    }
  }

  @Test(
    "A case reported by an administrator is decided by another who has not, if there is one",
    arguments: Language.allCases)
  func ofOwnReport(language: Language) async throws {
    try await Moderating.running { people in
      let services = people.services
      let message = try await services.send("you fool", from: people.ben, to: people.ana)
      try await people.report(.message(message.id), by: people.ana)
      try await people.report(.account(people.ben.account), by: people.root)
      try await people.decide(.warned, by: people.root)
      let own = try #require(try await people.queue().first)
      let failure = try await services.failure {
        try await services.call(DecideModerationCase.self, people.decision(own.id, .warned), as: people.root.caller)
      }
      #expect(failure?.code == "case_of_own_report" && failure?.status == 403)
      #expect(Words(Contract.social.words).text("failure.case_of_own_report", language, [:]) != nil)
      #expect(try await people.queue().map(\.id) == [own.id])
      // All who administer have reported it.
      try await people.report(.account(people.ben.account), by: people.vera)
      #expect(try await people.decide(.warned, by: people.root).decision?.outcome == .warned)
    }
  }

  @Test("Only administrators can see and decide moderation cases")
  func strangers() async throws {
    try await Moderating.running { people in
      let report = try await people.report(.account(people.ben.account), by: people.ana)
      let id = try await people.queue()[0].id
      let services = people.services
      for caller in [people.ana.caller, people.ben.caller, people.eva.caller] {
        #expect(try await services.refusal(ListModerationCases.self, .init(), as: caller) == "forbidden")
        #expect(try await services.refusal(GetModerationCase.self, .init(caseID: id), as: caller) == "forbidden")
        #expect(try await services.refusal(GetReportedPhoto.self, .init(reportID: report.id), as: caller) == "forbidden")
        #expect(try await services.refusal(DecideModerationCase.self, people.decision(id, .nothing), as: caller) == "forbidden")
        #expect(try await services.refusal(ListAppeals.self, .init(), as: caller) == "forbidden")
        let appeal = DecideAppeal.Input(caseID: id, outcome: .granted, reason: try ReportText(text: "Yes."))
        #expect(try await services.refusal(DecideAppeal.self, appeal, as: caller) == "forbidden")
        #expect(try await services.refusal(ListSuspensions.self, .init(), as: caller) == "forbidden")
        let lift = LiftSuspension.Input(suspensionID: ID(), note: try ReportText(text: "Enough."))
        #expect(try await services.refusal(LiftSuspension.self, lift, as: caller) == "forbidden")
        #expect(try await services.refusal(ListModerationRecords.self, .init(), as: caller) == "forbidden")
      }
      #expect(try await services.refusal(GetModerationCase.self, .init(caseID: ID()), as: people.root.caller) == "not_found")
      #expect(
        try await services.refusal(DecideModerationCase.self, people.decision(ID(), .nothing), as: people.root.caller)
          == "not_found")
    }
  }

  @Test(
    "A decision is published to reporter and affected account, and one without measures to the reporter only",
    arguments: [
      (ModerationOutcome.nothing, nil, nil), (.removed, nil, nil), (.warned, nil, nil), (.suspended, 7, 7 * 86_400),
      (.banned, nil, Int.max),
    ] as [(ModerationOutcome, Int?, Int?)])
  func decisions(outcome: ModerationOutcome, days: Int?, seconds: Int?) async throws {
    try await Moderating.running { people in
      let message = try await people.services.send("you fool", from: people.ben, to: people.ana)
      let report = try await people.report(.message(message.id), by: people.ana)
      let decided = try await people.decide(outcome, days: days)
      let now = people.services.clock.now
      let until = seconds.map { $0 == .max ? Instant.endOfTime : now.adding(seconds: $0) }
      #expect(decided.decision?.outcome == outcome && decided.decision?.until == until && decided.decision?.at == now)
      #expect(decided.decision?.administratorAccountID == people.root.account)
      #expect(try await people.queue().isEmpty)
      #expect(
        try await people.published(ReportDecided.self) == [
          ReportDecided(reportID: report.id, accountID: people.ana.account, kind: .message, outcome: outcome, at: now)
        ])
      let own = try await people.services.call(ListOwnReports.self, .init(), as: people.ana.caller).items[0]
      #expect(own.outcome == outcome && own.decidedAt == now)
      let imposed = try await people.published(SanctionImposed.self)
      let sanctions = try await people.sanctions(of: people.ben)
      if outcome == .nothing {
        #expect(imposed.isEmpty && sanctions.isEmpty)
      } else {
        #expect(imposed.map(\.accountID) == [people.ben.account] && imposed[0].until == until)
        #expect(imposed[0].outcome == outcome && imposed[0].reason.description == "No insults.")
        #expect(sanctions.map(\.outcome) == [outcome] && sanctions[0].canAppeal && sanctions[0].content?.text == "you fool")
      }
      let suspended = try await people.published(SuspensionChanged.self)
      #expect(suspended.compactMap(\.until) == [until].compactMap { $0 } && suspended.count == (until == nil ? 0 : 1))
      #expect(suspended.allSatisfy { $0.canAppeal })
      #expect(try await people.sanctions(of: people.ana).isEmpty)
      let records = try await people.services.call(ListModerationRecords.self, .init(), as: people.vera.caller).items
      #expect(records.map(\.action) == [.decided] && records[0].outcome == outcome && records[0].until == until)
      #expect(records[0].administratorUsername == people.root.username && records[0].username == people.ben.username)
      #expect(records[0].note?.description == "Seen it." && records[0].caseID == decided.id)
    }
  }

  @Test(
    "Invalid fields of a moderation decision are each named with their rule",
    arguments: [
      (#"{"outcome":"suspended"}"#, ["days required", "reason required"]),
      (#"{"outcome":"suspended","days":366,"reason":"a"}"#, ["days out_of_range"]),
      (#"{"outcome":"banned","days":3,"reason":"a"}"#, ["days not_for_outcome"]),
      (
        #"{"outcome":"nothing","reason":"a","removesContent":true}"#,
        ["reason not_for_outcome", "removesContent not_for_outcome"]
      ),
      (#"{"outcome":"removed","removesContent":false,"reason":"a"}"#, ["removesContent not_for_outcome"]),
      (#"{"outcome":"warned","reason":" "}"#, ["reason empty"]), (#"{"outcome":"killed"}"#, ["outcome not_a_choice"]),
    ])
  func fields(body: String, expected: [String]) {
    do throws(Failure) {
      _ = try DecideModerationCase.Input.decode(Array(body.utf8), parameters: ["caseID": ID<ModerationCase>().description])
      Issue.record("accepted")
    } catch {
      #expect(error.fields.map { "\($0.field) \($0.code)" }.sorted() == expected)
    }
  }

  @Test("A decision to remove an account itself is refused with the field's name")
  func notRemovable() async throws {
    try await Moderating.running { people in
      try await people.report(.account(people.ben.account), by: people.ana)
      let id = try await people.queue()[0].id
      let services = people.services
      #expect(
        try await services.refusedFields(DecideModerationCase.self, people.decision(id, .removed), as: people.root.caller)
          == ["outcome not_removable"])
      let warning = try people.decision(id, .warned, removesContent: true)
      #expect(
        try await services.refusedFields(DecideModerationCase.self, warning, as: people.root.caller)
          == ["removesContent not_removable"])
      #expect(try await people.queue().count == 1)
    }
  }

  @Test("A case is decided once, not by the affected or a former administrator, and administrators cannot be suspended")
  func who() async throws {
    try await Moderating.running { people in
      let services = people.services
      try await people.report(.account(people.vera.account), by: people.ana)
      let id = try await people.queue()[0].id
      func refusal(_ outcome: ModerationOutcome, days: Int? = nil, by who: IdentityDouble.Account) async throws -> String? {
        try await services.refusal(DecideModerationCase.self, people.decision(id, outcome, days: days), as: who.caller)
      }
      #expect(try await refusal(.nothing, by: people.vera) == "case_about_oneself")
      #expect(try await refusal(.banned, by: people.root) == "account_administers")
      #expect(try await refusal(.suspended, days: 1, by: people.root) == "account_administers")
      // Their token is older than their dismissal.
      services.identity.dismiss(people.vera)
      #expect(try await refusal(.nothing, by: people.vera) == "forbidden")
      #expect(try await refusal(.suspended, days: 1, by: people.root) == nil)
      #expect(try await refusal(.nothing, by: people.root) == "case_decided")
      #expect(try await people.published(ReportDecided.self).count == 1)
    }
  }

  @Test("Two concurrent decisions of a case take effect once")
  func atOnce() async throws {
    try await Moderating.running { people in
      try await people.report(.account(people.ben.account), by: people.ana)
      let id = try await people.queue()[0].id
      let refusals = try await withThrowingTaskGroup(of: String?.self) { group in
        for administrator in [people.root, people.vera] {
          group.addTask {
            try await people.services.refusal(
              DecideModerationCase.self, people.decision(id, .banned), as: administrator.caller)
          }
        }
        return try await group.reduce(into: [String?]()) { $0.append($1) }
      }
      #expect(Set(refusals) == [nil, "case_decided"])
      #expect(try await people.published(SuspensionChanged.self).count == 1)
      #expect(try await people.published(SanctionImposed.self).count == 1)
    }
  }

  @Test("A message removed by moderation shows no text to either, and both get its removal")
  func removedMessage() async throws {
    try await Moderating.running { people in
      let services = people.services
      let first = try await services.send("before", from: people.ben, to: people.ana)
      let second = try await services.send("you fool", from: people.ben, to: people.ana)
      try await people.report(.message(second.id), by: people.ana)
      #expect(try await people.decide(.removed).decision?.removesContent == true)
      for (one, other) in [(people.ana, people.ben), (people.ben, people.ana)] {
        let messages = try await services.call(ListMessages.self, .init(accountID: other.account), as: one.caller).items
        #expect(messages.map(\.id) == [second.id, first.id] && messages.map { $0.text?.description } == [nil, "before"])
        #expect(messages[0].removedAt == services.clock.now)
      }
      #expect(try await services.call(ListConversations.self, .init(), as: people.ana.caller).items[0].unreadCount == 1)
      #expect(try await Set(people.published(MessageRemoved.self).map(\.accountID)) == [people.ana.account, people.ben.account])
      #expect(try await people.sanctions(of: people.ben)[0].content?.text == "you fool")
      #expect(try await people.sanctions(of: people.ben)[0].isContentRemoved)
      #expect(try await people.refusal(.message(second.id), by: people.ana) == "not_found")
    }
  }

  @Test("A reported message can be removed together with a warning, even if it no longer exists")
  func removedBeside() async throws {
    try await Moderating.running { people in
      let message = try await people.services.send("you fool", from: people.ben, to: people.ana)
      try await people.report(.message(message.id), by: people.ana)
      try await people.services.store(of: .social).write { transaction in
        let found = try MessageStore.find(message.id, for: people.ben.account, in: transaction.database)
        try MessageStore.remove(try #require(found), transaction)
      }
      try await people.decide(.warned, removesContent: true)
      #expect(try await people.published(SanctionImposed.self).map(\.isContentRemoved) == [true])
      #expect(try await people.published(MessageRemoved.self).count == 2)
    }
  }

  @Test("Removed photos are published, for each one that was reported, and are in the snapshot")
  func removedPhotos() async throws {
    try await Moderating.running { people in
      let other = MediaFile(
        mediaType: "image/webp", tag: String(repeating: "f", count: 32), content: Base64Bytes(Array("other".utf8)))
      for (photo, reporter) in [(Moderating.photo, people.ana), (other, people.eva)] {
        people.services.identity.setPhoto(of: people.ben, photo)
        try await people.report(.photo(of: people.ben.account), by: reporter)
      }
      try await people.decide(.removed)
      let removals = [Moderating.photo, other].map {
        PhotoRemovalDecided(accountID: people.ben.account, photoTag: $0.tag, at: people.services.clock.now)
      }
      #expect(try await people.published(PhotoRemovalDecided.self) == removals)
      let snapshot = try await people.services.snapshot(of: .social).filter { $0.name == PhotoRemovalDecided.spec.name }
      #expect(try snapshot.map { try PhotoRemovalDecided.decode($0.body) } == removals)
    }
  }

  @Test(
    "A granted appeal restores the photo from before its removal, and takes the removal out of the snapshot")
  func photoRestored() async throws {
    try await Moderating.running { people in
      let (services, ben) = (people.services, people.ben)
      services.identity.setPhoto(of: ben, Moderating.photo)
      try await people.report(.photo(of: ben.account), by: people.ana)
      var event = ben.event
      (event.photoTag, event.revision) = (Moderating.photo.tag, event.revision + 1)
      try await services.publish(.identity, event)
      try await services.hasReceived(.social, of: .identity)
      let decided = try await people.decide(.removed)
      try await people.grantAppeal(decided.id, of: ben)
      #expect(
        try await people.published(PhotoRestorationDecided.self) == [
          PhotoRestorationDecided(accountID: ben.account, photo: Moderating.photo, at: services.clock.now)
        ])
      let snapshot = try await services.snapshot(of: .social)
      #expect(!snapshot.contains { $0.name == PhotoRemovalDecided.spec.name })
    }
  }

  @Test("All reporters are notified: the first with the decision, the others by the worker, each once")
  func many() async throws {
    try await Moderating.running { people in
      try await people.report(.account(people.ben.account), by: people.ana)
      let store = people.services.store(of: .social)
      let (ben, count) = (people.ben.account, 450)
      try await store.write { transaction in
        let moderationCase = try ModerationCaseStore.findOrOpen(.account(ben), of: ben, transaction)
        let copy = ReportedCopy(accused: ben, content: ReportedContent(), photo: nil)
        let input = CreateReport.Input(subject: .account(ben), reason: .spam)
        for _ in 1..<count { _ = try ReportStore.add(input, copy, from: AccountID(), to: moderationCase, transaction) }
      }
      try await people.decide(.warned)
      #expect(try await people.published(ReportDecided.self).count >= ReportRules.publishedAtOnce)
      let worker = ReportWorker(store: store, clock: people.services.clock.clock)
      for _ in 0..<2 { try await worker.sweep() }
      let published = try await people.published(ReportDecided.self)
      #expect(published.count == count && Set(published.map(\.accountID)).count == count)
    }
  }

  @Test("A case shows the account's earlier decisions, newest first")
  func earlier() async throws {
    try await Moderating.running { people in
      for outcome in [ModerationOutcome.nothing, .warned, .banned] {
        try await people.report(.account(people.ben.account), by: people.ana)
        try await people.decide(outcome)
      }
      try await people.report(.account(people.ben.account), by: people.eva)
      let id = try await people.queue()[0].id
      let read = try await people.services.call(GetModerationCase.self, .init(caseID: id), as: people.root.caller)
      #expect(read.earlierDecisions.map(\.outcome) == [.banned, .warned])
    }
  }

  @Test("Lists of moderation read along indexes, and never scan all cases, reports, sanctions, appeals or suspensions")
  func plans() async throws {
    try await Moderating.running { people in
      let sql = [
        """
        SELECT * FROM moderation_cases c WHERE c.decided_at IS NULL AND c.sequence > 1 AND c.accused_account <> x'00'
        ORDER BY c.sequence LIMIT 2
        """,
        "UPDATE moderation_cases SET removed = NULL WHERE subject_kind = 'team' AND subject_id = x'00' AND removed IS NOT NULL",
        """
        SELECT * FROM moderation_cases c WHERE c.decided_at IS NULL AND c.sequence > 1 AND c.subject_kind = 'photo'
        ORDER BY c.sequence LIMIT 2
        """,
        """
        SELECT * FROM moderation_cases c WHERE c.outcome <> 'nothing' AND c.accused_account = x'00' AND c.sequence < 9
        ORDER BY c.sequence DESC LIMIT 2
        """,
        "SELECT * FROM reports r WHERE r.reporter_account = x'00' AND r.sequence < 9 ORDER BY r.sequence DESC LIMIT 2",
        "SELECT * FROM reports r WHERE r.case_id = x'00' ORDER BY r.sequence DESC LIMIT 2",
        "SELECT * FROM appeals w WHERE w.decided_at IS NULL AND w.sequence > 1 ORDER BY w.sequence LIMIT 2",
        "SELECT * FROM suspensions s WHERE s.ended_at IS NULL AND s.sequence < 9 ORDER BY s.sequence DESC LIMIT 2",
        "SELECT * FROM suspensions WHERE ended_at IS NULL AND until <= 9 ORDER BY until LIMIT 2",
        "SELECT sum(bytes) FROM reports WHERE reporter_account = x'00' AND copy IS NOT NULL",
      ]
      for sql in sql {
        let steps = try await people.services.store(of: .social).read {
          try Row.fetchAll($0, sql: "EXPLAIN QUERY PLAN \(sql)").map { $0["detail"] as String }
        }
        #expect(steps.allSatisfy { $0.hasPrefix("SEARCH ") }, "\(sql): \(steps)")
      }
    }
  }

  @Test("An administrator cannot read a case about themselves: reports, photo, file, notes and appeals")
  func aboutOneself() async throws {
    try await Moderating.running { people in
      let (services, vera, root) = (people.services, people.vera.caller, people.root.caller)
      services.identity.setPhoto(of: people.vera, Moderating.photo)
      let report = try await people.report(.photo(of: people.vera.account), by: people.ana)
      let id = try await people.queue()[0].id
      #expect(try await services.call(ListModerationCases.self, .init(), as: vera).items.isEmpty)
      for isDecided in [false, true] {
        if isDecided { try await people.decide(.warned) }
        #expect(try await services.refusal(GetModerationCase.self, .init(caseID: id), as: vera) == "case_about_oneself")
        #expect(try await services.refusal(GetReportedPhoto.self, .init(reportID: report.id), as: vera) == "case_about_oneself")
        let part = DownloadReportedFileChunk.Input(reportID: report.id, offset: 0)
        #expect(try await services.refusal(DownloadReportedFileChunk.self, part, as: vera) == "case_about_oneself")
        #expect(try await services.refusal(GetModerationCase.self, .init(caseID: id), as: root) == nil)
        #expect(try await services.refusal(GetReportedPhoto.self, .init(reportID: report.id), as: root) == nil)
      }
      func notes(_ caller: Caller) async throws -> [String?] {
        try await services.call(ListModerationRecords.self, .init(), as: caller).items.map { $0.note?.description }
      }
      #expect(try await notes(vera) == [nil])
      #expect(try await notes(root) == ["Seen it."])
      _ = try await services.call(AppealSanction.self, .init(caseID: id, text: try ChatText(text: "No.")), as: vera)
      #expect(try await services.call(ListAppeals.self, .init(), as: vera).items.isEmpty)
      #expect(try await services.call(ListAppeals.self, .init(), as: root).items.map(\.id) == [id])
    }
  }
}

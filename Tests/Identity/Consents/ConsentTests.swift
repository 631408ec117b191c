import GRDB
import IdentityContract
import InMemoryBus
import InProcess
import Messaging
import Operations
import ServiceKit
import Storage
import Synchronization
import Testing

@testable import IdentityService

@Suite("Consents (ID-13; E data privacy)")
struct ConsentTests {
  private func update(_ identity: RunningIdentity, _ signedIn: SignedIn, _ json: String) async throws -> AccountSettings {
    try await identity.ask(UpdateSettings.self, json: json, by: .signedIn(signedIn))
  }

  private func read(_ identity: RunningIdentity, _ signedIn: SignedIn) async throws -> AccountSettings {
    try await identity.ask(GetSettings.self, .init(), by: .signedIn(signedIn))
  }

  @Test("Consents given with the registration are stored with time and wording and published, and no others")
  func registered() async throws {
    try await RunningIdentity.run { identity in
      var form = RunningIdentity.form()
      form.consents = ConsentChoices(activityData: true, location: false)
      _ = try await identity.ask(RegisterAccount.self, form)
      let consents = try await read(identity, try await identity.logIn()).consents
      #expect(consents.activityData == .init(isGiven: true, changedAt: identity.time.now, wordingVersion: 1))
      #expect(consents.location == .init(isGiven: false))
      #expect(try await identity.published(AccountChanged.self).map(\.consents) == [[.activityData]])
    }
  }

  @Test("Each time a consent is given or withdrawn is kept with its time and wording, and no record can be rewritten")
  func consents() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let ana = try await identity.logIn()
      for (json, expected) in [
        (#"{"consents":{"activityData":true}}"#, "activityData"), (#"{"consents":{"location":true}}"#, "activityData location"),
        (#"{"consents":{"activityData":false,"location":true}}"#, "location"),
        (#"{"consents":{"activityData":true}}"#, "activityData location"),
      ] {
        identity.time.advance(seconds: 60)
        _ = try await update(identity, ana, json)
        let published = try #require(try await identity.published(AccountChanged.self).last?.consents)
        #expect(published.map(\.rawValue).sorted().joined(separator: " ") == expected)
      }
      let now = try await read(identity, ana).consents
      #expect(now.activityData == .init(isGiven: true, changedAt: identity.time.now, wordingVersion: 1))
      #expect(now.location == .init(isGiven: true, changedAt: identity.time.now.adding(seconds: -120), wordingVersion: 1))
      let records = try await identity.store.read { database in
        try Row.fetchAll(database, sql: "SELECT purpose, number, is_given FROM consent_records ORDER BY at, purpose").map {
          "\($0["purpose"] as String) \($0["number"] as Int) \($0["is_given"] as Bool)"
        }
      }
      #expect(records == ["activityData 1 true", "location 1 true", "activityData 2 false", "activityData 3 true"])
      await #expect(throws: DatabaseError.self) {
        try await identity.store.write { try $0.database.execute(sql: "UPDATE consent_records SET is_given = 1") }
      }
    }
  }

  @Test(
    "Withdrawing a consent is answered once activity knows, so that nothing sent later is kept; giving one does not wait"
  )
  func withdrawal() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let ana = try await identity.logIn()
      let known = Mutex<[AccountChanged]>([])
      let activity = MemoryBus(.activity, on: identity.exchange, clock: identity.time.clock)
      activity.serve { request in
        guard request.header.operation == SyncAccount.spec.name, request.header.caller == .service(.identity),
          let account = try? AccountChanged.decode(request.body)
        else { return Reply(id: request.header.id, Failure(RequestFailure.unknownOperation)) }
        known.withLock { $0.append(account) }
        return Reply(header: ReplyHeader(id: request.header.id, status: 200), body: Empty().json)
      }
      _ = try await update(identity, ana, #"{"consents":{"activityData":true,"location":true}}"#)
      #expect(known.withLock { $0.isEmpty })
      _ = try await update(identity, ana, #"{"consents":{"activityData":false}}"#)
      #expect(known.withLock { $0.map(\.consents) } == [[.location]])
      #expect(known.withLock { $0.map(\.revision) } == [3])
      // Whoever repeats it, because the answer was lost, can rely on it as well.
      _ = try await update(identity, ana, #"{"consents":{"activityData":false}}"#)
      #expect(known.withLock { $0.count } == 2)
    }
  }

  @Test("The withdrawal of a consent holds even if activity is down")
  func withdrawalAlone() async throws {
    try await RunningIdentity.run { identity in
      try await identity.register()
      let ana = try await identity.logIn()
      _ = try await update(identity, ana, #"{"consents":{"location":true}}"#)
      #expect(try await update(identity, ana, #"{"consents":{"location":false}}"#).consents.location.isGiven == false)
      #expect(try await identity.published(AccountChanged.self).last?.consents == [])
    }
  }

  @Test("The wordings of consents are for everyone, in the language asked for")
  func wordings() async throws {
    try await RunningIdentity.run { identity in
      let english = try await identity.ask(ListConsents.self, .init(), by: .person()).items
      let spanish = try await identity.ask(ListConsents.self, .init(), by: .person(language: .spanish)).items
      #expect(english.map(\.purpose) == ConsentPurpose.allCases && english.map(\.version) == spanish.map(\.version))
      #expect(english[0].text.hasPrefix("Racha may keep the steps") && spanish[0].text.hasPrefix("Racha puede guardar los pasos"))
    }
  }
}

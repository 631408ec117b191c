import InMemoryBus
import Messaging
import Operations
import ServiceKit
import Testing

@Suite("A service's dispatch")
struct DispatchTests {
  private let ana = Caller(kind: .account, account: AccountID(), session: SessionID())
  private let verified = Caller(kind: .account, account: AccountID(), session: SessionID(), isVerified: true)

  private func code(_ body: () async throws -> some Sendable) async -> String? {
    do {
      _ = try await body()
      return nil
    } catch {
      return (error as? Failure)?.code ?? "\(error)"
    }
  }

  @Test("A service's dispatch decides on the caller before anything is read (S 8, scenario 4)")
  func callers() async throws {
    try await Notebook.running { (client: ServiceClientStub) async throws in
      #expect(await code { try await client.send(Notebook.CountNotes.self, .init()) } == nil)
      #expect(await code { try await client.send(Notebook.AddNote.self, .init(text: "a")) } == "unauthenticated")
      #expect(
        await code { try await client.send(Notebook.AddNote.self, .init(text: "a"), as: .service(.rewards)) } == "unauthenticated"
      )
      #expect(await code { try await client.send(Notebook.AddNote.self, .init(text: "a"), as: ana) } == nil)
      #expect(await code { try await client.send(Notebook.Publish.self, .init(), as: ana) } == "verification_required")
      #expect(await code { try await client.send(Notebook.Publish.self, .init(), as: verified) } == nil)
      #expect(await code { try await client.send(Notebook.Burn.self, .init(), as: verified) } == "forbidden")
      #expect(await code { try await client.send(ReadMetrics.self, .init(), as: verified) } == "forbidden")
      #expect(await code { try await client.send(ReadMetrics.self, .init(), as: .service(.gateway)) } == nil)
    }
  }

  @Test("A dispatch asks the service's store for a partner's owners and clerks before the input is read (REW-3)")
  func partners() async throws {
    func serve(_ service: inout ServiceDefinition) {
      service.serve(Notebook.Sell.self) { (_, _) in Empty() }
      service.serve(Notebook.Deliver.self) { (_, _) in Empty() }
    }
    let clerk = Caller(kind: .account, account: AccountID(), session: SessionID(), isVerified: true)
    let change: (inout ServiceDefinition) -> Void = { service in
      serve(&service)
      service.decidePartner { [verified] account, rule, _ in
        account == verified.account || account == clerk.account && rule == .partnerClerk
      }
    }
    try await Notebook.running(change: change) { (client: ServiceClientStub) async throws in
      func sell(_ caller: Caller?) async -> String? {
        // Nobody learns what is wrong with it who may not call.
        await code { try await client.send(Notebook.Sell.self, .init(text: ""), as: caller ?? Caller(kind: .anonymous)) }
      }
      func deliver(_ caller: Caller) async -> String? {
        await code { try await client.send(Notebook.Deliver.self, .init(), as: caller) }
      }
      #expect(await sell(nil) == "unauthenticated")
      #expect(await sell(ana) == "verification_required")
      #expect(await sell(clerk) == "forbidden")
      #expect(await sell(.service(.rewards)) == "unauthenticated")
      #expect(await sell(verified) == "invalid_fields")
      #expect(await deliver(clerk) == nil)
      #expect(await deliver(verified) == nil)
      #expect(await deliver(ana) == "verification_required")
    }
    // Where no store knows of partners nobody may.
    try await Notebook.running(change: serve) { (client: ServiceClientStub) async throws in
      #expect(await code { try await client.send(Notebook.Deliver.self, .init(), as: verified) } == "forbidden")
    }
  }

  @Test(
    "A dispatch refuses changes and administration to a session in doubt, unless the operation allows them (ID-7)"
  )
  func doubt() async throws {
    try await Notebook.running { (client: ServiceClientStub) async throws in
      let doubtful = Caller(
        kind: .account, account: AccountID(), session: SessionID(), isVerified: true, isAdministrator: true, isInDoubt: true)
      #expect(await code { try await client.send(Notebook.Burn.self, .init(), as: doubtful) } == "login_alert_unanswered")
      #expect(await code { try await client.send(Notebook.AddNote.self, .init(text: "a"), as: doubtful) } == nil)
      #expect(await code { try await client.send(Notebook.CountNotes.self, .init(), as: doubtful) } == nil)
      #expect(await code { try await client.send(Notebook.Publish.self, .init(), as: doubtful) } == "login_alert_unanswered")
    }
  }

  @Test("A service's dispatch answers a repetition with the first reply, and refuses the key for other requests")
  func idempotency() async throws {
    try await Notebook.running { (client: ServiceClientStub) async throws in
      for _ in 0..<3 {
        #expect(try await client.send(Notebook.AddNote.self, .init(text: "a"), as: ana, key: "k").count == 1)
      }
      #expect(
        await code { try await client.send(Notebook.AddNote.self, .init(text: "b"), as: ana, key: "k") }
          == "idempotency_key_reused")
      #expect(try await client.send(Notebook.AddNote.self, .init(text: "a"), as: verified, key: "k").count == 2)
      #expect(try await client.send(Notebook.CountNotes.self, .init()).count == 2)
    }
  }

  @Test("A dispatch reports a feature's failure by code, invalid fields by name, and nothing of an unexpected error")
  func failures() async throws {
    try await Notebook.running { (client: ServiceClientStub) async throws in
      #expect(await code { try await client.send(Notebook.AddNote.self, .init(text: ""), as: ana) } == "invalid_fields")
      #expect(await code { try await client.send(Notebook.AddNote.self, .init(text: "crash"), as: ana) } == "internal_error")
      for index in 0..<5 { _ = try await client.send(Notebook.AddNote.self, .init(text: "\(index)"), as: ana) }
      #expect(await code { try await client.send(Notebook.AddNote.self, .init(text: "x"), as: ana) } == "notebook_full")
      #expect(try await client.send(Notebook.CountNotes.self, .init()).count == 5)
    }
  }

  @Test("A service's dispatch separates equal idempotency keys of anonymous callers by their requests")
  func anonymousKeys() async throws {
    try await Notebook.running { (client: ServiceClientStub) async throws in
      let (home, train) = (Caller(kind: .anonymous, address: "192.0.2.1"), Caller(kind: .anonymous, address: "198.51.100.7"))
      #expect(try await client.send(Notebook.SignNote.self, .init(text: "mine"), as: home, key: "k").count == 1)
      #expect(try await client.send(Notebook.SignNote.self, .init(text: "mine"), as: train, key: "k").count == 1)
      #expect(try await client.send(Notebook.SignNote.self, .init(text: "theirs"), as: train, key: "k").count == 2)
      #expect(try await client.send(Notebook.SignNote.self, .init(text: "mine"), as: home, key: "k").count == 1)
      #expect(try await client.send(Notebook.CountNotes.self, .init()).count == 2)
    }
  }

  @Test("A service's dispatch ends a debug build whose operation fails with an undeclared failure")
  func undeclared() async {
    await #expect(processExitsWith: .failure) {
      enum Loss: String, FailureCode {
        case lost
        var status: Int { 404 }
      }
      try await Notebook.running(change: { service in
        service.serve(Notebook.LoseNote.self) { (_, _) in throw Loss.lost }
      }) { client in
        // An answer, of whatever kind, would mean that nothing ended.
        do { _ = try await client.send(Notebook.LoseNote.self, .init()) } catch is Failure {}
      }
    }
  }

  @Test("A dispatch ends a process that serves an operation with an idempotency key without keeping records")
  func unkeptKeys() async {
    await #expect(processExitsWith: .failure) {
      enum Forget: AccountOperation {
        typealias Input = Empty
        typealias Output = Empty
        static let spec = OperationSpec(
          "notes.forget", of: .social, nil, by: .account, effect: .write, requirements: [], "Forget.")
      }
      var service = ServiceDefinition(Notebook.contract, migrations: Notebook.migrations)
      service.serve(Forget.self) { (_, _) in Empty() }
    }
  }

  @Test("A service's dispatch holds its writes for a copy, once at a time, and for other services only")
  func holding() async throws {
    try await Notebook.running { (client: ServiceClientStub) async throws in
      let gateway = Caller.service(.gateway)
      #expect(await code { try await client.send(HoldStore.self, .init(), as: verified) } == "forbidden")
      let first = try await client.send(HoldStore.self, .init(), as: gateway).hold
      #expect(await code { try await client.send(HoldStore.self, .init(), as: gateway) } == "backup_under_way")
      let taken = await code { try await client.send(BackUpStore.self, .init(hold: first, path: "/dev/null"), as: gateway) }
      #expect(taken == "backup_path_taken")
      #expect(await code { try await client.send(ReleaseStore.self, .init(hold: first), as: gateway) } == "backup_hold_ended")
      let second = try await client.send(HoldStore.self, .init(), as: gateway).hold
      _ = try await client.send(ReleaseStore.self, .init(hold: second), as: gateway)
      #expect(try await client.send(Notebook.AddNote.self, .init(text: "a"), as: verified, key: "k").count == 1)
    }
  }

  @Test("A service's dispatch names an unknown operation")
  func unknown() async throws {
    try await Notebook.running { (client: ServiceClientStub) async throws in
      let header = RequestHeader(
        id: "1", operation: "no.such", caller: Caller(kind: .anonymous), deadline: Instant.now.adding(seconds: 5))
      let reply = try await client.bus.request(Request(header: header, body: []), to: .social)
      #expect(reply.header.status == 404)
    }
  }
}

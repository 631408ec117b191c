import Client
import Cluster
import IdentityContract
import Operations
import Testing

/// Every operation of the contracts, called over the running cluster by those who may not.
@Suite("Refused access", .serialized, AccessSceneTrait(), .timeLimit(.minutes(3)))
struct AccessTests {
  private func scene() throws -> AccessScene { try #require(AccessScene.current) }

  // MARK: - Who is let in at all

  @Test("Nobody may call anything without a token, over HTTP and JSON-RPC")
  func anonymous() async throws {
    let scene = try scene()
    let unauthenticated = Outcome.refused(401, "unauthenticated")
    let call = EmptyCall(url: scene.cluster.url, token: nil)
    for spec in Everything.closed { #expect(try await call(spec) == unauthenticated, "\(spec.name)") }
    let lines = try await LineConnection.open(host: "127.0.0.1", port: scene.cluster.tcpPort)
    defer { lines.close() }
    for spec in Everything.closed { #expect(await code(spec, lines) == "unauthenticated", "\(spec.name)") }
  }

  @Test("Nobody may call anything by a session that was logged out")
  func loggedOut() async throws {
    let scene = try scene()
    let session = try await scene.cluster.client.call(LogIn.self, .init(login: "stranger", password: AccessScene.password))
    let client = scene.cluster.client.authorized(session.accessToken)
    _ = try await client.call(GetOwnAccount.self, .init())
    _ = try await client.call(LogOut.self, .init())
    try await expectRevoked(session.accessToken, scene)
  }

  @Test("Nobody may call anything by a session of an account that was suspended since")
  func suspended() async throws {
    let scene = try scene()
    try await expectRevoked(scene.suspendedToken, scene)
  }

  @Test("Nobody may call what asks for a verified address without one")
  func unverified() async throws {
    let scene = try scene()
    let specs = Everything.closed.filter { $0.caller == .verifiedAccount } + Everything.partners
    #expect(specs.count > 5)
    let call = EmptyCall(url: scene.cluster.url, token: scene.unverifiedToken)
    for spec in specs { #expect(try await call(spec) == .refused(403, "verification_required"), "\(spec.name)") }
  }

  @Test("Nobody may call what is for administrators without being one")
  func ordinary() async throws {
    let scene = try scene()
    let specs = Everything.closed.filter { $0.caller == .administrator }
    #expect(specs.count > 5)
    for role in [Role.stranger, .owner] {
      let call = EmptyCall(url: scene.cluster.url, token: try scene.caller(role).token)
      for spec in specs { #expect(try await call(spec) == .refused(403, "forbidden"), "\(spec.name)") }
    }
  }

  @Test("Nobody may call what is for a partner's owner or clerk without being one, whatever the call names")
  func outsidePartners() async throws {
    let scene = try scene()
    #expect(Everything.partners.count > 10)
    let call = EmptyCall(url: scene.cluster.url, token: try scene.caller(.stranger).token)
    for spec in Everything.partners { #expect(try await call(spec) == .refused(403, "forbidden"), "\(spec.name)") }
    // A clerk owns nothing.
    let clerk = EmptyCall(url: scene.cluster.url, token: try scene.caller(.friend).token)
    for spec in Everything.partners where spec.caller == .partnerOwner {
      #expect(try await clerk(spec) == .refused(403, "forbidden"), "\(spec.name)")
    }
  }

  @Test("No client may call operations that are for services only")
  func services() async throws {
    let scene = try scene()
    #expect(Everything.services.count > 10)
    let document = try await scene.cluster.client.get("/openapi.json").text
    #expect(document.contains("\"\(GetOwnAccount.spec.name)\""))
    let anonymous = try await LineConnection.open(host: "127.0.0.1", port: scene.cluster.tcpPort)
    let administrator = try await LineConnection.open(host: "127.0.0.1", port: scene.cluster.tcpPort)
    defer {
      anonymous.close()
      administrator.close()
    }
    try await administrator.authenticate(scene.administratorToken)
    for spec in Everything.services {
      #expect(spec.route == nil && !document.contains("\"\(spec.name)\""), "\(spec.name)")
      for lines in [anonymous, administrator] { #expect(await code(spec, lines) == "unknown_operation", "\(spec.name)") }
    }
  }

  // MARK: - Whose things they are

  @Test("The table of access lists exactly the operations that name something")
  func table() {
    let naming = Everything.accountOperations.filter { !NamedThings.fields(of: $0).isEmpty }
    let listed = Set(AccessTable.all.entries.map(\.spec.name))
    print("\(naming.count) of \(Everything.accountOperations.count) operations of accounts name something")
    #expect(naming.count > 60)
    for operation in naming {
      #expect(
        listed.contains(operation.spec.name),
        "\(operation.spec.name) names \(NamedThings.fields(of: operation)): say whose that is")
    }
    let names = Set(naming.map { $0.spec.name })
    for name in listed.sorted() { #expect(names.contains(name), "\(name) names nothing") }
  }

  @Test("Nobody may find, read or change what belongs to others, except its owner and those for whom it is meant")
  func things() async throws {
    let scene = try scene()
    let entries = AccessTable.all.entries
    var before = try await settledState(scene)
    for name in scene.things.names { #expect(before.shows(name), "\(name)") }
    for role in Role.outsiders {
      for entry in entries { try await expectNotFound(entry, for: try scene.caller(role), scene) }
      let after = try await OwnerState.read(scene)
      let differences = before.differences(after)
      #expect(differences == [], "by \(role)")
      before = after
    }
    for entry in entries {
      guard case .open(let outcomes) = entry.rule else { continue }
      for role in Role.allCases {
        guard let outcome = outcomes[role] else { continue }
        let found = try await entry.call(scene.things, try scene.caller(role))
        #expect(found == outcome, "\(entry.spec.name) by \(role)")
      }
    }
    for entry in entries {
      guard case .owned(_, let outcome) = entry.rule else { continue }
      #expect(try await entry.call(scene.things, try scene.caller(.owner)) == outcome, "\(entry.spec.name) by the owner")
    }
  }

  /// What outsiders get for the owner's thing, they get for one that does not exist.
  private func expectNotFound(_ entry: AccessEntry, for caller: Caller, _ scene: AccessScene) async throws {
    guard case .owned(let others, _) = entry.rule else { return }
    let found = try await entry.call(scene.things, caller)
    #expect(found == others, "\(entry.spec.name) by \(caller.role)")
    let unknown = try await entry.call(Things(today: scene.things.today), caller)
    #expect(found == unknown, "\(entry.spec.name) by \(caller.role), where there is none")
  }

  /// The owner's state once what the scene began has come to its end: effects of events arrive in their own time.
  private func settledState(_ scene: AccessScene) async throws -> OwnerState {
    var last = try await OwnerState.read(scene)
    return try await eventually {
      let next = try await OwnerState.read(scene)
      defer { last = next }
      return (state: next, isSteady: next == last)
    } until: {
      $0.isSteady
    }.state
  }

  // MARK: - Calls

  private func code(_ spec: OperationSpec, _ lines: LineConnection) async -> String {
    do {
      _ = try await lines.send(spec.name, [:])
      return "done"
    } catch {
      return (error as? GatewayClient.Problem)?.code ?? "\(error)"
    }
  }

  /// Each operation refuses a token whose session was ended; the gateway learns of that by an event.
  private func expectRevoked(_ token: String, _ scene: AccessScene) async throws {
    let call = EmptyCall(url: scene.cluster.url, token: token)
    let revoked = Outcome.refused(401, "session_revoked")
    _ = try await eventually {
      try await call(GetOwnAccount.spec)
    } until: {
      $0 == revoked
    }
    for spec in Everything.closed { #expect(try await call(spec) == revoked, "\(spec.name)") }
  }
}

import ActivityContract
import GatewayContract
import IdentityContract
import NotificationsContract
import Operations
import RewardsContract
import ServiceKit
import SocialContract
import Testing

@Suite("The contracts of all services")
struct ContractsTests {
  private static let all: [Contract] = [.activity, .identity, .notifications, .rewards, .social]
  private var allSpecs: [OperationSpec] { ContractsTests.all.flatMap(\.operations).map { $0.spec } }
  private let words = Words((all + [.gateway]).flatMap(\.words))

  @Test("Contracts declare nothing that is not served, and serve nothing that is not declared")
  func served() async throws {
    try await AllServices.with { services in
      for definition in services.definitions {
        let declared = Set(definition.contract.operations.map { $0.spec.name })
        #expect(definition.servedOperations == declared, "\(definition.contract.service)")
        // Otherwise its log of events would grow for ever.
        #expect(definition.publishesSnapshot, "\(definition.contract.service)")
        for received in definition.subscribedEvents {
          let published = ContractsTests.all.flatMap(\.events).map { $0.spec }
          #expect(published.contains { $0.publisher == received.publisher && $0.names.contains(received.name) }, "\(received)")
        }
      }
    }
  }

  /// What a session in doubt may call although it changes something: to leave, to say that a login was not the owner's, to have the
  /// account's own link sent again.
  private static let allowedInDoubt: Set = [
    "sessions.delete", "sessions.close", "loginAlerts.answer", "accounts.resendVerification",
  ]

  /// What accounts change without an idempotency key: what is answered is a secret that no record is to keep, or a repetition is harmless
  /// by itself (a chunk, the end of a file, an account that is gone, changes that carry ids of their own).
  private static let withoutKey: Set = [
    "accounts.delete", "calendarFeeds.createLink", "entries.sync", "identities.beginLinking", "imports.complete",
    "imports.uploadChunk", "personalAccessTokens.create", "taskAttachments.complete", "taskAttachments.uploadChunk",
    "taskTokens.renew",
  ]

  @Test("Operations that change accounts take an idempotency key unless exempt, and services that announce one keep records")
  func idempotencyKeys() async throws {
    let without = allSpecs.filter { spec in
      switch spec.caller {
      case .account, .verifiedAccount, .administrator, .partnerOwner, .partnerClerk:
        spec.effect != .read && !spec.takesIdempotencyKey
      case .anyone, .services: false
      }
    }
    #expect(Set(without.map(\.name)) == ContractsTests.withoutKey)
    // To define a service that keeps no record where one is announced ends the process.
    try await AllServices.with { services in
      for spec in allSpecs where spec.takesIdempotencyKey {
        #expect(services.definitions.contains { $0.servedOperations.contains(spec.name) }, "\(spec.name)")
      }
    }
  }

  @Test(
    "Contracts refuse every change in a session in doubt, except ending a login or mailing the owner a link (ID-7)"
  )
  func doubt() {
    for spec in allSpecs {
      switch spec.caller {
      case .anyone, .services: #expect(spec.inDoubt == .allowed, "\(spec.name)")
      case .administrator: #expect(spec.inDoubt == .refused, "\(spec.name)")
      case .account, .verifiedAccount, .partnerOwner, .partnerClerk:
        let mayCall = spec.effect == .read || ContractsTests.allowedInDoubt.contains(spec.name)
        #expect((spec.inDoubt == .allowed) == mayCall, "\(spec.name)")
      }
    }
    #expect(ContractsTests.allowedInDoubt.isSubset(of: allSpecs.map(\.name)))
  }

  @Test("No operation that changes something returns a list to a personal access token, so write access reads none (ID-18)")
  func changes() {
    func isList<O: Operations.Operation>(_: O.Type) -> Bool { "\(O.Output.self)".hasPrefix("Page<") }
    let operations = ContractsTests.all.flatMap(\.operations)
    let lists = operations.filter { isList($0) }.map { $0.spec }
    #expect(lists.count > 10)
    #expect(lists.filter { $0.effect != .read && AccessScope(for: $0) != nil }.map(\.name) == [])
  }

  @Test("Contracts ask for a verified address exactly where the requirements do, in whichever service (ID-2; S 8, scenario 4)")
  func verification() {
    let restricted = allSpecs.filter { $0.caller == .verifiedAccount }.map(\.name).sorted()
    #expect(
      restricted == [
        "followRequests.accept", "followRequests.send", "friendChallenges.accept", "friendChallenges.send",
        "friendRequests.accept", "friendRequests.send", "messagePhotos.send", "messages.edit", "messages.send", "offers.redeem",
        "partners.register",
        "taskAttachments.complete", "taskAttachments.create", "taskAttachments.uploadChunk", "taskComments.create",
        "taskHelp.offer", "taskHelp.request", "taskHelp.thank", "taskParticipants.add", "taskParts.create", "taskParts.update",
        "taskSeries.create", "taskSeries.update", "taskSeriesParticipants.add", "taskTokens.renew", "tasks.create",
        "tasks.update", "teamInvitations.accept", "teamInvitations.send", "teamTasks.join", "teams.create",
      ])
  }

  @Test("Contracts give each operation a unique name, a route, a requirement and a summary")
  func namesAndRoutes() {
    #expect(Set(allSpecs.map(\.name)).count == allSpecs.count)
    let routes = allSpecs.compactMap(\.route)
    #expect(Set(routes).count == routes.count)
    for spec in allSpecs {
      #expect(!spec.requirements.isEmpty && spec.summary.hasSuffix("."), "\(spec.name)")
      #expect(spec.name.contains("."), "\(spec.name)")
      if let route = spec.route {
        // The register stands where its clients look for it.
        let roots = ["/v1/", "/.well-known/", "/register/"]
        #expect(roots.contains { route.path.hasPrefix($0) }, "\(route.path)")
      } else if case .services = spec.caller {
        continue
      } else {
        Issue.record("\(spec.name) has no route, but not only services may call it")
      }
    }
  }

  @Test("No two events share a present or former name")
  func eventNames() {
    let specs = ContractsTests.all.flatMap(\.events).map { $0.spec }
    let names = specs.map(\.name) + specs.compactMap(\.formerName)
    #expect(Set(names).count == names.count)
    for spec in specs { #expect(spec.names == Set([spec.name, spec.originalName]), "\(spec.name)") }
  }

  @Test("Contracts describe every field of every document")
  func fields() {
    var schemas = Schemas()
    for contract in ContractsTests.all {
      for operation in contract.operations { ContractsTests.record(operation, in: &schemas) }
      for event in contract.events { _ = schemas.reference(to: event) }
    }
    #expect(schemas.components.count > 50)
    for (name, schema) in schemas.components {
      guard case .object(let properties) = schema["properties"] else { continue }
      for property in properties {
        #expect((property.value["description"] as JSON?) != nil, "\(name).\(property.name) has no note")
      }
    }
  }

  @Test("Contracts name a document's own id `id`, and ids of others `<thing>ID`")
  func ids() {
    var schemas = Schemas()
    for contract in ContractsTests.all {
      for operation in contract.operations { ContractsTests.record(operation, in: &schemas) }
      for event in contract.events { _ = schemas.reference(to: event) }
    }
    _ = schemas.reference(to: Problem.self)
    for (name, schema) in schemas.components {
      guard case .object(let properties) = schema["properties"] else { continue }
      let own = name.prefix(1).lowercased() + name.dropFirst() + "ID"
      for property in properties.map(\.name) {
        #expect(property != own, "\(name) names itself \(property)")
        #expect(!property.hasSuffix("Id"), "\(name).\(property)")
      }
    }
  }

  @Test("Events name the account beside each username, so that an erasure can find and empty them")
  func usernames() {
    var schemas = Schemas()
    for contract in ContractsTests.all {
      for event in contract.events { _ = schemas.reference(to: event) }
    }
    var count = 0
    for (name, schema) in schemas.components {
      guard case .object(let properties) = schema["properties"] else { continue }
      let fields = properties.map(\.name)
      for field in fields where field == "username" || field.hasSuffix("Username") {
        count += 1
        // Of an edited message it is the one or the other of the two.
        let ids = field == "username" ? ["accountID", "id"] : [field.dropLast("Username".count) + "AccountID", "otherAccountID"]
        #expect(ids.contains { fields.contains($0) }, "\(name).\(field)")
      }
    }
    #expect(count > 10)
  }

  @Test("All lists of the contracts are paged in the same way")
  func lists() throws {
    var count = 0
    for operation in ContractsTests.all.flatMap(\.operations) {
      let (input, output) = ContractsTests.schemas(of: operation)
      let isPaged = output["properties"]?["nextCursor"] != nil && input["properties"]?["cursor"] != nil
      #expect((ContractsTests.inputType(of: operation) is any ListInput.Type) == isPaged, "\(operation.spec.name)")
      guard isPaged else { continue }
      count += 1
      let problems = ContractsTests.problems(of: operation, body: #"{"cursor":"no base64!","limit":0}"#)
      #expect(problems.contains("cursor invalid_cursor") && problems.contains("limit out_of_range"), "\(operation.spec.name)")
    }
    #expect(count == 57)
  }

  @Test("Contracts refuse null by name in every field of a PATCH that null does not clear, and the schema says which")
  func patches() throws {
    // What is no field of the thing itself, but says which and as it was when.
    let others: Set = [
      "activityID", "challengeID", "choices", "day", "messageID", "offerID", "partID", "pauseID", "placeID", "revision",
      "seriesID", "taskID", "teamID",
    ]
    var cleared: [String: [String]] = [:]
    for operation in ContractsTests.all.flatMap(\.operations) where operation.spec.route?.method == .patch {
      guard case .object(let properties) = ContractsTests.schemas(of: operation).input["properties"] else { continue }
      var patched: [String] = []
      for property in properties where !others.contains(property.name) {
        let schema = property.value
        let takesNull = [schema["type"], schema["anyOf"]].contains { choices in
          if case .array(let choices) = choices { choices.contains("null") || choices.contains(["type": "null"]) } else { false }
        }
        if takesNull { patched.append(property.name) }
        let problems = ContractsTests.problems(of: operation, body: "{\"\(property.name)\":null}")
        #expect(problems.contains("\(property.name) null") != takesNull, "\(operation.spec.name) \(property.name)")
      }
      cleared[operation.spec.name] = patched
    }
    #expect(
      cleared == [
        "activities.update": ["reason", "endDay", "tie"], "challengeDefinitions.update": [],
        "entries.update": ["comment", "location"], "messages.edit": [], "notificationPreferences.update": [],
        "partnerOffers.update": ["terms", "placeIDs", "limitPerAccount", "limitPerDay", "codeValidDays"],
        "partnerPlaces.update": [], "partners.update": [], "pauses.update": [],
        "profiles.update": ["nickname", "name", "age"], "settings.update": [],
        "tasks.update": ["description", "dueDay"],
        "taskParts.update": ["description", "assigneeID"], "taskSeries.update": ["description", "endDay"],
        "teams.update": [],
      ])
  }

  private static func schemas<O: Operations.Operation>(of operation: O.Type) -> (input: JSON, output: JSON) {
    func schema(_ type: any Document.Type) -> JSON {
      var schemas = Schemas()
      _ = schemas.reference(to: type)
      return schemas.components.first { $0.name == type.schemaName }?.schema ?? [:]
    }
    return (schema(O.Input.self), schema(O.Output.self))
  }

  private static func inputType<O: Operations.Operation>(of operation: O.Type) -> any Document.Type { O.Input.self }

  private static func problems<O: Operations.Operation>(of operation: O.Type, body: String) -> [String] {
    do throws(Failure) {
      let input = try O.Input.decode(Array(body.utf8))
      return ((input as? any Form)?.found.with([]) ?? []).map { "\($0.field) \($0.code)" }
    } catch {
      return error.fields.map { "\($0.field) \($0.code)" }
    }
  }

  @Test("Specific words exist only for failures and operations that exist")
  func ownWords() {
    let codes = Set(RequestFailure.allCases.map(\.rawValue) + allSpecs.flatMap(\.failures).map(\.code))
    let names = Set(allSpecs.map(\.name))
    let tags = Set(names.map { String($0.prefix { $0 != "." }) })
    for key in words.keys(.english) where key.hasPrefix("failure.") {
      let parts = key.split(separator: ".", maxSplits: 2).map(String.init)
      guard parts.count == 3, parts[2] != "suggestion" else { continue }
      #expect(codes.contains(parts[1]) && (tags.contains(parts[2]) || names.contains(parts[2])), "\(key)")
    }
    #expect(words.text("failure.unavailable.offers", .english) == "Offers temporarily unavailable.")
    // E UC-02, AF-01.
    let steps = "failure.consent_required.\(RecordMovementSamples.spec.name.prefix { $0 != "." })"
    #expect(words.text(steps, .english) == "Step tracking unavailable without permission.")
  }

  @Test("Contracts say what to do about every rule of fields, in both languages")
  func suggestions() {
    let rules = words.keys(.english).filter { $0.hasPrefix("field.") && !$0.hasSuffix(".suggestion") }
    #expect(rules.count > 60)
    for rule in rules {
      for language in Language.allCases { #expect(words.parameters("\(rule).suggestion", language) != nil, "\(rule)") }
    }
  }

  @Test("Contracts have words in both languages for every failure, with the same parameters")
  func texts() {
    #expect(words.keys(.english) == words.keys(.spanish))
    let failures = Set(allSpecs.flatMap(\.failures))
    #expect(failures.count > 10)
    for failure in failures {
      #expect(words.text("failure.\(failure.code)", .english) != nil, "\(failure.code)")
    }
    for key in words.keys(.english) {
      #expect(words.parameters(key, .english) == words.parameters(key, .spanish), "\(key)")
    }
    let statuses = Dictionary(grouping: failures, by: \.code).mapValues(\.count)
    #expect(statuses.values.allSatisfy { $0 == 1 }, "a code has one status")
  }

  private static func record<O: Operations.Operation>(_ operation: O.Type, in schemas: inout Schemas) {
    _ = schemas.reference(to: O.Input.self)
    _ = schemas.reference(to: O.Output.self)
  }
}

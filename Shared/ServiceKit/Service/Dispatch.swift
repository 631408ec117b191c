import Logging
import Metrics
import Operations
import Storage

/// Turns requests into replies: finds the operation, checks the caller, runs the handler, reports failures.
struct Dispatch: Sendable {
  let definition: ServiceDefinition
  let context: CallContext
  let timers: [String: Timer]

  init(_ definition: ServiceDefinition, _ context: CallContext) {
    self.definition = definition
    self.context = context
    timers = definition.handlers.mapValues { Timer(label: "operation_duration", dimensions: [("operation", $0.spec.name)]) }
  }

  func reply(to request: Request) async -> Reply {
    let start = ContinuousClock.now
    let reply = await answer(request, start)
    context.logger.debug(
      "request answered",
      metadata: [
        "requestID": "\(request.header.id)", "traceID": "\(request.header.traceID ?? "")",
        "operation": "\(request.header.operation.beginning(maxBytes: FieldProblem.maxNameBytes))",
        "status": "\(reply.header.status)",
        "microseconds": "\((ContinuousClock.now - start).nanoseconds / 1000)",
      ])
    return reply
  }

  private func answer(_ request: Request, _ start: ContinuousClock.Instant) async -> Reply {
    guard let (spec, handle) = definition.handlers[request.header.operation] else {
      Counter(label: "unknown_operations").increment()
      let name = request.header.operation.beginning(maxBytes: FieldProblem.maxNameBytes)
      context.logger.warning(
        "unknown operation",
        metadata: [
          "requestID": .string(request.header.id), "operation": .string(name), "callerKind": "\(request.header.caller.kind)",
        ])
      return Reply(id: request.header.id, Failure(RequestFailure.unknownOperation, ["operation": .text(name)]))
    }
    defer { timers[spec.name]?.recordNanoseconds((ContinuousClock.now - start).nanoseconds) }
    do {
      try decide(spec, request.header.caller)
      let result = try await handle(request, context)
      return Reply(header: ReplyHeader(id: request.header.id, status: result.status), body: result.body)
    } catch {
      var failure = Failure(error)
      // A read may have to store something first, such as an account that is not known here yet.
      if failure.isOfStorage, spec.effect == .read { failure = Failure(RequestFailure.unavailable, retryAfterSeconds: 1) }
      if failure.code == RequestFailure.internalError.rawValue {
        var logger = context.logger
        logger[metadataKey: "requestID"] = .string(request.header.id)
        logger[metadataKey: "traceID"] = request.header.traceID.map { .string($0) }
        logger.error("handler failed", metadata: ["operation": .string(spec.name), "error": .string("\(error)")])
      }
      // An undeclared failure is missing from the documentation: any test that meets one fails here.
      assert(spec.declares(failure), "\(spec.name) ended in \(failure.code), which it does not declare")
      return Reply(id: request.header.id, failure)
    }
  }

  private func decide(_ spec: OperationSpec, _ caller: Caller) throws {
    let isAccount = caller.kind == .account && caller.account != nil
    if isAccount, spec.inDoubt == .refused, try isInDoubt(caller) { throw Failure(RequestFailure.loginUnanswered) }
    switch spec.caller {
    case .anyone: return
    case .account: guard isAccount else { throw Failure(RequestFailure.unauthenticated) }
    case .verifiedAccount:
      guard isAccount, let account = caller.account else { throw Failure(RequestFailure.unauthenticated) }
      try expectVerified(account, caller)
    case .partnerOwner, .partnerClerk:
      guard isAccount, let account = caller.account else { throw Failure(RequestFailure.unauthenticated) }
      try expectVerified(account, caller)
      guard let belongs = definition.belongsToPartner, try context.store.lookUp({ try belongs(account, spec.caller, $0) }) else {
        throw Failure(RequestFailure.forbidden)
      }
    case .administrator:
      guard isAccount else { throw Failure(RequestFailure.unauthenticated) }
      guard caller.isAdministrator else { throw Failure(RequestFailure.forbidden) }
    case .services(let names):
      guard caller.kind == .service, let service = caller.service, names.contains(service) else {
        throw Failure(RequestFailure.forbidden)
      }
    }
  }

  /// The token may be older than the verification; the store is not.
  private func expectVerified(_ account: AccountID, _ caller: Caller) throws {
    if caller.isVerified { return }
    if let isVerified = definition.isVerified, try context.store.lookUp({ try isVerified(account, $0) }) { return }
    throw Failure(RequestFailure.verificationRequired)
  }

  /// Identity knows this for each session; the other services trust the token, which is renewed when the owner answers.
  private func isInDoubt(_ caller: Caller) throws -> Bool {
    guard let isInDoubt = definition.isInDoubt else { return caller.isInDoubt == true }
    guard let session = caller.session else { return false }
    return try context.store.lookUp { try isInDoubt(session, $0) }
  }
}

extension Duration {
  /// The whole duration in nanoseconds.
  var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}

/// One capability of one service, declared once.
///
/// HTTP route, JSON-RPC method, OpenAPI entry, the client's call and the service's dispatch all come from it:
///
///     /// Asks another account for friendship.
///     public enum SendFriendRequest: AccountOperation {
///       public struct Input: Document { … }
///       public typealias Output = FriendRequest
///       public static let spec = OperationSpec(
///         "friendRequests.send", of: .social, .post("/v1/friend-requests"), by: .verifiedAccount, effect: .create,
///         failures: FriendRequestFailure.allCases.map(\.kind), requirements: ["SOC-1"], "Ask another account for friendship.")
///     }
public protocol Operation: Sendable {
  associatedtype Input: Document
  associatedtype Output: Document
  static var spec: OperationSpec { get }
}

/// What an ``Operation`` declares beside its documents.
public struct OperationSpec: Sendable {
  /// `friendRequests.send`: the JSON-RPC method, the key of allow-lists, logs and metrics.
  public let name: String
  /// The service that owns the data and serves it.
  public let service: ServiceName
  /// HTTP method and path, or nil where only services may call.
  public let route: Route?
  public let caller: CallerRule
  public let effect: Effect
  public let rate: RateClass
  /// Whether a session in doubt may call.
  public let inDoubt: DoubtRule
  /// Whether only a session may call, and no personal access token: what a call gives would outlive the token, or allow more than it.
  public let isForSessionsOnly: Bool
  /// Failures beyond those that any operation of its kind can return; see ``commonFailures(hasBody:)``.
  public let failures: [FailureKind]
  /// Whether an `Idempotency-Key` makes its repetition harmless. Unless said otherwise one does for whatever accounts change; services send none.
  public let takesIdempotencyKey: Bool
  /// Whether it may write where the disk is full, in the room that each store keeps for that: for what lets people in and out.
  public let usesReserve: Bool
  /// What of it travels over HTTP as bytes rather than as JSON.
  public let raw: RawBytes?
  /// Numbers of the features it serves, such as `SOC-1`.
  public let requirements: [String]
  /// One sentence for the documentation.
  public let summary: String

  public init(
    _ name: String, of service: ServiceName, _ route: Route?, by caller: CallerRule, effect: Effect, rate: RateClass? = nil,
    inDoubt: DoubtRule? = nil, isForSessionsOnly: Bool = false, failures: [FailureKind] = [],
    takesIdempotencyKey: Bool? = nil, usesReserve: Bool = false, raw: RawBytes? = nil, requirements: [String], _ summary: String
  ) {
    self.name = name
    self.service = service
    self.route = route
    self.caller = caller
    self.effect = effect
    self.rate = rate ?? (effect == .read ? .read : .write)
    self.inDoubt = inDoubt ?? DoubtRule(caller, effect)
    self.isForSessionsOnly = isForSessionsOnly
    self.failures = failures
    self.takesIdempotencyKey = takesIdempotencyKey ?? (effect != .read && caller.isAccount)
    self.usesReserve = usesReserve
    self.raw = raw
    self.requirements = requirements
    self.summary = summary
  }
}

extension OperationSpec {
  /// Failures that any operation of this kind can return: they follow from who may call it and from what a call does.
  ///
  /// - Parameter hasBody: whether the call's input comes in a body.
  public func commonFailures(hasBody: Bool) -> [RequestFailure] {
    var common: [RequestFailure] = [
      .badRequest, .invalidFields, .rateLimited, .internalError, .overloaded, .unavailable, .timedOut,
    ]
    if effect != .read { common += [.storageFull, .storageReadOnly] }
    if hasBody { common += [.invalidJSON, .bodyTooLarge, .unsupportedMediaType] }
    switch caller {
    case .anyone: break
    case .account: common += [.unauthenticated, .tokenExpired, .sessionRevoked, .insufficientScope]
    case .verifiedAccount:
      common += [.unauthenticated, .tokenExpired, .sessionRevoked, .verificationRequired, .insufficientScope]
    case .administrator: common += [.unauthenticated, .tokenExpired, .sessionRevoked, .forbidden, .insufficientScope]
    case .partnerOwner, .partnerClerk:
      common += [
        .unauthenticated, .tokenExpired, .sessionRevoked, .verificationRequired, .forbidden, .insufficientScope,
      ]
    case .services: common.append(.forbidden)
    }
    if inDoubt == .refused { common.append(.loginUnanswered) }
    if caller.isAccount { common.append(.accountSuspended) }
    if takesIdempotencyKey {
      common += [.idempotencyKeyInvalid, .idempotencyKeyReused, .idempotencyAllowanceExceeded, .stillRunning]
    }
    return common
  }

  /// Whether a call may end so: only then is it in the documentation.
  public func declares(_ failure: Failure) -> Bool {
    let kind = FailureKind(code: failure.code, status: failure.status)
    return failures.contains(kind) || commonFailures(hasBody: true).contains { $0.kind == kind }
  }
}

/// An operation that only accounts may call (``CallerRule/account``, ``CallerRule/verifiedAccount``, ``CallerRule/administrator``,
/// ``CallerRule/partnerOwner``, ``CallerRule/partnerClerk``): whoever serves it gets the account as a value, not as something to look for.
public protocol AccountOperation: Operation {}

/// An operation that takes no account: anyone may call it (``CallerRule/anyone``), or only services (``CallerRule/services(_:)``).
public protocol OpenOperation: Operation {}

/// HTTP method and path template; `{name}` segments fill the input's field of that name, and `{name*}` at the end all segments from there,
/// however many, but at least one.
public struct Route: Hashable, Sendable {
  public enum Method: String, Sendable { case get = "GET", post = "POST", put = "PUT", patch = "PATCH", delete = "DELETE" }

  public let method: Method
  public let path: String

  /// Reads, and changes nothing.
  public static func get(_ path: String) -> Route { Route(method: .get, path: path) }
  /// Makes something, or does what no other method says.
  public static func post(_ path: String) -> Route { Route(method: .post, path: path) }
  /// Replaces the whole of what the path names.
  public static func put(_ path: String) -> Route { Route(method: .put, path: path) }
  /// Changes the parts that the input names, and leaves the others.
  public static func patch(_ path: String) -> Route { Route(method: .patch, path: path) }
  /// Removes what the path names.
  public static func delete(_ path: String) -> Route { Route(method: .delete, path: path) }

  /// Names of the fields in the path.
  public var parameters: [String] {
    path.split(separator: "/").filter { $0.hasPrefix("{") }.map { Route.name(of: $0) }
  }

  /// The path as documentation has it, which knows no segments of any number.
  public var template: String { path.hasSuffix("*}") ? path.dropLast(2) + "}" : path }

  /// The field that a segment in braces fills.
  public static func name(of segment: Substring) -> String {
    String(segment.dropFirst().dropLast(isTail(segment) ? 2 : 1))
  }

  /// Whether a segment in braces stands for all from there.
  public static func isTail(_ segment: Substring) -> Bool { segment.hasSuffix("*}") }
}

/// Who may call. Whether this account may do it to that thing is the handler's decision.
public enum CallerRule: Hashable, Sendable {
  case anyone
  case account
  /// An account whose e-mail address is verified; others get `verification_required`.
  case verifiedAccount
  case administrator
  /// A verified account that owns the partner company it belongs to (REW-3); others get `forbidden`. Tokens do not say so: the service that
  /// serves it asks its own store with each call.
  case partnerOwner
  /// A verified account that works for a partner company, its owners included (REW-3); likewise.
  case partnerClerk
  /// Only these services, over the bus.
  case services([ServiceName])

  /// Whether it takes an account to call.
  public var isAccount: Bool {
    switch self {
    case .account, .verifiedAccount, .administrator, .partnerOwner, .partnerClerk: true
    case .anyone, .services: false
    }
  }
}

/// Whether a session may call that is in doubt: it began with a suspicious login, and its owner has not said yet that it was they
/// (requirement ID-7).
///
/// Whoever has the password alone must not be faster than the owner, who may answer days later. So such a session reads, and changes
/// nothing: even what only adds can do harm that nobody puts right, as by filling what has bounds. Whatever changes anything is refused
/// unless its operation says otherwise, for what ends a login or sends the owner a link.
public enum DoubtRule: Sendable {
  case allowed
  /// It gets `login_alert_unanswered`.
  case refused

  /// What holds for an operation that does not say.
  init(_ caller: CallerRule, _ effect: Effect) {
    switch caller {
    case .administrator: self = .refused
    case .account, .verifiedAccount, .partnerOwner, .partnerClerk: self = effect == .read ? .allowed : .refused
    case .anyone, .services: self = .allowed
    }
  }
}

/// What a call does, and so whether repeating it needs care.
public enum Effect: String, Sendable {
  case read
  /// Changes things; repeating it with the same input leaves the same state.
  case write
  /// Makes something new each time; takes an idempotency key.
  case create
}

/// Which budget of calls it draws on.
public enum RateClass: String, Sendable, CaseIterable {
  case read, write
  /// Bulk intake of samples.
  case bulk
  /// Guessable or costly: log in, register, recover.
  case sensitive
  /// Lets a caller look for people, and so gather their names.
  case search
  /// Becomes a leaf of the register, or may, which is kept for good (TASK-9).
  case registered
}

/// What a service shows the others: its operations, its events and the words for both.
public struct Contract: Sendable {
  public let service: ServiceName
  public let operations: [any Operation.Type]
  public let events: [any Event.Type]
  public let words: [Words.Source]

  public init(_ service: ServiceName, operations: [any Operation.Type], events: [any Event.Type], words: [Words.Source]) {
    self.service = service
    self.operations = operations
    self.events = events
    self.words = words
  }
}

/// The six processes.
public enum ServiceName: String, Choice {
  case gateway, identity, activity, social, rewards, notifications
}

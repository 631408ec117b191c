/// One capability of one service, declared once.
///
/// The HTTP route, JSON-RPC method, OpenAPI entry, client call and service dispatch are all derived from it:
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

/// What an ``Operation`` declares in addition to its documents.
public struct OperationSpec: Sendable {
  /// `friendRequests.send`: the JSON-RPC method, the key of allow-lists, logs and metrics.
  public let name: String
  /// The service that owns the data and serves the operation.
  public let service: ServiceName
  /// HTTP method and path; nil if only services may call.
  public let route: Route?
  public let caller: CallerRule
  public let effect: Effect
  public let rate: RateClass
  /// Whether a session in doubt may call.
  public let inDoubt: DoubtRule
  /// Whether only a session may call, and no personal access token: the result would outlive the token, or allow more than the token does.
  public let isForSessionsOnly: Bool
  /// Failures beyond those that any operation of its kind can return; see ``commonFailures(hasBody:)``.
  public let failures: [FailureKind]
  /// Whether an `Idempotency-Key` makes a retry harmless. By default, for all that accounts change; services send none.
  public let takesIdempotencyKey: Bool
  /// Whether it may write on a full disk, in the space that each store reserves for that: for operations that let people in and out.
  public let usesReserve: Bool
  /// The part that travels over HTTP as bytes rather than as JSON.
  public let raw: RawBytes?
  /// Numbers of the features that the operation serves, such as `SOC-1`.
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
  /// Failures that any operation of this kind can return: they follow from its caller rule and its effect.
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

  /// Whether a call may end with this failure: only then is it in the documentation.
  public func declares(_ failure: Failure) -> Bool {
    let kind = FailureKind(code: failure.code, status: failure.status)
    return failures.contains(kind) || commonFailures(hasBody: true).contains { $0.kind == kind }
  }
}

/// An operation that only accounts may call (``CallerRule/account``, ``CallerRule/verifiedAccount``, ``CallerRule/administrator``,
/// ``CallerRule/partnerOwner``, ``CallerRule/partnerClerk``): its handler gets the account as a value and need not look for it.
public protocol AccountOperation: Operation {}

/// An operation that takes no account: anyone may call it (``CallerRule/anyone``), or only services (``CallerRule/services(_:)``).
public protocol OpenOperation: Operation {}

/// HTTP method and path template. A segment `{name}` fills the input's field of that name; `{name*}` at the end takes all remaining
/// segments, at least one.
public struct Route: Hashable, Sendable {
  public enum Method: String, Sendable { case get = "GET", post = "POST", put = "PUT", patch = "PATCH", delete = "DELETE" }

  public let method: Method
  public let path: String

  /// Reads, and changes nothing.
  public static func get(_ path: String) -> Route { Route(method: .get, path: path) }
  /// Creates something, or does what no other method expresses.
  public static func post(_ path: String) -> Route { Route(method: .post, path: path) }
  /// Replaces the whole resource at the path.
  public static func put(_ path: String) -> Route { Route(method: .put, path: path) }
  /// Changes the parts that the input names, and leaves the others.
  public static func patch(_ path: String) -> Route { Route(method: .patch, path: path) }
  /// Removes the resource at the path.
  public static func delete(_ path: String) -> Route { Route(method: .delete, path: path) }

  /// Names of the fields in the path.
  public var parameters: [String] {
    path.split(separator: "/").filter { $0.hasPrefix("{") }.map { Route.name(of: $0) }
  }

  /// The path for the documentation, which has no notation for a variable number of segments.
  public var template: String { path.hasSuffix("*}") ? path.dropLast(2) + "}" : path }

  /// The field that a segment in braces fills.
  public static func name(of segment: Substring) -> String {
    String(segment.dropFirst().dropLast(isTail(segment) ? 2 : 1))
  }

  /// Whether a segment in braces stands for all remaining segments.
  public static func isTail(_ segment: Substring) -> Bool { segment.hasSuffix("*}") }
}

/// Who may call. The handler decides whether an account may act on a particular object.
public enum CallerRule: Hashable, Sendable {
  case anyone
  case account
  /// An account whose e-mail address is verified; others get `verification_required`.
  case verifiedAccount
  case administrator
  /// A verified account that owns the partner company it belongs to (REW-3); others get `forbidden`. Tokens do not carry this: the serving
  /// service checks its own store with each call.
  case partnerOwner
  /// A verified account that works for a partner company, its owners included (REW-3); likewise.
  case partnerClerk
  /// Only these services, over the bus.
  case services([ServiceName])

  /// Whether a call requires an account.
  public var isAccount: Bool {
    switch self {
    case .account, .verifiedAccount, .administrator, .partnerOwner, .partnerClerk: true
    case .anyone, .services: false
    }
  }
}

/// Whether a session in doubt may call: one that began with a suspicious login which its owner has not confirmed yet (requirement ID-7).
///
/// Someone who has only the password must not be faster than the owner, who may answer days later. So such a session reads, and changes
/// nothing: even an operation that only adds can do harm that cannot be undone, for example by using up a limit. All changes are refused
/// unless their operation says otherwise, as those do that end a login or send the owner a link.
public enum DoubtRule: Sendable {
  case allowed
  /// The call gets `login_alert_unanswered`.
  case refused

  /// The default for an operation.
  init(_ caller: CallerRule, _ effect: Effect) {
    switch caller {
    case .administrator: self = .refused
    case .account, .verifiedAccount, .partnerOwner, .partnerClerk: self = effect == .read ? .allowed : .refused
    case .anyone, .services: self = .allowed
    }
  }
}

/// What a call does, and so whether retrying it needs care.
public enum Effect: String, Sendable {
  case read
  /// Changes things; a retry with the same input leaves the same state.
  case write
  /// Creates something new each time; takes an idempotency key.
  case create
}

/// The rate limit that a call counts against.
public enum RateClass: String, Sendable, CaseIterable {
  case read, write
  /// Bulk intake of samples.
  case bulk
  /// Guessable or costly: log in, register, recover.
  case sensitive
  /// Lets a caller search for people, and so collect their names.
  case search
  /// Becomes, or may become, a leaf of the register, which is kept for good (TASK-9).
  case registered
}

/// What a service offers to the others: its operations, its events and the words for both.
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

  /// The same from what each feature offers.
  public init(_ service: ServiceName, features: [FeatureContract], words: [Words.Source]) {
    self.init(service, operations: features.flatMap(\.operations), events: features.flatMap(\.events), words: words)
  }
}

/// What one feature offers of its service's ``Contract``: its contract file begins with it.
public struct FeatureContract: Sendable {
  public let operations: [any Operation.Type]
  public let events: [any Event.Type]

  public init(operations: [any Operation.Type] = [], events: [any Event.Type] = []) {
    self.operations = operations
    self.events = events
  }
}

/// The six processes.
public enum ServiceName: String, Choice {
  case gateway, identity, activity, social, rewards, notifications
}

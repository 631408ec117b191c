public import Operations
public import Storage

/// The operations that every service answers in addition to its own, for other services and the gateway only.
public enum SystemOperations {
  /// The callers that are allowed.
  static let askers = CallerRule.services(ServiceName.allCases)
}

/// Whether a service is ready.
///
/// Its spec's ``OperationSpec/service`` is `gateway`, but any service that receives the operation answers it.
public enum ReadHealth: OpenOperation {
  public typealias Input = Empty

  public struct Output: Document, Hashable {
    public var service: ServiceName
    public var isReady: Bool
    public var version: String
    public var uptimeSeconds: Int
    public var problems: [HealthProblem]

    public init(service: ServiceName, isReady: Bool, version: String, uptimeSeconds: Int, problems: [HealthProblem] = []) {
      self.service = service
      self.isReady = isReady
      self.version = version
      self.uptimeSeconds = uptimeSeconds
      self.problems = problems
    }

    public static let notes: Notes = [
      "service": "Who answers.",
      "isReady": "Whether it takes requests, and has no problem but a disk that cannot be written.",
      "version": "Version of the program.",
      "uptimeSeconds": "The time that it has run.",
      "problems": "What keeps it from being ready, or from writing.",
    ]
  }

  public static let spec = OperationSpec(
    "system.health", of: .gateway, nil, by: SystemOperations.askers, effect: .read, requirements: ["OPS-2"],
    "Returns whether the service is ready.")
}

/// A part of a service that has a problem, so that the service is not ready.
public struct HealthProblem: Document, Hashable {
  /// The problem, from those that pass by themselves to those that do not.
  public enum State: String, Choice {
    /// It has not yet processed what was published while the service was away.
    case catchingUp
    /// It failed and is restarted after a pause.
    case failing
    /// It makes no progress: it hangs, or fails again and again.
    case stuck
    /// Its disk is full: writes are refused.
    case storageFull
    /// Its disk is read-only: writes are refused.
    case storageReadOnly

    /// Whether the service still takes requests, and answers those that only read.
    public var leavesReading: Bool { self == .storageFull || self == .storageReadOnly }
  }

  /// `subscriber.identity`, the name of a runner such as `MailWorker`, or `store`.
  public var part: String
  public var state: State
  /// For a subscriber that is catching up: how many events have taken effect since the start; nil if it has not begun.
  public var done: Int?
  /// The same including the missing events; nil if their number is unknown, as while a publisher's whole state is being read.
  public var total: Int?

  public init(part: String, state: State, done: Int? = nil, total: Int? = nil) {
    self.part = part
    self.state = state
    self.done = done
    self.total = total
  }

  init(_ problem: StorageProblem) {
    let state: State =
      switch problem {
      case .full: .storageFull
      case .readOnly: .storageReadOnly
      }
    self.init(part: "store", state: state)
  }

  public static let notes: Notes = [
    "part": "The part's name.", "state": "What is wrong with it.",
    "done": "While it catches up: the number of events processed since the start.",
    "total": "While it catches up: the number of events to process altogether; absent if unknown.",
  ]
}

/// A service's metrics.
public enum ReadMetrics: OpenOperation {
  public typealias Input = Empty

  public struct Output: Document, Hashable {
    public var text: String

    public init(text: String) { self.text = text }

    public static let notes: Notes = ["text": Note("Prometheus text.", breaksLines: true)]
  }

  public static let spec = OperationSpec(
    "system.metrics", of: .gateway, nil, by: SystemOperations.askers, effect: .read, requirements: ["OPS-2"],
    "Returns the service's metrics as Prometheus text.")
}

/// Holds a running service's writes before its store is copied.
///
/// A caller that copies several stores holds all of them before the first is copied: then the copies show the same moment.
public enum HoldStore: OpenOperation {
  public typealias Input = Empty

  public struct Output: Document, Hashable {
    public var hold: HoldID

    public init(hold: HoldID) { self.hold = hold }

    public static let notes: Notes = ["hold": "Id of the hold, to end it."]
  }

  public static let spec = OperationSpec(
    "system.hold", of: .gateway, nil, by: SystemOperations.askers, effect: .write,
    failures: [BackupFailure.underWay.kind, BackupFailure.holdEnded.kind], requirements: ["OPS-3"],
    "Holds the store's writes until it is copied or released, for 5 seconds at most.")
}

/// Copies a running service's store into one file, as it was when its writes were held. The writes resume at once.
public enum BackUpStore: OpenOperation {
  public struct Input: Document, Hashable {
    public var hold: HoldID
    public var path: String

    public init(hold: HoldID, path: String) {
      self.hold = hold
      self.path = path
    }

    public static let notes: Notes = [
      "hold": "The hold to end.", "path": Note("Absolute path of a file that does not exist yet.", length: 1...4096),
    ]
  }

  public struct Output: Document, Hashable {
    public var bytes: Int
    public var heldMilliseconds: Int

    public init(bytes: Int, heldMilliseconds: Int) {
      self.bytes = bytes
      self.heldMilliseconds = heldMilliseconds
    }

    public static let notes: Notes = [
      "bytes": "Size of the copy.", "heldMilliseconds": "The time for which the writes were held.",
    ]
  }

  public static let spec = OperationSpec(
    "system.backup", of: .gateway, nil, by: SystemOperations.askers, effect: .write,
    failures: [
      BackupFailure.holdEnded.kind, BackupFailure.pathTaken.kind, BackupFailure.notWritten.kind, BackupFailure.tooLong.kind,
    ],
    requirements: ["OPS-3"],
    "Lets the held writes go on, and copies the store as it was when they were held into one file.")
}

/// Ends a hold without a copy.
public enum ReleaseStore: OpenOperation {
  public struct Input: Document, Hashable {
    public var hold: HoldID

    public init(hold: HoldID) { self.hold = hold }

    public static let notes: Notes = ["hold": "The hold to end."]
  }

  public typealias Output = Empty

  public static let spec = OperationSpec(
    "system.release", of: .gateway, nil, by: SystemOperations.askers, effect: .write,
    failures: [BackupFailure.holdEnded.kind], requirements: ["OPS-3"], "Lets the held writes go on without a copy.")
}

public import Operations

/// What every service answers beside its own operations, to other services and the gateway only.
public enum SystemOperations {
  /// Who may ask.
  static let askers = CallerRule.services(ServiceName.allCases)
}

/// Whether a service is ready.
///
/// Its spec's ``OperationSpec/service`` says `gateway`; the operation is answered by whichever service it is sent to.
public enum ReadHealth: Operation {
  public typealias Input = Empty

  public struct Output: Document, Hashable {
    public var service: ServiceName
    public var isReady: Bool
    public var version: String
    public var uptimeSeconds: Int
    public var hindrances: [Hindrance]

    public init(service: ServiceName, isReady: Bool, version: String, uptimeSeconds: Int, hindrances: [Hindrance] = []) {
      self.service = service
      self.isReady = isReady
      self.version = version
      self.uptimeSeconds = uptimeSeconds
      self.hindrances = hindrances
    }

    public static let notes: Notes = [
      "service": "Who answers.",
      "isReady": "Whether it takes requests and nothing hinders it.",
      "version": "Version of the program.",
      "uptimeSeconds": "How long it has run.",
      "hindrances": "What keeps it from being ready.",
    ]
  }

  public static let spec = OperationSpec(
    "system.health", of: .gateway, nil, by: SystemOperations.askers, effect: .read, requirements: ["OPS-2"],
    "Whether the service is ready.")
}

/// A part of a service that is not in order, so that the service is not ready.
public struct Hindrance: Document, Hashable {
  /// What hinders it, from what passes by itself to what does not.
  public enum State: String, Choice {
    /// It has not yet taken in what was told while the service was away.
    case catchingUp
    /// It failed and is begun anew after a pause.
    case failing
    /// It makes no headway: it hangs, or fails again and again.
    case stuck
  }

  /// `listener.identity`, or the name of a runner such as `MailWorker`.
  public var part: String
  public var state: State

  public init(part: String, state: State) {
    self.part = part
    self.state = state
  }

  public static let notes: Notes = ["part": "The part's name.", "state": "What is wrong with it."]
}

/// A service's metrics.
public enum ReadMetrics: Operation {
  public typealias Input = Empty

  public struct Output: Document, Hashable {
    public var text: String

    public init(text: String) { self.text = text }

    public static let notes: Notes = ["text": Note("Prometheus text.", breaksLines: true)]
  }

  public static let spec = OperationSpec(
    "system.metrics", of: .gateway, nil, by: SystemOperations.askers, effect: .read, requirements: ["OPS-2"],
    "The service's metrics as Prometheus text.")
}

/// A copy of a running service's store in one file.
public enum BackUpStore: Operation {
  public struct Input: Document, Hashable {
    public var path: String

    public init(path: String) { self.path = path }

    public static let notes: Notes = ["path": Note("Absolute path of a file that does not exist yet.", length: 1...4096)]
  }

  public struct Output: Document, Hashable {
    public var bytes: Int

    public init(bytes: Int) { self.bytes = bytes }

    public static let notes: Notes = ["bytes": "Size of the copy."]
  }

  /// Ways it fails.
  public enum BackupFailure: String, FailureCode {
    case pathTaken = "backup_path_taken"
    public var status: Int { 409 }
  }

  public static let spec = OperationSpec(
    "system.backup", of: .gateway, nil, by: SystemOperations.askers, effect: .write,
    failures: BackupFailure.allCases.map(\.kind), requirements: ["OPS-3"], "Copies the running store into one file.")
}

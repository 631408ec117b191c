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

    public init(service: ServiceName, isReady: Bool, version: String, uptimeSeconds: Int) {
      self.service = service
      self.isReady = isReady
      self.version = version
      self.uptimeSeconds = uptimeSeconds
    }

    public static let notes: Notes = [
      "service": "Who answers.",
      "isReady": "Whether it takes requests and, since its start, has caught up with the events it hears.",
      "version": "Version of the program.",
      "uptimeSeconds": "How long it has run.",
    ]
  }

  public static let spec = OperationSpec(
    "system.health", of: .gateway, nil, by: SystemOperations.askers, effect: .read, requirements: ["OPS-2"],
    "Whether the service is ready.")
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

import Glibc
public import Operations

/// The locations of the services' sockets: all in one directory of this machine, or on hosts of a network.
public struct Endpoints: Sendable {
  enum Transport: Sendable {
    case local(directory: String)
    case network([ServiceName: NetworkAddress], Curve)
  }

  let transport: Transport

  /// Sockets in a directory of this machine: `<service>.requests` and `<service>.events`. The only protection is that nobody but the owner
  /// can enter the directory. It is created with mode 0700 if it does not exist.
  public static func local(directory: String) -> Endpoints { Endpoints(transport: .local(directory: directory)) }

  /// Sockets of TCP, encrypted and authenticated by CURVE (ZeroMQ RFC 26).
  public static func network(_ addresses: [ServiceName: NetworkAddress], _ curve: Curve) -> Endpoints {
    Endpoints(transport: .network(addresses, curve))
  }

  var curve: Curve? {
    if case .network(_, let curve) = transport { curve } else { nil }
  }

  /// How many libzmq threads carry messages: one for the sockets bound here and, over a network, one more for each service.
  ///
  /// libzmq looks up host names on these threads and waits for the answer, for seconds if the name server is silent, as it may be about a
  /// host that is away. With a thread for each service, only that service waits.
  var threads: Int32 {
    if case .network = transport { Int32(ServiceName.allCases.count + 1) } else { 1 }
  }

  /// The thread that carries the messages to and from that service.
  func thread(of service: ServiceName) -> Int {
    guard case .network = transport, let index = ServiceName.allCases.firstIndex(of: service) else { return 0 }
    return index + 1
  }

  /// The endpoint of a service's requests; nil if its address is not known.
  func requests(of service: ServiceName) -> String? {
    switch transport {
    case .local(let directory): "ipc://\(directory)/\(service.rawValue).requests"
    case .network(let addresses, _): addresses[service].map { "tcp://\($0.host):\($0.port)" }
    }
  }

  /// The endpoint of a service's announcements; nil if its address is not known.
  func events(of service: ServiceName) -> String? {
    switch transport {
    case .local(let directory): "ipc://\(directory)/\(service.rawValue).events"
    case .network(let addresses, _): addresses[service].map { "tcp://\($0.host):\($0.port + 1)" }
    }
  }

  /// The endpoints that the service itself binds: its requests and its events.
  func bindings(of service: ServiceName) throws(EndpointFailure) -> (requests: String, events: String) {
    switch transport {
    case .local:
      guard let requests = requests(of: service), let events = events(of: service) else { throw .noAddress(service) }
      return (requests, events)
    case .network(let addresses, _):
      guard let address = addresses[service] else { throw .noAddress(service) }
      return ("tcp://\(address.interface):\(address.port)", "tcp://\(address.interface):\(address.port + 1)")
    }
  }

  /// The longest path of a socket that Linux accepts (`sun_path`, without the final zero).
  static let longestPath = 107

  /// Creates the directory, or makes sure that nobody else can enter it.
  func prepare() throws(EndpointFailure) {
    guard case .local(let directory) = transport else { return }
    for service in ServiceName.allCases {
      let path = "\(directory)/\(service.rawValue).requests"
      guard path.utf8.count <= Endpoints.longestPath else { throw .pathTooLong(path) }
    }
    if mkdir(directory, 0o700) != 0, errno != EEXIST { throw .directory(directory, errno) }
    var status = stat()
    guard lstat(directory, &status) == 0 else { throw .directory(directory, errno) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw .directory(directory, ENOTDIR) }
    guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else { throw .notPrivate(directory) }
  }

  /// Takes the service's endpoint: of two processes of one service on one directory, the second is refused instead of taking over the first
  /// one's sockets. The lock ends with the process, however it ends; sockets left over are replaced.
  ///
  /// - Returns: the lock's file descriptor, to be closed when the service stops; nil if binding a port has the same effect.
  func lock(_ service: ServiceName) throws(EndpointFailure) -> CInt? {
    guard case .local(let directory) = transport else { return nil }
    let path = "\(directory)/\(service.rawValue).lock"
    let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .directory(path, errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw .alreadyRunning(service)
    }
    return descriptor
  }
}

/// Host and port of a service: requests at the port, events at the next.
public struct NetworkAddress: Sendable, Hashable {
  /// What others connect to: a name or an address; IPv6 in brackets.
  public let host: String
  public let port: Int
  /// What the service itself binds: `*`, an address or an interface's name.
  public let interface: String

  public init(host: String, port: Int, interface: String = "*") {
    self.host = host
    self.port = port
    self.interface = interface
  }

  /// From `tcp://host:port`; nil if the text has another form, or leaves no port for the events.
  public init?(_ text: String, interface: String = "*") {
    guard text.hasPrefix("tcp://"), let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
      (1...65534).contains(port)
    else { return nil }
    let host = text[text.index(text.startIndex, offsetBy: 6)..<colon]
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    guard !host.isEmpty, !host.contains("/"), isBracketed || !host.contains(":") else { return nil }
    self.init(host: String(host), port: port, interface: interface)
  }
}

/// Why the bus cannot open its endpoint.
public enum EndpointFailure: Error, CustomStringConvertible {
  case noAddress(ServiceName)
  case pathTooLong(String)
  case directory(String, CInt)
  case notPrivate(String)
  case alreadyRunning(ServiceName)

  public var description: String {
    switch self {
    case .noAddress(let service): "no address is configured for \(service.rawValue)"
    case .pathTooLong(let path):
      "the socket's path is \(path.utf8.count) bytes long, \(Endpoints.longestPath) are possible; choose a shorter home: \(path)"
    case .directory(let path, let number): "\(path): \(String(cString: strerror(number)))"
    case .notPrivate(let path): "\(path) must belong to this user and have mode 0700"
    case .alreadyRunning(let service): "\(service.rawValue) is already running on this directory"
    }
  }
}

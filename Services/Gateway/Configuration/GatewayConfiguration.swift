public import Operations
public import ServiceKit

/// Everything about the gateway that an operator may choose; the defaults are those of the README's table.
public struct GatewayConfiguration: Sendable {
  /// Where to listen. Port 0 lets the system choose; ``Gateway/addresses`` then says which.
  public struct Listener: Sendable, Hashable {
    public var host: String
    public var port: Int

    public init(host: String = "127.0.0.1", port: Int) {
      self.host = host
      self.port = port
    }
  }

  /// PEM files of the certificate chain and its key.
  public struct Certificate: Sendable, Hashable {
    public var chainFile: String
    public var keyFile: String

    public init(chainFile: String, keyFile: String) {
      self.chainFile = chainFile
      self.keyFile = keyFile
    }
  }

  /// HTTP/1.1 and server-sent events.
  public var http = Listener(port: 8080)
  /// JSON-RPC 2.0, one message a line.
  public var tcp = Listener(port: 8090)
  /// Encrypts both listeners when given.
  public var certificate: Certificate?
  public var limits = Limits()
  public var rates = Rates()
  public var tokens = Tokens()
  public var live = Live()
  /// Origins whose pages may read answers (CORS); none by default, `*` for all.
  public var allowedOrigins: [String] = []
  /// Reverse proxies that are believed; none by default.
  public var proxies = TrustedProxies()
  /// Networks of load balancers that begin each TCP connection with a header of the PROXY protocol; none by default.
  public var tcpProxies: [IPNetwork] = []
  /// Networks of health probes, such as an orchestrator's: they are answered even beyond the connection limits. Only this machine by
  /// default.
  public var healthNetworks = ["127.0.0.0/8", "::1/128"].compactMap { IPNetwork($0) }
  /// Whom `/metrics` answers.
  public var metrics = MetricsAccess.local
  /// Who may look into `/mailbox`.
  public var mailbox = MailboxAccess.none
  /// Opens `/metrics` from elsewhere.
  public var metricsToken: MetricsToken?
  /// Threads that serve connections; nil is one for each core.
  public var threads: Int?
  /// The program's version, as `/openapi.json` and `/livez` show it.
  public var version = "0.1.0"

  public init() {}

  /// Bounds of sizes, numbers and times. Times are in seconds.
  public struct Limits: Sendable {
    /// Largest body of an HTTP request and largest line of JSON-RPC, in bytes.
    public var body = 1_048_576
    /// Largest request line and headers together, in bytes.
    public var headers = 16384
    /// From the first byte of a request (or the connection's start) to the end of its headers.
    public var headerSeconds = 10
    /// From the first byte of a request to the end of its body; the same for a line of JSON-RPC.
    public var requestSeconds = 10
    /// Largest file that is attached through the page `/attach`, in bytes.
    public var attachmentBytes = 26_214_400
    /// From the first byte of a request that sends such a file to the end of its body.
    public var uploadSeconds = 600
    /// Such files that arrive at the same time, in all.
    public var uploads = 64
    /// Such files that arrive at the same time from one address (IPv6: from one /64).
    public var uploadsPerAddress = 8
    /// From a request's arrival to its answer; then `timed_out`.
    public var answerSeconds = 10
    /// In this time a reader must take ``writeBytes`` of what waits for it, or all.
    public var writeSeconds = 10
    /// See ``writeSeconds``.
    public var writeBytes = 65536
    /// Between requests on one connection.
    public var idleSeconds = 60
    /// Open connections, HTTP and TCP together.
    public var connections = 10000
    /// Open connections of one address (IPv6: of one /64).
    public var connectionsPerAddress = 2000
    /// Bytes held for clients: incoming requests, requests being answered, unread answers and queued live messages. What a connection holds
    /// up to ``HeldBytes/uncounted`` is not counted.
    public var bytesInFlight = 268_435_456
    /// The same limit for one address (IPv6: for one /64).
    public var bytesInFlightPerAddress = 67_108_864
    /// Calls in flight on one JSON-RPC connection; beyond, the gateway stops reading from it.
    public var callsPerConnection = 32
    /// Entries of a JSON-RPC batch.
    public var batch = 100
    /// Time for what is in flight when the gateway stops.
    public var stopSeconds = 4

    public init() {}

    /// How much is read of a body with such a file. More than a file may have, so that a browser that sends a larger one reads why it was
    /// not taken.
    var uploadBody: Int { 4 * attachmentBytes + 1_048_576 }

    /// The limits of a connection reserved for health probes: a probe sends its request at once, and others wait for the slot.
    var forHealth: Limits {
      var limits = self
      limits.headerSeconds = min(headerSeconds, 2)
      limits.requestSeconds = min(requestSeconds, 2)
      limits.writeSeconds = min(writeSeconds, 2)
      return limits
    }
  }

  /// A budget of calls: `count` in any `seconds`.
  public struct Rate: Sendable, Hashable {
    public var count: Int
    public var seconds: Int

    public init(_ count: Int, per seconds: Int) {
      self.count = count
      self.seconds = seconds
    }

    /// Reads `600/60`.
    public init?(text: String) {
      let parts = text.split(at: "/")
      guard parts.count == 2, let count = Int(parts[0]), let seconds = Int(parts[1]), (1...1_000_000_000).contains(count),
        (1...86400).contains(seconds)
      else { return nil }
      self.init(count, per: seconds)
    }
  }

  /// Budgets by ``RateClass``.
  public struct Rates: Sendable {
    /// Of one signed-in account.
    public var account: [RateClass: Rate] = [
      .read: Rate(1200, per: 60), .write: Rate(300, per: 60), .bulk: Rate(120, per: 60), .sensitive: Rate(20, per: 60),
      .search: Rate(30, per: 60), .registered: Rate(300, per: 3600),
    ]
    /// Of one address (IPv6: of one /64), signed in or not.
    public var address: [RateClass: Rate] = [
      .read: Rate(6000, per: 60), .write: Rate(1500, per: 60), .bulk: Rate(600, per: 60), .sensitive: Rate(60, per: 60),
      .search: Rate(300, per: 60), .registered: Rate(3000, per: 3600),
    ]
    /// Accounts and addresses remembered; beyond, newcomers share one budget.
    public var remembered = 100_000

    public init() {}
  }

  /// Access tokens.
  public struct Tokens: Sendable {
    /// Verified tokens remembered; beyond, the least used are verified again.
    public var remembered = 50000
    /// Closed sessions remembered; beyond, every token made until then counts as expired.
    public var revocations = 200_000
    /// After which identity's keys are fetched anew: for so long a key that it has retired may still be trusted.
    public var keySeconds = 60

    public init() {}
  }

  /// Live delivery.
  public struct Live: Sendable {
    /// Between the comments that keep a silent stream alive.
    public var heartbeatSeconds = 15
    /// Messages waiting for one slow connection; beyond, it is cut and resumes from its cursor.
    public var queue = 256
    /// Messages fetched at a time to fill a gap.
    public var page = 100

    public init() {}
  }
}

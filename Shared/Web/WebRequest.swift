import CCurl
import Dispatch

/// A request over HTTP(S) through libcurl, each over a connection of its own.
///
/// Encrypted if the URL says so (TLS 1.2 at least), with a server that has proved its name. Redirects are returned like any other answer;
/// there are no proxies, cookies, logins or compression. Head and body of an answer are limited.
public struct WebRequest: Sendable {
  /// The answer to a request.
  public struct Answer: Sendable {
    public let status: Int
    public let body: [UInt8]
    /// `Retry-After` as it was written (RFC 9110, section 10.2.3).
    public let retryAfter: String?
  }

  /// The only addresses of a host to connect to; its name is not looked up.
  public struct Addresses: Hashable, Sendable {
    let entry: String

    /// - Parameters:
    ///   - host: the host as in the URL, in lower case.
    ///   - texts: addresses, those of IPv6 in brackets.
    public init(host: String, port: Int, texts: [String]) { entry = "\(host):\(port):\(texts.joined(separator: ","))" }
  }

  /// Why there was no answer.
  public struct Unreachable: Error, CustomStringConvertible {
    /// The kind of the failure.
    public enum Cause: Sendable {
      /// There is no connection, its peer did not prove to be the right one, or it broke off.
      case connection
      case timedOut
      /// Head or body of the answer are longer than allowed.
      case answerTooLarge
    }

    public let url: String
    public let cause: Cause
    public let reason: String
    public var description: String { "\(url) cannot be reached: \(reason)" }
  }

  /// More than any head of an answer takes, those before the last one (status 1xx) included.
  private static let maxHeadBytes = 64 << 10

  public let url: String
  /// The body to post; nil for a GET request.
  public let body: [UInt8]?
  /// Lines of the head, each as `Name: value`.
  public let headers: [String]
  public let addresses: Addresses?
  /// PEM certificates of trusted authorities, in addition to those in the system's folder; nil for the system's alone.
  public let authoritiesFile: String?
  /// Answers with a longer body are refused.
  public let maxBytes: Int
  /// How long the request may take, including the answer.
  public var timeout: Duration

  public init(
    _ url: String, posting body: [UInt8]? = nil, headers: [String] = [], addresses: Addresses? = nil,
    authoritiesFile: String? = nil, maxBytes: Int = 64 << 20, timeout: Duration = .seconds(30)
  ) {
    self.url = url
    self.body = body
    self.headers = headers
    self.addresses = addresses
    self.authoritiesFile = authoritiesFile
    self.maxBytes = maxBytes
    self.timeout = timeout
  }

  private static let queue = DispatchQueue(label: "web-requests", attributes: .concurrent)

  /// Sends the request and waits for the answer, on a thread of its own; cancelling ends it within a second or so.
  ///
  /// - Throws: ``Unreachable``, or `CancellationError`.
  public func send() async throws -> Answer {
    let flag = CancellationFlag()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        Self.queue.async { continuation.resume(with: Result { try perform(flag) }) }
      }
    } onCancel: {
      flag.cancel()
    }
  }

  /// Sends the request and waits for the answer; blocks the thread meanwhile.
  ///
  /// - Throws: ``Unreachable``, or `CancellationError` if the flag is set before the answer has come.
  public func perform(_ flag: CancellationFlag) throws -> Answer {
    guard !flag.isCancelled else { throw CancellationError() }
    guard let easy = Curl.begin() else { throw Unreachable(url: url, cause: .connection, reason: "libcurl cannot begin") }
    defer { curl_easy_cleanup(easy) }
    let milliseconds = timeout / .milliseconds(1)
    // To libcurl, 0 means no limit.
    guard milliseconds >= 1 else { throw Unreachable(url: url, cause: .timedOut, reason: "no time is left") }
    let received = ReceivedAnswer(maxHeadBytes: Self.maxHeadBytes, maxBytes: maxBytes)
    var head: UnsafeMutablePointer<curl_slist>?
    for line in headers { head = curl_slist_append(head, line) }
    let pinned = addresses.flatMap { curl_slist_append(nil, $0.entry) }
    defer {
      curl_slist_free_all(head)
      curl_slist_free_all(pinned)
    }
    var code = set(easy, milliseconds: Int(milliseconds))
    if code == CURLE_OK, head != nil { code = racha_curl_set_list(easy, CURLOPT_HTTPHEADER, head) }
    if code == CURLE_OK, pinned != nil { code = racha_curl_set_list(easy, CURLOPT_RESOLVE, pinned) }
    if code == CURLE_OK { code = received.attach(to: easy) }
    if code == CURLE_OK { code = flag.attach(to: easy) }
    if code == CURLE_OK { code = withExtendedLifetime((received, flag)) { transfer(easy) } }
    // What has come in whole counts, though it was no longer waited for: whoever sent it need not send it again.
    if code != CURLE_OK, flag.isCancelled { throw CancellationError() }
    if received.isTooLarge { throw Unreachable(url: url, cause: .answerTooLarge, reason: "its answer is too long") }
    guard code == CURLE_OK else {
      throw Unreachable(
        url: url, cause: code == CURLE_OPERATION_TIMEDOUT ? .timedOut : .connection,
        reason: String(cString: curl_easy_strerror(code)))
    }
    var status = 0
    racha_curl_get_number(easy, CURLINFO_RESPONSE_CODE, &status)
    return Answer(status: status, body: received.body, retryAfter: Self.header("Retry-After", easy))
  }

  private func transfer(_ easy: UnsafeMutableRawPointer) -> CURLcode {
    guard let body else { return curl_easy_perform(easy) }
    // libcurl reads the bytes while it sends them.
    return body.withUnsafeBytes { bytes in
      let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      var code = racha_curl_set_number(easy, CURLOPT_POSTFIELDSIZE, bytes.count)
      if code == CURLE_OK { code = racha_curl_set_text(easy, CURLOPT_POSTFIELDS, text) }
      return code == CURLE_OK ? curl_easy_perform(easy) : code
    }
  }

  /// The first header of that name in the answer.
  private static func header(_ name: String, _ easy: UnsafeMutableRawPointer) -> String? {
    // In the answer itself (CURLH_HEADER), of the last request.
    var found: UnsafeMutablePointer<curl_header>?
    guard curl_easy_header(easy, name, 0, 1, -1, &found) == CURLHE_OK, let value = found?.pointee.value else { return nil }
    return String(cString: value)
  }

  private func set(_ easy: UnsafeMutableRawPointer, milliseconds: Int) -> CURLcode {
    let scheme = url.lowercased().hasPrefix("https:") ? "https" : "http"
    return Curl.set(
      [
        (CURLOPT_URL, url), (CURLOPT_PROTOCOLS_STR, scheme), (CURLOPT_CAINFO, authoritiesFile),
        // The environment names proxies, too.
        (CURLOPT_PROXY, ""),
      ],
      [
        (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2), (CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
        (CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)), (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_TIMEOUT_MS, milliseconds),
        // Time-outs without signals, which would end other threads' calls, and without waiting for a name server that does not answer.
        (CURLOPT_NOSIGNAL, 1), (CURLOPT_QUICK_EXIT, 1),
      ], on: easy)
  }
}

/// What libcurl hands over of an answer, on the transfer's thread. Anything but the whole of a piece returned to it ends the transfer.
private final class ReceivedAnswer {
  private(set) var body: [UInt8] = []
  private(set) var isTooLarge = false
  private var headBytes = 0
  private let maxHeadBytes: Int
  private let maxBytes: Int

  init(maxHeadBytes: Int, maxBytes: Int) {
    self.maxHeadBytes = maxHeadBytes
    self.maxBytes = maxBytes
  }

  /// It must outlive the transfer.
  func attach(to easy: UnsafeMutableRawPointer) -> CURLcode {
    let own = Unmanaged.passUnretained(self).toOpaque()
    let code = racha_curl_set_head_writer(
      easy,
      { _, size, count, own in
        guard let own else { return 0 }
        return Unmanaged<ReceivedAnswer>.fromOpaque(own).takeUnretainedValue().takeHead(size * count)
      }, own)
    guard code == CURLE_OK else { return code }
    return racha_curl_set_writer(
      easy,
      { bytes, size, count, own in
        guard let bytes, let own else { return 0 }
        return Unmanaged<ReceivedAnswer>.fromOpaque(own).takeUnretainedValue().take(
          UnsafeRawBufferPointer(start: bytes, count: size * count))
      }, own)
  }

  private func takeHead(_ count: Int) -> Int {
    headBytes += count
    isTooLarge = isTooLarge || headBytes > maxHeadBytes
    return isTooLarge ? 0 : count
  }

  private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
    isTooLarge = isTooLarge || body.count + bytes.count > maxBytes
    guard !isTooLarge else { return 0 }
    body.append(contentsOf: bytes)
    return bytes.count
  }
}

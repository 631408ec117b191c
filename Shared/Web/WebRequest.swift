import CCurl
import Dispatch
import Synchronization

/// A request over HTTP(S) through libcurl, each over a connection of its own. Redirects are answers as any other; proxies, cookies and logins
/// there are none. It waits on a thread of its own; cancelling ends it within a second or so.
public struct WebRequest: Sendable {
  /// What came back.
  public struct Answer: Sendable {
    public let status: Int
    public let body: [UInt8]
    /// `Retry-After` as it was written (RFC 9110, section 10.2.3).
    public let retryAfter: String?
  }

  /// The addresses of a host, to which alone is connected; nobody is asked for its name.
  public struct Addresses: Hashable, Sendable {
    let entry: String

    /// - Parameters:
    ///   - host: as the URL has it, in small letters.
    ///   - texts: addresses, those of IPv6 in brackets.
    public init(host: String, port: Int, texts: [String]) { entry = "\(host):\(port):\(texts.joined(separator: ","))" }
  }

  /// Why nothing did.
  public struct Unreachable: Error, CustomStringConvertible {
    public let url: String
    public let reason: String
    public var description: String { "\(url) cannot be reached: \(reason)" }
  }

  public let url: String
  /// What is posted; nil where something is only fetched.
  public let body: [UInt8]?
  /// Lines of the head, each as `Name: value`.
  public let headers: [String]
  public let addresses: Addresses?
  /// Longer answers are refused.
  public let maxBytes: Int
  public let seconds: Int

  public init(
    _ url: String, posting body: [UInt8]? = nil, headers: [String] = [], addresses: Addresses? = nil, maxBytes: Int = 64 << 20,
    seconds: Int = 30
  ) {
    self.url = url
    self.body = body
    self.headers = headers
    self.addresses = addresses
    self.maxBytes = maxBytes
    self.seconds = seconds
  }

  private static let queue = DispatchQueue(label: "web-requests", attributes: .concurrent)
  /// Prepares libcurl for the process, once (curl_global_init(3)).
  private static let library: CURLcode = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

  /// Sends it and waits for the answer.
  ///
  /// - Throws: ``Unreachable``.
  public func send() async throws -> Answer {
    let wish = StopWish()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        Self.queue.async { continuation.resume(with: Result { try perform(wish) }) }
      }
    } onCancel: {
      wish.stop()
    }
  }

  private func perform(_ wish: StopWish) throws -> Answer {
    _ = Self.library
    guard let easy = curl_easy_init() else { throw Unreachable(url: url, reason: "libcurl cannot begin") }
    defer { curl_easy_cleanup(easy) }
    let received = ReceivedBody(maxBytes: maxBytes)
    var head: UnsafeMutablePointer<curl_slist>?
    for line in headers { head = curl_slist_append(head, line) }
    let pinned = addresses.flatMap { curl_slist_append(nil, $0.entry) }
    defer {
      curl_slist_free_all(head)
      curl_slist_free_all(pinned)
    }
    var code = set(easy)
    if code == CURLE_OK, head != nil { code = racha_curl_set_list(easy, CURLOPT_HTTPHEADER, head) }
    if code == CURLE_OK, pinned != nil { code = racha_curl_set_list(easy, CURLOPT_RESOLVE, pinned) }
    if code == CURLE_OK { code = received.attach(to: easy) }
    if code == CURLE_OK { code = wish.attach(to: easy) }
    if code == CURLE_OK {
      code = withExtendedLifetime((received, wish)) {
        // libcurl reads the bytes while it sends them.
        (body ?? []).withUnsafeBytes { bytes in
          guard body != nil else { return curl_easy_perform(easy) }
          let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
          var code = racha_curl_set_number(easy, CURLOPT_POSTFIELDSIZE, bytes.count)
          if code == CURLE_OK { code = racha_curl_set_text(easy, CURLOPT_POSTFIELDS, text) }
          return code == CURLE_OK ? curl_easy_perform(easy) : code
        }
      }
    }
    guard code == CURLE_OK else { throw Unreachable(url: url, reason: String(cString: curl_easy_strerror(code))) }
    var status = 0
    racha_curl_get_number(easy, CURLINFO_RESPONSE_CODE, &status)
    return Answer(status: status, body: received.body, retryAfter: Self.header("Retry-After", easy))
  }

  /// The first header of that name in the answer.
  private static func header(_ name: String, _ easy: UnsafeMutableRawPointer) -> String? {
    // In the answer itself (CURLH_HEADER), of the last request.
    var found: UnsafeMutablePointer<curl_header>?
    guard curl_easy_header(easy, name, 0, 1, -1, &found) == CURLHE_OK, let value = found?.pointee.value else { return nil }
    return String(cString: value)
  }

  private func set(_ easy: UnsafeMutableRawPointer) -> CURLcode {
    let texts = [(CURLOPT_URL, url), (CURLOPT_PROTOCOLS_STR, "http,https"), (CURLOPT_PROXY, "")]
    let numbers = [
      (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2), (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_TIMEOUT, seconds),
      (CURLOPT_NOSIGNAL, 1),
    ]
    for (option, text) in texts {
      let code = racha_curl_set_text(easy, option, text)
      guard code == CURLE_OK else { return code }
    }
    for (option, number) in numbers {
      let code = racha_curl_set_number(easy, option, number)
      guard code == CURLE_OK else { return code }
    }
    return CURLE_OK
  }
}

/// What libcurl hands over of an answer's body.
private final class ReceivedBody {
  private(set) var body: [UInt8] = []
  private let maxBytes: Int

  init(maxBytes: Int) { self.maxBytes = maxBytes }

  /// It must outlive the transfer.
  func attach(to easy: UnsafeMutableRawPointer) -> CURLcode {
    racha_curl_set_writer(
      easy,
      { bytes, size, count, own in
        guard let bytes, let own else { return 0 }
        return Unmanaged<ReceivedBody>.fromOpaque(own).takeUnretainedValue().take(
          UnsafeRawBufferPointer(start: bytes, count: size * count))
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Anything but the whole of a piece ends the transfer.
  private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard body.count + bytes.count <= maxBytes else { return 0 }
    body.append(contentsOf: bytes)
    return bytes.count
  }
}

/// The wish to end a transfer.
private final class StopWish: Sendable {
  private let isStopped = Atomic(false)

  func stop() { isStopped.store(true, ordering: .relaxed) }

  /// It must outlive the transfer.
  func attach(to easy: UnsafeMutableRawPointer) -> CURLcode {
    racha_curl_set_progress(
      easy,
      { own, _, _, _, _ in
        guard let own else { return 1 }
        return Unmanaged<StopWish>.fromOpaque(own).takeUnretainedValue().isStopped.load(ordering: .relaxed) ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }
}

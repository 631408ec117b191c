import CCurl
import Operations
import Synchronization

/// A request to a provider and its answer, through libcurl, over a connection of their own.
///
/// Encrypted wherever the URL says so, with a server that has proved its name. Redirects are answers as any other; proxies, cookies,
/// logins and compression there are none.
final class ProviderExchange: Sendable {
  /// More than any head of an answer takes, those before the last one (status 1xx) included.
  private static let maxHeadBytes = 64 << 10

  private let url: ProviderURL
  private let form: String?
  private let headers: [String]
  private let authoritiesFile: String?
  private let isBrokenOff = Atomic(false)

  /// - Parameters:
  ///   - form: what is posted, nil for what is only fetched.
  ///   - authorization: value of the header of that name.
  ///   - authoritiesFile: the certificates of authorities to believe, as PEM; nil for those of the system.
  init(_ url: ProviderURL, form: String? = nil, authorization: String? = nil, authoritiesFile: String?) {
    self.url = url
    self.form = form
    self.authoritiesFile = authoritiesFile
    var headers = ["Accept: application/json"]
    if form != nil { headers.append("Content-Type: application/x-www-form-urlencoded") }
    if let authorization { headers.append("Authorization: \(authorization)") }
    self.headers = headers
    _ = ProviderExchange.library
  }

  /// Prepares libcurl for the process, once (curl_global_init(3)).
  private static let library: CURLcode = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

  /// Ends it within about a second, from any thread, begun or not.
  func breakOff() { isBrokenOff.store(true, ordering: .relaxed) }

  /// Sends the request and waits for the answer; blocks the thread meanwhile.
  ///
  /// - Throws: ``ProviderError``, or `CancellationError` if it is broken off.
  func perform(until end: ContinuousClock.Instant) throws -> ProviderWeb.Answer {
    guard let easy = curl_easy_init() else { throw ProviderError.unavailable("unreachable") }
    defer { curl_easy_cleanup(easy) }
    var list: UnsafeMutablePointer<curl_slist>?
    defer { curl_slist_free_all(list) }
    for header in headers { list = curl_slist_append(list, header) }
    let milliseconds = ContinuousClock.now.duration(to: end) / .milliseconds(1)
    // To libcurl, 0 is for ever.
    guard milliseconds >= 1 else { throw ProviderError.unavailable("timed_out") }
    let received = ReceivedAnswer(maxHeadBytes: Self.maxHeadBytes, maxBytes: ProviderWeb.maxBytes)
    var code = set(easy, milliseconds: Int(milliseconds))
    if code == CURLE_OK { code = racha_curl_set_list(easy, CURLOPT_HTTPHEADER, list) }
    if code == CURLE_OK { code = received.attach(to: easy) }
    if code == CURLE_OK { code = attach(to: easy) }
    if code == CURLE_OK { code = withExtendedLifetime((self, received)) { curl_easy_perform(easy) } }
    if isBrokenOff.load(ordering: .relaxed) { throw CancellationError() }
    if received.isTooLarge { throw ProviderError.unavailable("answer_too_large") }
    switch code {
    case CURLE_OK: break
    case CURLE_OPERATION_TIMEDOUT: throw ProviderError.unavailable("timed_out")
    default: throw ProviderError.unavailable("unreachable")
    }
    var status = 0
    racha_curl_get_number(easy, CURLINFO_RESPONSE_CODE, &status)
    return ProviderWeb.Answer(status: status, body: received.body)
  }

  /// Sets the options; the first one that libcurl does not take ends it.
  private func set(_ easy: UnsafeMutableRawPointer, milliseconds: Int) -> CURLcode {
    let texts: [(CURLoption, String?)] = [
      (CURLOPT_URL, url.description), (CURLOPT_PROTOCOLS_STR, url.scheme), (CURLOPT_CAINFO, authoritiesFile),
      // The environment names proxies, too.
      (CURLOPT_PROXY, ""), (CURLOPT_COPYPOSTFIELDS, form),
    ]
    let numbers: [(CURLoption, Int)] = [
      (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2), (CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
      (CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)), (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_TIMEOUT_MS, milliseconds),
      // Time-outs without signals, which would end other threads' calls, and without waiting for a name server that does not answer.
      (CURLOPT_NOSIGNAL, 1), (CURLOPT_QUICK_EXIT, 1),
    ]
    for (option, text) in texts {
      guard let text else { continue }
      let code = racha_curl_set_text(easy, option, text)
      guard code == CURLE_OK else { return code }
    }
    for (option, number) in numbers {
      let code = racha_curl_set_number(easy, option, number)
      guard code == CURLE_OK else { return code }
    }
    return CURLE_OK
  }

  /// The exchange must outlive the transfer.
  private func attach(to easy: UnsafeMutableRawPointer) -> CURLcode {
    racha_curl_set_progress(
      easy,
      { own, _, _, _, _ in
        guard let own else { return 1 }
        let exchange = Unmanaged<ProviderExchange>.fromOpaque(own).takeUnretainedValue()
        return exchange.isBrokenOff.load(ordering: .relaxed) ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
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

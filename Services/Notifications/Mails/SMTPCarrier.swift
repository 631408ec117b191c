import CCurl
import Logging
import Operations
import Synchronization
import Web
import Workers

/// Hands mails to an SMTP server (RFC 5321) through libcurl, each over a connection of its own, with encryption and login.
struct SMTPCarrier: MailCarrier {
  let server: SMTPServer
  let logger: Logger
  /// Each mail on its way holds a thread.
  private let workers = WorkerPool(label: "smtp", threads: MailSettings.maxConnections, maxWaiting: MailSettings.maxConnections)

  init(server: SMTPServer, logger: Logger) {
    self.server = server
    self.logger = logger
  }

  func carry(_ letter: Letter) async throws(MailFailure) {
    let upload = Upload(letter.bytes)
    let flag = CancellationFlag()
    let outcome: Outcome
    do {
      outcome = try await withTaskCancellationHandler {
        try await workers.run { [server] in SMTPCarrier.transfer(letter, upload, server, flag) }
      } onCancel: {
        flag.cancel()
      }
    } catch {
      // The service stops before a thread had it.
      throw .interrupted
    }
    guard let failure = outcome.failure else { return }
    logger.warning(
      "mail server did not accept a mail",
      metadata: [
        "mailID": .string("\(letter.id)"), "failure": .string(failure.code), "reason": .string(outcome.reason),
      ])
    throw failure
  }

  private struct Outcome: Sendable {
    let failure: MailFailure?
    /// What libcurl says; it names neither the addressee nor the mail.
    let reason: String
  }

  private static func transfer(
    _ letter: Letter, _ upload: Upload, _ server: SMTPServer, _ flag: CancellationFlag
  ) -> Outcome {
    guard let easy = Curl.begin() else { return Outcome(failure: .connection, reason: "out of memory") }
    defer { curl_easy_cleanup(easy) }
    let recipients = curl_slist_append(nil, "<\(letter.to)>")
    defer { curl_slist_free_all(recipients) }
    var code = set(easy, letter, server)
    if code == CURLE_OK { code = racha_curl_set_list(easy, CURLOPT_MAIL_RCPT, recipients) }
    if code == CURLE_OK { code = upload.attach(to: easy) }
    if code == CURLE_OK { code = flag.attach(to: easy) }
    guard code == CURLE_OK else { return Outcome(failure: .connection, reason: String(cString: curl_easy_strerror(code))) }
    code = withExtendedLifetime((upload, flag)) { curl_easy_perform(easy) }
    var reply = 0
    racha_curl_get_number(easy, CURLINFO_RESPONSE_CODE, &reply)
    return Outcome(failure: SMTPReply.failure(code, reply: reply), reason: String(cString: curl_easy_strerror(code)))
  }

  /// Sets what the server's settings and the envelope ask for; the first option that libcurl does not take ends it.
  private static func set(_ easy: UnsafeMutableRawPointer, _ letter: Letter, _ server: SMTPServer) -> CURLcode {
    let encryption =
      switch server.encryption {
      case .none: CURLUSESSL_NONE
      case .starttls: CURLUSESSL_TRY
      case .required: CURLUSESSL_ALL
      }
    let texts: [(CURLoption, String?)] = [
      (CURLOPT_URL, server.url), (CURLOPT_PROTOCOLS_STR, "smtp,smtps"), (CURLOPT_MAIL_FROM, "<\(letter.from)>"),
      (CURLOPT_USERNAME, server.username), (CURLOPT_PASSWORD, server.password), (CURLOPT_CAINFO, server.authoritiesFile),
    ]
    let numbers: [(CURLoption, Int)] = [
      (CURLOPT_USE_SSL, Int(encryption.rawValue)), (CURLOPT_UPLOAD, 1),
      // Time-outs without signals, which would end other threads' calls.
      (CURLOPT_NOSIGNAL, 1), (CURLOPT_CONNECTTIMEOUT_MS, server.connectMilliseconds),
      (CURLOPT_TIMEOUT_MS, server.wholeMilliseconds), (CURLOPT_SERVER_RESPONSE_TIMEOUT, (server.wholeMilliseconds + 999) / 1000),
    ]
    return Curl.set(texts, numbers, on: easy)
  }
}

/// The bytes that libcurl asks for.
private final class Upload: Sendable {
  private let bytes: [UInt8]
  private let position = Atomic(0)

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The upload must outlive the transfer.
  func attach(to easy: UnsafeMutableRawPointer) -> CURLcode {
    racha_curl_set_reader(
      easy,
      { buffer, size, count, own in
        guard let buffer, let own else { return 0 }
        return Unmanaged<Upload>.fromOpaque(own).takeUnretainedValue().read(into: buffer, atMost: size * count)
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Called on the transfer's thread alone.
  private func read(into buffer: UnsafeMutablePointer<CChar>, atMost count: Int) -> Int {
    let start = position.load(ordering: .relaxed)
    let length = min(count, bytes.count - start)
    bytes.withUnsafeBytes { all in
      UnsafeMutableRawBufferPointer(start: buffer, count: count).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: all[start..<start + length]))
    }
    position.store(start + length, ordering: .relaxed)
    return length
  }
}

import NotificationsContract
import Operations

/// One mail as it travels: RFC 5322 fields and the same text twice, plain and as HTML (RFC 2046, section 5.1.4).
///
/// The bytes depend on nothing but the fields, so a mail that is sent again is the same mail, under the same `Message-ID`.
struct MailMessage: Sendable {
  let id: ID<Mail>
  let from: MailAddress
  let to: MailAddress
  let language: Language
  let subject: String
  let date: Instant
  let text: String
  let html: String
  /// The link that ends this kind of mail; nil for one that cannot be ended.
  var end: String?
  /// What it is about with others, by which programs show them together.
  var thread: String?

  /// The id by which mail programs know a repeated mail.
  var messageID: String { "<\(id)@\(from.domain)>" }

  /// The mail in full, lines ending in CRLF.
  var bytes: [UInt8] {
    // `=_` cannot occur in a quoted-printable body, so the boundary cannot either.
    let boundary = "=_racha_\(id)"
    let head = """
      Date: \(RFC5322Date.text(date))
      From: Racha <\(from)>
      To: <\(to)>
      Subject: \(EncodedWord.encode(subject))
      Message-ID: \(messageID)
      MIME-Version: 1.0
      Content-Language: \(language.rawValue)
      Content-Type: multipart/alternative;
       boundary="\(boundary)"
      Auto-Submitted: auto-generated

      """
    var result = MailMessage.lines(head + threading + ending)
    for (type, content) in [("text/plain", text), ("text/html", html)] {
      let partHead = """

        --\(boundary)
        Content-Type: \(type); charset=utf-8
        Content-Transfer-Encoding: quoted-printable


        """
      result += MailMessage.lines(partHead) + QuotedPrintable.encode(content)
    }
    return result + MailMessage.lines("\n--\(boundary)--\n")
  }

  /// Mails about the same thing answer one that was never sent (RFC 5322, section 3.6.4).
  private var threading: String {
    thread.map { "In-Reply-To: <\($0)@\(from.domain)>\nReferences: <\($0)@\(from.domain)>\n" } ?? ""
  }

  /// By one click without a page where the link is encrypted (RFC 2369; RFC 8058, section 3.1).
  private var ending: String {
    guard let end else { return "" }
    let click = end.begins(with: "https://") ? "List-Unsubscribe-Post: List-Unsubscribe=One-Click\n" : ""
    return "List-Unsubscribe:\n <\(end)>\n\(click)"
  }

  private static func lines(_ text: String) -> [UInt8] {
    // Folded fields have their line breaks already.
    Array(text.split(at: "\n").map { $0.ends(with: "\r") ? $0.dropLast() : $0 }.joined(separator: "\r\n").utf8)
  }
}

/// An address that can stand in a mail's envelope and head: ASCII without spaces, angle brackets or control characters.
struct MailAddress: Hashable, Sendable, CustomStringConvertible {
  let description: String

  /// Nil where the text could break out of the field it is written into, or is no address.
  init?(_ text: String) {
    let parts = text.split(at: "@")
    let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"<>(),:;\"\\[]".utf8.contains($0) }
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), isPlain, text.utf8.count <= 254 else { return nil }
    description = text
  }

  /// Stands in where a setting is refused; the service does not start with it.
  static let placeholder = MailAddress(trusted: "racha@localhost")

  private init(trusted: String) { description = trusted }

  var domain: Substring { description.split(at: "@")[1] }
}

/// Dates of mails (RFC 5322, section 3.3), always in UTC: `Sat, 21 Nov 2026 08:43:00 +0000`.
enum RFC5322Date {
  private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  static func text(_ instant: Instant) -> String {
    let day = LocalDay(daysSinceEpoch: Int32(instant.milliseconds / 86_400_000))
    let (year, month, dayOfMonth) = day.parts
    // The time of day stands in RFC 3339's form already: 2026-11-21T08:43:00.000Z.
    let time = instant.description.dropFirst(11).prefix(8)
    return "\(weekdays[day.weekday - 1]), \(dayOfMonth) \(months[month - 1]) \(year) \(time) +0000"
  }
}

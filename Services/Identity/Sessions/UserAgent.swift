import Operations

/// A client's program, as far as its `User-Agent` (RFC 9110, section 10.1.5) shows it: for people who review their sessions.
///
/// Any client can send any text, so it decides nothing.
struct UserAgent: Hashable, Sendable {
  /// `Firefox`, `curl`.
  let program: String?
  /// `Linux`, `iPhone`.
  let system: String?

  init(_ text: String?) {
    let text = text ?? ""
    program = UserAgent.programs.first { text.contains($0.mark) }?.name ?? UserAgent.product(text)
    system = UserAgent.systems.first { text.contains($0.mark) }?.name
  }

  /// Browsers name those whose sites they want to be served by as well; so the most particular come first.
  private static let programs: [(mark: String, name: String)] = [
    ("Edg/", "Edge"), ("EdgA/", "Edge"), ("EdgiOS/", "Edge"), ("OPR/", "Opera"), ("OPT/", "Opera"), ("Vivaldi/", "Vivaldi"),
    ("SamsungBrowser/", "Samsung Internet"), ("YaBrowser/", "Yandex Browser"), ("FxiOS/", "Firefox"), ("Firefox/", "Firefox"),
    ("CriOS/", "Chrome"), ("Chromium/", "Chromium"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
  ]

  /// Android is a Linux, and iPhones and iPads are "like Mac OS X".
  private static let systems: [(mark: String, name: String)] = [
    ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"), ("CrOS", "ChromeOS"),
    ("Macintosh", "macOS"), ("macOS", "macOS"), ("Mac OS X", "macOS"), ("Linux", "Linux"), ("linux", "Linux"),
    ("FreeBSD", "FreeBSD"), ("OpenBSD", "OpenBSD"),
  ]
  private static let maxProductBytes = 40

  /// The first product, without its version; nil where it is no name at all, as `Mozilla`, which every browser claims to be.
  private static func product(_ text: String) -> String? {
    let name = text.unicodeScalars.prefix { $0 != "/" && $0 != " " }
    let isName =
      (1...maxProductBytes).contains(name.count) && !String(name).isSame(as: "Mozilla")
      && String(name).utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._+".utf8.contains(byte)
        }
      }
    return isName ? String(name) : nil
  }
}

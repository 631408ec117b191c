import Operations
import ServiceKit

/// What the log is called: by convention the URL below which it is served, without its scheme (c2sp.org/tlog-tiles, “Parameters”).
enum RegisterOrigin {
  /// The name of a log that has none yet, from the setting `racha.publicUrl`. Once it has it, it keeps it.
  static func first(_ settings: Settings) -> String {
    let port = settings.int("racha.http.port", default: 8080, in: 0...65535)
    return name(of: settings.string("racha.publicUrl", default: "http://127.0.0.1:\(port)"))
  }

  /// Without scheme, slashes at the end, and what the name of a key cannot have.
  static func name(of url: String) -> String {
    var rest = Array(url.unicodeScalars)
    for scheme in ["https://", "http://"] where url.begins(with: scheme) { rest.removeFirst(scheme.unicodeScalars.count) }
    rest.removeAll { $0 == "+" || $0.value < 0x20 || $0.properties.isWhitespace }
    while rest.last == "/" { rest.removeLast() }
    return String(String.UnicodeScalarView(rest)) + "/register"
  }
}
